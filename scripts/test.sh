#!/usr/bin/env bash
# Sets up, builds and tests Park.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'TEXT'
Usage: scripts/test.sh [--quick | --full] [--no-setup] [--offline]

Sets up, builds and tests Park, and ends with the line "N passed, N failed, N skipped".
The exit status is 0 only when nothing failed. A skipped test that tests/expected_skips.txt does
not expect on this machine has failed, and so has a step of the set-up.

  (no option)  tiers quick and ci: all tests with assertions and under the address sanitizer, the
               threaded ones again under the thread sanitizer
  --quick      the inner loop: tier quick with assertions
  --full       tier full too, which takes long, and the undefined-behaviour sanitizer beside the address
               sanitizer: it makes a third of the time that Park takes to compile
  --no-setup   leave out scripts/setup.sh
  --offline    this machine reaches no package registry: what needs their packages may be skipped

Example: scripts/test.sh --quick
TEXT
}

# The test programs with tests that use several threads in their own process, and which tests these are: of the
# properties of environments two have threads.
readonly THREADED=(core_test check_test bench_threads_test envs_threads_test bridge_threads_test)
readonly WITH_THREADS='^(core_test|[a-z]+_threads_test)'

# Programs with threads of libraries, of servers and of other processes, in the tier full: what ZeroMQ hands
# over between them can be seen only where it has the sanitizer too.
readonly HANDING_OVER=(attack_test bridge_reliability_test bridge_test inference_server_test judge_test runs_test
  spark_test trees_test)

# Programs beside whose threads LibTorch computes, in the tier full.
readonly WITH_NETWORKS=(agents_test cli_ci_test cluster_live_test inference_ci_test inference_models_test
  placement_live_test)

# tests_of PROGRAM...: a pattern of the names of their tests.
tests_of() { (IFS='|' && echo "^($*)([.]|\$)"); }

# The environments that the tier ci builds for the thread sanitizer: those that the tests play, and those with
# threads of their own. The tier full has all.
threaded_envs() {
  local name names=''
  for name in load_balance tests/envs/*/threads; do
    name=${name#tests/envs/}
    name=${name%/threads}
    if [[ -d park/envs/$name ]]; then names+=";$name"; fi
  done
  echo "${names#;}"
}

tier=ci
offline=()
passed=0
failed=0
skipped=0
summary() { echo "$passed passed, $failed failed, $skipped skipped"; }

# tally ARGUMENT...: adds up what scripts/test_results.py counts, and shows the skipped tests.
tally() {
  local told counts
  if ! told=$(scripts/test_results.py --tier "$tier" "${offline[@]}" "$@"); then
    failed=$((failed + 1))
    return
  fi
  head -n -1 <<<"$told"
  read -ra counts < <(tail -n 1 <<<"$told")
  passed=$((passed + counts[0]))
  failed=$((failed + counts[1]))
  skipped=$((skipped + counts[2]))
}

# set_up NAME COMMAND...: a step that fetches what tests need. Status 77 says that it cannot be had here,
# which tests/expected_skips.txt has to expect; another one is a failure.
set_up() {
  local status=0
  step "$@" || status=$?
  if [[ $status -eq 77 ]]; then
    tally --set-up "$1"
  elif [[ $status -ne 0 ]]; then
    failed=$((failed + 1))
  fi
}

# build_step PRESET [TARGET...]: builds it; a build that fails counts as one failure.
build_step() {
  step "build $1" build "$@" && return 0
  failed=$((failed + 1))
  return 1
}

# test_step PRESET NAME CTEST_OPTION...: runs the tests that the options select, two more at a time than there
# are cores, since some wait for others' replies most of the time.
test_step() {
  local preset=$1 name=$2 start=$SECONDS status=0
  shift 2
  local log=build/log/$name.log junit=$PWD/build/log/$name.xml
  rm -f "$junit"
  watched "test $name" "$log" ctest --test-dir "build/$preset" --parallel "$(($(nproc) + 2))" \
    --output-on-failure --no-tests=error --output-junit "$junit" \
    --test-output-size-passed 4000000 "$@" || status=$?
  printf '%-28s %5d s%s\n' "test $name" $((SECONDS - start)) \
    "$([[ $status -eq 0 ]] || echo '  FAILED')"
  if [[ $status -ne 0 ]]; then grep -vE '^ +Start |  Passed  ' "$log" | tail -n 200 || true; fi
  grep -E '^[0-9]+% tests passed' "$log" || true
  if [[ ! -s $junit ]]; then
    failed=$((failed + 1))
    return
  fi
  tally "$junit" --status "$status" --build "build/$preset"
}

# fetch_spark WHAT...: scripts/spark.sh beside the build, since most of it is waiting for the network.
readonly SPARK_LOG=build/log/spark-fetched.log
spark=
fetch_spark() {
  mkdir -p build/log
  scripts/spark.sh "$@" >"$SPARK_LOG" 2>&1 &
  spark=$!
  trap 'kill "$spark" 2>/dev/null || true' EXIT
}

# What fetch_spark told, once it is done.
fetched_spark() {
  local status=0
  wait "$spark" || status=$?
  cat "$SPARK_LOG"
  return "$status"
}

# test_tier TIER PRESET LABELS [TARGET...]: builds everything, or the targets, and runs the tests with
# these labels.
test_tier() {
  if [[ $1 != quick ]]; then
    set_up "python packages" scripts/python_packages.sh
    set_up "python environments" scripts/python_sdk.sh --environments
  fi
  case "$1" in
    ci) fetch_spark 4 tpch ;;
    full) fetch_spark 4 3.5 tpch python yarn kubernetes connect ;;
  esac
  build_step "$2" "${@:4}" || return 0
  if [[ -n $spark ]]; then set_up spark fetched_spark; fi
  spark=
  test_step "$2" "$1" --label-regex "$3"
}

test_threads() {
  local programs=("${THREADED[@]}") tests=$WITH_THREADS
  export PARK_THREADED_ENVS='' PARK_THREADED_AGENTS=OFF
  if [[ $tier == ci ]]; then
    PARK_THREADED_ENVS=$(threaded_envs)
  else
    PARK_THREADED_AGENTS=ON
    set_up "sanitized zeromq" scripts/sanitized_zeromq.sh
    if [[ -f build/zeromq-tsan/built ]]; then
      programs+=("${HANDING_OVER[@]}" "${WITH_NETWORKS[@]}" park_agents_module)
      tests+="|$(tests_of "${HANDING_OVER[@]}" "${WITH_NETWORKS[@]}")"
    fi
  fi
  build_step tsan "${programs[@]}" || return 0
  test_step tsan tsan --label-regex '^(quick|ci)$' --tests-regex "$tests"
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
  local setup=yes
  while [[ $# -gt 0 ]]; do
    case "$1" in
      -h | --help) usage && return 0 ;;
      --quick) tier=quick ;;
      --full) tier=full ;;
      --no-setup) setup=no ;;
      --offline) offline=(--offline) ;;
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
    quick) test_tier quick quick '^quick$' quick_programs ;;
    ci) test_tier ci asan '^(quick|ci)$' && test_threads ;;
    full) test_tier full ubsan '^(quick|ci|full)$' all benchmarks && test_threads && test_fuzzed ;;
  esac
  printf '%-28s %5d s\n' "all" "$SECONDS"
  summary
  [[ $failed -eq 0 ]]
}

main "$@"
