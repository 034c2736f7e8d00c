# The sources are the tree that this port lies in: vcpkg install tegula --overlay-ports=packaging/vcpkg
set(VCPKG_BUILD_TYPE release) # headers, and one source that users compile
cmake_path(SET source NORMALIZE ${CURRENT_PORT_DIR}/../../..)

vcpkg_cmake_configure(SOURCE_PATH ${source} OPTIONS -DTEGULA_BUILD_TESTS=OFF -DTEGULA_BUILD_EXAMPLES=OFF
                                                    -DTEGULA_BUILD_BENCHMARKS=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/tegula)
file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/lib ${CURRENT_PACKAGES_DIR}/share/doc)

vcpkg_install_copyright(FILE_LIST ${source}/LICENSE)
file(INSTALL ${CMAKE_CURRENT_LIST_DIR}/usage DESTINATION ${CURRENT_PACKAGES_DIR}/share/${PORT})
