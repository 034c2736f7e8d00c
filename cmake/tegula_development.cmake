# Settings for this project's own programs, tests and benchmarks. Consumers never include it.

include_guard(GLOBAL)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_CXX_EXTENSIONS OFF)

# Every compilation adds its processor time to times.log, from which `./dev test` prints a table, and goes through ccache if
# it is installed. It declines what the GPU compilers are asked for; these have a cache of the project's own (cached.py).
find_program(TEGULA_CCACHE ccache)
find_program(TEGULA_BASH bash)
mark_as_advanced(TEGULA_CCACHE TEGULA_BASH)
function(tegula_timed result kind)
  set(command "")
  if(TEGULA_BASH)
    set(command ${TEGULA_BASH} ${PROJECT_SOURCE_DIR}/cmake/timed.sh ${PROJECT_BINARY_DIR}/times.log ${kind})
  endif()
  set(${result} ${command} PARENT_SCOPE)
endfunction()
# The prefix of a GPU compiler's command: it takes the time and asks the cache. The command writes <depfile> and the files <ARGN>.
function(tegula_timed_and_cached result kind depfile)
  tegula_timed(command ${kind})
  if(TEGULA_PYTHON)
    list(APPEND command ${TEGULA_PYTHON} ${PROJECT_SOURCE_DIR}/cmake/cached.py --base ${PROJECT_SOURCE_DIR}
                        --depfile ${depfile} --output ${ARGN} --)
  endif()
  set(${result} ${command} PARENT_SCOPE)
endfunction()
if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  tegula_timed(CMAKE_CXX_COMPILER_LAUNCHER host)
  if(TEGULA_CCACHE)
    list(APPEND CMAKE_CXX_COMPILER_LAUNCHER ${TEGULA_CCACHE})
  endif()
endif()

option(TEGULA_WARNINGS_AS_ERRORS "Fail on a warning" OFF)

include(tegula_emulator)

# Flags and definitions of everything built here.
set(tegula_warnings -Wall -Wextra $<$<BOOL:${TEGULA_WARNINGS_AS_ERRORS}>:-Werror>)
add_library(tegula_development INTERFACE)
target_link_libraries(tegula_development INTERFACE tegula::tegula)
if(TARGET tegula::emulator)
  target_link_libraries(tegula_development INTERFACE tegula::emulator)
  target_compile_options(tegula_emulator PRIVATE ${tegula_warnings})
endif()
target_compile_options(tegula_development INTERFACE ${tegula_warnings})
# g++ looks for garbage from 128 MB on, which takes a twentieth of a unit's time; few units have more than 512.
target_compile_options(tegula_development INTERFACE
                       $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=524288>)
target_include_directories(tegula_development INTERFACE ${PROJECT_SOURCE_DIR})

include(tegula_gpu)
include(tegula_testing)
tegula_find_python()
