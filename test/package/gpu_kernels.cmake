# cmake -DVALUES=<a>,<b>...|all -DSOURCE=<tegula> -DBUILD=<its build> -DWORK=<folder> -P gpu_kernels.cmake
# Configures the project with each of these values of TEGULA_GPU_KERNELS; all: each architecture of kernels.json. One
# architecture has nothing of the other vendor in the programs of `./dev gpu`, and its own vendor's library in bench_gemm.
# A word that is no architecture of the list is refused.

string(REPLACE "," ";" VALUES "${VALUES}")
if(VALUES STREQUAL all)
  set(VALUES sample)
  file(STRINGS ${SOURCE}/kernels.json rows REGEX "\"target\"")
  foreach(row IN LISTS rows)
    string(REGEX MATCHALL "(gfx|sm_)[0-9a-z]+" archs "${row}")
    list(APPEND VALUES ${archs})
  endforeach()
  list(REMOVE_DUPLICATES VALUES)
endif()

# The build's cache says already which compilers work: they are not tried again.
file(REMOVE_RECURSE ${WORK})
file(STRINGS ${BUILD}/CMakeCache.txt known
     REGEX "^(tegula_hip_works_|CMAKE_CXX_COMPILER:|CMAKE_GENERATOR:|CMAKE_MAKE_PROGRAM:|TEGULA_[A-Z_]+:(FILEPATH|PATH|STRING)=)")
set(first -B ${WORK} -S ${SOURCE})
foreach(entry IN LISTS known)
  if(entry MATCHES "^CMAKE_GENERATOR:[A-Z]+=(.*)")
    list(APPEND first -G ${CMAKE_MATCH_1})
  elseif(NOT entry MATCHES "^TEGULA_GPU_KERNELS")
    list(APPEND first -D${entry})
  endif()
endforeach()

foreach(value IN LISTS VALUES)
  execute_process(COMMAND ${CMAKE_COMMAND} ${first} -DTEGULA_GPU_KERNELS=${value} RESULT_VARIABLE failed
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(failed)
    message(FATAL_ERROR "TEGULA_GPU_KERNELS=${value}:\n${output}")
  endif()
  set(other "\\.hip\\.o")
  set(library "cublaslt\\.cu\\.cuda\\.o")
  if(value MATCHES "^gfx")
    set(other "\\.cuda\\.o")
    set(library "hipblaslt\\.hip\\.hip\\.o")
  endif()
  if(EXISTS ${WORK}/build.ninja AND value MATCHES "^(sm_|gfx)[0-9a-z]+$")
    file(STRINGS ${WORK}/build.ninja links REGEX "^build (bin/bench_gemm|library/libtegula_[a-z0-9_]+\\.so):")
    if(links MATCHES "${other}" OR (links MATCHES "bench_gemm" AND NOT links MATCHES "${library}"))
      message(FATAL_ERROR "TEGULA_GPU_KERNELS=${value} links ${links}")
    endif()
  endif()
  set(first -B ${WORK} -S ${SOURCE})
  message(STATUS "${value}")
endforeach()

execute_process(COMMAND ${CMAKE_COMMAND} ${first} -DTEGULA_GPU_KERNELS=sm_80,sm_90 RESULT_VARIABLE failed OUTPUT_VARIABLE output
                ERROR_VARIABLE output)
string(REGEX REPLACE "[\n ]+" " " output "${output}")
if(NOT failed OR NOT output MATCHES "has the word sm_90; name all, sample or architectures of kernels.json: .*sm_90a")
  message(FATAL_ERROR "TEGULA_GPU_KERNELS=sm_80,sm_90 is not refused:\n${output}")
endif()
