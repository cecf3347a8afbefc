#!/usr/bin/env bash
# Installs what the project needs from Debian's packages; does nothing when it is all there.
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: scripts/setup.sh [GROUP...]

Installs the Debian packages that Park needs (Debian 12 is the reference system). What is
already there is skipped; then neither the network nor root is needed.

Groups (by default all but plot, arm, compare, shells and portable; of go, java and rust those whose tools are not there in any version):
  build   compiler, CMake, Ninja and the libraries that Park is built and tested with
  agents  LibTorch, for the training of networks, a fast BLAS for it, vector instructions, and Gloo's headers
  bridge  ZeroMQ and Cap'n Proto, for environments and agents in other languages
  go      Go, for the example of a client in another language
  java    a Java compiler and Maven, for the client for Java
  rust    cargo, for the Rust library; not beside Debian's cargo or rustup, which it would replace
  check   what the checks of the tree need: formatter, linters, git, Python
  web     a browser, in which the tests open the pages that park writes
  docs    Doxygen, for the reference of C++ on the site (scripts/site.sh)
  plot    what experiments/learning/plot_learning.py draws with
  arm     a compiler and an emulator for 64-bit Arm, for a test of networks; adds Debian's architecture arm64
  shells  shells and a reader of manual pages, for the tests of what `park completion` and `park help` print
  portable what scripts/wheel.sh and scripts/debs.sh --check need besides
  compare libraries that networks could use instead of their own inner loops, for a benchmark

Example: sudo scripts/setup.sh build
TEXT
}

# Each line: package, the least version that works. These are upstream versions of Debian 12. They
# are minimums and no pins: a pin to Debian's full version would break with the next security
# update, when the archive drops the old one. Debian 12 itself keeps the upstream versions fixed.
readonly PACKAGES_BUILD='
build-essential   12.9
g++               4:12.2
cmake             3.25.1
ninja-build       1.11.1
pkg-config        1.8.1
ccache            4.7
mold              1.10
libcli11-dev      2.1.2
nlohmann-json3-dev 3.11.2
zlib1g-dev        1:1.2.13
libzstd-dev       1.5.4
liblz4-dev        1.9.4
libxxhash-dev     0.8.1
libsodium-dev     1.0.18
libmetis5         5.1.0
libngspice0-dev   39.3
libgtest-dev      1.12.1
libgmock-dev      1.12.1
libbenchmark-dev  1.7.1'
# The reference BLAS that LibTorch would bring along is 8 times slower.
readonly PACKAGES_AGENTS='
libtorch-dev      1.13.1
libgloo-dev       0.0~git20220518
libhwy-dev        1.0.3
libopenblas0-pthread 0.3.21'
readonly PACKAGES_BRIDGE='
python3-dev       3.11
python3-venv      3.11
capnproto         0.9.2
libcapnp-dev      0.9.2
libzmq3-dev       4.3.4
cppzmq-dev        4.9.0'
# Debian's own cargo, 0.66, is too old for the library's crates.
readonly PACKAGES_RUST='
cargo-web         1.89
rustc-web         1.89'
readonly PACKAGES_JAVA='
openjdk-17-jdk-headless 17
maven             3.8'
readonly PACKAGES_GO='
golang-go         2:1.19'
# clang-tidy 14, Debian's default, cannot read the ranges of this libstdc++.
readonly PACKAGES_CHECK='
clang-format-14   1:14.0
clang-tidy-16     1:16.0
clang-16          1:16.0
libclang-rt-16-dev 1:16.0
shellcheck        0.9.0
git               1:2.39
python3           3.11
python3-venv      3.11'

readonly PACKAGES_WEB='
chromium          150
chromium-driver   150
python3-selenium  4.8.3'
readonly PACKAGES_DOCS='
doxygen           1.9.4'
readonly PACKAGES_PLOT='
python3-matplotlib 3.6.3'
readonly PACKAGES_ARM='
g++-aarch64-linux-gnu 4:12.2
qemu-user         1:7.2
libhwy-dev:arm64  1.0.3
libgtest-dev:arm64 1.12.1'
readonly PACKAGES_SHELLS='
zsh               5.9
fish              3.6.0
mandoc            1.14.6'
readonly PACKAGES_COMPARE='
libeigen3-dev     3.4.0
libxsimd-dev      8.1.0
libdnnl-dev       2.6.3
libxsmm-dev       1.17
libopenblas-dev   0.3.21'

readonly PACKAGES_PORTABLE='
autoconf          2.71
automake          1:1.16
libtool           2.4.7
debootstrap       1.0.128'

