#!/usr/bin/env bash
# Builds, tests and serves sampling-lab. `./build.sh help` lists the commands.
set -euo pipefail
cd "$(dirname "$0")"

STD=(-std=c11 -ffp-contract=off -fno-math-errno)   # the numerics contract: docs/numerics.md
WARN=(-Wall -Wextra -Wconversion -Wshadow -Wvla -Werror)
# what travels inside the script with the first experiments: no rows, no engines
ELEMENTS=(c/codes.c c/math.c c/lab.c c/lab_filter.c c/stop.c)
# what runs over whole rows, compiled for speed in wasm; the rest is compiled for size
FAST=(c/row*.c c/chain*.c c/rng.c c/sort_libstdcxx.c c/sort_radix.c c/engine_draw.c c/stream.c c/gpt.c)
# instructions that every browser with SIMD128 knows: what is compiled for size takes less of them
SHORTER=(bulk-memory nontrapping-fptoint sign-ext)
# exports of the library that JavaScript finds in the description instead (c/wasm/wasm.c)
NOT_FOR_JS='^smp_engine_(checked|version)$'
PORT=${PORT:-8123}
VECTORS=${VECTORS:-tests/vectors}

usage() {
  cat <<'TEXT'
./build.sh          build everything, then serve the page on http://127.0.0.1:8123
./build.sh build    only build: build/native/smp, build/native/libsmp.a, dist/
./build.sh install PREFIX   header, static library and pkg-config file (smp) to PREFIX/include/smp and PREFIX/lib
./build.sh test     install what tests need, build, run every test
./build.sh test vectors   only the vectors; VECTORS=DIR takes them from another folder of the same layout
./build.sh test mutants   change c/stop.c and c/gpt.c in one place at a time; every change must fail its tests (minutes)
./build.sh test fuzz      only the fuzz targets, 10 s each, or FUZZ_SECONDS
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

# meanwhile COMMAND...: runs it beside what follows, with others like it, one a core.
running=()
meanwhile() {
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n || true; done
  "$@" &
  running+=($!)
}

# joined: waits for all that `meanwhile` has begun; fails if one of them has failed.
joined() {
  local job status=0
  for job in "${running[@]}"; do wait "$job" || status=1; done
  running=()
  [ "$status" = 0 ]
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
  stale "$out" "$@" c/*.h c/cli/*.h build.sh || return 0
  say "  $cc ${flags[*]} -> $out"
  mkdir -p "$(dirname "$out")"
  "$cc" "${STD[@]}" "${WARN[@]}" "${flags[@]}" -Ic -o "$out" "$@"
}

build_native() {
  need gcc gcc
  need make make
  printf '#include <stdio.h>\n' | gcc -E - >/dev/null 2>&1 || need "C library headers" libc6-dev
  make -s -j"$(nproc)" -C c CC=gcc OUT=../build/native
  if stale build/native/zh.o web/models/zh.safetensors build.sh; then
    (cd web/models && ld -r -b binary -z noexecstack -o ../../build/native/zh.o zh.safetensors)
  fi
  compile gcc -O3 -- build/native/smp c/cli/*.c build/native/zh.o build/native/libsmp.a
}

install_library() {
  [ $# = 1 ] && [[ $1 == /* ]] ||
    die "install: found '$*'; allowed: one absolute path, as in ./build.sh install /usr/local"
  build_native
  make -s -C c install CC=gcc OUT=../build/native PREFIX="${1//\$/\$\$}" || die "install: cannot install to $1, for the reason above"
}

# wasm NAME LEVEL BYTES "SOURCES" FLAGS...: BYTES of memory, no glue, no imports, and only our own exports. What runs
# over whole rows is compiled for speed, the rest for size. Linked at -Oz the C library's copies go byte by byte.
build_wasm_module() {
  local out=build/wasm/$1.wasm objects=build/wasm/$1.o link=$2 memory=$3 sources source fast level shorter=()
  read -ra sources <<< "$4 c/wasm/wasm.c"
  shift 4
  [[ " $* " != *" -msimd128 "* ]] || shorter=("${SHORTER[@]/#/-m}")
  stale "$out" "${sources[@]}" c/*.h web/build/exports.mjs build.sh || return 0
  say "  emcc $* -> $out"
  rm -rf "$objects" # an object of a file that is gone would be linked too
  mkdir -p "$objects"
  for source in "${sources[@]}"; do
    level=(-Oz "${shorter[@]}")
    for fast in "${FAST[@]}"; do [ "$source" != "$fast" ] || level=(-O2); done
    wasm_object "$source" "$objects" "${level[@]}" "$@"
  done
  link_wasm "$objects" "" "$NOT_FOR_JS" "$out" "$link" --no-entry "$@" "-sTOTAL_MEMORY=$memory"
}

# wasm_object SOURCE FOLDER FLAGS...
wasm_object() {
  NODE_PATH=/usr/share/nodejs emcc "${STD[@]}" "${WARN[@]}" "${@:3}" -Ic \
    '-DSMP_API=__attribute__((used,visibility("default")))' -c "$1" -o "$2/$(basename "$1" .c).o"
}

# link_wasm FOLDERS NO_OBJECT NO_EXPORT OUT LEVEL FLAGS...: all objects but those of a name (a pattern), then without the
# exports that are not ours or match the regular expression, and without what only they call.
link_wasm() {
  local folders objects out=$4
  read -ra folders <<< "$1"
  mapfile -t objects < <(find "${folders[@]}" -type f -name '*.o' -regextype posix-extended ! -regex ".*/($2)\.o" | sort)
  NODE_PATH=/usr/share/nodejs emcc "${@:5}" -sSTANDALONE_WASM -sTOTAL_STACK=65536 "${objects[@]}" -o "$out.part.wasm"
  node web/build/exports.mjs "$out.part.wasm" "$3" > "$out.keep"
  wasm-metadce "$out.part.wasm" --all-features --graph-file "$out.keep" -o "$out" > /dev/null
  if [[ " $* " == *" -msimd128 "* ]]; then wasm-opt "$out" "$5" --all-features -o "$out"; fi # once more: 1 % less
  rm "$out.part.wasm" "$out.keep"
}

build_wasm() {
  need emcc emscripten
  need node nodejs
  [ "$(node_major)" -ge 18 ] || die "node is $(node --version); needed: 18 or later"
  need npm npm
  meanwhile packages
  meanwhile build_wasm_module smp -O2 $((40 << 20)) "$(echo c/*.c)" -msimd128
  meanwhile build_wasm_module smp-scalar -Oz $((40 << 20)) "$(echo c/*.c)"
  meanwhile build_wasm_module elements -Oz $((2 << 20)) "${ELEMENTS[*]}" -msimd128 -DSMP_ELEMENTS
  meanwhile build_wasm_module elements-scalar -Oz $((2 << 20)) "${ELEMENTS[*]}" -DSMP_ELEMENTS
  joined
  meanwhile build_wasm_engines
  meanwhile build_wasm_cli
  joined
}

# What travels inside the script with the engines: no chains, no models, and of rows only their capacity.
build_wasm_engines() {
  local out=build/wasm/engines.wasm
  stale "$out" build/wasm/smp.wasm web/build/exports.mjs build.sh || return 0
  link_wasm build/wasm/smp.o 'chain.*|gpt.*|token|utf8' \
    "^smp_(row_(?!capacity)|gpt_|tokens_|utf8_|arena_keep|rng_uniform|abi_gpt)|$NOT_FOR_JS" "$out" -Oz \
    --no-entry -msimd128 "-sTOTAL_MEMORY=$((40 << 20))"
}

# The command line as the npm package runs it: a program for WASI that asks its host for files, and for the row of
# one. Its memory grows.
build_wasm_cli() {
  local out=build/wasm/cli.wasm objects=build/wasm/cli.o source sources=(c/cli/cli.c c/cli/cli_compare*.c c/cli/cli_draw.c c/cli/cli_generate.c c/cli/cli_lab.c c/cli/cli_record.c c/wasm/cli_row.c)
  stale "$out" build/wasm/smp.wasm c/cli/* "${sources[@]}" c/*.h web/build/exports.mjs build.sh || return 0
  say "  emcc -> $out"
  rm -rf "$objects"
  mkdir -p "$objects"
  for source in "${sources[@]}"; do wasm_object "$source" "$objects" -Oz -msimd128; done
  link_wasm "build/wasm/smp.o $objects" wasm '^smp_' "$out" -Oz -msimd128 "-sTOTAL_MEMORY=$((16 << 20))" \
    -sALLOW_MEMORY_GROWTH -sMALLOC=emmalloc -sERROR_ON_UNDEFINED_SYMBOLS=0 -sWARN_ON_UNDEFINED_SYMBOLS=0 # the host's; tests list the imports
}

packages() {
  stale node_modules/.package-lock.json package-lock.json || return 0
  say "  npm ci"
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null || die "npm ci failed: it needs the npm registry"
  touch node_modules/.package-lock.json
}

build_web() {
  local sources
  mapfile -t sources < <(find web -type f)
  stale dist/.built build/wasm/*.wasm package-lock.json "${sources[@]}" tests/vectors/logits/pieces.txt index.html build.sh || return 0
  node web/build/build.mjs
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
