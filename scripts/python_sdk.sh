#!/usr/bin/env bash
# Builds the Python package park_sdk and installs it with what its tests need.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ $# -gt 1 || ($# -eq 1 && $1 != --environments) ]]; then
  echo "Usage: scripts/python_sdk.sh [--environments]"
  echo "Makes build/python-sdk/newest and build/python-sdk/oldest, environments of Python with the"
  echo "newest and the oldest versions of Gymnasium and NumPy that the package of bridge/python works"
  echo "with (bridge/python/tests/*.txt), and installs the package in both. The exit status is 77 where"
  echo "Python, its headers or its package index are not there. With --environments the package is left"
  echo "out: tests use the one of their own build, BUILD/python/newest and BUILD/python/oldest."
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
if [[ ${1:-} == --environments ]]; then exit; fi
"$sdk/newest/bin/pip" wheel --quiet --no-build-isolation --no-deps --wheel-dir "$sdk/dist" \
  bridge/python
for name in newest oldest; do
  "$sdk/$name/bin/pip" install --quiet --no-deps --force-reinstall "$sdk"/dist/park_sdk-*.whl
done
touch "$sdk/built"
