#!/usr/bin/env bash
# Builds ZeroMQ with the thread sanitizer, for tests of what several threads hand to each other through it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'TEXT'
Usage: scripts/sanitized_zeromq.sh [FOLDER]

Makes FOLDER (by default build/zeromq-tsan) with lib/libzmq.so.5 of the version that packaging/static/sources.txt
pins. With the system's library the sanitizer does not see what ZeroMQ synchronises, and reports all memory
that crosses it. Does nothing where it is there.

The source comes from the folder PARK_SOURCES where it has it, else from Debian's source package by apt-get.
It takes about a minute of one core. The exit status is 77 where the source cannot be had.

Programs of the preset tsan look for it in build/zeromq-tsan.

Example: scripts/sanitized_zeromq.sh
TEXT
}

if [[ ${1:-} == -h || ${1:-} == --help ]]; then
  usage
  exit
fi
readonly list=packaging/static/sources.txt
prefix=$(realpath -m "${1:-build/zeromq-tsan}")
readonly prefix work=$prefix/work

fail() {
  echo "sanitized_zeromq: $*" >&2
  exit 77
}

# shellcheck source=scripts/debian_sources.sh
source scripts/debian_sources.sh

want=$({ files_of zmq && patches_of zmq && cat "${BASH_SOURCE[0]}"; } | sha256sum)
readonly want
if [[ -f $prefix/built && $(<"$prefix/built") == "$want" ]]; then exit; fi
rm -f "$prefix/built"
mkdir -p "$work/sources"
fetch_files zmq
unpack zmq
cmake -S "$work/zmq" -B "$work/out" -G Ninja -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_CXX_FLAGS_DEBUG='-O1 -g1 -fsanitize=thread' -DCMAKE_C_FLAGS_DEBUG='-O1 -g1 -fsanitize=thread' \
  -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_STATIC=OFF -DBUILD_TESTS=OFF \
  -DWITH_DOCS=OFF -DWITH_PERF_TOOL=OFF -DENABLE_CURVE=ON -DWITH_LIBSODIUM=ON -DENABLE_CPACK=OFF
cmake --build "$work/out" -j "${PARK_JOBS:-$(nproc)}"
cmake --install "$work/out"
echo "$want" >"$prefix/built"
