# Helpers of the test folders.

include_guard(GLOBAL)

# A Python for the scripts: the first python3 that has NumPy, else any.
function(tegula_find_python)
  unset(TEGULA_PYTHON CACHE)
  set(candidates $ENV{TEGULA_PYTHON} python3 /usr/bin/python3 /usr/local/bin/python3)
  set(plain "")
  foreach(candidate IN LISTS candidates)
    execute_process(COMMAND ${candidate} -c "import sys; print(sys.executable)" OUTPUT_VARIABLE path
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(failed)
      continue()
    endif()
    execute_process(COMMAND ${path} -c "import numpy" OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE no_numpy)
    if(NOT no_numpy)
      set(TEGULA_PYTHON ${path} CACHE INTERNAL "")
      set(tegula_NO_NUMPY "" PARENT_SCOPE)
      return()
    endif()
    if(NOT plain)
      set(plain ${path})
    endif()
  endforeach()
  set(TEGULA_PYTHON "${plain}" CACHE INTERNAL "")
  set(tegula_NO_NUMPY "no python3 with NumPy" PARENT_SCOPE)
endfunction()

# A test that this machine cannot run. ctest counts it as skipped; ./dev test lists the reason.
function(tegula_add_skipped_test name reason)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: ${reason}")
  set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "skipped: ")
endfunction()
