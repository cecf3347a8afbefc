# park_add_plugin(NAME [VERSION v] [LICENCE l] [FILES] [SOURCES] FILE...): a plug-in of Park, libNAME.so. One of its
# sources has PARK_PLUGIN(...) of park/plugin/cpp.h, or the function park_plugin of park/plugin.h. VERSION (that
# of the project) and LICENCE (an SPDX expression) stand in its note. FILES: it reads files that others recorded
# (park/files), or has importers.
#
# It has Park's core within itself, and shows nothing but park_plugin. So it works with other releases of Park.
function(park_add_plugin name)
  cmake_parse_arguments(P "FILES" "VERSION;LICENCE" "SOURCES" ${ARGN})
  set(version "${PROJECT_VERSION}")
  if(P_VERSION)
    set(version "${P_VERSION}")
  elseif(NOT version)
    set(version 0)
  endif()
  if(NOT P_LICENCE)
    set(P_LICENCE NOASSERTION)
  endif()
  set(core park::plugin_core)
  if(P_FILES)
    if(NOT TARGET park::plugin_files)
      message(FATAL_ERROR "park_add_plugin(${name} FILES): zlib and its headers are not found")
    endif()
    set(core park::plugin_files)
  endif()
  add_library(${name} MODULE ${P_SOURCES} ${P_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${core})
  target_compile_definitions(${name} PRIVATE PARK_PLUGIN_NAME="${name}" PARK_PLUGIN_VERSION="${version}"
                             PARK_PLUGIN_LICENCE="${P_LICENCE}")
  target_compile_features(${name} PRIVATE cxx_std_20)
  set_target_properties(${name} PROPERTIES C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF SKIP_BUILD_RPATH ON INSTALL_RPATH ""
    INSTALL_RPATH_USE_LINK_PATH OFF)
  set(map ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/park_plugin.map)
  set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${map})
  target_link_options(${name} PRIVATE LINKER:--exclude-libs,ALL LINKER:--version-script,${map} LINKER:--as-needed)
endfunction()
