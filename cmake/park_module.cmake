# What every target of the project shares: language level, warnings, sanitizers, where binaries land.
option(PARK_STATIC "No shared libraries: all of Park becomes part of what links it" OFF)
option(PARK_UNITY "Compile the sources of a folder together, in a third of the time" OFF)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# A program finds libraries from its own place, in the build as where it is installed. CMake would
# otherwise fill up the RUNPATH of a build with ":", so that it can be rewritten at installation. An
# empty element is the current folder, whose libraries the loader would take.
file(RELATIVE_PATH PARK_BIN_TO_LIB ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
cmake_path(SET PARK_LIB_DIR NORMALIZE ${PROJECT_BINARY_DIR}/bin/${PARK_BIN_TO_LIB})
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PARK_LIB_DIR})
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PARK_LIB_DIR})
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH "$ORIGIN/${PARK_BIN_TO_LIB}")
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)  # a LibTorch that is no package of the system
find_program(PARK_CCACHE ccache)
if(PARK_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PARK_CCACHE})
endif()
find_program(PARK_MOLD mold)
if(PARK_MOLD)
  add_link_options(-fuse-ld=mold)
  if(CMAKE_BUILD_TYPE STREQUAL Debug)
    # Where several objects have an inline function, mold takes that of the first. Libraries stand before a test's own
    # code, which is not optimised: it halves the time of some tests.
    set(CMAKE_CXX_LINK_EXECUTABLE "<CMAKE_CXX_COMPILER> <FLAGS> <CMAKE_CXX_LINK_FLAGS> <LINK_FLAGS> <LINK_LIBRARIES> <OBJECTS> -o <TARGET>")
  endif()
endif()

# park_plain_options: for code that includes LibTorch, which sanitizers would make many times slower.
# Its programs still link what is checked.
add_library(park_plain_options INTERFACE)
target_compile_options(park_plain_options INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wpedantic)
if(PARK_WERROR)
  target_compile_options(park_plain_options INTERFACE -Werror)
endif()
set(PARK_FEW_INLINED "" CACHE STRING "Compiler options for all but the modules in which tests spend their time")
target_compile_options(park_plain_options INTERFACE
                       "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:PARK_HOT>>>:SHELL:${PARK_FEW_INLINED}>")
add_library(park_options INTERFACE)
target_link_libraries(park_options INTERFACE park_plain_options)
if(PARK_SANITIZE)
  target_link_options(park_plain_options INTERFACE -fsanitize=${PARK_SANITIZE})
  target_compile_options(park_options INTERFACE -fsanitize=${PARK_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all)
endif()
set(PARK_SANITIZED_LIBRARIES "" CACHE PATH "Libraries that have the sanitizer too; programs take them first")
if(PARK_SANITIZED_LIBRARIES)
  target_link_options(park_plain_options INTERFACE -Wl,-rpath,${PARK_SANITIZED_LIBRARIES})
endif()
if(PARK_SANITIZE MATCHES address)
  add_library(park_asan_defaults OBJECT ${PROJECT_SOURCE_DIR}/cmake/asan_defaults.cc)
  target_link_libraries(park_plain_options INTERFACE
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:$<TARGET_OBJECTS:park_asan_defaults>>)
endif()
if(PARK_SANITIZE MATCHES address AND CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  target_compile_definitions(park_options INTERFACE __SANITIZE_ADDRESS__)  # as GCC does
  if(NOT PARK_FUZZ)
    # A library of its own, as with GCC: Python and other programs load ours after it.
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so
                    OUTPUT_VARIABLE library OUTPUT_STRIP_TRAILING_WHITESPACE)
    set(PARK_ASAN_LIBRARY ${library} CACHE INTERNAL "Clang's address sanitizer")
    cmake_path(GET library PARENT_PATH folder)
    target_link_options(park_plain_options INTERFACE -shared-libasan
                        $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-Wl,-rpath,${folder}>)
  endif()
endif()

if(PARK_FUZZ)
  target_compile_options(park_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# ccache leaves precompiled headers alone by default.
function(park_cache_precompiled target)
  if(PARK_CCACHE)
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
                           "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros;${PARK_CCACHE}")
  endif()
endfunction()

# Code in which neither tests nor users spend their time. With -Og GCC 12 takes a std::stop_source for uninitialised;
# the other levels still look for such variables.
set(PARK_COLD $<$<CONFIG:Release>:-O1>)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  list(APPEND PARK_COLD $<$<CONFIG:Debug>:-Og> $<$<CONFIG:Debug>:-Wno-maybe-uninitialized>)
endif()

# What nearly all sources include, compiled once for each set of options: it would take a quarter of their time.
find_package(nlohmann_json REQUIRED)
foreach(kind headers cold_headers)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${kind}.cc CONTENT "")
  add_library(park_${kind} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${kind}.cc)
  target_link_libraries(park_${kind} PRIVATE nlohmann_json::nlohmann_json park_options)
  target_precompile_headers(park_${kind} PRIVATE <nlohmann/json.hpp>
    <algorithm> <array> <atomic> <chrono> <cmath> <condition_variable> <filesystem> <fstream> <functional> <limits>
    <map> <memory> <mutex> <numeric> <optional> <ranges> <set> <span> <sstream> <stop_token> <string> <string_view>
    <thread> <tuple> <unordered_map> <utility> <variant> <vector>)
  park_cache_precompiled(park_${kind})
