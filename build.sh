#!/usr/bin/env bash
# Builds, tests and serves sampling-lab. `./build.sh help` lists the commands.
set -euo pipefail
cd "$(dirname "$0")"

STD=(-std=c11 -ffp-contract=off -fno-math-errno)   # the numerics contract: docs/numerics.md
WARN=(-Wall -Wextra -Wconversion -Wshadow -Wvla -Werror)
LIB=(c/codes.c c/math.c c/lab.c c/row.c c/prob.c c/cut.c c/list.c c/select.c c/draw.c c/chain.c c/stop.c
  c/rng.c c/order.c c/engine.c c/trace.c c/torch.c c/candle.c c/llama.c c/samplers.c c/profile.c)
# of them, what the elements call: the module that travels inside the script; and what wasm spends size on
ELEMENTS=(c/codes.c c/math.c c/lab.c c/stop.c)
FAST=(c/row.c c/prob.c c/cut.c c/list.c c/select.c c/draw.c c/chain.c c/order.c)
PORT=${PORT:-8123}
VECTORS=${VECTORS:-tests/vectors}

usage() {
  cat <<'TEXT'
./build.sh          build everything, then serve the page on http://127.0.0.1:8123
./build.sh build    only build: build/native/smp, build/native/libsmp.a, dist/
./build.sh install PREFIX   header, static library and pkg-config file (smp) to PREFIX/include/smp and PREFIX/lib
./build.sh test     install what tests need, build, run every test
./build.sh test vectors   only the vectors; VECTORS=DIR takes them from another folder of the same layout
./build.sh test mutants   change c/stop.c in one place at a time; every change must fail its tests (minutes)
./build.sh clean    remove build/, dist/ and node_modules/
TEXT
}

die() { printf 'build.sh: %s\n' "$1" >&2; exit 1; }
say() { printf '%s\n' "$1"; }

# need COMMAND PACKAGE: have the command, or install Debian's package for it.
need() {
  command -v "$1" >/dev/null 2>&1 && return
  [ "$(id -u)" = 0 ] || die "$1 is missing and only root can install it: apt-get install $2"
  command -v apt-get >/dev/null 2>&1 || die "$1 is missing and there is no apt-get here: install $2 by hand"
  [ -n "${apt_updated:-}" ] || apt-get update -qq || die "$1 is missing and apt-get update failed: install $2 by hand"
  apt_updated=1
  say "installing $2"
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$2" >/dev/null ||
    die "$1 is missing and apt-get install $2 failed"
}

