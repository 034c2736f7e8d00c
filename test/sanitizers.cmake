# AddressSanitizer and UndefinedBehaviorSanitizer over the tests of some folders: test_<folder>_sanitized has the sources
# of the folder in the place of test_<folder>, which keeps those that take too long so. They are instrumented without
# optimisation, which compiles up to five times sooner (g++ 12, block/mma_tile.cpp: 9 s, at -O1 45 s). Catch2 is the build's
# own. The folder kernel is not among them: what its many instances of whole GEMMs are made of is in the others.
set(sanitized_folders core emulator)
# What builds on these two folders: the default run has it plain, --full with sanitizers. They double what a compiler takes for
# it. Of the emulator, so are the planted bugs, a kernel each.
set(sanitized_in_full tensor mma block host)
set(sanitized_files_in_full "/(planted_[a-z0-9_]+|counting)\\.cpp$")
# One kernel after the other of a few templates, tables against files, counts against counts, locks that spin: minutes of
# compiling or running for memory that other files walk too.
set(not_sanitized "(one_hot|one_hot_[a-z0-9_]+|atoms_[a-z0-9]+|convert_random_[a-z0-9_]+|vectors_[a-z0-9_]+)\\.cpp$")
string(PREPEND not_sanitized "/(golden|golden_tensor_memory|analysis|shared_layout|planted_locks|thread_fences|tcgen05_scaled)\\.cpp$|")
# Null pointers fault under AddressSanitizer too, nothing is virtual, and sizes of objects are known to an optimiser alone.
# Without these checks and debug information it compiles in three quarters of the time; -g1 by hand gives lines.
set(sanitizer_flags -fsanitize=address,undefined -fno-sanitize=null,vptr,object-size)
# Only sanitizers run these, with --full: kernels whose results other tests check.
file(GLOB cpu_kernels_for_sanitizers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/host/sanitized/*.cpp)

set(no_sanitizers "${no_catch}${tegula_NO_EMULATOR}")
if(NOT no_sanitizers)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS "${sanitizer_flags}")
  string(REPLACE ";" " " CMAKE_REQUIRED_FLAGS "${CMAKE_REQUIRED_FLAGS}")
  check_cxx_source_compiles("int main() {}" TEGULA_HAS_SANITIZERS)
  unset(CMAKE_REQUIRED_FLAGS)
  if(NOT TEGULA_HAS_SANITIZERS)
    set(no_sanitizers "the compiler has no sanitizers (libasan and libubsan)")
  endif()
endif()
if(no_sanitizers)
  tegula_add_skipped_test(sanitizers "${no_sanitizers}")
elseif(TEGULA_HOST_TESTS_ONLY)
  set(no_sanitizers "left to the build's own flags")
else()
  add_library(test_sanitizers INTERFACE)
  target_link_libraries(test_sanitizers INTERFACE tegula_development Catch2::Catch2)
  target_compile_options(test_sanitizers INTERFACE -O0 -g0 -w ${sanitizer_flags} -fno-sanitize-recover=all)
  target_link_options(test_sanitizers INTERFACE ${sanitizer_flags})

  add_library(test_engine_sanitized OBJECT ${PROJECT_SOURCE_DIR}/cmake/tegula_emulator.cpp)
  target_link_libraries(test_engine_sanitized PRIVATE test_sanitizers)
  foreach(header IN ITEMS catch kernels)
    add_library(test_precompiled_${header}_sanitized OBJECT EXCLUDE_FROM_ALL ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp)
    target_link_libraries(test_precompiled_${header}_sanitized PRIVATE test_sanitizers)
    target_precompile_headers(test_precompiled_${header}_sanitized PRIVATE <test/${header}.hpp>)
  endforeach()
endif()

function(tegula_add_sanitized_test folder name)
  set(target test_${folder}_${name})
  # The instrumented objects come first: of a function in several objects the linker keeps the first.
  add_executable(${target} ${ARGN} $<TARGET_OBJECTS:test_engine_sanitized> $<TARGET_OBJECTS:test_main>)
  target_link_libraries(${target} PRIVATE test_sanitizers)
  tegula_precompiled_for(header ${target})
  target_precompile_headers(${target} REUSE_FROM test_precompiled_${header}_sanitized)
  if("${name}" STREQUAL "sanitized")
    add_test(NAME sanitizers.${folder} COMMAND ${target})
    set_tests_properties(sanitizers.${folder} PROPERTIES TIMEOUT 900 LABELS sanitizers)
  else()
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
    add_test(NAME sanitizers.${folder}.full COMMAND ${target})
    tegula_leave_to_full(sanitizers.${folder}.full TARGETS ${target} LABELS sanitizers)
  endif()
endfunction()

# Adds the sanitized programs of a folder and their tests, and leaves in the variable <list> what a plain program has to run.
function(tegula_add_sanitized_program list folder)
  if(no_sanitizers OR NOT folder IN_LIST sanitized_folders AND NOT folder IN_LIST sanitized_in_full)
    return()
  endif()
  set(sanitized ${${list}})
  list(FILTER sanitized EXCLUDE REGEX "${not_sanitized}")
  set(in_full ${sanitized})
  if(folder IN_LIST sanitized_folders)
    list(FILTER in_full INCLUDE REGEX "${sanitized_files_in_full}")
    list(FILTER sanitized EXCLUDE REGEX "${sanitized_files_in_full}")
    tegula_add_sanitized_test(${folder} sanitized ${sanitized})
    list(REMOVE_ITEM ${list} ${sanitized})
    set(${list} "${${list}}" PARENT_SCOPE)
  endif()
  if(in_full)
    tegula_add_sanitized_test(${folder} sanitized_full ${in_full})
  endif()
endfunction()
