#!/usr/bin/env bash
# Builds the plugin for Spark and runs its tests; 77 where that cannot be done, with the reason.
set -euo pipefail

if [[ $# -ne 3 ]]; then
  echo "Usage: tests/systems/spark/maven.sh PARK LINE BUILD_FOLDER"
  echo "Example: tests/systems/spark/maven.sh build/dev/bin/park 4 build/dev/spark"
  exit 2
fi
park=$(realpath "$1")
build=$(realpath -m "$3")
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
for tool in javac mvn; do
  if ! command -v "$tool" >/dev/null; then
    echo "skipped: there is no $tool; scripts/setup.sh java installs it"
    exit 77
  fi
done

profile=()
if [[ $2 == 3.5 ]]; then profile=(-Pspark-3.5); fi
# Maven and what it starts are over before it pays to compile much.
export JDK_JAVA_OPTIONS='-XX:+UseSerialGC -XX:TieredStopAtLevel=1'
mkdir -p "$build"
log=$build/maven-$2.log
# The client has a test of its own.
if mvn --batch-mode -Dstyle.color=never -f systems/spark/pom.xml "${profile[@]}" \
  -Dpark.build="$build/client" -Dpark.spark.build="$build/plugin-$2" -Dpark.binary="$park" \
  -Dtest='org.apache.spark.scheduler.park.*Test' -Dsurefire.failIfNoSpecifiedTests=false \
  test >"$log" 2>&1; then
  grep 'Tests run' "$log" | tail -n 1
  exit
fi
if grep -qE 'Could not transfer (artifact|metadata)|Unknown host' "$log"; then
  echo "skipped: Maven's packages are not on this machine and cannot be downloaded:"
  grep -m 1 -oE 'Could not transfer .*|Unknown host.*' "$log" | cut -c 1-300
  exit 77
fi
grep -E 'ERROR|WARN|Park:' "$log" | head -n 100
exit 1
