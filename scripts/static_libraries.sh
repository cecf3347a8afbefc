#!/usr/bin/env bash
# Builds the libraries that the portable wheel links, static, by a compiler that comes from PyPI.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly glibc=2.28
# shellcheck disable=SC2016 # the text for the user names variables
usage() {
  cat <<TEXT
Usage: scripts/static_libraries.sh [FOLDER]

Makes FOLDER (by default build/wheel/static): compilers for Linux x86-64 with glibc $glibc or newer, and
with them zlib, zstd, LZ4, xxHash, libsodium, ZeroMQ and Cap'n Proto as static libraries, at the versions
and checksums of packaging/static/sources.txt. Headers without a library (cppzmq, CLI11, nlohmann_json) are
copied from this system. Does nothing where that is all there.

The sources come from the folder PARK_SOURCES where it has them, else from Debian's source packages by
apt-get. The compiler is the package ziglang of PyPI. It takes about 12 minutes of one core.

Example: PARK_SOURCES=\$HOME/tarballs scripts/static_libraries.sh
TEXT
}

if [[ ${1:-} == -h || ${1:-} == --help ]]; then
  usage
  exit
fi
readonly list=packaging/static/sources.txt tools=packaging/static/requirements.txt
prefix=$(realpath -m "${1:-build/wheel/static}")
readonly prefix work=$prefix/work jobs=${PARK_JOBS:-$(nproc)}
want=$(cat "$list" "$tools" scripts/debian_sources.sh "${BASH_SOURCE[0]}" | sha256sum | cut -d' ' -f1)
readonly want libraries=(zlib zstd lz4 xxhash sodium zmq capnp)
for program in autoreconf libtoolize patch cmake ninja make; do
  command -v "$program" >/dev/null || {
    echo "static_libraries: there is no $program; run scripts/setup.sh portable" >&2
    exit 1
  }
done
if [[ -f $prefix/built && $(<"$prefix/built") == "$want" ]]; then exit; fi

fail() {
  echo "static_libraries: $*" >&2
  exit 1
}

# shellcheck source=scripts/debian_sources.sh
source scripts/debian_sources.sh

# The compilers: zig's, for this glibc. The names tell a compiler's cache that they work like Clang.
make_compilers() {
  local zig=$prefix/python/ziglang/zig name
  rm -rf "$prefix/python"
  python3 -m pip install --quiet --root-user-action=ignore --no-deps --target "$prefix/python" "$(grep '^ziglang' "$tools")"
  mkdir -p "$prefix/bin"
  # A program of zig and the options; extra ones of the caller come last.
  wrapper() {
    printf '#!/bin/sh\n# zig %s\nexec "%s" %s "$@"\n' "$("$zig" version)" "$zig" "$2" >"$prefix/bin/$1"
    chmod +x "$prefix/bin/$1"
  }
  wrapper clang "cc -target x86_64-linux-gnu.$glibc"
  wrapper clang++ "c++ -target x86_64-linux-gnu.$glibc"
  for name in ar ranlib; do wrapper "$name" "$name"; done
}

# with_cmake NAME OPTION...: configured, built and installed.
with_cmake() {
  local name=$1
  shift
  cmake -S "$work/$name" -B "$work/$name/out" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/toolchains/zig.cmake" -DCMAKE_INSTALL_PREFIX="$prefix" \
    -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
    -DCMAKE_POLICY_VERSION_MINIMUM=3.5 "$@"
  cmake --build "$work/$name/out" -j "$jobs"
  cmake --install "$work/$name/out"
}

# licence NAME FILE: kept beside the libraries, for what links them.
licence() {
  mkdir -p "$prefix/licences"
  cp "$2" "$prefix/licences/$1.txt"
}

build_zlib() {
  (cd "$work/zlib" && CHOST='' ./configure --static --prefix="$prefix" && make -j "$jobs" libz.a &&
    cp libz.a "$prefix/lib" && cp zlib.h zconf.h "$prefix/include")
  licence zlib "$work/zlib/README"
}

build_zstd() {
  make -C "$work/zstd/lib" -j "$jobs" libzstd.a
  cp "$work/zstd/lib/libzstd.a" "$prefix/lib"
  cp "$work"/zstd/lib/{zstd,zdict,zstd_errors}.h "$prefix/include"
  licence zstd "$work/zstd/LICENSE"
}

build_lz4() {
  make -C "$work/lz4/lib" -j "$jobs" liblz4.a
  cp "$work/lz4/lib/liblz4.a" "$prefix/lib"
  cp "$work"/lz4/lib/{lz4,lz4frame,lz4hc}.h "$prefix/include"
  licence lz4 "$work/lz4/lib/LICENSE"
}

