#!/usr/bin/env bash
# Checks the client for Java as docs/conformance.md has it; 77 where it has not been built.
set -euo pipefail

if [[ $# -ne 2 ]]; then
  echo "Usage: tests/java/conformance.sh FAKE_SERVER BUILD_FOLDER"
  echo "Example: tests/java/conformance.sh build/dev/bin/park_fake_server build/dev/java"
  exit 2
fi
PARK_JAVA_BUILD=$(realpath -m "$2")
export PARK_JAVA_BUILD
if [[ ! -e $PARK_JAVA_BUILD/park-client.jar ]]; then
  echo "skipped: the client is not built; the test 'java' does that"
  exit 77
fi
here=$(dirname "${BASH_SOURCE[0]}")
exec "$here/../bridge/check_conformance.py" --serves "$1" "$here/../../bridge/java/conformance.sh"
