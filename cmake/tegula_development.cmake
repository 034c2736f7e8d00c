# What this project's own programs, tests and benchmarks are built with. Consumers never include it.

include_guard(GLOBAL)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_CXX_EXTENSIONS OFF)

option(TEGULA_WARNINGS_AS_ERRORS "Fail on a warning" OFF)

# Flags and definitions of everything built here.
add_library(tegula_development INTERFACE)
target_link_libraries(tegula_development INTERFACE tegula::tegula)
if(TARGET tegula::emulator)
  target_link_libraries(tegula_development INTERFACE tegula::emulator)
endif()
target_compile_options(tegula_development INTERFACE -Wall -Wextra $<$<BOOL:${TEGULA_WARNINGS_AS_ERRORS}>:-Werror>)
target_compile_definitions(tegula_development INTERFACE TEGULA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_include_directories(tegula_development INTERFACE ${PROJECT_SOURCE_DIR})

include(tegula_gpu)
include(tegula_testing)
tegula_find_python()
