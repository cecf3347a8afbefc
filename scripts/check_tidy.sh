#!/usr/bin/env bash
# Runs clang-tidy over the sources of the libraries and the command.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ $# -ne 1 || $1 == -* ]]; then
  echo "Usage: scripts/check_tidy.sh BUILD_FOLDER"
  echo "Runs clang-tidy with the rules of .clang-tidy over park/, bridge/, agents/heuristic/"
  echo "and park/runs/, on all cores."
  echo "BUILD_FOLDER holds compile_commands.json; the preset dev writes it: build/dev."
  [[ ${1:-} == -h || ${1:-} == --help ]]
  exit
fi

# Not what includes LibTorch, whose headers are no C++20 in the eyes of Clang, nor the Python extension,
# which is built elsewhere.
git ls-files -z 'park/*.cc' 'agents/heuristic/*.cc' 'park/runs/*.cc' 'bridge/*.cc' ':!bridge/python/*' |
  xargs -0 -n 4 -P "$(nproc)" clang-tidy-16 --quiet -p "$1" 2> >(grep -v 'warnings generated' >&2)
echo "no complaint"
