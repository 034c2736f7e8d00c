# The preset that installs headers alone looks for no compiler of GPUs, which takes half a minute, and for no Python.
#   cmake -DSOURCE=<project> -DWORK=<folder> -P headers.cmake
file(REMOVE_RECURSE ${WORK})
execute_process(COMMAND ${CMAKE_COMMAND} --preset headers -B ${WORK}/build WORKING_DIRECTORY ${SOURCE}
                COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${WORK}/build --prefix ${WORK}/installed COMMAND_ERROR_IS_FATAL ANY
                OUTPUT_QUIET)
foreach(folder IN ITEMS probe device_libraries examples test)
  if(EXISTS ${WORK}/build/${folder})
    message(FATAL_ERROR "the preset headers made ${folder}/, of what it does not install")
  endif()
endforeach()
file(GLOB config ${WORK}/installed/*/cmake/tegula/tegula-config.cmake ${WORK}/installed/*/*/cmake/tegula/tegula-config.cmake)
if(NOT config OR NOT EXISTS ${WORK}/installed/include/tegula/tegula.hpp)
  message(FATAL_ERROR "the preset headers does not install the headers and the package")
endif()
