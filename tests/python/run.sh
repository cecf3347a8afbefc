#!/usr/bin/env bash
# Runs tests of the Python package: run.sh newest|oldest PYTEST_OPTION...
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly sdk=build/python-sdk environment=$1
shift
skip() {
  echo "python: $*; run scripts/python_sdk.sh"
  exit 77
}
[[ -f $sdk/built ]] || skip "park_sdk is not built"
newer=$(find bridge/{client,codec,server,session,transport,python/{src,extension}} systems park \
  -newer "$sdk/built" -name '*.[chp]*')
[[ -z $newer ]] || skip "park_sdk is older than ${newer%%$'\n'*}"
unset PARK_DATA PYTHONPATH
exec "$sdk/$environment/bin/python" -m pytest -q -p no:cacheprovider \
  -c bridge/python/pyproject.toml "$@" bridge/python/tests
