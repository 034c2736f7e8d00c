# The compiler for AMD GPUs, where there is one: a ROCm installation's, else Debian's clang 22, or 19, with the packaged
# HIP headers and device libraries. Sets
#   tegula_NO_AMD       why AMD code is not built; empty where it is
#   TEGULA_HIP_CLANG    path of the compiler
#   tegula_hip_flags    flags that make it find headers and device libraries
#   tegula_second_clang, tegula_second_flags  Debian's clang 19 where clang 22 is the compiler, for tests; else empty
#   tegula_amd_working_archs, tegula_amd_working_named_archs  of the lists below, what the compiler compiles
#   tegula_hip_runtime  library a host program links
#   tegula_NO_HIP_PROGRAMS  why programs cannot contain AMD code, though it compiles; empty where they can
#
# The compiler runs by custom commands: enable_language(HIP) accepts only a full ROCm.

include_guard()

set(tegula_logged ${CMAKE_CURRENT_LIST_DIR}/logged.sh)

set(tegula_amd_archs gfx90a gfx942 gfx950 gfx1100 gfx1201)
# Compiled only for sources that name them.
set(tegula_amd_named_archs gfx1250)

# Flags for clang of that version. Debian's device libraries and HIP headers are older, so it needs beside them:
#  - A file for each newer target and code object version: one constant, for code objects of any version.
#  - The lanes of a wave, which newer compilers do not define and the headers use.
#  - Before clang 20: atomic additions of floats by the hardware's instructions, which newer ones use anyway.
function(tegula_debian_flags result clang version)
  set(folder ${PROJECT_BINARY_DIR}/device_libraries/clang-${version})
  file(MAKE_DIRECTORY ${folder})
  file(GLOB bitcode ${TEGULA_DEVICE_LIBRARIES}/*.bc)
  foreach(file IN LISTS bitcode)
    cmake_path(GET file FILENAME name)
    file(CREATE_LINK ${file} ${folder}/${name} SYMBOLIC)
  endforeach()
  foreach(name constant number IN ZIP_LISTS tegula_library_names tegula_library_constants tegula_library_numbers)
    set(file ${folder}/${name}.bc)
    if(NOT EXISTS ${file})
      set(source ${folder}/${name}.c)
      file(WRITE ${source} "const __attribute__((address_space(4), weak, visibility(\"protected\")))\n"
                           "int __${constant} = ${number};\n")
      execute_process(COMMAND ${clang} -x c --target=amdgcn-amd-amdhsa -Xclang -mcode-object-version=none -nogpulib
                              -emit-llvm -c ${source} -o ${file} OUTPUT_QUIET ERROR_QUIET)
    endif()
  endforeach()
  set(header ${folder}/wave_size.h)
  if(NOT EXISTS ${header})
    file(WRITE ${header} "#if !defined(__AMDGCN_WAVEFRONT_SIZE)\n"
                         "#if defined(__GFX10__) || defined(__GFX11__) || defined(__GFX12__)\n"
                         "#define __AMDGCN_WAVEFRONT_SIZE 32\n#else\n#define __AMDGCN_WAVEFRONT_SIZE 64\n#endif\n#endif\n")
  endif()
  set(atomics "")
  if(version LESS 20)
    set(atomics -munsafe-fp-atomics)
  endif()
  set(${result} --rocm-path=/usr --rocm-device-lib-path=${folder} -include ${header} ${atomics} PARENT_SCOPE)
endfunction()

set(tegula_library_names oclc_abi_version_600)
set(tegula_library_constants oclc_ABI_version)
set(tegula_library_numbers 600)
set(isa_targets 942 950 1100 1101 1102 1103 1150 1151 1200 1201 1250)
set(isa_numbers 9402 9500 11000 11001 11002 11003 11500 11501 12000 12001 12500)
foreach(target number IN ZIP_LISTS isa_targets isa_numbers)
  list(APPEND tegula_library_names oclc_isa_version_${target})
  list(APPEND tegula_library_constants oclc_ISA_version)
  list(APPEND tegula_library_numbers ${number})
endforeach()

# Compiles one tiny kernel for the architecture; the result is kept for this compiler.
function(tegula_try_hip result arch)
  # A name that another build folder's cache may be taken over with (test/package/gpu_kernels.cmake).
  string(REPLACE "${PROJECT_BINARY_DIR}" "" key "${TEGULA_HIP_CLANG} ${tegula_hip_flags} ${arch}")
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
  find_program(TEGULA_CLANG_22 clang++-22)
  find_program(TEGULA_CLANG_19 clang++-19)
  find_path(TEGULA_HIP_INCLUDE hip/hip_runtime.h PATHS /usr/include NO_DEFAULT_PATH)
  find_path(TEGULA_DEVICE_LIBRARIES ocml.bc
            PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/amdgcn/bitcode /usr/lib/x86_64-linux-gnu/amdgcn/bitcode)
  find_program(TEGULA_LLD_22 ld.lld-22)
  find_program(TEGULA_LLD_19 NAMES ld.lld-19 ld.lld)
  mark_as_advanced(TEGULA_ROCM_CLANG TEGULA_CLANG_22 TEGULA_CLANG_19 TEGULA_HIP_INCLUDE TEGULA_DEVICE_LIBRARIES
                   TEGULA_LLD_22 TEGULA_LLD_19)

  set(missing "")
  if(TEGULA_ROCM_CLANG)
    get_filename_component(rocm ${TEGULA_ROCM_CLANG}/../../.. ABSOLUTE)
    set(TEGULA_HIP_CLANG ${TEGULA_ROCM_CLANG})
    set(tegula_hip_flags --rocm-path=${rocm})
    find_library(TEGULA_HIP_RUNTIME amdhip64 PATHS ${rocm}/lib NO_DEFAULT_PATH)
  else()
    set(versions "")
    foreach(version IN ITEMS 22 19)
      if(TEGULA_CLANG_${version} AND TEGULA_LLD_${version})
        list(APPEND versions ${version})
      endif()
    endforeach()
    if(NOT versions)
      list(APPEND missing "clang-22 with lld-22")
    endif()
    foreach(need IN ITEMS "TEGULA_HIP_INCLUDE libamdhip64-dev" "TEGULA_DEVICE_LIBRARIES rocm-device-libs")
      separate_arguments(need)
      list(GET need 0 variable)
      list(GET need 1 package)
      if(NOT ${variable})
        list(APPEND missing ${package})
      endif()
    endforeach()
    find_library(TEGULA_HIP_RUNTIME amdhip64)
  endif()
  if(NOT TEGULA_ROCM_CLANG AND NOT missing)
    list(GET versions 0 version)
    set(TEGULA_HIP_CLANG ${TEGULA_CLANG_${version}})
    tegula_debian_flags(tegula_hip_flags ${TEGULA_HIP_CLANG} ${version})
    if(versions MATCHES "22.*19")
      set(tegula_second_clang ${TEGULA_CLANG_19} PARENT_SCOPE)
      tegula_debian_flags(second_flags ${TEGULA_CLANG_19} 19)
      set(tegula_second_flags ${second_flags} PARENT_SCOPE)
    endif()
  endif()
  # Debian has what packs device code into a host object in clang-tools; ROCm beside its compiler.
  get_filename_component(compiler "${TEGULA_HIP_CLANG}" REALPATH)
  cmake_path(GET compiler PARENT_PATH compiler_folder)
  find_program(TEGULA_OFFLOAD_BUNDLER clang-offload-bundler PATHS ${compiler_folder} NO_DEFAULT_PATH)
  find_program(TEGULA_LLVM_OBJDUMP llvm-objdump PATHS ${compiler_folder} NO_DEFAULT_PATH)
  mark_as_advanced(TEGULA_HIP_RUNTIME TEGULA_OFFLOAD_BUNDLER TEGULA_LLVM_OBJDUMP)

  set(archs "")
  set(named_archs "")
  if(missing)
    list(JOIN missing ", " missing)
    set(reason "no HIP compiler: neither ROCm nor Debian's ${missing}")
  else()
    foreach(arch IN LISTS tegula_amd_archs)
      tegula_try_hip(works ${arch})
      if(works)
        list(APPEND archs ${arch})
      endif()
    endforeach()
    foreach(arch IN LISTS tegula_amd_named_archs)
      tegula_try_hip(works ${arch})
      if(works)
        list(APPEND named_archs ${arch})
      endif()
    endforeach()
    set(reason "")
    if(NOT archs)
      set(reason "${TEGULA_HIP_CLANG} compiles no HIP kernel; see probe/*.txt in the build folder")
    endif()
  endif()
  set(tegula_NO_AMD "${reason}" PARENT_SCOPE)
  if(NOT reason AND NOT TEGULA_OFFLOAD_BUNDLER)
    set(reason "clang-offload-bundler is not beside ${TEGULA_HIP_CLANG} (Debian: clang-tools-22)")
  elseif(NOT reason AND NOT TEGULA_HIP_RUNTIME)
    set(reason "libamdhip64 is not installed")
  endif()
  set(tegula_NO_HIP_PROGRAMS "${reason}" PARENT_SCOPE)
  set(tegula_amd_working_archs "${archs}" PARENT_SCOPE)
  set(tegula_amd_working_named_archs "${named_archs}" PARENT_SCOPE)
  set(TEGULA_HIP_CLANG ${TEGULA_HIP_CLANG} PARENT_SCOPE)
  set(tegula_hip_flags ${tegula_hip_flags} PARENT_SCOPE)
  set(tegula_hip_runtime ${TEGULA_HIP_RUNTIME} PARENT_SCOPE)
endfunction()

tegula_find_amd()

# One compilation by clang as HIP; the two functions below differ in what they keep of it.
function(tegula_hip_command)
  cmake_parse_arguments(PARSE_ARGV 0 arg "SECOND" "OBJECT;SOURCE;REPORT;FOR" "ARCHS;DEFINES;OPTIONS")
  set(clang ${TEGULA_HIP_CLANG} ${tegula_hip_flags})
  if(arg_SECOND)
    set(clang ${tegula_second_clang} ${tegula_second_flags})
  endif()
  if(NOT arg_REPORT)
    set(arg_REPORT ${arg_OBJECT}.txt)
  endif()
  if(arg_FOR)
    set(includes $<TARGET_PROPERTY:${arg_FOR},INCLUDE_DIRECTORIES>)
    set(defines $<TARGET_PROPERTY:${arg_FOR},COMPILE_DEFINITIONS>)
    set(of_target "-I$<JOIN:${includes},$<SEMICOLON>-I>"
                  "$<$<BOOL:${defines}>:-D$<JOIN:${defines},$<SEMICOLON>-D>>")
  else()
    set(of_target -I ${PROJECT_SOURCE_DIR}/include -I ${PROJECT_SOURCE_DIR})
  endif()
  set(dependencies -MD -MF ${arg_OBJECT}.d -MT ${arg_OBJECT})
  if("--offload-device-only" IN_LIST arg_OPTIONS)
    # The driver of clang 22 writes no dependencies where it compiles for a device alone.
    set(dependencies -Xclang -dependency-file -Xclang ${arg_OBJECT}.d -Xclang -MT -Xclang ${arg_OBJECT})
  endif()
  cmake_path(GET arg_OBJECT PARENT_PATH folder)
  file(MAKE_DIRECTORY ${folder})
  list(TRANSFORM arg_ARCHS PREPEND --offload-arch= OUTPUT_VARIABLE archs)
  list(TRANSFORM arg_DEFINES PREPEND -D)
  set(warnings -Wall)
  if(TEGULA_WARNINGS_AS_ERRORS)
    list(APPEND warnings -Werror)
  endif()
  set(timed "")
  if(COMMAND tegula_timed_and_cached)
    tegula_timed_and_cached(timed hip ${arg_OBJECT}.d ${arg_OBJECT} ${arg_REPORT})
  endif()
  add_custom_command(
    OUTPUT ${arg_OBJECT} ${arg_REPORT}
    COMMAND ${timed} sh ${tegula_logged} ${arg_REPORT}
            ${clang} -x hip -std=c++20 -O3 ${warnings} ${archs}
            ${of_target} ${arg_DEFINES} ${arg_OPTIONS}
            ${dependencies} ${arg_SOURCE} -o ${arg_OBJECT}
    DEPENDS ${arg_SOURCE} ${tegula_logged}
    DEPFILE ${arg_OBJECT}.d
    COMMENT "hip ${arg_ARCHS} ${arg_SOURCE}"
    COMMAND_EXPAND_LISTS VERBATIM)
endfunction()

# tegula_add_amd_code_object(<object> SOURCE <file> ARCH gfx942 [REPORT <file>] [SECOND] [DEFINES...] [OPTIONS...])
#
# Compiles the device code of one source for one architecture into a code object (hipModuleLoad), with SECOND by the
# second compiler. It compiles into assembly, and that into machine code. The assembly has registers, spills and LDS of
# every kernel. It stays beside the object under the name that tegula_amd_assembly gives.
function(tegula_add_amd_code_object object)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SECOND" "SOURCE;ARCH;REPORT" "DEFINES;OPTIONS")
  tegula_amd_assembly(assembly ${object} ${arg_SOURCE} ${arg_ARCH})
  set(second "")
  set(clang ${TEGULA_HIP_CLANG})
  if(arg_SECOND)
    set(second SECOND)
    set(clang ${tegula_second_clang})
  endif()
  if(NOT arg_REPORT)
    set(arg_REPORT ${object}.txt)
  endif()
  tegula_hip_command(${second} OBJECT ${assembly} SOURCE ${arg_SOURCE} REPORT ${arg_REPORT} ARCHS ${arg_ARCH}
                     DEFINES ${arg_DEFINES} OPTIONS --offload-device-only --no-gpu-bundle-output -S ${arg_OPTIONS})
  set(machine_options ${arg_OPTIONS})
  list(FILTER machine_options INCLUDE REGEX "^-m")
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${clang} --target=amdgcn-amd-amdhsa -mcpu=${arg_ARCH} ${machine_options} ${assembly} -o ${object}
    DEPENDS ${assembly} COMMAND_EXPAND_LISTS VERBATIM)
endfunction()

function(tegula_amd_assembly result object source arch)
  cmake_path(GET object PARENT_PATH folder)
  cmake_path(GET source STEM LAST_ONLY stem)
  set(${result} ${folder}/${stem}-hip-amdgcn-amd-amdhsa-${arch}.s PARENT_SCOPE)
endfunction()

# tegula_add_hip_object(<object> SOURCE <file> [ARCHS...] [DEFINES...] [OPTIONS...] [FOR <target>])
#
# Compiles host and device code of one source into an object for a program that links ${tegula_hip_runtime}. The include
# folders and definitions are those of a target, or this project's.
function(tegula_add_hip_object object)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE;FOR" "ARCHS;DEFINES;OPTIONS")
  if(NOT arg_ARCHS)
    set(arg_ARCHS ${tegula_amd_working_archs})
  endif()
  tegula_hip_command(OBJECT ${object} SOURCE ${arg_SOURCE} ARCHS ${arg_ARCHS} DEFINES ${arg_DEFINES}
                     FOR ${arg_FOR} OPTIONS -c ${arg_OPTIONS})
endfunction()

# tegula_code_objects_command(<result>): the command that compiles shipped GEMM kernels into code objects, but for
# --out. The program gemm must be built before it runs.
function(tegula_code_objects_command result)
  set(command ${TEGULA_PYTHON} ${PROJECT_SOURCE_DIR}/examples/gemm/code_objects.py
              --gemm $<TARGET_FILE:example_gemm> --clang ${TEGULA_HIP_CLANG})
  foreach(flag IN LISTS tegula_hip_flags)
    list(APPEND command --clang-flag=${flag})
  endforeach()
  foreach(arch IN LISTS tegula_amd_working_archs)
    list(APPEND command --arch ${arch})
  endforeach()
  set(${result} ${command} PARENT_SCOPE)
endfunction()
