# The CUDA compiler, where there is one. Sets
#   tegula_NO_CUDA    why CUDA code is not built; empty where it is
#   TEGULA_NVCC       path of nvcc
#   tegula_cudart     libraries a program with CUDA code links
#
# nvcc runs by custom commands: CMake 3.25 passes it no -std for C++20, and enable_language(CUDA) would stop a
# configuration on a machine with half a toolkit.

include_guard(GLOBAL)

set(tegula_cuda_archs sm_80 sm_90a)

function(tegula_find_cuda)
  set(tegula_NO_CUDA "no CUDA toolkit (nvcc is not on PATH, in CUDACXX, CUDA_HOME or /usr/local/cuda)" PARENT_SCOPE)
  find_program(TEGULA_NVCC NAMES $ENV{CUDACXX} nvcc
               HINTS $ENV{CUDA_HOME}/bin $ENV{CUDA_PATH}/bin PATHS /usr/local/cuda/bin /opt/cuda/bin)
  mark_as_advanced(TEGULA_NVCC)
  if(NOT TEGULA_NVCC)
    return()
  endif()

  execute_process(COMMAND ${TEGULA_NVCC} --version OUTPUT_VARIABLE version ERROR_VARIABLE version RESULT_VARIABLE failed)
  string(REGEX MATCH "release ([0-9]+\\.[0-9]+)" _ "${version}")
  set(version "${CMAKE_MATCH_1}")
  if(failed OR NOT version OR version VERSION_LESS 12.8)
    set(tegula_NO_CUDA "${TEGULA_NVCC} is nvcc ${version}; 12.8 is the oldest that works" PARENT_SCOPE)
    return()
  endif()

  # nvcc itself says where its toolkit is; its own path may be a wrapper's.
  file(WRITE ${PROJECT_BINARY_DIR}/probe/empty.cu "int empty;\n")
  execute_process(COMMAND ${TEGULA_NVCC} --dryrun -c ${PROJECT_BINARY_DIR}/probe/empty.cu
                  OUTPUT_VARIABLE plan ERROR_VARIABLE plan)
  string(REGEX MATCH "TOP=([^\n]+)" _ "${plan}")
  get_filename_component(toolkit "${CMAKE_MATCH_1}" ABSOLUTE)
  find_library(TEGULA_CUDART NAMES cudart_static
               PATHS ${toolkit} ${toolkit}/targets/x86_64-linux PATH_SUFFIXES lib64 lib NO_DEFAULT_PATH)
  # `./dev` puts one into the build folder where there is none.
  find_program(TEGULA_NVDISASM nvdisasm HINTS ${toolkit}/bin ${PROJECT_BINARY_DIR}/nvdisasm/nvidia/cu13/bin)
  mark_as_advanced(TEGULA_CUDART TEGULA_NVDISASM)
  if(NOT TEGULA_CUDART)
    set(tegula_NO_CUDA "the CUDA toolkit in ${toolkit} has no cudart_static library" PARENT_SCOPE)
    return()
  endif()
  set(tegula_NO_CUDA "" PARENT_SCOPE)
  set(tegula_cuda_version "${version}" PARENT_SCOPE)
  set(tegula_cudart ${TEGULA_CUDART} Threads::Threads ${CMAKE_DL_LIBS} rt PARENT_SCOPE)
endfunction()

tegula_find_cuda()

# tegula_add_cuda_object(<object> SOURCE <file> [ARCHS sm_80...] [PTX too|alone] [REPORT <file>] [DEFINES...] [OPTIONS...])
# tegula_add_cuda_object(<cubin> DEVICE_ONLY SOURCE <file> ARCHS sm_80 ...)
#
# Compiles one source with nvcc into <object>, for the given architectures in one fat binary. The compiler's output
# with registers and spills of every kernel goes to REPORT (default <object>.txt). DEVICE_ONLY leaves out the host's
# half, which takes a quarter of the time, and makes a cubin for the one architecture with its PTX beside it. PTX puts
# PTX into the object as it is, `too` or in the place of machine code.
function(tegula_add_cuda_object object)
  cmake_parse_arguments(PARSE_ARGV 1 arg "DEVICE_ONLY" "SOURCE;REPORT;PTX" "ARCHS;DEFINES;OPTIONS")
  if(NOT arg_ARCHS)
    set(arg_ARCHS ${tegula_cuda_archs})
  endif()
  if(NOT arg_REPORT)
    set(arg_REPORT ${object}.txt)
  endif()
  cmake_path(GET object PARENT_PATH folder)
  file(MAKE_DIRECTORY ${folder})

  set(flags -x cu -std=c++20 -O3 -Xptxas -v -I ${PROJECT_SOURCE_DIR}/include -I ${PROJECT_SOURCE_DIR})
  if(TEGULA_WARNINGS_AS_ERRORS)
    list(APPEND flags -Werror all-warnings)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    list(APPEND flags -ccbin ${CMAKE_CXX_COMPILER})
  endif()
  foreach(arch IN LISTS arg_ARCHS)
    string(REPLACE "sm_" "" number ${arch})
    set(code sm_${number})
    if(arg_PTX STREQUAL "alone")
      set(code compute_${number})
    elseif(arg_PTX)
      set(code [sm_${number},compute_${number}])
    endif()
    list(APPEND flags -gencode arch=compute_${number},code=${code})
  endforeach()
  if(arg_PTX)
    list(APPEND flags --no-compress)
  endif()
  set(kind -c)
  set(ptx "")
  if(arg_DEVICE_ONLY)
    set(kind -cubin)
    cmake_path(REPLACE_EXTENSION object LAST_ONLY ptx OUTPUT_VARIABLE ptx)
    list(APPEND flags --keep --keep-dir ${folder})
  endif()
  list(TRANSFORM arg_DEFINES PREPEND -D)

  tegula_timed_and_cached(timed nvcc ${object}.d ${object} ${arg_REPORT} ${ptx})
  add_custom_command(
    OUTPUT ${object} ${arg_REPORT} ${ptx}
    COMMAND ${timed} sh ${PROJECT_SOURCE_DIR}/cmake/logged.sh ${arg_REPORT}
            ${TEGULA_NVCC} ${flags} ${arg_DEFINES} ${arg_OPTIONS} -MD -MF ${object}.d ${kind} ${arg_SOURCE} -o ${object}
    DEPENDS ${arg_SOURCE} ${PROJECT_SOURCE_DIR}/cmake/logged.sh
    DEPFILE ${object}.d
    COMMENT "nvcc ${arg_ARCHS} ${arg_SOURCE}"
    COMMAND_EXPAND_LISTS VERBATIM)
endfunction()
