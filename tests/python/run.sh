#!/usr/bin/env bash
# Runs tests of the Python package: run.sh PYTHON PYTEST_OPTION..., with the Python of a build that has it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly python=$1
shift
unset PARK_DATA PYTHONPATH
exec "$python" -m pytest -q -p no:cacheprovider -c bridge/python/pyproject.toml "$@" bridge/python/tests
