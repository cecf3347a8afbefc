#!/usr/bin/env bash
# The package with libraries of others: users.sh openenv runs its tests with OpenEnv; users.sh
# sb3|torchrl|rllib runs the example of that name, which fails where it learns too little.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly sdk=build/python-sdk which=$1
skip() {
  echo "python: $*"
  exit 77
}
[[ -f $sdk/built ]] || skip "park_sdk is not built; run scripts/python_sdk.sh"

# environment NAME LIST: an environment of its own with the packages of a list.
environment() {
  if ! cmp -s "$2" "$sdk/$1/installed"; then
    python3 -m venv --clear "$sdk/$1" || skip "python3 makes no environments; see scripts/setup.sh"
    "$sdk/$1/bin/pip" install --quiet --requirement "$2" || skip "pip cannot install $2"
    cp "$2" "$sdk/$1/installed"
  fi
  "$sdk/$1/bin/pip" install --quiet --no-deps --force-reinstall "$sdk"/dist/park_sdk-*.whl
}

unset PARK_DATA PYTHONPATH
if [[ $which == openenv ]]; then
  environment openenv bridge/python/tests/openenv.txt
  exec "$sdk/openenv/bin/python" -m pytest -q -p no:cacheprovider \
    -c bridge/python/pyproject.toml bridge/python/tests/test_openenv.py
fi
# PyTorch of the package index brings what a GPU needs: 3 GB to fetch, 6 GB on the disk.
[[ $(df --output=avail -k . | tail -1) -gt 12000000 ]] || skip "PyTorch needs 12 GB of disk"
environment frameworks bridge/python/learning/frameworks/requirements.txt
cd bridge/python/learning/frameworks
exec "../../../../$sdk/frameworks/bin/python" "with_$which.py"
