# LibTorch: TORCH_LIBRARIES, TORCH_INCLUDE_DIRS and Torch_VERSION, by CMAKE_PREFIX_PATH or Torch_DIR as usual.
#
# The LibTorch of PyPI's torch is built for CUDA, and its CMake package wants CUDA's compiler. Park computes on
# processors, so that without that compiler only LibTorch's part for processors is linked.
include_guard(GLOBAL)
find_path(Torch_DIR TorchConfig.cmake PATH_SUFFIXES Torch share/cmake/Torch
          lib/${CMAKE_LIBRARY_ARCHITECTURE}/cmake/Torch lib/cmake/Torch
          DOC "The folder of TorchConfig.cmake")
if(NOT Torch_DIR)
  message(FATAL_ERROR "LibTorch is not found: install libtorch-dev (scripts/setup.sh does), give the folder of "
                      "another one by CMAKE_PREFIX_PATH, or leave training out by PARK_AGENTS=OFF")
endif()
find_program(PARK_CUDA_COMPILER nvcc)
cmake_path(SET PARK_TORCH_PREFIX NORMALIZE ${Torch_DIR}/../../..)
string(REGEX REPLACE "/$" "" PARK_TORCH_PREFIX ${PARK_TORCH_PREFIX})
if(EXISTS ${PARK_TORCH_PREFIX}/lib/libtorch_cuda.so AND NOT PARK_CUDA_COMPILER)
  if(NOT TARGET torch)
    foreach(part c10 torch_cpu)
      add_library(${part} SHARED IMPORTED GLOBAL)
      set_target_properties(${part} PROPERTIES IMPORTED_LOCATION ${PARK_TORCH_PREFIX}/lib/lib${part}.so)
    endforeach()
    add_library(torch INTERFACE IMPORTED GLOBAL)
    # The part for processors needs two libraries of CUDA's, which it finds itself when a program starts.
    target_link_options(torch INTERFACE LINKER:--allow-shlib-undefined)
    target_link_libraries(torch INTERFACE torch_cpu c10)
    target_compile_features(torch INTERFACE cxx_std_17)
  endif()
  set(TORCH_INCLUDE_DIRS ${PARK_TORCH_PREFIX}/include
                         ${PARK_TORCH_PREFIX}/include/torch/csrc/api/include)
  set(TORCH_LIBRARIES torch)
  set(Torch_FOUND TRUE)
else()
  find_package(Torch REQUIRED)
endif()
if(NOT Torch_VERSION)
  file(STRINGS ${Torch_DIR}/TorchConfigVersion.cmake line REGEX "set\\(PACKAGE_VERSION ")
  string(REGEX REPLACE ".*\"([0-9.]+).*" "\\1" Torch_VERSION "${line}")
endif()
