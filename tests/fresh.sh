#!/usr/bin/env bash
# Both commands of the README on a bare Debian 12, in a chroot: what build.sh and tests/run.sh forget to
# ask for shows here.
#   tests/fresh.sh [FOLDER]     FOLDER, new or empty, is kept; without it a temporary one is removed. MIRROR=URL: packages from there
# Needs root and debootstrap, 6 GB, about half an hour. It takes what is committed.
set -euo pipefail

die() { printf 'fresh.sh: %s\n' "$1" >&2; exit 1; }
say() { printf '== %s\n' "$1"; }

# ---- Outside: a mount and a process namespace of its own. With its last process go all mounts, however it ends. ----

outside() {
  [[ $# = 0 || ($# = 1 && $1 == [!-]*) ]] || die "found '$*'; allowed: one folder, new or empty, or none"
  [ "$(id -u)" = 0 ] || die "only root can mount and chroot"
  command -v debootstrap >/dev/null || die "debootstrap is missing: apt-get install debootstrap"
  made='' child=''
  if [ $# = 1 ]; then
    mkdir -p "$1"
    [ -z "$(ls -A "$1")" ] || die "$1 is not empty"
    folder=$1
  else
    folder=$(mktemp -d) made=1
    chmod 755 "$folder"
  fi
  trap clean EXIT
  trap 'exit 130' INT TERM HUP
  local status=0
  setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child "$BASH" tests/fresh.sh --inside "$folder" &
  child=$!
  wait "$child" || status=$?
  child=''
  exit "$status"
}

clean() {
  if [ -n "$child" ]; then
    kill -KILL "$child" 2>/dev/null || true
    wait "$child" 2>/dev/null || true
  fi
  [ -n "$made" ] || return 0
  for _ in 1 2 3 4 5; do # what was killed may take a moment to end
    rm -rf --one-file-system "$folder" 2>/dev/null && return
    sleep 1
  done
  printf 'fresh.sh: cannot remove %s\n' "$folder" >&2
}

# ---- Inside -------------------------------------------------------------------------------------------------------

# Where this machine itself gets Debian 12 from, if it does; otherwise debootstrap knows.
mirror() { apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Origin: Debian' 'Codename: bookworm' 2>/dev/null | head -n 1; }

# lend FILE [AS]: the machine's file or folder, if it has it, seen in the chroot as well.
lend() {
  local there=$root${2:-$1}
  [ -e "$1" ] || return 0
  mkdir -p "$(dirname "$there")"
  if [ -d "$1" ]; then mkdir -p "$there"; elif [ ! -e "$there" ]; then touch "$there"; fi
  mount --rbind "$(realpath "$1")" "$there"
}

# How this machine reaches the network, and nothing else of it.
network() {
  lend /etc/resolv.conf
  lend /etc/hosts
  lend /usr/local/share/ca-certificates
  lend /etc/npmrc
  lend ~/.npmrc /root/.npmrc
  lend /etc/pip.conf
  lend ~/.config/pip/pip.conf /root/.config/pip/pip.conf
  if command -v apt-config >/dev/null; then
    apt-config dump | grep -E '^Acquire::(https?|Check-|Retries)' > "$root/etc/apt/apt.conf.d/90network" || true
  fi
}

# inside COMMAND...: in the clone, with an environment as after login and what concerns the network.
inside() {
  local name environment=(HOME=/root USER=root TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
  local proxies='(https?|ftp|all|no)_proxy' certificates='node_extra_ca_certs|ssl_cert_(file|dir)|(requests|curl)_ca_bundle'
  local pip='pip_(index_url|extra_index_url|trusted_host|cert|client_cert|proxy|default_timeout)'
  for name in $(compgen -e); do
    [[ ! ${name,,} =~ ^($proxies|$certificates|$pip|npm_config_.*)$ ]] || environment+=("$name=${!name}")
  done
  exec env -i "${environment[@]}" chroot "$root" /bin/bash -c 'cd /root/sampling-lab && exec "$@"' -- "$@"
}

served() {
  local log=$root/root/serve.log port=$((20000 + RANDOM % 20000)) server fetched='' try
  local address=http://127.0.0.1:$port/
  (inside env PORT="$port" ./build.sh) > "$log" 2>&1 &
  server=$!
  while kill -0 "$server" 2>/dev/null && ! grep -q "$address" "$log"; do sleep 1; done
  cat "$log"
  for try in 1 2 3 4 5; do # the address is said just before the port is open
    kill -0 "$server" 2>/dev/null || break
    if (inside node -e "fetch('$address').then(page => page.text()).then(text => process.exit(text.includes('<smp-sampling') ? 0 : 1))"); then
      fetched=1
      break
    fi
    sleep "$try"
  done
  kill "$server" 2>/dev/null || true
  wait "$server" || true
  [ -n "$fetched" ]
}

tested() {
  (inside ./build.sh test) 2>&1 | tee "$root/root/test.log"
}

run() {
  root=$1
  trap 'exit 130' INT TERM HUP
  say "Debian 12 in $root"
  local from=${MIRROR:-$(mirror)} serve=failed test=failed commit
  debootstrap --variant=minbase bookworm "$root" ${from:+"$from"} | { grep -v '^I: ' || true; }
  mount -t proc proc "$root/proc"
  mount -t sysfs -o ro sys "$root/sys"
  mount --rbind /dev "$root/dev"
  network
  git clone -q . "$root/root/sampling-lab"
  commit=$(git -C "$root/root/sampling-lab" log -1 --format='%h %s')
  say "./build.sh"
  if served; then serve=passed; fi
  say "./build.sh test"
  if tested; then test=passed; fi
  say "Debian 12, node $(inside node --version), $commit"
  say "./build.sh: $serve"
  say "./build.sh test: $test, $(tail -n 1 "$root/root/test.log")"
  [ "$serve$test" = passedpassed ]
}

if [[ $# = 1 && $1 == [!-]* ]]; then set -- "$(realpath -m -- "$1")"; fi
cd "$(dirname "$0")/.."
if [ "${1:-}" = --inside ]; then run "$2"; else outside "$@"; fi
