#!/usr/bin/env bash
# Generates docs/envs/NAME.md, one page per environment, with the command `park` of a build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ $# -lt 1 || $# -gt 2 || $1 == -* || ${2:---check} != --check ]]; then
  echo "Usage: scripts/generate_docs.sh BUILD_FOLDER [--check]"
  echo "Writes docs/envs/NAME.md for every environment: what 'park describe NAME --markdown' of the build"
  echo "prints, its rules from park/envs/NAME/README.md or systems/NAME/README.md, and the tables of scripts/reference_tables.py."
  echo "With --check it writes nothing and fails when a page differs."
  echo "Example: scripts/generate_docs.sh build/release"
  [[ ${1:-} == -h || ${1:-} == --help ]]
  exit
fi

# rules NAME: how the environment works, one level of headings deeper; nothing where that is not told.
rules() {
  local page
  for page in "park/envs/$1/README.md" "systems/$1/README.md"; do
    if [[ ! -f $page ]]; then continue; fi
    printf '\n'
    sed -e '1s/.*/## The model/' -e '1!s/^##/###/' "$page"
  done
}

readonly park=$1/bin/park
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
names=$("$park" envs --json | python3 -c '
import json, sys
for env in json.load(sys.stdin)["environments"]:
    print(env["name"])')
for name in $names; do
  "$park" describe "$name" --markdown >"$pages/$name.md"
  rules "$name" >>"$pages/$name.md"
  scripts/reference_tables.py "$name" >>"$pages/$name.md"
done

# left_out: names the committed pages of environments that this build does not have.
left_out() {
  local page
  for page in docs/envs/*.md; do
    if [[ ! -f $pages/${page##*/} ]]; then
      echo "$page: left out, there is no environment of this name"
      cp "$page" "$pages/"
    fi
  done
}

if [[ ${2:-} == --check ]]; then
  left_out
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
