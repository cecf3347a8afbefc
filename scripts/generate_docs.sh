#!/usr/bin/env bash
# Generates docs/envs/NAME.md, one page per environment, with the command `park` of a build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ $# -lt 1 || $# -gt 2 || $1 == -* || ${2:---check} != --check ]]; then
  echo "Usage: scripts/generate_docs.sh BUILD_FOLDER [--check]"
  echo "Writes docs/envs/NAME.md as 'park describe NAME --markdown' of the build prints it, for every"
  echo "environment, and behind it the tables of scripts/reference_tables.py. With --check it writes nothing and fails when a page differs."
  echo "Example: scripts/generate_docs.sh build/release"
  [[ ${1:-} == -h || ${1:-} == --help ]]
  exit
fi

readonly park=$1/bin/park
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
names=$("$park" envs --json | python3 -c '
import json, sys
for env in json.load(sys.stdin)["environments"]:
    print(env["name"])')
for name in $names; do
  "$park" describe "$name" --markdown >"$pages/$name.md"
  scripts/reference_tables.py "$name" >>"$pages/$name.md"
done

if [[ ${2:-} == --check ]]; then
  if ! diff -ru docs/envs "$pages"; then
    echo "docs/envs is not what the command prints; run scripts/generate_docs.sh $1" >&2
    exit 1
  fi
else
  mkdir -p docs/envs
  rm -f docs/envs/*.md
  cp "$pages"/*.md docs/envs/
fi
echo "docs/envs: $(wc -w <<<"$names") pages"
