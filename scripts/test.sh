#!/usr/bin/env bash
# Sets up, builds and tests Park.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'TEXT'
Usage: scripts/test.sh [--quick | --full] [--no-setup]

Sets up, builds and tests Park, and ends with the line "N passed, N failed, N skipped".
The exit status is 0 only when nothing failed.

  (no option)  tiers quick and ci: all tests with assertions and under the address and
               undefined-behaviour sanitizers, the threaded ones again under the thread sanitizer
  --quick      the inner loop: tier quick with assertions
  --full       as without option, and the tier full, which takes long
  --no-setup   leave out scripts/setup.sh

Example: scripts/test.sh --quick
TEXT
}

# The test programs whose tests use several threads.
readonly THREADED=(core_test check_test bridge_threads_test)

passed=0
failed=0
skipped=0
summary() { echo "$passed passed, $failed failed, $skipped skipped"; }

# attribute NAME TEXT: the number that an XML attribute of the text holds.
attribute() {
  [[ $2 =~ \ $1=\"([0-9]+)\" ]] && echo "${BASH_REMATCH[1]}"
}

# count FILE STATUS: adds up what a JUnit file of ctest says; STATUS is that of ctest.
count() {
  local suite tests bad skip
  suite=$(tr '\n\t' '  ' <"$1" | grep -o '<testsuite [^>]*>')
  tests=$(attribute tests "$suite")
  bad=$(attribute failures "$suite")
  skip=$(($(attribute skipped "$suite") + $(attribute disabled "$suite")))
  if [[ $2 -ne 0 && $bad -eq 0 ]]; then bad=1; fi
  passed=$((passed + tests - bad - skip))
  failed=$((failed + bad))
  skipped=$((skipped + skip))
}

# build_step PRESET [TARGET...]: builds it; a build that fails counts as one failure.
build_step() {
  step "build $1" build "$@" && return 0
  failed=$((failed + 1))
  return 1
}

# test_step PRESET NAME CTEST_OPTION...: runs the tests that the options select.
test_step() {
  local preset=$1 name=$2 start=$SECONDS status=0
  shift 2
  local log=build/log/$name.log junit=$PWD/build/log/$name.xml
  rm -f "$junit"
  watched "test $name" "$log" ctest --test-dir "build/$preset" --parallel "$(nproc)" \
    --output-on-failure --no-tests=error --output-junit "$junit" "$@" || status=$?
  printf '%-28s %5d s%s\n' "test $name" $((SECONDS - start)) \
    "$([[ $status -eq 0 ]] || echo '  FAILED')"
  if [[ $status -ne 0 ]]; then grep -vE '^ +Start |  Passed  ' "$log" | tail -n 200; fi
  grep -E '^[0-9]+% tests passed' "$log" || true
  if [[ -s $junit ]]; then count "$junit" "$status"; else failed=$((failed + 1)); fi
}

# fetch_spark WHAT...: scripts/spark.sh beside the build, since most of it is waiting for the network.
readonly SPARK_LOG=build/log/spark.log
spark=
fetch_spark() {
  mkdir -p build/log
  scripts/spark.sh "$@" >"$SPARK_LOG" 2>&1 &
  spark=$!
  trap 'kill "$spark" 2>/dev/null || true' EXIT
}

# test_tier TIER PRESET LABELS [TARGET...]: builds everything, or the targets, and runs the tests with
# these labels.
test_tier() {
  # Without them the tests that read files with other programs are skipped; they say so.
  step "python packages" scripts/python_packages.sh || true
  case "$1" in
    ci) fetch_spark 4 tpch ;;
    full) fetch_spark 4 3.5 tpch python ;;
  esac
  build_step "$2" "${@:4}" || return 0
  if [[ -n $spark ]]; then step "spark, after the build" wait "$spark" || tail -n 20 "$SPARK_LOG"; fi
  spark=
  test_step "$2" "$1" --label-regex "$3"
}

test_threads() {
  build_step tsan "${THREADED[@]}" || return 0
  local names
  names=$(IFS='|' && echo "${THREADED[*]}")
  test_step tsan tsan --label-regex '^(quick|ci)$' --tests-regex "^($names)\\."
}

# Ten minutes of inputs that follow the branches of the bridge.
test_fuzzed() {
  build_step fuzz bridge_fuzzer || return 0
  local corpus=build/fuzz/corpus log=build/log/fuzz.log
  mkdir -p "$corpus"
  if PARK_FUZZ_SEEDS=$corpus build/fuzz/bin/bridge_fuzzer "$corpus" -max_total_time=600 \
    -max_len=8192 -artifact_prefix=build/fuzz/ >"$log" 2>&1; then
    passed=$((passed + 1))
    grep '^Done' "$log"
  else
    failed=$((failed + 1))
    tail -n 60 "$log"
  fi
}

main() {
  local tier=ci setup=yes
  while [[ $# -gt 0 ]]; do
    case "$1" in
      -h | --help) usage && return 0 ;;
      --quick) tier=quick ;;
      --full) tier=full ;;
      --no-setup) setup=no ;;
      *) echo "test: unknown option '$1'; see scripts/test.sh --help" >&2 && return 2 ;;
    esac
    shift
  done
  if [[ $setup == yes ]] && ! scripts/setup.sh; then
    failed=1
    summary
    return 1
  fi
  # shellcheck source=scripts/steps.sh
  source scripts/steps.sh
  case "$tier" in
    quick) test_tier quick dev '^quick$' quick_programs ;;
    ci) test_tier ci asan '^(quick|ci)$' && test_threads ;;
    full) test_tier full asan '^(quick|ci|full)$' && test_threads && test_fuzzed ;;
  esac
  printf '%-28s %5d s\n' "all" "$SECONDS"
  summary
  [[ $failed -eq 0 ]]
}

main "$@"
