#!/usr/bin/env bash
# Installs the Python packages that only tests use into build/python; does nothing when they are there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ $# -gt 0 ]]; then
  echo "Usage: scripts/python_packages.sh"
  echo "Makes build/python, an environment of Python with the packages of"
  echo "tests/agents/module/requirements.txt: TensorBoard and safetensors, which read what"
  echo "'park train' writes. Without it those tests are skipped. The exit status is 77 where the"
  echo "packages cannot be had."
  echo "Example: scripts/python_packages.sh"
  [[ $1 == -h || $1 == --help ]]
  exit
fi

readonly list=tests/agents/module/requirements.txt folder=build/python
if cmp -s "$list" "$folder/installed"; then exit; fi
python3 -m venv "$folder"
if ! "$folder/bin/pip" install --quiet --requirement "$list"; then
  echo "skipped: pip cannot install $list"
  exit 77
fi
cp "$list" "$folder/installed"
