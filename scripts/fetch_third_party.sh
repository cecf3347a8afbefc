#!/usr/bin/env bash
# Fetches the files of third_party/ from npm and checks that they are those that are named there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Package, version, folder, files; the first of them is checked against third_party/README.md.
readonly PACKAGES='
echarts         6.1.0 echarts dist/echarts.min.js LICENSE NOTICE licenses/LICENSE-d3
@dagrejs/dagre  3.1.3 dagre   dist/dagre.min.js   LICENSE'

if [[ $# -gt 0 ]]; then
  echo "Usage: scripts/fetch_third_party.sh"
  echo "Fetches the packages that third_party/README.md names with npm, checks the sums that stand"
  echo "there, and puts the files into third_party/."
  [[ $1 == -h || $1 == --help ]]
  exit
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
while read -r package version name files; do
  [[ -n $package ]] || continue
  archive=$(npm pack --silent --pack-destination "$folder" "$package@$version")
  mkdir "$folder/$name"
  tar -xzf "$folder/$archive" -C "$folder/$name"
  read -r -a paths <<<"$files"
  sum=$(sha256sum "$folder/$name/package/${paths[0]}" | cut -d' ' -f1)
  if ! grep -q "$sum" third_party/README.md; then
    echo "third_party: $package $version: the sum $sum of ${paths[0]} is not in third_party/README.md" >&2
    exit 1
  fi
  mkdir -p "third_party/$name"
  for path in "${paths[@]}"; do cp "$folder/$name/package/$path" "third_party/$name/"; done
  echo "$package $version: ${#paths[@]} files"
done <<<"$PACKAGES"