endforeach()
target_compile_options(park_cold_headers PRIVATE ${PARK_COLD})

# park_leaks_of_others(TARGET): a program that may load LibTorch does not answer for its leaks.
function(park_leaks_of_others target)
  if(PARK_SANITIZE MATCHES address)
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/leaks_of_others.cc)
  endif()
endfunction()

# park_unity(TARGET [SOURCES]): the sources of each folder of a target become one unit where PARK_UNITY is on.
# Most of the time goes into headers and templates, which a unit compiles once. With a number of sources
# neighbouring folders form a unit until it has that many. A source that is compiled with options of its own
# stays alone.
function(park_unity target)
  if(NOT PARK_UNITY)
    return()
  endif()
  set(unit ${ARGN})
  if(NOT unit)
    set(unit 1)
  endif()
  get_target_property(sources ${target} SOURCES)
  set(folders "")
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    cmake_path(GET source PARENT_PATH folder)
    list(APPEND folders "${folder}")
    list(APPEND "sources of ${folder}" ${source})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  set(room 0)
  foreach(folder IN LISTS folders)
    if(room LESS_EQUAL 0)
      string(MD5 group "${folder}")
      set(room ${unit})
    endif()
    set(of "sources of ${folder}")
    list(LENGTH ${of} count)
    math(EXPR room "${room} - ${count}")
    set_source_files_properties(${${of}} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # To the compiler a source of a unit is a header, in which an unnamed namespace would be a mistake.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# park_module(NAME [SHARED] [PLAIN] [COLD | HOT] [UNIT n] SOURCES... LINK...) makes target park_NAME with the alias
# park::NAME. PLAIN: with park_plain_options. COLD: with PARK_COLD, in two thirds of the time. HOT: without
# PARK_FEW_INLINED. UNIT: of park_unity.
function(park_module name)
  cmake_parse_arguments(M "SHARED;PLAIN;COLD;HOT" "UNIT" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  set(plain "")
  if(M_PLAIN)
    set(plain plain_)
  endif()
  if(M_SHARED AND NOT PARK_STATIC)
    add_library(park_${name} SHARED ${M_SOURCES})
  else()
    add_library(park_${name} STATIC ${M_SOURCES})
  endif()
  add_library(park::${name} ALIAS park_${name})
  set_target_properties(park_${name} PROPERTIES EXPORT_NAME ${name} INSTALL_RPATH "$ORIGIN")
  target_include_directories(park_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(park_${name} PUBLIC cxx_std_20)
  target_link_libraries(park_${name} PUBLIC ${M_LINK} PRIVATE $<BUILD_INTERFACE:park_${plain}options> ${M_PRIVATE_LINK})
  set_target_properties(park_${name} PROPERTIES PARK_HOT "${M_HOT}")
  set(headers park_headers)
  if(M_COLD)
    target_compile_options(park_${name} PRIVATE ${PARK_COLD})
    set(headers park_cold_headers)
  endif()
  if(NOT M_PLAIN)
    target_precompile_headers(park_${name} REUSE_FROM ${headers})
    park_cache_precompiled(park_${name})
  endif()
  park_unity(park_${name} ${M_UNIT})
endfunction()
