# park_torch_headers(TARGET): LibTorch's headers, which take most of the time that a file of the target
# takes to compile, are compiled once.
function(park_torch_headers target)
  target_precompile_headers(${target} PRIVATE
    <torch/csrc/autograd/custom_function.h> <torch/nn/module.h> <torch/optim/adam.h>
    <algorithm> <cmath> <functional> <map> <memory> <string> <vector>)
  park_cache_precompiled(${target})
endfunction()

# park_torch_classes(TARGET): Clang takes LibTorch 1.13's vectors of classes that are not complete yet in C++20 only
# where it may complete them later, as at the end of a precompiled header.
function(park_torch_classes target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    target_precompile_headers(${target} PRIVATE <ATen/core/ivalue.h>)
    park_cache_precompiled(${target})
  endif()
endfunction()

# park_torch_headers_of_agents(TARGET): those of park_agents, for a program. GCC takes them only with the macros
# and the options that they were compiled with.
function(park_torch_headers_of_agents target)
  target_precompile_headers(${target} REUSE_FROM park_agents)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC $<$<CONFIG:Debug>:-O2>)
  target_link_libraries(${target} PRIVATE hwy::hwy)
  park_cache_precompiled(${target})
endfunction()
