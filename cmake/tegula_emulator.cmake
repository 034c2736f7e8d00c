# tegula::emulator: what a program links that runs kernels on the CPU. The project and the installed package both
# include this file. Where Boost.Context is missing the target does not exist, and tegula_NO_EMULATOR says why.

find_package(Threads QUIET)
find_package(Boost 1.70 QUIET COMPONENTS context)

if(TARGET Boost::context AND TARGET Threads::Threads)
  set(tegula_NO_EMULATOR "")
  if(NOT TARGET tegula::emulator)
    add_library(tegula_emulator INTERFACE)
    add_library(tegula::emulator ALIAS tegula_emulator)
    target_link_libraries(tegula_emulator INTERFACE tegula::tegula Boost::context Threads::Threads)
  endif()
else()
  set(tegula_NO_EMULATOR "Boost.Context 1.70 or newer is not installed")
endif()