# Prints the lines "package version" of the named groups.
wanted() {
  local group
  for group in "$@"; do
    case "$group" in
      build) printf '%s\n' "$PACKAGES_BUILD" ;;
      agents) printf '%s\n' "$PACKAGES_AGENTS" ;;
      bridge) printf '%s\n' "$PACKAGES_BRIDGE" ;;
      go) printf '%s\n' "$PACKAGES_GO" ;;
      java) printf '%s\n' "$PACKAGES_JAVA" ;;
      rust) printf '%s\n' "$PACKAGES_RUST" ;;
      check) printf '%s\n' "$PACKAGES_CHECK" ;;
      web) printf '%s\n' "$PACKAGES_WEB" ;;
      docs) printf '%s\n' "$PACKAGES_DOCS" ;;
      plot) printf '%s\n' "$PACKAGES_PLOT" ;;
      arm) printf '%s\n' "$PACKAGES_ARM" ;;
      shells) printf '%s\n' "$PACKAGES_SHELLS" ;;
      compare) printf '%s\n' "$PACKAGES_COMPARE" ;;
      portable) printf '%s\n' "$PACKAGES_PORTABLE" ;;
      *)
        echo "setup: unknown group '$group'; allowed are build, agents, bridge, go, java, rust," \
          "check, web, docs, plot, arm, shells, compare and portable" >&2
        return 2
        ;;
    esac
  done
}

# Prints "ii package version" for each installed package of the system, those of other architectures
# than the machine's as "ii package:architecture version".
# shellcheck disable=SC2016 # the format's variables are dpkg's
installed() {
  dpkg-query -W -f='${db:Status-Abbrev} ${Package} ${Version} ${Architecture}\n' |
    awk -v native="$(dpkg --print-architecture)" \
      '/^ii/ { print $1, $2 ($4 == native || $4 == "all" ? "" : ":" $4), $3 }'
}

# Reads "package version" lines; prints the packages that are absent.
absent() {
  awk 'NR == FNR { there[$2] = 1; next } NF && !($1 in there) { print $1 }' <(installed) -
}

# Reads "package version" lines; reports the packages that are older than that and fails then.
check_versions() {
  local package least have failed=0
  while read -r package least have; do
    if [[ -z $have ]] || dpkg --compare-versions "$have" lt "$least"; then
      echo "setup: $package is ${have:-not there}; at least $least is needed (as in Debian 12)" >&2
      failed=1
    fi
  done < <(awk 'NR == FNR { there[$2] = $3; next } NF { print $1, $2, there[$1] }' <(installed) -)
  return "$failed"
}

# Runs apt-get and tries again after a pause: mirrors and package locks fail for a moment at times.
apt() {
  local attempt log
  log=$(mktemp)
  for attempt in 1 2 3; do
    if DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 \
      "$@" >"$log" 2>&1; then
      rm -f "$log"
      return 0
    fi
    sleep $((attempt * 5))
  done
  tail -n 15 "$log" >&2
  rm -f "$log"
  return 1
}

install_packages() {
  if [[ $(id -u) -ne 0 ]]; then
    printf 'setup: these packages are missing and only root can install them: %s\n' "$*" >&2
    printf 'setup: run "sudo scripts/setup.sh", or ask whoever looks after this machine\n' >&2
    return 1
  fi
  if [[ " $*" == *:arm64* ]]; then dpkg --add-architecture arm64; fi
  if ! apt -q update || ! apt -q install -y --no-install-recommends "$@"; then
    printf 'setup: could not install: %s\n' "$*" >&2
    printf 'setup: is the network there? Debian'"'"'s package mirror must be reachable once\n' >&2
    return 1
  fi
}

main() {
  if [[ ${1:-} == -h || ${1:-} == --help ]]; then
    usage
    return 0
  fi
  if [[ $# -eq 0 ]]; then
    set -- build agents bridge check web docs
    # A toolchain may be here that apt knows nothing of.
    command -v go >/dev/null || set -- "$@" go
    if ! command -v javac >/dev/null || ! command -v mvn >/dev/null; then set -- "$@" java; fi
    command -v cargo >/dev/null || set -- "$@" rust
  fi
  local list
  list=$(wanted "$@")
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "setup: this system has no apt; install the like of these packages by hand:" >&2
    printf '%s\n' "$list" >&2
    return 1
  fi
  local packages
  mapfile -t packages < <(absent <<<"$list")
  local start=$SECONDS
  if [[ ${#packages[@]} -gt 0 ]]; then install_packages "${packages[@]}"; fi
  check_versions <<<"$list"
  printf 'setup: %d packages installed, %d s\n' "${#packages[@]}" $((SECONDS - start))
}

main "$@"
