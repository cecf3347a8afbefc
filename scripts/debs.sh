#!/usr/bin/env bash
# Builds Debian packages of Park, and tries them in a clean Debian.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'TEXT'
Usage: scripts/debs.sh [--check]

Builds an optimised Park and leaves the packages libpark, libpark-dev, park, park-train and python3-park in
dist/. It needs what scripts/setup.sh installs, and dpkg-dev.

  --check  installs them in a clean Debian of their own (debootstrap, which needs root) and uses them there:
           runs the command, trains, links a program, imports the Python package. Prints sizes and times.
           The exit status is 77 where no such Debian can be made.

Example: scripts/debs.sh && sudo apt install ./dist/*.deb
TEXT
}

check=
case "${1:-}" in
  '') ;;
  --check) check=yes ;;
  -h | --help) usage && exit ;;
  *) usage >&2 && exit 2 ;;
esac
readonly build=build/debs root=build/debs/root suite=bookworm

build_packages() {
  local jobs=${PARK_JOBS:-$(nproc)} python=build/debs/python
  # pybind11 of Debian 12 is too old for the package. Its headers do not care which Python they came with.
  if [[ ! -x $python/bin/pip ]]; then python3 -m venv "$python"; fi
  "$python/bin/pip" install --quiet pybind11==3.1.0
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE='-O3 -DNDEBUG' \
    -DCMAKE_INSTALL_PREFIX=/usr -DPARK_UNITY=ON -DPARK_TESTS=OFF -DPARK_BENCH=OFF -DPARK_EXAMPLES=OFF \
    -DPARK_PYTHON_PACKAGE=ON -DPython_EXECUTABLE=/usr/bin/python3 \
    -Dpybind11_DIR="$("$python/bin/python" -m pybind11 --cmakedir)"
  cmake --build "$build" -j "$jobs"
  rm -rf "$build/packages"
  (cd "$build" && cpack)
  mkdir -p dist
  rm -f dist/*.deb
  cp "$build"/packages/*.deb dist/
}

# The mirror that this system has its packages from.
# shellcheck disable=SC2016 # apt-get's variable
mirror() { apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2>/dev/null | grep -m 1 debian; }

# inside COMMAND...: in the clean Debian, with nothing of this shell's environment. LibTorch reads /proc, which is
# mounted for the command alone.
# shellcheck disable=SC2016 # variables of the inner shell
inside() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C DEBIAN_FRONTEND=noninteractive \
    unshare --mount sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$root" "$@"
}

skip() {
  echo "debs: $*"
  exit 77
}

# A minimal Debian; kept, since the packages are tried in a copy of it.
make_root() {
  local site
  [[ $(id -u) -eq 0 ]] || skip "only root can make a clean Debian"
  command -v debootstrap >/dev/null || skip "there is no debootstrap; apt-get install debootstrap"
  site=$(mirror) || skip "apt-get knows no mirror of Debian"
  if [[ ! -f $build/root.tar ]]; then
    rm -rf "$root"
    debootstrap --variant=minbase "$suite" "$root" "$site" >build/log/debootstrap.log 2>&1 ||
      skip "debootstrap: $(tail -n 1 build/log/debootstrap.log)"
    tar -C "$root" -cf "$build/root.tar" .
  fi
  rm -rf "$root"
  mkdir -p "$root"
  tar -C "$root" -xf "$build/root.tar"
  cp /etc/hosts /etc/resolv.conf "$root/etc/"
  for file in /etc/apt/apt.conf.d/*; do
    if grep -qi proxy "$file"; then cp "$file" "$root/etc/apt/apt.conf.d/"; fi
  done
}

# installed WHAT PACKAGE...: with the time and the size on disk.
installed() {
  local what=$1 start=$SECONDS before after
  shift
  before=$(du -sm "$root" | cut -f1)
  inside apt-get -q install -y --no-install-recommends "$@" >"build/log/install-$what.log" 2>&1 ||
    { tail -n 30 "build/log/install-$what.log" && exit 1; }
  after=$(du -sm "$root" | cut -f1)
  printf 'debs: %-14s %4d s, %4d MB with what it needs\n' "$what" $((SECONDS - start)) $((after - before))
}

check_packages() {
  make_root
  mkdir -p "$root/packages"
  cp dist/*.deb "$root/packages/"
  cp tests/install/debs_used.sh "$root/packages/"
  cp -r tests/install/pkg_config "$root/packages/"
  inside apt-get -q update >build/log/install-update.log 2>&1 ||
    skip "apt-get update: $(tail -n 2 build/log/install-update.log)"
  ls -sk --block-size=K dist/*.deb
  # This shell expands the names, since none runs in the clean Debian.
  local list packages
  for list in park 'python3-park' 'park-train' 'libpark-dev'; do
    case $list in
      park) packages=("$root"/packages/libpark_*.deb "$root"/packages/park_*.deb) ;;
      *) packages=("$root/packages/${list}"_*.deb) ;;
    esac
    installed "$list" "${packages[@]#"$root"}"
    inside bash /packages/debs_used.sh "$list"
  done
  rm -rf "$root"
}

mkdir -p build/log
build_packages
if [[ -n $check ]]; then check_packages; fi
