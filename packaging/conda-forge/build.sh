#!/usr/bin/env bash
# Unverified: conda build runs this with PREFIX, PYTHON and SP_DIR set.
set -euo pipefail
# shellcheck disable=SC2086 # CMAKE_ARGS is a list of options
cmake ${CMAKE_ARGS:-} -S . -B build/conda -G Ninja -DCMAKE_BUILD_TYPE=Release -DPARK_UNITY=ON \
  -DCMAKE_INSTALL_PREFIX="$PREFIX" -DPARK_TESTS=OFF -DPARK_BENCH=OFF -DPARK_EXAMPLES=OFF \
  -DPARK_PYTHON_PACKAGE=ON -DPython_EXECUTABLE="$PYTHON" \
  -DPARK_PYTHON_DIR="$(realpath --relative-to="$PREFIX" "$SP_DIR")"
cmake --build build/conda
cmake --install build/conda
