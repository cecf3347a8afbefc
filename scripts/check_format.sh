#!/usr/bin/env bash
# Checks that the C++ sources are formatted.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case "${1:-}" in
  '') mode=(--dry-run --Werror) ;;
  --fix) mode=(-i) ;;
  *)
    echo "Usage: scripts/check_format.sh [--fix]"
    echo "Fails when a tracked C++ file is not as clang-format would write it; --fix writes it so."
    [[ $1 == -h || $1 == --help ]]
    exit
    ;;
esac

mapfile -t files < <(git ls-files '*.h' '*.cc')
if ! complaints=$(printf '%s\0' "${files[@]}" | xargs -0 clang-format-14 "${mode[@]}" 2>&1); then
  grep 'error:' <<<"$complaints" | cut -d: -f1 | sort | uniq -c
  echo "not formatted; scripts/check_format.sh --fix does it" >&2
  exit 1
fi
echo "${#files[@]} files formatted as they should be"
