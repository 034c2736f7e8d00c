# Programs with several back ends: one binary serves the machine it is on.

include_guard(GLOBAL)
include(tegula_cuda)
include(tegula_amd)

set(TEGULA_GPU_KERNELS "all" CACHE STRING
    "GPU code of programs, benchmarks and test_gpu: all, or of some architectures and a sample (sample,sm_90a,gfx942); \
of architectures of one vendor alone, nothing for the other's")

# A word that names nothing would leave out all kernels without a sentence.
file(STRINGS ${PROJECT_SOURCE_DIR}/kernels.json rows REGEX "\"target\"")
string(REGEX MATCHALL "(gfx|sm_)[0-9a-z]+" tegula_listed_archs "${rows}")
list(REMOVE_DUPLICATES tegula_listed_archs)
string(REPLACE "," ";" words "${TEGULA_GPU_KERNELS}")
foreach(word IN LISTS words)
  if(NOT word IN_LIST tegula_listed_archs AND NOT word MATCHES "^(all|sample)$")
    list(JOIN tegula_listed_archs ", " archs)
    message(FATAL_ERROR "TEGULA_GPU_KERNELS has the word ${word}; name all, sample or architectures of kernels.json: ${archs}")
  endif()
endforeach()

# Whether kernels are compiled: TEGULA_GPU_KERNELS asks for all, for one of these architectures, or for the sample, to
# which they belong by the word `sample`. What names several architectures all need.
function(tegula_wants_gpu_kernels result)
  string(REPLACE "," ";" kernels "${TEGULA_GPU_KERNELS}")
  set(archs ${ARGN})
  list(FILTER archs INCLUDE REGEX "^(sm_|gfx)")
  list(LENGTH archs count)
  tegula_intersects(wanted "${kernels}" all ${archs})
  if(count GREATER 1 OR ("sample" IN_LIST kernels AND "sample" IN_LIST ARGN))
    set(wanted TRUE)
  endif()
  set(${result} ${wanted} PARENT_SCOPE)
endfunction()

