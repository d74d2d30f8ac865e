# Every test in order. Sourced by build.sh: `./build.sh test` runs all, `./build.sh test vectors` what reads the vectors,
# `./build.sh test mutants` the mutants of c/stop.c.
# The last line is `N passed, M failed`; a runner that ends without its own count is one failure.

OUT=build/tests   # test programs, reports of the runners, and one digest file a runner
passed=0 failed=0

# ---- Counting --------------------------------------------------------------------------------------------------

title() { say "== $1"; }

count() { passed=$((passed + $1)) failed=$((failed + $2)); }

# check NAME COMMAND...: one test; its output is shown only if it fails.
check() {
  local name=$1 text
  shift
  if text=$("$@" 2>&1); then
    count 1 0
    say "  ok $name"
  else
    count 0 1
    say "$text"
    say "  FAILED $name"
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

# native NAME PREFIX COMPILER FLAGS...: builds the test program where stale and runs it, behind PREFIX if there is one.
native() {
  local name=$1 prefix=$2 program=$OUT/$1/test_core log=$OUT/$1/log status=0 start=$SECONDS line
  local totals='^([0-9]+) passed, ([0-9]+) failed$'
  shift 2
  stale "$program" tests/native/*.h build/native/vectors.h && rm -f "$program"
  if ! compile "$1" -g -Ibuild/native -Itests/native "${@:2}" -- "$program" "${LIB[@]}" tests/native/*.c; then
    count 0 1
    say "  FAILED $name: it does not compile"
    return
  fi
  $prefix "$program" "$LOGITS" > "$log" 2>&1 || status=$?
  line=$(tail -n 1 "$log")
  if [[ $line =~ $totals ]] && { [ "$status" = 0 ] || [ "${BASH_REMATCH[2]}" -gt 0 ]; }; then
    count "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
  else
    count 0 1
    line="FAILED: it ended with status $status and without a count"
    tail -n 40 "$log"
  fi
  grep '^FAIL ' "$log" || true
  sed -n 's/^digest //p' "$log" > "$OUT/digests/$name"
  say "  $name: $line ($((SECONDS - start)) s)"
}

native_all() {
  title "native: gcc, clang, sanitizers, aarch64"
  local compiler level
  for compiler in gcc clang; do
    for level in -O0 -O3; do native "$compiler$level" "" "$compiler" "$level"; done
    if grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo; then
      native "$compiler-O3-haswell" "" "$compiler" -O3 -march=haswell
    else
      say "  skipped $compiler -march=haswell: this processor has no AVX2 and FMA"
    fi
  done
  native clang-sanitizers "" clang -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
  native aarch64 qemu-aarch64 aarch64-linux-gnu-gcc -O3 -static
}

# The flag against contraction matters: fused products and sums give another digest than the one in $1.
contraction_shows() {
  local program=$OUT/contracted/test_core fused
  grep -qw fma /proc/cpuinfo || { say "this processor has no FMA"; return; }
  compile gcc -O3 -march=haswell -ffp-contract=fast -Ibuild/native -Itests/native -- "$program" "${LIB[@]}" tests/native/*.c
  fused=$("$program" "$LOGITS" 2>/dev/null | sed -n 's/^digest //p') || true
  [ -n "$fused" ] && [ "$fused" != "$(cat "$1")" ]
}

# ---- Node and browser --------------------------------------------------------------------------------------------

# total KINDS REPORT: the sum of these counts in a TAP report, or nothing if it has none.
total() { awk -v kinds="^($1)\$" '$1 == "#" && NF == 3 && $2 ~ kinds { n += $3; found = 1 } END { if (found) print n }' "$2"; }

# node_tests NAME FILE...: node's own test runner; its TAP report gives the count.
node_tests() {
  local name=$1 report=$OUT/$1.tap status=0 start=$SECONDS good bad
  shift
  : > "$report"
  node --test --test-concurrency="$(nproc)" --test-reporter=spec --test-reporter-destination=stdout \
    --test-reporter=tap --test-reporter-destination="$report" "$@" 2>&1 || status=$?
  good=$(total pass "$report") bad=$(total 'fail|cancelled' "$report")
  if [ -z "$good" ] || { [ "$status" != 0 ] && [ "$bad" = 0 ]; }; then
    count 0 1
    say "  FAILED $name: the runner ended with status $status and without a count"
  else
    count "$good" "$bad"
    say "  $name: $good passed, $bad failed ($((SECONDS - start)) s)"
  fi
}

# ---- Digests -----------------------------------------------------------------------------------------------------

# one_digest NAME...: all of these runners have left a digest, and the same one.
one_digest() {
  local name digest all=()
  title "digests"
  for name in "$@"; do
    digest=$(cat "$OUT/digests/$name" 2>/dev/null || true)
    all+=("${digest:-none}")
    printf '  %-22s %s\n' "$name" "${digest:-none}"
  done
  if [[ ! ${all[0]} =~ ^[0-9a-f]{16}$ ]] || [ "$(printf '%s\n' "${all[@]}" | sort -u | wc -l)" != 1 ]; then
    count 0 1
    say "  FAILED: the builds do not agree bit for bit"
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
  need_package fonts-noto-cjk
  need_package fonts-liberation
  need firefox-esr firefox-esr
  need WebKitWebDriver webkit2gtk-driver
  need Xvfb xvfb
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
  local covered='^((llms-from-scratch|mlx-lm|transformers.js)/small|softmax64|rounding|stop|trace|migrate|engines-read|candle/(small|edge|real-c|repeat-penalty|streams-a|topk-adversarial)|transformers/(small|real|settings|rows)|llama.cpp/(small|edge|real-c|dry-penalties)|torch/(streams|seed2718|rng|topk)|rng/(rust_stdrng|mt19937)|transformers/(errors|masks))\.json$'
  build
  vector_table
  title "vectors in $VECTORS"
  (cd "$VECTORS" && find . -name '*.json' -not -path './logits/*' | sed 's|^\./||' | sort | grep -vE "$covered" |
    paste -sd' ' | sed 's/^/  not covered yet: /') || true
  native gcc-O3 "" gcc -O3
  node_tests vectors tests/node/vectors.*.test.mjs
  one_digest gcc-O3 wasm-simd-node wasm-scalar-node
}

everything() {
  local names=(gcc-O0 gcc-O3 clang-O0 clang-O3 clang-sanitizers aarch64 wasm-simd-node wasm-scalar-node
    wasm-simd-chromium wasm-scalar-chromium browser-Chromium browser-Firefox browser-WebKit
    browser-Chromium-no-simd browser-WebKit-no-simd)
  tools
  build
  vector_table
  title "sources"
  check "clang-format" clang-format --style=file:c/.clang-format --dry-run --Werror c/*.[ch] tests/native/*.[ch]
  check "tsc -p web" npx --no-install tsc -p web
  check "a second build has nothing to do" second_build_is_idle
  native_all
  if [ -e "$OUT/digests/gcc-O3-haswell" ]; then names+=(gcc-O3-haswell clang-O3-haswell); fi
  check "contraction would change the digest" contraction_shows "$OUT/digests/gcc-O3"
  title "node"
  node_tests node tests/node/*.test.mjs tests/native/*.test.mjs
  title "browsers: Chromium, and one suite in Firefox and WebKit too"
  node_tests browser tests/browser/*.test.mjs
  one_digest "${names[@]}"
}

rm -rf "$OUT/digests"
mkdir -p "$OUT/digests"
case "${1:-}" in
  '') everything ;;
  vectors) only_vectors ;;
  mutants)
    need gcc gcc
    vector_table
    title "mutants of c/stop.c"
    check "every mutant dies" node tests/native/mutate.mjs
    ;;
  *) die "unknown test '$1': ./build.sh test, or with vectors or mutants" ;;
esac
say "$passed passed, $failed failed"
[ "$failed" = 0 ] || exit 1
