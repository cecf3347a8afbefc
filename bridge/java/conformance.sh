#!/usr/bin/env bash
# The conformance program of the Java client (docs/conformance.md); Maven has to have built it.
set -euo pipefail

# Where Maven built: what -Dpark.build told it.
readonly build=${PARK_JAVA_BUILD:-$(dirname "${BASH_SOURCE[0]}")/target}
if [[ $# -eq 0 || $1 == -h || $1 == --help ]]; then
  echo "Usage: bridge/java/conformance.sh decode FILE... | rollout ENDPOINT ENV |"
  echo "                                  scenario ENDPOINT ENV | serve ENDPOINT"
  echo "Example: PARK_JAVA_BUILD=build/dev/java bridge/java/conformance.sh decode FILE"
  exit
fi
exec java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC \
  -cp "$build/test-classes:$build/park-client.jar:$build/lib/*" park.sdk.Conformance "$@"
