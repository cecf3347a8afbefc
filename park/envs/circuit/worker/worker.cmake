# The program of a simulator process, and the source that makes it a part of the library. It has no sanitizers: it
# loads a library that has none.
find_path(PARK_NGSPICE_INCLUDE ngspice/sharedspice.h DOC "The folder of ngspice's headers")
set(image ${CMAKE_CURRENT_LIST_DIR}/image.cc)
set_source_files_properties(${image} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
target_sources(park_envs PRIVATE ${image})
if(NOT PARK_NGSPICE_INCLUDE)
  message(STATUS "ngspice's headers are not found (libngspice0-dev): this build cannot simulate circuits")
  return()
endif()
add_executable(park_ngspice_worker ${CMAKE_CURRENT_LIST_DIR}/main.cc)
target_include_directories(park_ngspice_worker PRIVATE ${PROJECT_SOURCE_DIR} ${PARK_NGSPICE_INCLUDE})
target_compile_features(park_ngspice_worker PRIVATE cxx_std_20)
target_compile_options(park_ngspice_worker PRIVATE -Wall -Wextra -Wconversion -Wshadow)
target_link_libraries(park_ngspice_worker PRIVATE ${CMAKE_DL_LIBS})
target_link_options(park_ngspice_worker PRIVATE -static-libstdc++ -static-libgcc -s)
set_target_properties(park_ngspice_worker PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
  INSTALL_RPATH "")
set_source_files_properties(${image} PROPERTIES
  COMPILE_DEFINITIONS "PARK_WORKER_PROGRAM=\"${CMAKE_CURRENT_BINARY_DIR}/park_ngspice_worker\""
  OBJECT_DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/park_ngspice_worker)
add_dependencies(park_envs park_ngspice_worker)
