# Every test in order. Sourced by build.sh: `./build.sh test` runs all, `./build.sh test vectors` what reads the
# vectors, `./build.sh test mutants` the mutants of c/stop.c and c/gpt.c, `./build.sh test fuzz` the fuzz targets. It
# ends with `N passed, M failed` and the names of what failed; a runner that ends without its own count is one failure.

OUT=build/tests   # test programs, reports of the runners, and one digest file a runner
passed=0 failed=0
failures=()   # names

# ---- Counting --------------------------------------------------------------------------------------------------

title() { say "== $1 (after $SECONDS s)"; }

count() { passed=$((passed + $1)) failed=$((failed + $2)); }

# fail NAME: one test has failed.
fail() {
  count 0 1
  failures+=("$1")
  say "  FAILED $1"
}

# check NAME COMMAND...: one test; its output is shown only if it fails.
check() {
  local name=$1 text
  shift
  if text=$("$@" 2>&1); then
    count 1 0
    say "  ok $name"
  else
    say "$text"
    fail "$name"
  fi
}

# ---- Native ----------------------------------------------------------------------------------------------------

# The vectors as a C table, touched only if it changes, so that nothing is built again for the same facts.
vector_table() {
  local table=build/native/vectors.h
  mkdir -p build/native
  node tests/native/vectors.mjs "$VECTORS" "$table.new"
  if cmp -s "$table.new" "$table"; then rm "$table.new"; else mv "$table.new" "$table"; fi
}

