# Helpers of the test folders.

include_guard(GLOBAL)

# A Python for the scripts: the first python3 that has NumPy and Matplotlib, else NumPy, else any.
function(tegula_find_python)
  unset(TEGULA_PYTHON CACHE)
  set(tegula_NO_NUMPY "no python3 with NumPy" PARENT_SCOPE)
  set(candidates $ENV{TEGULA_PYTHON} python3 /usr/bin/python3 /usr/local/bin/python3)
  foreach(modules IN ITEMS "numpy matplotlib" numpy "")
    foreach(candidate IN LISTS candidates)
      execute_process(
        COMMAND ${candidate} -c "import importlib.util, sys
print(sys.executable)
sys.exit(not all(map(importlib.util.find_spec, '${modules}'.split())))"
        OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
      if(NOT failed)
        set(TEGULA_PYTHON ${path} CACHE INTERNAL "")
        if(modules)
          set(tegula_NO_NUMPY "" PARENT_SCOPE)
        endif()
        return()
      endif()
    endforeach()
  endforeach()
  set(TEGULA_PYTHON "" CACHE INTERNAL "")
endfunction()

# A test that this machine cannot run. ctest counts it as skipped; ./dev test lists the reason.
function(tegula_add_skipped_test name reason)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: ${reason}")
  set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "skipped: ")
endfunction()

# tegula_leave_to_full(<test> [TARGETS <target or file of the build>...] [LABELS <label>...])
#
# The test is no part of the default run, and its targets none of the default build: `./dev test --full` builds and runs
# them, in shards (test/shard.py), which reads the targets from full_targets.txt.
function(tegula_leave_to_full test)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "TARGETS;LABELS")
  set_tests_properties(${test} PROPERTIES LABELS "full;${arg_LABELS}" TIMEOUT 7200)
  list(TRANSFORM arg_TARGETS REPLACE "^${PROJECT_BINARY_DIR}/" "")
  list(JOIN arg_TARGETS " " targets)
  set_property(GLOBAL APPEND_STRING PROPERTY tegula_full_targets "${test} ${targets}\n")
endfunction()

function(tegula_write_full_targets)
  get_property(lines GLOBAL PROPERTY tegula_full_targets)
  file(WRITE ${PROJECT_BINARY_DIR}/full_targets.txt "${lines}")
endfunction()
