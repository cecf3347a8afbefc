#!/usr/bin/env bash
# CMake finds a LibTorch that has the files of PyPI's torch, which is built for CUDA, where CUDA is not. With
# TORCH_OF_PYPI=FOLDER of a real one the same is tried with that.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "torch: $*" >&2
  exit 1
}

torch=$work/torch
mkdir -p "$torch/share/cmake/Torch" "$torch/lib" "$torch/include/torch"
echo 'message(FATAL_ERROR "CUDA is not found")' >"$torch/share/cmake/Torch/TorchConfig.cmake"
echo 'set(PACKAGE_VERSION "2.15.0")' >"$torch/share/cmake/Torch/TorchConfigVersion.cmake"
touch "$torch"/lib/lib{c10,torch,torch_cpu,torch_cuda}.so

# finds FOLDER EXTRA...: what CMake tells.
finds() {
  cmake -S "$here/torch" -B "$work/build" --fresh -DPARK_CMAKE="$here/../../cmake" \
    -DCMAKE_PREFIX_PATH="$1" "${@:2}" >"$work/out" 2>&1
}

finds "$torch" -DPARK_CUDA_COMPILER=OFF || fail "$(cat "$work/out")"
grep -q 'version 2.15.0, libraries torch$' "$work/out" || fail "$(cat "$work/out")"
grep -q "processors $torch/lib/libtorch_cpu.so" "$work/out" || fail "$(cat "$work/out")"
# With CUDA's compiler, or built for processors, it is LibTorch's own package that decides.
if finds "$torch" -DPARK_CUDA_COMPILER=/usr/bin/true; then fail "LibTorch's own package was not asked"; fi
grep -q 'CUDA is not found' "$work/out" || fail "$(cat "$work/out")"
rm "$torch/lib/libtorch_cuda.so"
if finds "$torch" -DPARK_CUDA_COMPILER=OFF; then fail "LibTorch's own package was not asked"; fi

if [[ -n ${TORCH_OF_PYPI:-} ]]; then
  finds "$TORCH_OF_PYPI" || fail "$(cat "$work/out")"
  grep 'version' "$work/out"
fi
