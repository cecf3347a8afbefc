# Installation: headers, libraries, the command, bundled data, a package for find_package(park) and one for
# pkg-config. Its components are the packages of cmake/park_packages.cmake: libpark has what runs, dev what
# others build with, command the program, train what needs LibTorch.
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME dev)
set(PARK_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/park)

# park_install_module(NAME FOLDER): one component of the package, with the headers of its folder.
function(park_install_module name folder)
  string(REGEX REPLACE "^park/" "" place ${folder})
  install(TARGETS park_${name} EXPORT park_${name} LIBRARY COMPONENT libpark)
  install(EXPORT park_${name} FILE park_${name}.cmake NAMESPACE park:: DESTINATION ${PARK_PACKAGE_DIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}/
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/park/${place} FILES_MATCHING PATTERN "*.h"
          PATTERN python EXCLUDE PATTERN java EXCLUDE PATTERN rust EXCLUDE)
endfunction()

foreach(name core files process sim net command plugin check envs runs plugins search trees bench attack exchange)
  park_install_module(${name} park/${name})
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/park/plugin.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/park)
foreach(name plugin_core plugin_files)
  install(TARGETS park_${name} EXPORT park_${name})
  install(EXPORT park_${name} FILE park_${name}.cmake NAMESPACE park:: DESTINATION ${PARK_PACKAGE_DIR})
endforeach()
install(FILES ${CMAKE_CURRENT_LIST_DIR}/park_add_plugin.cmake ${CMAKE_CURRENT_LIST_DIR}/park_plugin.map
        DESTINATION ${PARK_PACKAGE_DIR})
set(PARK_BESIDE_PARK "")
if(PARK_AGENTS)
  park_install_module(agents agents)
  list(APPEND PARK_BESIDE_PARK park_agents)
  install(TARGETS park_agents_module LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT train)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/park_torch.cmake DESTINATION ${PARK_PACKAGE_DIR})
endif()
if(PARK_BRIDGE)
  park_install_module(bridge bridge)
  park_install_module(systems systems)
  foreach(name wire systems_wire)
    install(TARGETS park_${name} EXPORT park_${name})
    install(EXPORT park_${name} FILE park_${name}.cmake NAMESPACE park:: DESTINATION ${PARK_PACKAGE_DIR})
  endforeach()
  install(FILES ${PARK_WIRE_HEADER} ${PROJECT_SOURCE_DIR}/bridge/schema/park.capnp
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/park/bridge/schema)
  # Generated headers lie below generated/ as their schemas below the top folder.
  foreach(header IN LISTS PARK_SYSTEMS_WIRE_HEADER)
    file(RELATIVE_PATH place ${PROJECT_BINARY_DIR}/generated ${header})
    cmake_path(GET place PARENT_PATH folder)
    install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/park/${folder})
  endforeach()
  list(APPEND PARK_BESIDE_PARK park_bridge park_systems park_wire park_systems_wire)
endif()
# In the tree these headers are included as "agents/...", "bridge/..." and "systems/..."; installed they
# lie below park/.
foreach(target IN LISTS PARK_BESIDE_PARK)
  target_include_directories(${target} INTERFACE
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/park>)
endforeach()

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME command)
install(TARGETS park)
# A build for another machine has no command that could be asked.
if(NOT CMAKE_CROSSCOMPILING)
  set(PARK_MADE ${PROJECT_BINARY_DIR}/made)
  install(CODE "set(park $<TARGET_FILE:park>)\nset(made ${PARK_MADE})
include(${CMAKE_CURRENT_LIST_DIR}/park_manual.cmake)")
  install(DIRECTORY ${PARK_MADE}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(FILES ${PARK_MADE}/completion/park
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${PARK_MADE}/completion/_park DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${PARK_MADE}/completion/park.fish
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

# The pages that the help names.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md")

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME libpark)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/park)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/THIRD_PARTY.md
              ${PROJECT_SOURCE_DIR}/SECURITY.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
              ${PROJECT_SOURCE_DIR}/sbom.spdx.json
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/third_party DESTINATION ${CMAKE_INSTALL_DOCDIR}
        FILES_MATCHING PATTERN "LICENSE*" PATTERN "NOTICE" PATTERN "README.md")

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME dev)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/parkConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/parkConfig.cmake
                              INSTALL_DESTINATION ${PARK_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/parkConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/parkConfig.cmake ${PROJECT_BINARY_DIR}/parkConfigVersion.cmake
        DESTINATION ${PARK_PACKAGE_DIR})

# For pkg-config: the components that need neither LibTorch nor the bridge. Places count from the file's
# own, so that the prefix may be moved.
set(PARK_PC_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH PARK_PC_TO_PREFIX ${CMAKE_INSTALL_PREFIX}/${PARK_PC_DIR} ${CMAKE_INSTALL_PREFIX})
configure_file(${CMAKE_CURRENT_LIST_DIR}/park.pc.in ${PROJECT_BINARY_DIR}/park.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/park.pc DESTINATION ${PARK_PC_DIR})
