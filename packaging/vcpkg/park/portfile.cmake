# Unverified: nobody has built this port yet. It builds the checkout that it is a part of.
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS
  FEATURES
    bridge PARK_BRIDGE
    train PARK_AGENTS)
vcpkg_cmake_configure(SOURCE_PATH ${SOURCE_PATH}
  OPTIONS ${FEATURE_OPTIONS} -DPARK_TESTS=OFF -DPARK_BENCH=OFF -DPARK_EXAMPLES=OFF -DPARK_UNITY=ON)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/park)
vcpkg_fixup_pkgconfig()
vcpkg_copy_tools(TOOL_NAMES park AUTO_CLEAN)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/THIRD_PARTY.md")
