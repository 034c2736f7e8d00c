# cmake -DCASE=installed|fetched|plain -DSOURCE=<tegula> -DBUILD=<its build> -DWORK=<folder> -DCXX=<compiler> -P use.cmake
# Builds consumer.cpp the way a user would and runs it.

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(failed)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})

if(CASE STREQUAL plain)
  run(${CXX} -std=c++20 -I ${SOURCE}/include ${SOURCE}/test/package/consumer.cpp -o ${WORK}/consumer)
  run(${WORK}/consumer)
  return()
endif()

if(CASE STREQUAL installed)
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
  set(where -DCMAKE_PREFIX_PATH=${WORK}/prefix)
  # Only the installed copy may be found: a header left out of the installation would show.
  file(GLOB_RECURSE here RELATIVE ${SOURCE}/include ${SOURCE}/include/*.hpp)
  file(GLOB_RECURSE there RELATIVE ${WORK}/prefix/include ${WORK}/prefix/include/*.hpp)
  if(NOT here STREQUAL there)
    message(FATAL_ERROR "the installation does not hold the same headers as the tree")
  endif()
else()
  set(where -DFETCHCONTENT_SOURCE_DIR_TEGULA=${SOURCE})
endif()
run(${CMAKE_COMMAND} -S ${SOURCE}/test/package/${CASE} -B ${WORK}/build -G Ninja -DCMAKE_CXX_COMPILER=${CXX} ${where})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer)
