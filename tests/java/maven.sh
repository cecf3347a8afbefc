#!/usr/bin/env bash
# Builds the client for Java and runs its tests; 77 where that cannot be done here, with the reason.
set -euo pipefail

if [[ $# -ne 2 ]]; then
  echo "Usage: tests/java/maven.sh PARK BUILD_FOLDER"
  echo "Example: tests/java/maven.sh build/dev/bin/park build/dev/java"
  exit 2
fi
park=$(realpath "$1")
build=$(realpath -m "$2")
cd "$(dirname "${BASH_SOURCE[0]}")/../../bridge/java"

for tool in javac mvn; do
  if ! command -v "$tool" >/dev/null; then
    echo "skipped: there is no $tool; scripts/setup.sh java installs it"
    exit 77
  fi
done

# Maven and the tests are over before it pays to compile much.
export MAVEN_OPTS='-XX:+UseSerialGC -XX:TieredStopAtLevel=1'
mkdir -p "$build"
log=$build/maven.log
if mvn --batch-mode --quiet -Dstyle.color=never -Dpark.build="$build" -Dpark.binary="$park" \
  -DargLine="$MAVEN_OPTS" package >"$log" 2>&1; then
  exit
fi
if grep -qE 'Could not transfer (artifact|metadata)|Unknown host' "$log"; then
  echo "skipped: Maven's packages are not on this machine and cannot be downloaded:"
  grep -m 1 -oE 'Could not transfer .*|Unknown host.*' "$log" | cut -c 1-300
  exit 77
fi
tail -n 100 "$log"
exit 1
