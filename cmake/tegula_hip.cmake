# HIP in a project of CMake without enable_language(HIP), which only a full ROCm serves: clang is called as this project
# calls it for its own kernels. The project and the installed package both include this file; the compiler is looked
# for by the first call.

include_guard(GLOBAL)

set_property(GLOBAL PROPERTY tegula_hip_folder ${CMAKE_CURRENT_LIST_DIR})

# tegula_why_no_hip(<variable>): why tegula_add_hip_library cannot be used on this machine; empty where it can.
function(tegula_why_no_hip result)
  get_property(folder GLOBAL PROPERTY tegula_hip_folder)
  include(${folder}/tegula_amd.cmake)
  set(${result} "${tegula_NO_AMD}" PARENT_SCOPE)
  if(NOT tegula_NO_AMD)
    set(${result} "${tegula_NO_HIP_PROGRAMS}" PARENT_SCOPE)
  endif()
endfunction()

# tegula_add_hip_library(<target> <source>... [ARCHS gfx942...] [OPTIONS <flag>...])
#
# A static library of sources with kernels and host code, compiled by clang as HIP for the architectures, by default all
# that the library has targets of and the compiler knows. It links tegula::tegula and the HIP runtime, and what links it
# does. The include folders and definitions given to <target> later hold for the sources.
function(tegula_add_hip_library target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "ARCHS;OPTIONS")
  get_property(folder GLOBAL PROPERTY tegula_hip_folder)
  include(${folder}/tegula_amd.cmake)
  tegula_why_no_hip(reason)
  if(reason)
    message(FATAL_ERROR "tegula_add_hip_library(${target}): ${reason}")
  endif()
  if(NOT arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tegula_add_hip_library(${target}): there are no sources")
  endif()
  set(objects "")
  foreach(source IN LISTS arg_UNPARSED_ARGUMENTS)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    string(MD5 key ${source})
    cmake_path(GET source FILENAME name)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}.dir/${name}.${key}.o)
    tegula_add_hip_object(${object} SOURCE ${source} ARCHS ${arg_ARCHS} OPTIONS ${arg_OPTIONS} FOR ${target})
    list(APPEND objects ${object})
  endforeach()
  add_library(${target} STATIC ${objects})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${target} PUBLIC tegula::tegula ${tegula_hip_runtime})
endfunction()
