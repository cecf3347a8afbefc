#!/usr/bin/env bash
# Checks the shell scripts.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ $# -gt 0 ]]; then
  echo "Usage: scripts/check_shell.sh"
  echo "Runs shellcheck over the tracked shell scripts."
  [[ $1 == -h || $1 == --help ]]
  exit
fi

mapfile -t files < <(git ls-files '*.sh' '*.bash' .ci/run)
shellcheck --external-sources "${files[@]}"
echo "${#files[@]} scripts without complaint"
