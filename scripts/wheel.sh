#!/usr/bin/env bash
# Builds a wheel that installs Park without a compiler, on any Linux for x86-64 that is not very old.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'TEXT'
Usage: scripts/wheel.sh [--python PROGRAM]...

Leaves in dist/ a wheel for each Python (by default python3): the command park, the package park_sdk and the
bundled data. They need nothing but glibc 2.28 or newer: the compiler is zig's, of PyPI, and the libraries
are static (scripts/static_libraries.sh). auditwheel checks that and gives the wheel its tag. Training and
playing of networks by LibTorch is not in it (docs/install.md).

The first run builds the libraries. PARK_SOURCES is a folder with their sources, PARK_JOBS the number of
compilers at a time.

Example: scripts/wheel.sh && pip install dist/park_sdk-*.whl
TEXT
}

pythons=()
while [[ $# -gt 0 ]]; do
  case "$1" in
    -h | --help) usage && exit ;;
    --python) pythons+=("${2:?--python wants a program}") && shift 2 ;;
    *) usage >&2 && exit 2 ;;
  esac
done
if [[ ${#pythons[@]} -eq 0 ]]; then pythons=(python3); fi

readonly folder=$PWD/build/wheel
scripts/static_libraries.sh "$folder/static"
export PARK_STATIC_LIBRARIES=$folder/static CMAKE_BUILD_PARALLEL_LEVEL=${PARK_JOBS:-$(nproc)}
mkdir -p dist build/log

# one_wheel PYTHON: built, checked and left in dist/.
one_wheel() {
  local tag tools log made
  tag=$("$1" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
  tools=$folder/tools-$tag log=build/log/wheel-$tag.log
  if ! cmp -s packaging/static/requirements.txt "$tools/installed"; then
    "$1" -m venv --clear "$tools"
    "$tools/bin/pip" install --quiet --requirement packaging/static/requirements.txt
    cp packaging/static/requirements.txt "$tools/installed"
  fi
  rm -rf "$folder/made"
  PATH=$tools/bin:$PATH pip wheel --no-build-isolation --no-deps --wheel-dir "$folder/made" --verbose \
    --config-settings=cmake.define.CMAKE_TOOLCHAIN_FILE="$PWD/cmake/toolchains/zig.cmake" \
    --config-settings=cmake.define.PARK_WHEEL=ON \
    --config-settings=cmake.define.CMAKE_CXX_FLAGS_RELEASE='-O3 -DNDEBUG' \
    --config-settings='build.targets=park_python;park' \
    --config-settings=build-dir="$folder/build-$tag" bridge/python >"$log" 2>&1 ||
    { tail -n 40 "$log" && return 1; }
  made=$(ls "$folder"/made/park_sdk-*.whl)
  rm -f dist/park_sdk-*-"$tag"-*.whl
  # It refuses what needs a library or a glibc that the tag does not promise.
  PATH=$tools/bin:$PATH auditwheel repair --wheel-dir dist "$made" >>"$log" 2>&1 ||
    { tail -n 20 "$log" && return 1; }
  PATH=$tools/bin:$PATH auditwheel show dist/park_sdk-*-"$tag"-*.whl >"$log.audit"
  ls -sk --block-size=K dist/park_sdk-*-"$tag"-*.whl
}

for python in "${pythons[@]}"; do one_wheel "$python"; done
