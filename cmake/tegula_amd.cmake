# The compiler for AMD GPUs, where there is one: a ROCm installation's, else Debian's clang with the packaged HIP
# headers and device libraries. Sets
#   tegula_NO_AMD       why AMD code is not built; empty where it is
#   TEGULA_HIP_CLANG    path of the compiler
#   tegula_hip_flags    flags that make it find headers and device libraries
#   tegula_hip_runtime  library a host program links
#   tegula_NO_HIP_PROGRAMS  why programs cannot contain AMD code, though it compiles; empty where they can
#
# The compiler runs by custom commands: enable_language(HIP) accepts only a full ROCm.

include_guard(GLOBAL)

set(tegula_amd_archs gfx90a gfx942 gfx1100 gfx1201)

# Debian's device libraries are older than some targets. Each missing file is one constant, the target's number.
function(tegula_complete_device_libraries packaged folder)
  file(MAKE_DIRECTORY ${folder})
  file(GLOB bitcode ${packaged}/*.bc)
  foreach(file IN LISTS bitcode)
    cmake_path(GET file FILENAME name)
    file(CREATE_LINK ${file} ${folder}/${name} SYMBOLIC)
  endforeach()
  foreach(target number IN ZIP_LISTS tegula_isa_targets tegula_isa_numbers)
    set(file ${folder}/oclc_isa_version_${target}.bc)
    if(NOT EXISTS ${file})
      set(source ${folder}/isa_version_${target}.c)
      file(WRITE ${source} "const __attribute__((address_space(4), weak, visibility(\"protected\")))\n"
                           "int __oclc_ISA_version = ${number};\n")
      execute_process(COMMAND ${TEGULA_HIP_CLANG} -x c --target=amdgcn-amd-amdhsa -nogpulib -emit-llvm -c
                              ${source} -o ${file} OUTPUT_QUIET ERROR_QUIET)
    endif()
  endforeach()
endfunction()

set(tegula_isa_targets 942 1100 1101 1102 1103 1150 1151 1200 1201)
set(tegula_isa_numbers 9402 11000 11001 11002 11003 11500 11501 12000 12001)

# Compiles one tiny kernel for the architecture; the result is kept for this compiler.
function(tegula_try_hip result arch)
  set(key "${TEGULA_HIP_CLANG} ${tegula_hip_flags} ${arch}")
  string(SHA1 key "${key}")
  if(NOT DEFINED CACHE{tegula_hip_works_${key}})
    set(probe ${PROJECT_BINARY_DIR}/probe/${arch})
    file(WRITE ${probe}.hip "#include <hip/hip_runtime.h>\n__global__ void set(int* p) { p[threadIdx.x] = 1; }\n")
    execute_process(
      COMMAND ${TEGULA_HIP_CLANG} -x hip --offload-device-only --no-gpu-bundle-output --offload-arch=${arch} -O1
              -std=c++20 ${tegula_hip_flags} ${probe}.hip -o ${probe}.co
      RESULT_VARIABLE failed OUTPUT_FILE ${probe}.txt ERROR_FILE ${probe}.txt)
    string(COMPARE EQUAL "${failed}" "0" works)
    set(tegula_hip_works_${key} ${works} CACHE INTERNAL "")
  endif()
  set(${result} ${tegula_hip_works_${key}} PARENT_SCOPE)
endfunction()

function(tegula_find_amd)
  find_program(TEGULA_ROCM_CLANG clang++ PATHS $ENV{ROCM_PATH}/llvm/bin /opt/rocm/llvm/bin NO_DEFAULT_PATH)
  find_program(TEGULA_DEBIAN_CLANG clang++-19)
  find_path(TEGULA_HIP_INCLUDE hip/hip_runtime.h PATHS /usr/include NO_DEFAULT_PATH)
  find_path(TEGULA_DEVICE_LIBRARIES ocml.bc
            PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/amdgcn/bitcode /usr/lib/x86_64-linux-gnu/amdgcn/bitcode)
  find_program(TEGULA_LLD NAMES ld.lld-19 ld.lld)
  mark_as_advanced(TEGULA_ROCM_CLANG TEGULA_DEBIAN_CLANG TEGULA_HIP_INCLUDE TEGULA_DEVICE_LIBRARIES TEGULA_LLD)

  set(missing "")
  if(TEGULA_ROCM_CLANG)
    get_filename_component(rocm ${TEGULA_ROCM_CLANG}/../../.. ABSOLUTE)
    set(TEGULA_HIP_CLANG ${TEGULA_ROCM_CLANG})
    set(tegula_hip_flags --rocm-path=${rocm})
    find_library(TEGULA_HIP_RUNTIME amdhip64 PATHS ${rocm}/lib NO_DEFAULT_PATH)
  else()
    set(TEGULA_HIP_CLANG ${TEGULA_DEBIAN_CLANG})
    set(tegula_hip_flags --rocm-path=/usr --rocm-device-lib-path=${PROJECT_BINARY_DIR}/device_libraries)
    foreach(need IN ITEMS "TEGULA_DEBIAN_CLANG clang-19" "TEGULA_LLD lld-19" "TEGULA_HIP_INCLUDE libamdhip64-dev"
                          "TEGULA_DEVICE_LIBRARIES rocm-device-libs")
      separate_arguments(need)
      list(GET need 0 variable)
      list(GET need 1 package)
      if(NOT ${variable})
        list(APPEND missing ${package})
      endif()
    endforeach()
    find_library(TEGULA_HIP_RUNTIME amdhip64)
  endif()
  # Debian has what packs device code into a host object in clang-tools-19; ROCm beside its compiler.
  get_filename_component(compiler "${TEGULA_HIP_CLANG}" REALPATH)
  cmake_path(GET compiler PARENT_PATH compiler_folder)
  find_program(TEGULA_OFFLOAD_BUNDLER clang-offload-bundler PATHS ${compiler_folder} NO_DEFAULT_PATH)
  mark_as_advanced(TEGULA_HIP_RUNTIME TEGULA_OFFLOAD_BUNDLER)

  set(archs "")
  if(missing)
    list(JOIN missing ", " missing)
    set(reason "no HIP compiler: neither ROCm nor Debian's ${missing}")
  else()
    if(NOT TEGULA_ROCM_CLANG)
      tegula_complete_device_libraries(${TEGULA_DEVICE_LIBRARIES} ${PROJECT_BINARY_DIR}/device_libraries)
    endif()
    foreach(arch IN LISTS tegula_amd_archs)
      tegula_try_hip(works ${arch})
      if(works)
        list(APPEND archs ${arch})
      endif()
    endforeach()
    set(reason "")
    if(NOT archs)
      set(reason "${TEGULA_HIP_CLANG} compiles no HIP kernel; see probe/*.txt in the build folder")
    endif()
  endif()
  set(tegula_NO_AMD "${reason}" PARENT_SCOPE)
  if(NOT reason AND NOT TEGULA_OFFLOAD_BUNDLER)
    set(reason "clang-offload-bundler is not beside ${TEGULA_HIP_CLANG} (Debian: clang-tools-19)")
  elseif(NOT reason AND NOT TEGULA_HIP_RUNTIME)
    set(reason "libamdhip64 is not installed")
  endif()
  set(tegula_NO_HIP_PROGRAMS "${reason}" PARENT_SCOPE)
  set(tegula_amd_working_archs "${archs}" PARENT_SCOPE)
  set(TEGULA_HIP_CLANG ${TEGULA_HIP_CLANG} PARENT_SCOPE)
  set(tegula_hip_flags ${tegula_hip_flags} PARENT_SCOPE)
  set(tegula_hip_runtime ${TEGULA_HIP_RUNTIME} PARENT_SCOPE)
endfunction()

tegula_find_amd()

# One compilation by clang as HIP; the two functions below differ in what they keep of it.
function(tegula_hip_command)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "OBJECT;SOURCE;REPORT" "ARCHS;DEFINES;OPTIONS;EXTRA_OUTPUTS")
  if(NOT arg_REPORT)
    set(arg_REPORT ${arg_OBJECT}.txt)
  endif()
  cmake_path(GET arg_OBJECT PARENT_PATH folder)
  file(MAKE_DIRECTORY ${folder})
  list(TRANSFORM arg_ARCHS PREPEND --offload-arch= OUTPUT_VARIABLE archs)
  list(TRANSFORM arg_DEFINES PREPEND -D)
  tegula_timed(timed hip)
  add_custom_command(
    OUTPUT ${arg_OBJECT} ${arg_REPORT} ${arg_EXTRA_OUTPUTS}
    COMMAND ${timed} sh ${PROJECT_SOURCE_DIR}/cmake/logged.sh ${arg_REPORT}
            ${TEGULA_HIP_CLANG} -x hip -std=c++20 -O3 -Wall ${tegula_hip_flags} ${archs}
            -I ${PROJECT_SOURCE_DIR}/include -I ${PROJECT_SOURCE_DIR} ${arg_DEFINES} ${arg_OPTIONS}
            -MD -MF ${arg_OBJECT}.d -MT ${arg_OBJECT} ${arg_SOURCE} -o ${arg_OBJECT}
    DEPENDS ${arg_SOURCE} ${PROJECT_SOURCE_DIR}/cmake/logged.sh
    DEPFILE ${arg_OBJECT}.d
    COMMENT "hip ${arg_ARCHS} ${arg_SOURCE}"
    COMMAND_EXPAND_LISTS VERBATIM)
endfunction()

# tegula_add_amd_code_object(<object> SOURCE <file> ARCH gfx942 [REPORT <file>] [DEFINES...] [OPTIONS...])
#
# Compiles the device code of one source for one architecture into a code object (hipModuleLoad). The assembly with
# registers, spills and LDS of every kernel stays beside it, under the name tegula_amd_assembly gives.
function(tegula_add_amd_code_object object)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE;ARCH;REPORT" "DEFINES;OPTIONS")
  tegula_amd_assembly(assembly ${object} ${arg_SOURCE} ${arg_ARCH})
  tegula_hip_command(OBJECT ${object} SOURCE ${arg_SOURCE} REPORT ${arg_REPORT} ARCHS ${arg_ARCH}
                     DEFINES ${arg_DEFINES} EXTRA_OUTPUTS ${assembly}
                     OPTIONS --offload-device-only --no-gpu-bundle-output -save-temps=obj ${arg_OPTIONS})
endfunction()

function(tegula_amd_assembly result object source arch)
  cmake_path(GET object PARENT_PATH folder)
  cmake_path(GET source STEM LAST_ONLY stem)
  set(${result} ${folder}/${stem}-hip-amdgcn-amd-amdhsa-${arch}.s PARENT_SCOPE)
endfunction()

# tegula_add_hip_object(<object> SOURCE <file> [ARCHS...] [DEFINES...] [OPTIONS...])
#
# Compiles host and device code of one source into an object for a program that links ${tegula_hip_runtime}.
function(tegula_add_hip_object object)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE" "ARCHS;DEFINES;OPTIONS")
  if(NOT arg_ARCHS)
    set(arg_ARCHS ${tegula_amd_working_archs})
  endif()
  tegula_hip_command(OBJECT ${object} SOURCE ${arg_SOURCE} ARCHS ${arg_ARCHS} DEFINES ${arg_DEFINES}
                     OPTIONS -c ${arg_OPTIONS})
endfunction()

# tegula_code_objects_command(<result>): the command that compiles shipped GEMM kernels into code objects, but for
# --out. The program gemm must be built before it runs.
function(tegula_code_objects_command result)
  set(command ${TEGULA_PYTHON} ${PROJECT_SOURCE_DIR}/examples/03_gemm/code_objects.py
              --gemm $<TARGET_FILE:example_gemm> --clang ${TEGULA_HIP_CLANG})
  foreach(flag IN LISTS tegula_hip_flags)
    list(APPEND command --clang-flag=${flag})
  endforeach()
  foreach(arch IN LISTS tegula_amd_working_archs)
    list(APPEND command --arch ${arch})
  endforeach()
  set(${result} ${command} PARENT_SCOPE)
endfunction()
