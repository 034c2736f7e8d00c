# How a project gets the library: from an installation, or with -DFETCH=ON as a part of itself. A real project names
# GIT_REPOSITORY and GIT_TAG; the test points FETCHCONTENT_SOURCE_DIR_TEGULA at this tree.
if(FETCH)
  include(FetchContent)
  FetchContent_Declare(tegula)
  FetchContent_MakeAvailable(tegula)
  if(TARGET test_main OR TARGET tegula_development)
    message(FATAL_ERROR "tegula builds its own tests or programs inside another project")
  endif()
else()
  find_package(tegula 0.1 REQUIRED)
endif()
