# tegula::emulator: what a program links that runs kernels on the CPU. It is a static library of the emulator's engine in
# the build of whoever links it, with the flags of the folder that calls find_package or FetchContent_MakeAvailable. The
# project and the installed package both include this file. Where the target does not exist, tegula_NO_EMULATOR says why.

get_property(tegula_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(NOT CXX IN_LIST tegula_languages)
  set(tegula_NO_EMULATOR "the project does not enable the language CXX, whose libraries the emulator links")
  return()
endif()

find_package(Threads QUIET)
find_package(Boost 1.70 QUIET COMPONENTS context)

if(TARGET Boost::context AND TARGET Threads::Threads)
  set(tegula_NO_EMULATOR "")
  if(NOT TARGET tegula::emulator)
    add_library(tegula_emulator STATIC EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/tegula_emulator.cpp)
    add_library(tegula::emulator ALIAS tegula_emulator)
    set_target_properties(tegula_emulator PROPERTIES POSITION_INDEPENDENT_CODE ON) # a shared library may link it
    target_compile_definitions(tegula_emulator PUBLIC TEGULA_EMULATOR_ELSEWHERE)
    target_link_libraries(tegula_emulator PUBLIC tegula::tegula Boost::context Threads::Threads)
  endif()
  # tegula::jit: for programs that compile kernels when they run. They export the engine, which those kernels use.
  if(NOT TARGET tegula::jit)
    add_library(tegula_jit INTERFACE)
    add_library(tegula::jit ALIAS tegula_jit)
    target_compile_definitions(tegula_jit INTERFACE TEGULA_JIT_ENGINE_IN_PROGRAM)
    target_link_libraries(tegula_jit INTERFACE tegula::emulator ${CMAKE_DL_LIBS})
    target_link_options(tegula_jit INTERFACE -rdynamic)
    # A program that is older than a header refuses kernels that include it, even a header of theirs alone: it is linked again.
    file(GLOB_RECURSE tegula_headers ${CMAKE_CURRENT_LIST_DIR}/../include/tegula/*.hpp)
    set_property(TARGET tegula_jit PROPERTY INTERFACE_LINK_DEPENDS ${tegula_headers})
    # As a library for C, Python and others: tegula/jit/c_interface.h.
    add_library(tegula_jit_c SHARED EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/tegula_jit.cpp)
    add_library(tegula::jit_c ALIAS tegula_jit_c)
    set_target_properties(tegula_jit_c PROPERTIES OUTPUT_NAME tegula_jit)
    target_link_libraries(tegula_jit_c PRIVATE tegula::jit)
  endif()
else()
  set(tegula_NO_EMULATOR "Boost.Context 1.70 or newer is not installed (Debian: libboost-context-dev)")
endif()
