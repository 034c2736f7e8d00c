#pragma once

/// The version of the library (semantic versioning). CMakeLists.txt reads it here.

#define TEGULA_VERSION_MAJOR 0
#define TEGULA_VERSION_MINOR 1
#define TEGULA_VERSION_PATCH 0

/// One number that grows with the version: 10000 * major + 100 * minor + patch.
#define TEGULA_VERSION (TEGULA_VERSION_MAJOR * 10000 + TEGULA_VERSION_MINOR * 100 + TEGULA_VERSION_PATCH)
