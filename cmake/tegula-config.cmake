include(${CMAKE_CURRENT_LIST_DIR}/tegula_targets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/tegula_emulator.cmake)