# Whether a list has any of the other words.
function(tegula_intersects result list)
  set(${result} FALSE PARENT_SCOPE)
  foreach(word IN LISTS ARGN)
    if(word IN_LIST list)
      set(${result} TRUE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# An object that a program does without here: `./dev test --full` compiles it.
function(tegula_leave_object_to_full target object)
  cmake_path(GET object FILENAME name)
  string(REGEX REPLACE "\\.o$" "" name ${name})
  add_custom_target(${target}.${name} DEPENDS ${object})
  add_test(NAME compiles.${target}.${name} COMMAND ${CMAKE_COMMAND} -E sha1sum ${object})
  tegula_leave_to_full(compiles.${target}.${name} TARGETS ${object})
endfunction()

# tegula_add_gpu_sources(<target> SOURCES <path:architectures:words>... [CUDA_OPTIONS...] [HIP_OPTIONS...]
#                        [PTX too|alone] [OBJECTS_OF <other target> ARCHS sm_80...]):
# adds GPU code to a program; with OBJECTS_OF what another program was given already, of the sources for any of these
# architectures. Architectures are separated by commas.
#   *.gpu.cpp  compiled by nvcc and by clang as HIP, whichever there are
#   *.cu       by nvcc          *.hip  by clang as HIP
# TEGULA_GPU_KERNELS may leave out some, which tests of the full run compile. If it names architectures alone, they are
# what is wanted in the place of ARCHS. The program is compiled with TEGULA_WITH_CUDA and TEGULA_WITH_HIP (0 or 1) and
# links the runtimes it needs.
function(tegula_add_gpu_sources target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OBJECTS_OF;PTX" "SOURCES;ARCHS;CUDA_OPTIONS;HIP_OPTIONS")
  set(owner ${target})
  if(arg_OBJECTS_OF)
    set(owner ${arg_OBJECTS_OF})
  endif()
  set(with_cuda 0)
  set(with_hip 0)
  foreach(entry IN LISTS arg_SOURCES)
    string(REGEX MATCH "^(.*):([^:]*):([^:]*)$" _ "${entry}")
    set(source ${CMAKE_MATCH_1})
    string(REPLACE "," ";" archs "${CMAKE_MATCH_2}")
    string(REPLACE "," ";" words "${CMAKE_MATCH_3}")
    list(REMOVE_ITEM archs "")
    set(cuda_archs ${archs})
    list(FILTER cuda_archs INCLUDE REGEX "^sm_")
    set(hip_archs ${archs})
    list(FILTER hip_archs INCLUDE REGEX "^gfx")
    cmake_path(GET source FILENAME name)
    if(arg_OBJECTS_OF AND TEGULA_GPU_KERNELS MATCHES "all|sample")
      tegula_intersects(wanted "${arg_ARCHS}" ${archs})
    else()
      tegula_wants_gpu_kernels(wanted ${archs} ${words})
    endif()
    set(left_to_full FALSE)
    if(NOT wanted)
      if(arg_OBJECTS_OF OR NOT TEGULA_BUILD_TESTS)
        continue()
      endif()
      set(left_to_full TRUE)
    endif()
    if(NOT TEGULA_GPU_KERNELS MATCHES "all|sample|sm_")
      set(cuda_archs "")
    elseif(NOT TEGULA_GPU_KERNELS MATCHES "all|sample|gfx")
      set(hip_archs "")
    endif()
    if(cuda_archs AND NOT source MATCHES "\\.hip$" AND NOT tegula_NO_CUDA)
      set(object ${CMAKE_CURRENT_BINARY_DIR}/${owner}/${name}.cuda.o)
      if(NOT arg_OBJECTS_OF)
        tegula_add_cuda_object(${object} SOURCE ${source} ARCHS ${cuda_archs} PTX ${arg_PTX} OPTIONS ${arg_CUDA_OPTIONS})
      endif()
      if(left_to_full)
        tegula_leave_object_to_full(${target} ${object})
      else()
        target_sources(${target} PRIVATE ${object})
        set(with_cuda 1)
      endif()
    endif()
    set(unsupported ${hip_archs})
    list(REMOVE_ITEM unsupported ${tegula_amd_working_archs} ${tegula_amd_working_named_archs})
    list(REMOVE_ITEM hip_archs ${unsupported})
    if(hip_archs AND NOT source MATCHES "\\.cu$" AND NOT tegula_NO_HIP_PROGRAMS)
      set(object ${CMAKE_CURRENT_BINARY_DIR}/${owner}/${name}.hip.o)
      if(NOT arg_OBJECTS_OF)
        tegula_add_hip_object(${object} SOURCE ${source} ARCHS ${hip_archs} OPTIONS ${arg_HIP_OPTIONS})
      endif()
      if(left_to_full)
        tegula_leave_object_to_full(${target} ${object})
      else()
        target_sources(${target} PRIVATE ${object})
        set(with_hip 1)
      endif()
    endif()
  endforeach()
  target_compile_definitions(${target} PRIVATE TEGULA_WITH_CUDA=${with_cuda} TEGULA_WITH_HIP=${with_hip})
  if(with_cuda)
    target_link_libraries(${target} PRIVATE ${tegula_cudart})
  endif()
  if(with_hip)
    target_link_libraries(${target} PRIVATE ${tegula_hip_runtime})
  endif()
endfunction()

set(TEGULA_PROGRAM_KERNELS "one_type" CACHE STRING
    "Kernels of programs for the emulator and the CPU: one_type (one element type a family; programs compile others on \
demand), sample (of these those of CPUs and of gfx942) or all")

# tegula_write_kernels(<result> <folder> CONSUMER emulator FAMILIES gemm...), CONSUMER check, or CONSUMER library
# ARCHS sm_90a...: writes the sources that instantiate the kernels of kernels.json for a consumer, as entries
# PATH:ARCHITECTURES:WORDS.
function(tegula_write_kernels result folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "CONSUMER" "FAMILIES;ARCHS")
  set(list ${PROJECT_SOURCE_DIR}/cmake/kernels.py)
  set(command ${list} ${arg_FAMILIES} --consumer ${arg_CONSUMER} --built-in ${TEGULA_PROGRAM_KERNELS})
  if(arg_CONSUMER STREQUAL "check")
    set(command ${PROJECT_SOURCE_DIR}/test/gpu/write_checks.py)
  elseif(arg_CONSUMER STREQUAL "library")
    set(command ${PROJECT_SOURCE_DIR}/library/write_units.py ${arg_ARCHS})
  endif()
  list(GET command 0 script)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list} ${script} ${PROJECT_SOURCE_DIR}/kernels.json)
  execute_process(COMMAND ${TEGULA_PYTHON} -B ${command} --out ${folder} COMMAND_ERROR_IS_FATAL ANY)
  include(${folder}/${arg_CONSUMER}.cmake)
  list(TRANSFORM tegula_units PREPEND ${folder}/)
  set(${result} "${tegula_units}" PARENT_SCOPE)
endfunction()

# tegula_write_recipes(<folder> FAMILIES gemm...): writes recipes.inc, how a program adds kernels of these families when
# it runs, and on_demand.inc, those of kernels.json that it adds so.
function(tegula_write_recipes folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FAMILIES")
  execute_process(COMMAND ${TEGULA_PYTHON} -B ${PROJECT_SOURCE_DIR}/cmake/kernels.py ${arg_FAMILIES}
                          --built-in ${TEGULA_PROGRAM_KERNELS} --recipes ${folder} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
