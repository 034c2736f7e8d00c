# Headers, licence and the CMake package: find_package(tegula). The programs gemm and tegula-inspect are installed by
# examples/CMakeLists.txt.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(tegula_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tegula)

install(TARGETS tegula EXPORT tegula_targets)
install(EXPORT tegula_targets NAMESPACE tegula:: DESTINATION ${tegula_package_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/tegula-config-version.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/tegula-config.cmake
              ${PROJECT_SOURCE_DIR}/cmake/tegula_emulator.cmake
              ${PROJECT_SOURCE_DIR}/cmake/tegula_emulator.cpp
              ${PROJECT_SOURCE_DIR}/cmake/tegula_jit.cpp
              ${PROJECT_SOURCE_DIR}/cmake/tegula_hip.cmake
              ${PROJECT_SOURCE_DIR}/cmake/tegula_amd.cmake
              ${PROJECT_SOURCE_DIR}/cmake/logged.sh
              ${PROJECT_BINARY_DIR}/tegula-config-version.cmake
        DESTINATION ${tegula_package_dir})
