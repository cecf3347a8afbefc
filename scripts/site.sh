#!/usr/bin/env bash
# Builds the documentation as a site that opens offline, and checks it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'TEXT'
Usage: scripts/site.sh [BUILD_FOLDER] [--light] [--out FOLDER]

Leaves the site in build/site: the documents, a page for each environment in one form, a gallery of live
timelines, the references of C++ and Python, a search. It needs no server: open build/site/index.html.
Every internal link and anchor is checked, and no page may load anything from elsewhere.

  BUILD_FOLDER  whose command `park` describes the environments (default build/release)
  --light       without timelines, pictures, the reference of C++ and the theme, and with short tables: for a
                quick check
  --out FOLDER  another folder

Pages are made by Sphinx, in versions that scripts/site/requirements.txt pins, from PyPI into
build/site-python. Needs the groups web and docs of scripts/setup.sh. The exit status is 77 where one of
them cannot be had.

Example: scripts/site.sh build/release
TEXT
}

# packages: makes the environment of Python with Sphinx unless it is there; one process at a time.
packages() {
  local list=scripts/site/requirements.txt folder=build/site-python
  mkdir -p build
  exec 9>build/site-python.lock
  flock 9
  if cmp -s "$list" "$folder/installed"; then
    exec 9>&-
    return
  fi
  python3 -m venv "$folder"
  if ! "$folder/bin/pip" install --quiet --requirement "$list"; then
    echo "skipped: pip cannot install $list"
    exit 77
  fi
  cp "$list" "$folder/installed"
  exec 9>&-
}

# cpp_reference FOLDER WORK: the reference of the public headers; a warning of Doxygen is an error.
cpp_reference() {
  command -v doxygen >/dev/null || { echo "skipped: not installed: doxygen (scripts/setup.sh docs)" && exit 77; }
  (cat scripts/site/Doxyfile && printf 'OUTPUT_DIRECTORY = "%s"\nHTML_OUTPUT = cpp\n' "$2") |
    doxygen - || { echo "site: Doxygen warns" >&2 && exit 1; }
  rm -rf "$1/cpp"
  mv "$2/cpp" "$1/cpp"
}

main() {
  local build=build/release out=build/site light=()
  while [[ $# -gt 0 ]]; do
    case "$1" in
      -h | --help) usage && return 0 ;;
      --light) light=(--light) ;;
      --out) out=${2:?--out needs a folder} && shift ;;
      -*) echo "site: unknown option '$1'; see scripts/site.sh --help" >&2 && return 2 ;;
      *) build=$1 ;;
    esac
    shift
  done
  if [[ ! -x $build/bin/park ]]; then
    echo "site: there is no $build/bin/park; build it or name another folder" >&2
    return 2
  fi
  local work=$out-work
  rm -rf "$out" "$work"
  mkdir -p "$work"
  packages
  # Debian's own Python has the driver of the browser.
  /usr/bin/python3 scripts/site/stage.py "$build/bin/park" "$work/source" "${light[@]}"
  local theme=()
  if [[ ${#light[@]} -gt 0 ]]; then theme=(-D html_theme=basic); fi  # the contents at the side take a fifth of the time
  build/site-python/bin/sphinx-build -q -W --keep-going -b html "${theme[@]}" -d "$work/doctrees" "$work/source" "$out"
  rm -f "$out/.buildinfo" "$out/objects.inv"
  if [[ ${#light[@]} -eq 0 ]]; then cpp_reference "$out" "$work"; fi
  rm -rf "$work"
  /usr/bin/python3 scripts/site/check_links.py "$out"
}

main "$@"
