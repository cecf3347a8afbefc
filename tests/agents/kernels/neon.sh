#!/usr/bin/env bash
# Compiles the inner loops of networks and their test for 64-bit Arm, and runs them in an emulator.
# Usage: neon.sh FOLDER     for what is made; status 77 where compiler, libraries or emulator are absent.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
readonly ROOT
readonly LIBRARIES=/usr/lib/aarch64-linux-gnu
folder=${1:?give a folder}

if ! command -v aarch64-linux-gnu-g++ qemu-aarch64 >/dev/null ||
  [[ ! -e $LIBRARIES/libgtest.a || ! -e $LIBRARIES/libhwy.so ]]; then
  echo "no compiler, libraries or emulator for Arm; scripts/setup.sh arm installs them"
  exit 77
fi
mkdir -p "$folder"
aarch64-linux-gnu-g++ -std=c++20 -O2 -I"$ROOT" -o "$folder/kernels_test" \
  "$ROOT/tests/agents/kernels/mlp_kernels_test.cc" "$ROOT/agents/net/mlp_kernels.cc" \
  "$LIBRARIES/libhwy.so" "$LIBRARIES/libgtest_main.a" "$LIBRARIES/libgtest.a"
qemu-aarch64 "$folder/kernels_test" --gtest_color=no | tee "$folder/log"
# The sums of Arm's fused instruction were tested, not those of plain C++ alone.
grep -q 'OK.*Sets/FusedMlpKernels.GiveTheBitsOfSumsThatRoundOnce/neon' "$folder/log"
