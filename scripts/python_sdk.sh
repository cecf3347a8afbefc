#!/usr/bin/env bash
# Builds the Python package park_sdk and installs it with what its tests need.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

optimised=-O3
if [[ $# -eq 1 && $1 == --for-tests ]]; then
  optimised=-Og
elif [[ $# -gt 0 ]]; then
  echo "Usage: scripts/python_sdk.sh [--for-tests]"
  echo "Makes build/python-sdk/newest and build/python-sdk/oldest, environments of Python with the"
  echo "package of bridge/python and the newest and the oldest versions of Gymnasium and NumPy that"
  echo "it works with (bridge/python/tests/*.txt). The exit status is 77 where Python, its headers"
  echo "or its package index are not there. With --for-tests it is compiled with -Og, in two thirds of"
  echo "the time; benchmarks refuse it."
  echo "Example: scripts/python_sdk.sh && build/python-sdk/newest/bin/python"
  [[ $1 == -h || $1 == --help ]]
  exit
fi

readonly sdk=build/python-sdk lists=bridge/python/tests
# Objects of another checkout or build are found again.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=true

skip() {
  echo "python_sdk: $*"
  exit 77
}

# environment NAME LIST: an environment with the packages of a list.
environment() {
  if cmp -s "$2" "$sdk/$1/installed"; then return; fi
  python3 -m venv --clear "$sdk/$1" || skip "python3 makes no environments; see scripts/setup.sh"
  "$sdk/$1/bin/pip" install --quiet --requirement "$2" || skip "pip cannot install $2"
  cp "$2" "$sdk/$1/installed"
}

python3 -c 'import os, sysconfig as s; os.stat(s.get_path("include") + "/Python.h")' 2>/dev/null ||
  skip "there are no headers of Python; see scripts/setup.sh"
mkdir -p "$sdk"
environment newest "$lists/newest.txt"
environment oldest "$lists/oldest.txt"
touch "$sdk/begun"
"$sdk/newest/bin/pip" wheel --quiet --no-build-isolation --no-deps --wheel-dir "$sdk/dist" \
  --config-settings=cmake.define.CMAKE_CXX_FLAGS_RELEASE="$optimised -DNDEBUG" bridge/python
for name in newest oldest; do
  "$sdk/$name/bin/pip" install --quiet --no-deps --force-reinstall "$sdk"/dist/park_sdk-*.whl
done
echo "$optimised" >"$sdk/kind"
mv "$sdk/begun" "$sdk/built"