build_xxhash() {
  make -C "$work/xxhash" -j "$jobs" libxxhash.a
  cp "$work/xxhash/libxxhash.a" "$prefix/lib"
  cp "$work"/xxhash/{xxhash,xxh3}.h "$prefix/include"
  licence xxhash "$work/xxhash/LICENSE"
}

# Debian's source of it is that of its repository, without the script that autoconf makes.
build_sodium() {
  (cd "$work/sodium" && autoreconf --install --force && ./configure --quiet --host=x86_64-linux-gnu --disable-shared --enable-static \
    --with-pic --prefix="$prefix" --libdir="$prefix/lib" && make -s -j "$jobs" -C src/libsodium install)
  licence libsodium "$work/sodium/LICENSE"
}

build_zmq() {
  with_cmake zmq -DBUILD_SHARED=OFF -DBUILD_STATIC=ON -DBUILD_TESTS=OFF -DWITH_DOCS=OFF -DWITH_PERF_TOOL=OFF \
    -DENABLE_CURVE=ON -DWITH_LIBSODIUM=ON -DWITH_LIBBSD=OFF -DENABLE_WS=OFF -DENABLE_CPACK=OFF \
    -DSODIUM_INCLUDE_DIRS="$prefix/include" -DSODIUM_LIBRARIES="$prefix/lib/libsodium.a" \
    -DCMAKE_CXX_STANDARD=17
  cat "$work/zmq/COPYING.LESSER" "$work/zmq/COPYING" >"$work/zmq/both"
  licence libzmq "$work/zmq/both"
}

# With its compiler: the code that it makes must be of the library's version.
build_capnp() {
  with_cmake capnp -DBUILD_TESTING=OFF -DWITH_OPENSSL=OFF -DWITH_ZLIB=OFF -DCMAKE_CXX_STANDARD=17
  licence capnproto "$work/capnp/LICENSE.txt"
}

# Headers without a library, as this system has them.
copy_headers() {
  local name
  for name in zmq.hpp zmq_addon.hpp CLI nlohmann ngspice; do
    [[ -e /usr/include/$name ]] || fail "there is no /usr/include/$name; run scripts/setup.sh"
    cp -r "/usr/include/$name" "$prefix/include"
  done
  for name in CLI11 nlohmann_json; do
    mkdir -p "$prefix/lib/cmake"
    cp -r "$(dirname "$(find /usr/lib /usr/share -name "${name}Config.cmake" -print -quit)")" "$prefix/lib/cmake/$name"
  done
  licence cppzmq /usr/share/doc/cppzmq-dev/copyright
  licence cli11 /usr/share/doc/libcli11-dev/copyright
  licence nlohmann_json /usr/share/doc/nlohmann-json3-dev/copyright
  licence ngspice /usr/share/doc/libngspice0-dev/copyright
}

rm -f "$prefix/built"
mkdir -p "$work/sources" "$prefix/include" "$prefix/lib"
fetch_files "${libraries[@]}"
if [[ ! -x $prefix/bin/clang++ || ! -f $work/compilers || $(<"$work/compilers") != "$(<"$tools")" ]]; then
  make_compilers
  cp "$tools" "$work/compilers"
fi
export PARK_STATIC_LIBRARIES=$prefix
export CC=$prefix/bin/clang CXX=$prefix/bin/clang++ AR=$prefix/bin/ar RANLIB=$prefix/bin/ranlib
export CFLAGS='-O2 -fPIC -DNDEBUG' CXXFLAGS='-O2 -fPIC -DNDEBUG' PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig
# Not by ||, within which a function would go on after a command that failed.
trap 'if [[ $? -ne 0 && -f $work/$name.log ]]; then tail -n 20 "$work/$name.log" >&2; fi' EXIT
for name in "${libraries[@]}"; do
  start=$SECONDS
  # What its build depends on; what is built stays.
  stamp=$({ files_of "$name" && patches_of "$name" && declare -f "build_$name" && cat "$tools"; } | sha256sum)
  if [[ -f $work/$name.built && $(<"$work/$name.built") == "$stamp" ]]; then continue; fi
  unpack "$name"
  "build_$name" >"$work/$name.log" 2>&1
  echo "$stamp" >"$work/$name.built"
  printf 'static_libraries: %-8s %4d s\n' "$name" $((SECONDS - start))
done
copy_headers
echo "$want" >"$prefix/built"
