# AddressSanitizer and UndefinedBehaviorSanitizer over the tests that run kernels on the emulator, in a build of their
# own (preset asan). The first run compiles; later ones compile what changed. The folder kernel is left out: its many
# instances of whole GEMMs take a quarter of an hour to compile so, and what they are made of is in the others.
set(sanitized_folders core,emulator,tensor,mma,block,host)
# One kernel after the other of the same few templates: minutes of compiling for memory that other files walk too.
set(not_sanitized "(one_hot|one_hot_[a-z0-9_]+|atoms_[a-z0-9]+|convert_random_[a-z0-9_]+)\\.cpp$")

add_test(NAME sanitizers
         COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} "-DFOLDERS=${sanitized_folders}"
                 "-DLEFT_OUT=${not_sanitized}"
                 -P ${CMAKE_CURRENT_SOURCE_DIR}/run_sanitizers.cmake)
set_tests_properties(sanitizers PROPERTIES RUN_SERIAL ON TIMEOUT 1800 SKIP_REGULAR_EXPRESSION "skipped: ")