# The tests themselves, compiled once a compiler: what they are linked with differs.
test_objects() {
  local object=$OUT/$1-tests.o
  stale "$object" tests/native/*.h build/native/vectors.h && rm -f "$object"
  compile "$1" -O1 -r -Ibuild/native -Itests/native -- "$object" tests/native/*.c
}

# native NAME PREFIX TESTS COMPILER FLAGS...: builds the test program where stale, the library as c/*.c, and runs it,
# behind PREFIX if there is one. Leaves a log and, once it has ended, its status and its seconds; native_count counts them.
native() {
  local name=$1 prefix=$2 tests=$3 folder=$OUT/$1 status=0 start=$SECONDS
  local program=$folder/test_core
  shift 3
  mkdir -p "$folder"
  rm -f "$folder/ended"
  stale "$program" tests/native/*.h build/native/vectors.h && rm -f "$program"
  {
    compile "$1" -Ibuild/native -Itests/native "${@:2}" -- "$program" c/*.c $tests &&
      $prefix "$program" "$LOGITS" || status=$?
  } > "$folder/log" 2>&1
  sed -n 's/^digest //p' "$folder/log" > "$OUT/digests/$name"
  echo "$status $((SECONDS - start))" > "$folder/ended"
}

# native_count NAME: the count in the log that `native` left.
native_count() {
  local name=$1 log=$OUT/$1/log status seconds line totals='^([0-9]+) passed, ([0-9]+) failed$'
  read -r status seconds 2>/dev/null < "$OUT/$name/ended" || status=unknown
  line=$(tail -n 1 "$log")
  if [[ $line =~ $totals ]] && { [ "$status" = 0 ] || [ "${BASH_REMATCH[2]}" -gt 0 ]; }; then
    count "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
    say "  $name: $line (${seconds:-?} s)"
  else
    tail -n 40 "$log"
    fail "$name: it ended with status $status and without a count"
  fi
  while read -r line; do
    say "$line"
    failures+=("$name: ${line#FAIL }")
  done < <(grep '^FAIL ' "$log")
}

fused() { grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo; }

native_all() {
  local compiler level own="tests/native/*.c" thin
  meanwhile native clang-sanitizers "" "$own" clang -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
  test_objects aarch64-linux-gnu-gcc || true
  meanwhile native aarch64 "env EVERY=30 qemu-aarch64" "$OUT/aarch64-linux-gnu-gcc-tests.o" aarch64-linux-gnu-gcc -O3 -static # emulated
  for compiler in gcc clang; do
    test_objects "$compiler" || true # what is linked with them fails
    for level in -O0 -O3; do
      thin= # without optimising all takes three times as long: there the bits matter, all of them in the digest
      [ "$level" != -O0 ] || thin="env EVERY=9"
      meanwhile native "$compiler$level" "$thin" "$OUT/$compiler-tests.o" "$compiler" "$level"
    done
    if fused; then meanwhile native "$compiler-O3-haswell" "" "$OUT/$compiler-tests.o" "$compiler" -O3 -march=haswell; fi
  done
  if fused; then meanwhile native contracted "" "$OUT/gcc-tests.o" gcc -O3 -march=haswell -ffp-contract=fast; fi
}

native_counts() {
  title "native: gcc, clang, sanitizers, aarch64"
  local name names=(aarch64 clang-sanitizers gcc-O0 gcc-O3 clang-O0 clang-O3)
  if fused; then names+=(gcc-O3-haswell clang-O3-haswell); else say "  skipped -march=haswell: this processor has no AVX2 and FMA"; fi
  for name in "${names[@]}"; do native_count "$name"; done
  check "contraction would change the digest" contraction_shows
}

# The flag against contraction matters: fused products and sums give another digest.
contraction_shows() {
  fused || { say "this processor has no AVX2 and FMA"; return; }
  local contracted
  contracted=$(cat "$OUT/digests/contracted")
  [ -n "$contracted" ] && [ "$contracted" != "$(cat "$OUT/digests/gcc-O3")" ]
}

# ---- Fuzzing ---------------------------------------------------------------------------------------------------

FUZZ_SECONDS=${FUZZ_SECONDS:-10} # of each target
FUZZ_TARGETS=(chain engine cli lab stop npy stream gpt)
SANITIZERS=(-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all)

# fuzz NAME: builds the target where stale, and runs it from nothing; what breaks it is left in its folder. The command
# line is compiled apart, so that it reads and ends in the hands of the target (tests/fuzz/caught.h).
fuzz() {
  local folder=$OUT/fuzz-$1 program=$OUT/fuzz-$1/$1 status=0 start=$SECONDS source object inputs=("tests/fuzz/$1.c")
  mkdir -p "$folder"
  rm -f "$folder/ended" "$folder"/*-????????????????????????????????????????
  {
    if [ "$1" = cli ] || [ "$1" = npy ]; then
      for source in c/cli/*.c; do
        object=$folder/$(basename "$source" .c).o
        compile clang "${SANITIZERS[@]}" -fsanitize=fuzzer-no-link -Dmain=smp_main -Dexit=fuzz_exit -Dfopen=fuzz_open \
          -Dfclose=fuzz_close -Dcalloc=fuzz_calloc -Dfree=fuzz_free -c -- "$object" "$source" || status=$?
        inputs+=("$object")
      done
    fi
    stale "$program" tests/fuzz/*.h && rm -f "$program"
    [ "$status" = 0 ] && compile clang "${SANITIZERS[@]}" -D_GNU_SOURCE -fsanitize=fuzzer -- "$program" "${inputs[@]}" build/fuzz/libsmp.a &&
      "$program" -seed=1 -max_total_time="$FUZZ_SECONDS" -timeout=60 -artifact_prefix="$folder/" || status=$?
  } > "$folder/log" 2>&1
  echo "$status $((SECONDS - start))" > "$folder/ended"
}

# fuzz_count NAME: one test, of the run that `fuzz` made.
fuzz_count() {
  local log=$OUT/fuzz-$1/log status seconds runs
  read -r status seconds 2>/dev/null < "$OUT/fuzz-$1/ended" || status=unknown
  runs=$(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$log")
  if [ "$status" = 0 ] && [ -n "$runs" ]; then
    count 1 0
    say "  $1: $runs runs (${seconds:-?} s)"
  else
    tail -n 60 "$log"
    fail "fuzz target $1: status $status; the input is in $OUT/fuzz-$1"
  fi
}

fuzz_all() {
  make -s -j"$(nproc)" -C c CC=clang OUT=../build/fuzz CFLAGS="${SANITIZERS[*]} -fsanitize=fuzzer-no-link"
  local target
  for target in "${FUZZ_TARGETS[@]}"; do meanwhile fuzz "$target"; done
}

fuzz_counts() {
  title "fuzz targets, $FUZZ_SECONDS s each"
  local target
  for target in "${FUZZ_TARGETS[@]}"; do fuzz_count "$target"; done
}

# ---- Node and browser --------------------------------------------------------------------------------------------

# total KINDS REPORT: the sum of these counts in a TAP report, or nothing if it has none.
total() { awk -v kinds="^($1)\$" '$1 == "#" && NF == 3 && $2 ~ kinds { n += $3; found = 1 } END { if (found) print n }' "$2"; }

# not_ok REPORT: the tests that failed in a TAP report, each with its place; of tests with subtests only these.
not_ok() {
  awk '
    /^ *(not )?ok [0-9]/ { name = $1 == "not" ? $0 : ""; sub(/^ *not ok [0-9]+ - /, "", name); gsub(/\\/, "", name); place = "" }
    name != "" && $1 == "location:" { place = $2; gsub("\047", "", place) }
    name != "" && $1 == "failureType:" {
      if ($2 !~ /subtestsFailed/) print name (place == "" ? "" : " (" place ")")
      name = ""
    }' "$1" | sed "s|($PWD/|(|"
}

# node_tests NAME WIDTH FILE...: node's own test runner, WIDTH files at a time, and its count.
node_tests() {
  local name=$1 width=$2 report=$OUT/$1.tap status=0 start=$SECONDS good bad test
  shift 2
  : > "$report"
  node --test --test-concurrency="$width" --test-reporter=spec --test-reporter-destination=stdout \
    --test-reporter=tap --test-reporter-destination="$report" "$@" 2>&1 || status=$?
  good=$(total pass "$report") bad=$(total 'fail|cancelled' "$report")
  if [ -z "$good" ] || { [ "$status" != 0 ] && [ "$bad" = 0 ]; }; then
    fail "$name: the runner ended with status $status and without a count"
  else
    count "$good" "$bad"
    say "  $name: $good passed, $bad failed ($((SECONDS - start)) s)"
  fi
  while read -r test; do failures+=("$name: $test"); done < <(not_ok "$report")
}

# ---- Digests -----------------------------------------------------------------------------------------------------

# one_digest NAME...: all of these runners have left a digest, and the same one.
one_digest() {
  local name digest all=()
  title "digests"
  for name in "$@"; do
    digest=$(cat "$OUT/digests/$name" 2>/dev/null || true)
    all+=("${digest:-none}")
    printf '  %-28s %s\n' "$name" "${digest:-none}"
  done
  if [[ ! ${all[0]} =~ ^[0-9a-f]{16}$ ]] || [ "$(printf '%s\n' "${all[@]}" | sort -u | wc -l)" != 1 ]; then
    fail "digests: the builds do not agree bit for bit"
  else
    count 1 0
  fi
}

# ---- Everything --------------------------------------------------------------------------------------------------

# The package itself, where no command shows whether it is there.
need_package() {
  dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q '^install ok installed$' || need "package $1" "$1"
}

tools() {
  need clang clang
  need clang-format clang-format
  need g++ g++
  need pkg-config pkgconf
  need_package "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
  need aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
  need_package libc6-dev-arm64-cross
  need qemu-aarch64 qemu-user
  need chromium chromium
  need chromium-headless-shell chromium-headless-shell
  need_package fonts-noto-cjk
  need_package fonts-liberation
  need firefox-esr firefox-esr
  need WebKitWebDriver webkit2gtk-driver
  need Xvfb xvfb
  need python3 python3
  python3 -m ensurepip --version >/dev/null 2>&1 || need_package python3-venv
  need pdftotext poppler-utils
}

NEWER=22.23.5

# What drives browsers wants Node 20; Debian 12 has 18. Where the machine's is older, what follows runs on a newer one.
# The build does not; and OWN_NODE is the machine's, on which tests/node/own.test.mjs runs the package.
newer_node() {
  local package folder=$PWD/build/node-$NEWER
  OWN_NODE=$(command -v node)
  export OWN_NODE
  [ "$(node_major)" -lt 20 ] || return 0
  package=node-linux-$(node -p process.arch)
  PATH=$folder/node_modules/$package/bin:$PATH
  [ "$(node --version)" != "v$NEWER" ] || return 0
  say "  npm install $package@$NEWER"
  mkdir -p "$folder"
  npm install --prefix "$folder" --no-save --ignore-scripts --no-audit --no-fund --loglevel=error "$package@$NEWER" >/dev/null ||
    die "tests need node 20 or later, found $(node --version), and npm install $package@$NEWER failed"
  hash -r
}

sources() {
  title "sources"
  check "clang-format" clang-format --style=file:c/.clang-format --dry-run --Werror c/*.[ch] c/*/*.[ch] tests/native/*.[ch] tests/fuzz/*.[ch]
  check "tsc -p web" npx --no-install tsc -p web
  check "biome" npx --no-install biome ci --error-on-warnings --config-path=web web tests docs
  check "a second build has nothing to do" second_build_is_idle
}

second_build_is_idle() {
  local text
  text=$(./build.sh build) || { say "$text"; return 1; }
  ! grep -E '^  |^installing' <<< "$text"
}

# Rows of real logits: beside the vectors, or among them.
LOGITS=$VECTORS/../logits
if [ -d "$VECTORS/logits" ]; then LOGITS=$VECTORS/logits; fi
[ -f "$VECTORS/softmax64.json" ] || die "$VECTORS holds no softmax64.json: set VECTORS to a folder of vectors"
export VECTORS LOGITS

only_vectors() {
  local covered='^((llms-from-scratch|mlx-lm|transformers.js)/small|softmax64|rounding|rules|frequency|stop|trace|gpt|migrate|engines-read|candle/(small|edge|real-c|repeat-penalty|streams-a|topk-adversarial)|transformers/(small|real|settings|rows)|llama.cpp/(small|edge|real-c|dry-penalties)|torch/(streams|seed2718|rng|topk)|rng/(rust_stdrng|mt19937)|transformers/(errors|masks))\.json$'
  build
  newer_node
  vector_table
  title "vectors in $VECTORS"
  (cd "$VECTORS" && find . -name '*.json' -not -path './logits/*' | sed 's|^\./||' | sort | grep -vE "$covered" |
    paste -sd' ' | sed 's/^/  not covered yet: /') || true
  native gcc-O3 "" "tests/native/*.c" gcc -O3
  native_count gcc-O3
  node_tests vectors "$(nproc)" tests/node/vectors.*.test.mjs
  one_digest gcc-O3 wasm-simd-node wasm-scalar-node
}

everything() {
  local names=(gcc-O0 gcc-O3 clang-O0 clang-O3 clang-sanitizers aarch64 wasm-simd-node wasm-scalar-node
    wasm-simd-Chromium wasm-scalar-Chromium wasm-simd-Firefox wasm-scalar-Firefox wasm-simd-WebKit wasm-scalar-WebKit)
  tools
  build
  newer_node
  vector_table
  # No core waits for another: first what compiles and counts, one a core, the slowest first.
  native_all
  fuzz_all
  sources
  wait
  native_counts
  fuzz_counts
  if [ -e "$OUT/digests/gcc-O3-haswell" ]; then names+=(gcc-O3-haswell clang-O3-haswell); fi
  # Then what drives browsers and often waits for a frame, and what Node does by itself: one more than there are cores.
  title "browsers: Chromium, and one suite in Firefox and WebKit too; books; Node"
  node_tests node $(($(nproc) + 1)) tests/{browser,embed,native,node}/*.test.mjs
  one_digest "${names[@]}"
}

rm -rf "$OUT/digests"
mkdir -p "$OUT/digests"
case "${1:-}" in
  '') everything ;;
  vectors) only_vectors ;;
  mutants)
    need gcc gcc
    need node nodejs
    vector_table
    title "mutants of c/stop.c and c/gpt.c"
    check "every mutant of c/stop.c dies" node tests/native/mutate.mjs
    build_native
    check "every mutant of c/gpt.c dies" node tests/native/mutate_gpt.mjs
    ;;
  fuzz)
    need clang clang
    need_package "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
    fuzz_all
    wait
    fuzz_counts
    ;;
  *) die "unknown test '$1': ./build.sh test, or with vectors, mutants or fuzz" ;;
esac
say "$passed passed, $failed failed"
[ ${#failures[@]} = 0 ] || printf '  FAILED %s\n' "${failures[@]}"
[ "$failed" = 0 ] || exit 1
