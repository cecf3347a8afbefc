# park_torch_headers(TARGET [REUSE other]): LibTorch's headers, which take most of the time that a file
# of the target takes to compile, are compiled once: for this target, or for the other one.
function(park_torch_headers target)
  cmake_parse_arguments(P "" "REUSE" "" ${ARGN})
  if(P_REUSE)
    target_precompile_headers(${target} REUSE_FROM ${P_REUSE})
  else()
    target_precompile_headers(${target} PRIVATE
      <torch/csrc/autograd/custom_function.h> <torch/nn/module.h> <torch/optim/adam.h>
      <algorithm> <cmath> <functional> <map> <memory> <string> <vector>)
  endif()
  if(PARK_CCACHE)  # which by default leaves precompiled headers alone
    target_compile_options(${target} PRIVATE -fpch-preprocess)
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros;${PARK_CCACHE}")
  endif()
endfunction()
