#!/usr/bin/env bash
# Checks the client in Python as docs/conformance.md has it: conformance.sh FAKE_SERVER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly python=build/python-sdk/newest/bin/python
if [[ ! -f build/python-sdk/built ]]; then
  echo "python: park_sdk is not built; run scripts/python_sdk.sh"
  exit 77
fi
exec python3 tests/bridge/check_conformance.py --serves "$1" "$python" -m park_sdk.conformance
