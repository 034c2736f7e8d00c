# Checks of the sources themselves: arrows between layers, headers that compile alone, formatting, links, the reference.

find_program(TEGULA_CLANG clang++-19)
find_program(TEGULA_CLANG_FORMAT clang-format-19)
mark_as_advanced(TEGULA_CLANG TEGULA_CLANG_FORMAT)

add_test(NAME layering COMMAND ${TEGULA_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/layering.py)
add_test(NAME links COMMAND ${TEGULA_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/links.py ${PROJECT_SOURCE_DIR})
add_test(NAME docs.kernels COMMAND ${TEGULA_PYTHON} -B ${PROJECT_SOURCE_DIR}/cmake/kernel_page.py --check)
# Sentences of the pages and of documentation comments.
add_test(NAME prose COMMAND ${TEGULA_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/prose.py)
add_test(NAME prose.self_test COMMAND ${TEGULA_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/prose.py --self-test)
# The test cases that docs/emulator.md names.
add_test(NAME emulator.causes
         COMMAND ${TEGULA_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/emulator/causes.py ${PROJECT_SOURCE_DIR})
add_test(NAME cmake.cached COMMAND ${TEGULA_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/cmake/cached.py)
add_test(NAME cmake.shards COMMAND ${TEGULA_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/cmake/shards.py)
set_tests_properties(cmake.shards PROPERTIES ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
add_test(NAME mutants.list COMMAND ${TEGULA_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/mutants/mutants.py ${PROJECT_BINARY_DIR} 0 --list)
add_test(NAME layering.self_test COMMAND ${TEGULA_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/layering.py --self-test)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  add_test(NAME host.vectors COMMAND ${TEGULA_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/host/vectors.py
                                     ${CMAKE_CXX_COMPILER} ${PROJECT_SOURCE_DIR}/include)
endif()

# Every header alone with this compiler: one tiny source each, so that only changed headers are compiled again. A header
# that another one includes before anything else is compiled at the start of that one's source, and has none of its own.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/include/*.hpp)
set(compiled "")
set(begins_another "")
foreach(header IN LISTS headers)
  if(tegula_NO_EMULATOR AND header MATCHES "/(host|reference)/|/emulator/(launch|engine|fiber)")
    continue()
  endif()
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$" AND header MATCHES "x86|/packed/|cpu")
    continue()
  endif()
  file(STRINGS ${PROJECT_SOURCE_DIR}/include/${header} directives REGEX "^#")
  list(APPEND compiled ${header})
  if(directives MATCHES "^#pragma once;#include <(tegula/[^>]*)>")
    list(APPEND begins_another ${CMAKE_MATCH_1})
  endif()
endforeach()
list(REMOVE_ITEM compiled ${begins_another})
set(alone "")
foreach(header IN LISTS compiled ITEMS tegula/layout.hpp) # the latter for headers.layout_alone, too
  string(MAKE_C_IDENTIFIER ${header} name)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include <${header}>\n#include <${header}>\n")
  list(APPEND alone ${source})
endforeach()
list(REMOVE_DUPLICATES alone)
add_library(test_headers OBJECT ${alone})
target_link_libraries(test_headers PRIVATE tegula_development)
target_compile_options(test_headers PRIVATE -O0)
set_target_properties(test_headers PROPERTIES EXCLUDE_FROM_ALL ON)
add_test(NAME headers COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target test_headers)
set_tests_properties(headers PROPERTIES RESOURCE_LOCK build)
tegula_leave_to_full(headers TARGETS test_headers)

# A layout needs a C++20 host compiler and nothing else.
if(EXISTS ${PROJECT_SOURCE_DIR}/include/tegula/layout.hpp)
  add_test(NAME headers.layout_alone
           COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I ${PROJECT_SOURCE_DIR}/include
                   -x c++ ${CMAKE_CURRENT_BINARY_DIR}/headers/tegula_layout_hpp.cpp)
endif()

add_test(NAME headers.refuse_cxx17
         COMMAND ${CMAKE_CXX_COMPILER} -std=c++17 -fsyntax-only -I ${PROJECT_SOURCE_DIR}/include
                 -x c++ ${PROJECT_SOURCE_DIR}/include/tegula/core/config.hpp)
set_tests_properties(headers.refuse_cxx17 PROPERTIES
                     PASS_REGULAR_EXPRESSION "tegula needs C\\+\\+20: compile with -std=c\\+\\+20")

# Older C++ is refused in one sentence, after which the compiler stops: here, with the lines that lead to it.
add_test(NAME headers.refuse_cxx17.at_once
         COMMAND sh -c "echo '#include <tegula/tegula.hpp>' | \"$1\" -std=c++17 -fsyntax-only -I \"$2\" -x c++ - 2>&1 | wc -l"
                 sh ${CMAKE_CXX_COMPILER} ${PROJECT_SOURCE_DIR}/include)
set_tests_properties(headers.refuse_cxx17.at_once PROPERTIES PASS_REGULAR_EXPRESSION "^(1[0-9]|[0-9])\n$")

if(TEGULA_CLANG)
  file(GLOB static_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/static/*.cpp)
  set(skipped "")
  if(tegula_NO_EMULATOR)
    set(skipped --skip emulator/launch --skip emulator/engine --skip emulator/fiber --skip /host/ --skip /reference/)
  endif()
  add_test(NAME headers.clang COMMAND ${TEGULA_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/clang_headers.py ${TEGULA_CLANG}
                                      ${PROJECT_SOURCE_DIR}/include ${skipped} ${static_sources})
  tegula_leave_to_full(headers.clang)
else()
  tegula_add_skipped_test(headers.clang "clang++-19 is not installed")
endif()

if(TEGULA_CLANG_FORMAT)
  add_test(NAME format COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/format.sh ${TEGULA_CLANG_FORMAT} --dry-run -Werror
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
else()
  tegula_add_skipped_test(format "clang-format-19 is not installed")
endif()

# A comment that Doxygen warns of is an error.
find_program(TEGULA_DOXYGEN doxygen)
mark_as_advanced(TEGULA_DOXYGEN)
if(TEGULA_DOXYGEN)
  add_test(NAME reference COMMAND sh ${PROJECT_SOURCE_DIR}/docs/reference.sh ${PROJECT_BINARY_DIR}/docs)
else()
  tegula_add_skipped_test(reference "doxygen is not installed")
endif()
