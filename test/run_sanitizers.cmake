# cmake -DSOURCE=<tegula> -DFOLDERS=<test folders> -DLEFT_OUT=<regular expression> -P run_sanitizers.cmake
function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${SOURCE} RESULT_VARIABLE failed)
  if(failed)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "failed: ${command}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --preset asan "-DTEGULA_TEST_FOLDERS=${FOLDERS}" "-DTEGULA_TEST_FILES_LEFT_OUT=${LEFT_OUT}")
run(${CMAKE_COMMAND} --build --preset asan)
run(${CMAKE_CTEST_COMMAND} --preset asan -LE full)
