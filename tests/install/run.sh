#!/usr/bin/env bash
# Installs a build into a folder of its own, moves that folder, builds a project against it, and runs
# the installed command on the installed data.
set -euo pipefail

readonly build=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PARK_DATA
# What an earlier run has compiled in another folder is found again.
if command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$work CCACHE_NOHASHDIR=true
fi

fail() {
  echo "install: $*" >&2
  exit 1
}

# What links a build with sanitizers needs them too; LibTorch's leaks are not ours.
sanitize=$(sed -n 's/^PARK_SANITIZE:[^=]*=//p' "$build/CMakeCache.txt")
link=()
if [[ -n $sanitize ]]; then
  link=("-fsanitize=$sanitize")
  # Where Clang built Park: g++, which builds what uses it, has a sanitizer of its own.
  runtime=$(sed -n 's/^PARK_ASAN_LIBRARY:[^=]*=//p' "$build/CMakeCache.txt")
  if [[ -n $runtime ]]; then link=("-Wl,--no-as-needed,$runtime,-rpath,${runtime%/*}"); fi
  export LDFLAGS=${link[*]} ASAN_OPTIONS=detect_leaks=0
fi

cmake --install "$build" --prefix "$work/staged" >"$work/install.log"
mv "$work/staged" "$work/prefix"
prefix=$work/prefix

"$here/../../scripts/check_binaries.py" "$prefix" >"$work/binaries.log" ||
  fail "$(cat "$work/binaries.log")"

for file in man/man1/park.1 man/man1/park-data-traces-generate.1 bash-completion/completions/park \
  zsh/site-functions/_park fish/vendor_completions.d/park.fish; do
  [[ -s $prefix/share/$file ]] || fail "share/$file is not there"
done

cmake -S "$here/consumer" -B "$work/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_BUILD_TYPE=Debug >"$work/consumer.log"
cmake --build "$work/consumer" >>"$work/consumer.log" || fail "$(cat "$work/consumer.log")"
"$work/consumer/consumer" >"$work/environments"
grep -qx dag_scheduling "$work/environments" || fail "the consumer lists no dag_scheduling"
grep -qx load_balance "$work/environments" || fail "the consumer lists no load_balance"

# The same program by pkg-config, whose file counts places from its own.
pc=$(find "$prefix" -name park.pc)
export PKG_CONFIG_PATH=${pc%/*}
[[ $(pkg-config --modversion park) == 0.1* ]] || fail "pkg-config knows no park"
# shellcheck disable=SC2046 # options, not a text
c++ -std=c++20 "${link[@]}" "$here/pkg_config/main.cc" -o "$work/by_pkg_config" \
  $(pkg-config --cflags --libs park) "-Wl,-rpath,$(pkg-config --variable=libdir park)" >"$work/pc.log" 2>&1 ||
  fail "$(cat "$work/pc.log")"
"$work/by_pkg_config" | grep -qx load_balance || fail "the program that pkg-config built fails"

if cmake -S "$here/consumer" -B "$work/unknown" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_PROJECT_consumer_INCLUDE="$here/unknown_component.cmake" >"$work/unknown.log" 2>&1; then
  fail "a component that does not exist was found"
fi
grep -q no_such_component "$work/unknown.log" || fail "$(cat "$work/unknown.log")"

cd /
run=("$prefix/bin/park" run 'dag_scheduling(jobs=2)' --policy fair --episodes 1 --quiet --json)
"${run[@]}" >"$work/result.json"
grep -q '"avg_jct_s"' "$work/result.json" || fail "no avg_jct_s in $(cat "$work/result.json")"

# The bridge is found where it was built: a server and a client in one program.
if [[ -d $prefix/include/park/bridge ]]; then
  cmake -S "$here/bridged" -B "$work/bridged" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_BUILD_TYPE=Debug >"$work/bridged.log" 2>&1 || fail "$(cat "$work/bridged.log")"
  cmake --build "$work/bridged" >>"$work/bridged.log" || fail "$(cat "$work/bridged.log")"
  "$work/bridged/bridged" "ipc://$work/socket" | grep -qx load_balance ||
    fail "the program that links the bridge fails"
fi

# The module of LibTorch comes along where it was built, and is missed in one line where it is not.
train=("$prefix/bin/park" train 'dag_scheduling(executors=4,jobs=2)' --iterations 1 --quiet --json
  --algo 'reinforce(sequences=1,rollouts=2)' --validation-episodes 2 --out)
module=$(find "$prefix" -name libpark_agents_module.so)
if [[ -n $module ]]; then
  "${train[@]}" "$work/trained" >"$work/trained.json" || fail "the installed module does not train"
  "$prefix/bin/park" run 'dag_scheduling(jobs=2)' --policy "$work/trained" --episodes 1 --quiet \
    --json >"$work/played.json" || fail "the trained policy does not play"
  cmake -S "$here/trainer" -B "$work/trainer" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_BUILD_TYPE=Debug >"$work/trainer.log" 2>&1 || fail "$(cat "$work/trainer.log")"
  cmake --build "$work/trainer" >>"$work/trainer.log" || fail "$(cat "$work/trainer.log")"
  "$work/trainer/trainer" | grep -q ' decisions$' || fail "the program that links LibTorch fails"
  rm "$module"
fi
status=0
"${train[@]}" "$work/untrained" >"$work/out" 2>"$work/err" || status=$?
[[ $status -eq 1 && ! -s $work/out && $(wc -l <"$work/err") -eq 1 ]] || fail "$(cat "$work/err")"
grep -q 'there is no .*libpark_agents_module.so' "$work/err" || fail "$(cat "$work/err")"

# It was the installed data: without it the same command fails.
mv "$prefix/share/park" "$work/data"
if "${run[@]}" >/dev/null 2>&1; then fail "the command found data outside of the prefix"; fi
PARK_DATA=$work/data "${run[@]}" >/dev/null || fail "the command ignored PARK_DATA"
echo "installed, moved, built against and run"