# The first number of node's version.
node_major() {
  local version
  version=$(node --version)
  version=${version#v}
  printf '%s' "${version%%.*}"
}

# stale OUTPUT INPUT...: true if the output is missing or older than an input.
stale() {
  local out=$1 in
  shift
  [ -e "$out" ] || return 0
  for in in "$@"; do [ "$in" -nt "$out" ] && return 0; done
  return 1
}

# compile COMPILER FLAGS... -- OUTPUT SOURCE...
compile() {
  local cc=$1 flags=()
  shift
  while [ "$1" != -- ]; do flags+=("$1"); shift; done
  local out=$2
  shift 2
  stale "$out" "$@" c/*.h c/*.def build.sh || return 0
  say "  $cc ${flags[*]} -> $out"
  mkdir -p "$(dirname "$out")"
  "$cc" "${STD[@]}" "${WARN[@]}" "${flags[@]}" -Ic -o "$out" "$@"
}

build_native() {
  need gcc gcc
  printf '#include <stdio.h>\n' | gcc -E - >/dev/null 2>&1 || need "C library headers" libc6-dev
  local source object objects=()
  for source in "${LIB[@]}"; do
    object=build/native/lib/$(basename "$source" .c).o
    compile gcc -O3 -fPIC -c -- "$object" "$source"
    objects+=("$object")
  done
  if stale build/native/libsmp.a "${objects[@]}"; then
    rm -f build/native/libsmp.a
    ar rcsD build/native/libsmp.a "${objects[@]}"
  fi
  compile gcc -O3 -- build/native/smp c/cli*.c build/native/libsmp.a
}

# The pkg-config file finds the rest from where it lies: the installed tree may be moved.
pkgconfig() {
  cat <<TEXT
prefix=\${pcfiledir}/../..

Name: smp
Description: how a language model's scores become its next token
Version: $(sed -n 's/^#define SMP_VERSION "\(.*\)"$/\1/p' c/smp.h)
Cflags: -I\${prefix}/include/smp
Libs: -L\${prefix}/lib -lsmp
TEXT
}

# install_library PREFIX: all files or none: what can be seen beforehand is refused before anything is written, then every
# file is written beside its place, then all are moved there.
install_library() {
  local prefix=${1:-} file folder
  local -A from=([include/smp/smp.h]=c/smp.h [include/smp/codes.def]=c/codes.def
    [include/smp/engines.def]=c/engines.def [lib/libsmp.a]=build/native/libsmp.a [lib/pkgconfig/smp.pc]=build/native/smp.pc)
  [ $# = 1 ] && [[ $prefix == /* ]] ||
    die "install: found '$*'; allowed: one absolute path, as in ./build.sh install /usr/local"
  for file in "${!from[@]}"; do
    [ ! -d "$prefix/$file" ] || die "install: $prefix/$file is a folder and should be a file; nothing was installed"
    folder=$(dirname "$prefix/$file")
    until [ -e "$folder" ]; do folder=$(dirname "$folder"); done
    [ -d "$folder" ] || die "install: $folder is not a folder; nothing was installed"
    [ -w "$folder" ] || die "install: $folder cannot be written to; nothing was installed"
  done
  build_native
  pkgconfig > build/native/smp.pc
  for file in "${!from[@]}"; do
    install -D -m 644 "${from[$file]}" "$prefix/$file.new" && continue
    for file in "${!from[@]}"; do rm -f "$prefix/$file.new"; done
    die "install: cannot write to $prefix; nothing was installed"
  done
  for file in "${!from[@]}"; do mv -f "$prefix/$file.new" "$prefix/$file"; done
  say "installed smp $(sed -n 's/^Version: //p' build/native/smp.pc) in $prefix"
}

# wasm NAME LEVEL BYTES "SOURCES" FLAGS...: BYTES of memory, no glue, no imports, and only our own exports. What runs over
# whole rows is compiled for speed, the rest for size. Linked at -Oz the C library's copies go byte by byte.
build_wasm_module() {
  local out=build/wasm/$1.wasm objects=build/wasm/$1.o link=$2 memory=$3 sources source fast level
  read -ra sources <<< "$4 c/wasm.c"
  shift 4
  stale "$out" "${sources[@]}" c/*.h c/*.def web/exports.mjs build.sh || return 0
  say "  emcc $* -> $out"
  mkdir -p "$objects"
  for source in "${sources[@]}"; do
    level=-Oz
    for fast in "${FAST[@]}"; do [ "$source" != "$fast" ] || level=-O2; done
    NODE_PATH=/usr/share/nodejs emcc "${STD[@]}" "${WARN[@]}" "$level" "$@" -Ic \
      '-DSMP_API=__attribute__((used,visibility("default")))' -c "$source" -o "$objects/$(basename "$source" .c).o"
  done
  link_wasm "$objects" "$out" "" "$link" "$@" "-sTOTAL_MEMORY=$memory"
}

# link_wasm OBJECTS OUT PATTERN FLAGS...: without the exports that are not ours or match, and what only they call.
link_wasm() {
  NODE_PATH=/usr/share/nodejs emcc "${@:4}" --no-entry -sSTANDALONE_WASM -sTOTAL_STACK=65536 "$1"/*.o -o "$2.part.wasm"
  node web/exports.mjs "$2.part.wasm" "$3" > "$2.keep"
  wasm-metadce "$2.part.wasm" --all-features --graph-file "$2.keep" -o "$2" > /dev/null
  rm "$2.part.wasm" "$2.keep"
}

build_wasm() {
  need emcc emscripten
  need node nodejs
  [ "$(node_major)" -ge 18 ] || die "node is $(node --version); needed: 18 or later"
  build_wasm_module smp -O2 $((40 << 20)) "${LIB[*]}" -msimd128
  build_wasm_module smp-scalar -Oz $((40 << 20)) "${LIB[*]}"
  # what travels inside the script with the engines: no chains, and of rows only their capacity
  if stale build/wasm/engines.wasm build/wasm/smp.wasm web/exports.mjs build.sh; then
    link_wasm build/wasm/smp.o build/wasm/engines.wasm '^smp_(chain|row)_(?!capacity)' -Oz -msimd128 "-sTOTAL_MEMORY=$((40 << 20))"
  fi
  build_wasm_module elements -Oz $((2 << 20)) "${ELEMENTS[*]}" -msimd128 -DSMP_ELEMENTS
  build_wasm_module elements-scalar -Oz $((2 << 20)) "${ELEMENTS[*]}" -DSMP_ELEMENTS
}

packages() {
  stale node_modules/.package-lock.json package-lock.json || return 0
  need npm npm
  say "  npm ci"
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null || die "npm ci failed: it needs the npm registry"
  touch node_modules/.package-lock.json
}

build_web() {
  packages
  local sources
  mapfile -t sources < <(find web -type f)
  stale dist/.built build/wasm/*.wasm package-lock.json "${sources[@]}" tests/vectors/logits/pieces.txt index.html build.sh || return 0
  node web/build.mjs
  touch dist/.built
}

build() {
  build_native
  build_wasm
  build_web
  say "gcc $(gcc -dumpfullversion), emcc $(emcc -dumpversion), node $(node --version), esbuild $(node -p 'require("esbuild/package.json").version')"
  say "smp.wasm $(wc -c < dist/smp.wasm) bytes, sha256 $(sha256sum dist/smp.wasm | cut -c1-16)"
}

serve() {
  say "http://127.0.0.1:$PORT/ — or open $PWD/index.html from disk"
  # esbuild stops when its input ends: give it one that lasts as long as this process
  exec node_modules/.bin/esbuild --serve=127.0.0.1:"$PORT" --servedir=. --log-level=warning < <(tail -f /dev/null --pid=$$)
}

case "${1:-serve}" in
  serve) build; serve ;;
  build) build ;;
  install) shift; install_library "$@" ;;
  test) shift; . tests/run.sh ;;
  clean) rm -rf build dist node_modules ;;
  help | --help | -h) usage ;;
  *) usage >&2; die "unknown command '$1'" ;;
esac
