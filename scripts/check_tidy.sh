#!/usr/bin/env bash
# Runs clang-tidy over the sources of the libraries and the command.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ $# -ne 1 || $1 == -* ]]; then
  echo "Usage: scripts/check_tidy.sh BUILD_FOLDER"
  echo "Runs clang-tidy with the rules of .clang-tidy over park/, bridge/, systems/ and cli/, on all cores."
  echo "BUILD_FOLDER holds compile_commands.json; the preset dev writes it: build/dev. Sources that it"
  echo "compiles together are checked together, which reads their headers once."
  [[ ${1:-} == -h || ${1:-} == --help ]]
  exit
fi

# The compiled files of the targets below these folders. Not what includes LibTorch, whose headers are no
# C++20 in the eyes of Clang, nor generated code, which is in the build folder.
units() {
  python3 - "$1/compile_commands.json" <<'PYTHON'
import json, re, sys
folders = ("park/", "bridge/", "systems/", "cli/")
for command in json.load(open(sys.argv[1])):
    place = re.search(r" -o (\S+)", command["command"]).group(1)
    generated = command["file"].startswith(command["directory"]) and "/Unity/" not in command["file"]
    if place.startswith(folders) and ".capnp." not in place and "/cmake/" not in command["file"] and not generated:
        print(command["file"])
PYTHON
}

# -Wno-subobject-linkage, which compiled-together sources need, is an option of GCC alone.
units "$1" | tr '\n' '\0' |
  xargs -0 -n 1 -P "$(nproc)" clang-tidy-16 --quiet -p "$1" \
    --checks=-bugprone-suspicious-include --extra-arg=-Wno-unknown-warning-option 2> >(grep -v 'warnings generated' >&2)
echo "no complaint"
