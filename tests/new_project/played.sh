#!/usr/bin/env bash
# Projects of `park new` without an installed Park: the environment is compiled as one source, linked
# with the libraries of the build, played and replayed; of the other projects the sources are checked.
set -euo pipefail

readonly build=$1 compiler=$2 park=$1/bin/park
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PARK_PLUGIN_PATH
export ASAN_OPTIONS=detect_leaks=0

for kind in env policy; do
  "$park" new $kind queue9 --out "$work/$kind" >/dev/null
  "$park" new $kind queue9 --out "$work/python_$kind" --python >/dev/null
done
python3 -m compileall -q "$work/python_env" "$work/python_policy"
python3 -c 'import sys, tomllib
for path in sys.argv[1:]:
    tomllib.load(open(path, "rb"))' "$work"/python_*/pyproject.toml

flags=(-std=c++20 -Wall -Wextra -Werror "-I$root" '-DPROJECT_FOLDER="."')
cat "$work"/policy/src/*.cc "$work"/policy/tests/choices.cc >"$work/policy/src/all.cc"
"$compiler" "${flags[@]}" -fsyntax-only "$work/policy/src/all.cc"

sanitize=$(sed -n 's/^PARK_SANITIZE:[^=]*=//p' "$build/CMakeCache.txt")
if [[ -n $sanitize ]]; then flags+=("-fsanitize=$sanitize"); fi
cat "$work"/env/src/*.cc >"$work/env/src/all.cc"
libraries=$(dirname "$(find "$build" -maxdepth 3 -name libpark_plugin_core.a)")
"$compiler" "${flags[@]}" -O0 -fPIC -shared -fvisibility=hidden "$work/env/src/all.cc" -o "$work/queue9.so" \
  "-L$libraries" -lpark_plugin_core -pthread -Wl,--exclude-libs,ALL

"$park" run queue9 --plugin "$work/queue9.so" --policy queue9_shortest,random --episodes 2 --quiet --json \
  >"$work/result.json"
grep -q '"avg_wait_s"' "$work/result.json"
"$park" check 'queue9(jobs=10)' --plugin "$work/queue9.so" --quiet
"$park" replay "$work/env/golden/queue9.txt" --plugin "$work/queue9.so" --quiet
echo "made, compiled and played"
