# Installation: headers, libraries, the command, bundled data, and a package for find_package(park).
include(CMakePackageConfigHelpers)
set(PARK_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/park)

# park_install_module(NAME FOLDER): one component of the package, with the headers of its folder.
function(park_install_module name folder)
  string(REGEX REPLACE "^park/" "" place ${folder})
  install(TARGETS park_${name} EXPORT park_${name})
  install(EXPORT park_${name} FILE park_${name}.cmake NAMESPACE park:: DESTINATION ${PARK_PACKAGE_DIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}/
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/park/${place} FILES_MATCHING PATTERN "*.h"
          PATTERN python EXCLUDE PATTERN java EXCLUDE PATTERN rust EXCLUDE)
endfunction()

park_install_module(core park/core)
park_install_module(envs park/envs)
park_install_module(heuristics agents/heuristic)
park_install_module(workload park/workload)
park_install_module(traces park/traces)
park_install_module(runs agents/runs)
install(FILES ${PROJECT_SOURCE_DIR}/agents/iteration_report.h
              ${PROJECT_SOURCE_DIR}/agents/training_texts.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/park/agents)
set(PARK_BESIDE_PARK park_heuristics park_runs)
if(PARK_AGENTS)
  park_install_module(agents agents)
  list(APPEND PARK_BESIDE_PARK park_agents)
  install(TARGETS park_agents_module LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(PARK_BRIDGE)
  park_install_module(bridge bridge)
  install(TARGETS park_wire EXPORT park_wire)
  install(EXPORT park_wire FILE park_wire.cmake NAMESPACE park:: DESTINATION ${PARK_PACKAGE_DIR})
  install(FILES ${PARK_WIRE_HEADER} ${PROJECT_SOURCE_DIR}/bridge/schema/park.capnp
                ${PROJECT_SOURCE_DIR}/bridge/schema/spark.capnp
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/park/bridge/schema)
  list(APPEND PARK_BESIDE_PARK park_bridge park_wire)
endif()
# In the tree these headers are included as "agents/..." and "bridge/..."; installed they lie below
# park/.
foreach(target IN LISTS PARK_BESIDE_PARK)
  target_include_directories(${target} INTERFACE
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/park>)
endforeach()

install(TARGETS park)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/park)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/THIRD_PARTY.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/third_party DESTINATION ${CMAKE_INSTALL_DOCDIR}
        FILES_MATCHING PATTERN "LICENSE*" PATTERN "NOTICE" PATTERN "README.md")

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/parkConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/parkConfig.cmake
                              INSTALL_DESTINATION ${PARK_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/parkConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/parkConfig.cmake ${PROJECT_BINARY_DIR}/parkConfigVersion.cmake
        DESTINATION ${PARK_PACKAGE_DIR})
