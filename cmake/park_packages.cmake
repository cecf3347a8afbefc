# Packages by CPack (scripts/debs.sh): one for each component of cmake/park_install.cmake and bridge/python.
#
#   libpark       the library that is shared, the bundled data, licences
#   libpark-dev   headers, static libraries, packages for CMake and pkg-config
#   park          the command, its man pages and completions
#   park-train    what needs LibTorch: the module that trains and plays networks, and two running systems' parts
#   python3-park  the package park_sdk, where PARK_PYTHON_PACKAGE is on
#
# dpkg-shlibdeps finds what each of them links. Debian's LibTorch brings some 170 packages, so that the command
# only recommends park-train.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR Park)
set(CPACK_PACKAGE_CONTACT "The authors of Park <park@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "learning-augmented computer systems")
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL libpark dev command)
if(PARK_AGENTS)
  list(APPEND CPACK_COMPONENTS_ALL train)
endif()
if(PARK_PYTHON_PACKAGE)
  list(APPEND CPACK_COMPONENTS_ALL python)
  find_package(Python 3 REQUIRED COMPONENTS Interpreter)
  math(EXPR next_python "${Python_VERSION_MINOR} + 1")
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PARK_LIB_DIR})
set(own_version "${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")

# park_package(COMPONENT NAME SECTION SUMMARY [DEPENDS text] [RECOMMENDS text]): CPack reads variables that are
# named after the component.
function(park_package component name section summary)
  cmake_parse_arguments(P "" "DEPENDS;RECOMMENDS" "" ${ARGN})
  string(TOUPPER ${component} letters)
  set(CPACK_DEBIAN_${letters}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${letters}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${letters}_PACKAGE_DEPENDS "${P_DEPENDS}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${letters}_PACKAGE_RECOMMENDS "${P_RECOMMENDS}" PARENT_SCOPE)
  set(CPACK_COMPONENT_${letters}_DESCRIPTION "${summary}" PARENT_SCOPE)
endfunction()
set(needs_library "libpark (= ${own_version})")
park_package(libpark libpark libs "library and bundled data of Park")
park_package(command park science "environments, policies and benchmarks of computer systems that learn"
             DEPENDS "${needs_library}" RECOMMENDS "park-train (= ${own_version})")
park_package(train park-train science "training and playing of networks in Park, on LibTorch"
             DEPENDS "${needs_library}, libopenblas0-pthread")
park_package(dev libpark-dev libdevel "headers and static libraries of Park"
             DEPENDS "${needs_library}, zlib1g-dev, libzstd-dev, liblz4-dev, libxxhash-dev, libsodium-dev, libcapnp-dev, libzmq3-dev, cppzmq-dev"
             RECOMMENDS "libtorch-dev, libhwy-dev")
# Gymnasium is no package of Debian 12; without it streams, policies and servers work (docs/install.md).
park_package(python python3-park python "environments and policies of Park for Python"
             DEPENDS "${needs_library}, python3 (>= ${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}), python3 (<< ${Python_VERSION_MAJOR}.${next_python}), python3-numpy")
include(CPack)
