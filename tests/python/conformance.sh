#!/usr/bin/env bash
# Checks the client in Python as docs/conformance.md has it: conformance.sh FAKE_SERVER PYTHON
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

"$2" -c ''  # says why it is not there, with status 77
exec python3 tests/bridge/check_conformance.py --serves "$1" "$2" -m park_sdk.conformance
