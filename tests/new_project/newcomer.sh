#!/usr/bin/env bash
# The path of a newcomer, from an empty folder to a trained policy on an environment of their own: makes
# the projects of `park new`, builds and tests them against an installed Park, plays and trains. Prints
# the seconds of each step; docs/new_project.md has those of one machine.
set -euo pipefail

if [[ $# -ne 1 || $1 == -* ]]; then
  echo "Usage: tests/new_project/newcomer.sh BUILD_FOLDER|PREFIX"
  echo "BUILD_FOLDER is installed into a folder of its own first, which is not counted."
  [[ ${1:-} == -h || ${1:-} == --help ]]
  exit
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PARK_DATA PARK_PLUGIN_PATH

if [[ -f $1/CMakeCache.txt ]]; then
  # What links a build with sanitizers needs them too; LibTorch's leaks are not ours.
  sanitize=$(sed -n 's/^PARK_SANITIZE:[^=]*=//p' "$1/CMakeCache.txt")
  if [[ -n $sanitize ]]; then
    export LDFLAGS=-fsanitize=$sanitize ASAN_OPTIONS=detect_leaks=0
  fi
  prefix=$work/prefix
  cmake --install "$1" --prefix "$prefix" >"$work/install.log"
else
  prefix=$(cd "$1" && pwd)
fi
export PATH=$prefix/bin:$PATH
mkdir "$work/empty"
cd "$work/empty"

begin=$(date +%s%N)
# seconds NANOSECONDS: with one decimal.
seconds() {
  printf '%d.%d' $(($1 / 1000000000)) $(($1 / 100000000 % 10))
}
# step NAME COMMAND...: runs it quietly and prints its time; what it printed where it fails.
step() {
  local name=$1 start
  start=$(date +%s%N)
  shift
  if ! "$@" >"$work/step.log" 2>&1; then
    tail -n 60 "$work/step.log"
    echo "new_project: $name fails: $*" >&2
    exit 1
  fi
  printf '%-40s %8s s\n' "$name" "$(seconds $(($(date +%s%N) - start)))"
}

step 'park new env my_env' park new env my_env
step 'cmake -S my_env -B my_env/build' cmake -S my_env -B my_env/build -DCMAKE_PREFIX_PATH="$prefix"
step 'cmake --build my_env/build' cmake --build my_env/build --parallel "$(nproc)"
step 'ctest --test-dir my_env/build' ctest --test-dir my_env/build --output-on-failure
plugin=my_env/build/libmy_env.so
step 'park run my_env' park run my_env --plugin "$plugin" \
  --policy my_env_fifo,my_env_shortest,random --episodes 20 --quiet
if [[ -n $(find "$prefix" -name 'libpark_agents_module.so') ]]; then
  step 'park train my_env --budget 30s' park train my_env --plugin "$plugin" --algo ppo --budget 30s \
    --out RUN --quiet
  step 'park run my_env --policy RUN' park run my_env --plugin "$plugin" \
    --policy my_env_shortest,my_env_fifo,RUN --episodes 20 --quiet
fi
printf '%-40s %8s s\n' 'from nothing to a trained policy' "$(seconds $(($(date +%s%N) - begin)))"

step 'park new policy my_policy' park new policy my_policy
step 'cmake -S my_policy -B my_policy/build' cmake -S my_policy -B my_policy/build \
  -DCMAKE_PREFIX_PATH="$prefix"
step 'cmake --build my_policy/build' cmake --build my_policy/build --parallel "$(nproc)"
step 'ctest --test-dir my_policy/build' ctest --test-dir my_policy/build --output-on-failure
