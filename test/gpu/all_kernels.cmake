# Every shipped kernel for test_gpu, several to a file: reading the headers takes as long as five tiles. Files in
# <build>/test/gpu/all_kernels, written when this is configured.

set(all_kernels ${CMAKE_CURRENT_BINARY_DIR}/all_kernels)

set(header on_gpu)

# Kernels that the functions of test/gpu/${header}.hpp add. <call> adds those of `tiles`, called Tiles there, where <exists>
# says that there are any.
function(tegula_write_kernels name arch tiles exists call)
  if(TEGULA_GPU_TEST_ALL_KERNELS MATCHES "sm_|gfx" AND NOT arch IN_LIST TEGULA_GPU_TEST_ALL_KERNELS)
    return()
  endif()
  string(MAKE_C_IDENTIFIER "kernels_${name}" space)
  set(text "\nnamespace ${space} {\nusing target = arch::${arch};\n\ntemplate <class Tiles>\nbool add()\n{\n")
  string(APPEND text "    if constexpr (${exists})\n        return ${call};\n    else\n        return true;\n}\n")
  string(APPEND text "static const bool added = add<${tiles}>();\n}\n")
  set(group ${arch}_${header})
  set_property(GLOBAL APPEND_STRING PROPERTY tegula_kernels_${group} "${text}")
  set_property(GLOBAL APPEND PROPERTY tegula_kernel_names_${group} ${name})
  set_property(GLOBAL APPEND PROPERTY tegula_kernel_groups ${group})
  get_property(names GLOBAL PROPERTY tegula_kernel_names_${group})
  list(LENGTH names count)
  set(most 6)
  if(header MATCHES "attention")
    set(most 4)
  elseif(header MATCHES "rows|shapes|prologue|launch")
    set(most 2) # which compile for longer
  endif()
  if(count EQUAL most)
    tegula_write_group(${group} written)
    set(written ${written} PARENT_SCOPE)
  endif()
endfunction()

# Writes the kernels that a group holds, <architecture>_<header>, as one file, and adds its name to the list `result`.
function(tegula_write_group group result)
  get_property(text GLOBAL PROPERTY tegula_kernels_${group})
  if(NOT text)
    return()
  endif()
  string(REGEX MATCH "^(sm_[0-9]+a?|gfx[0-9a-f]+)_(.*)$" _ ${group})
  get_property(number GLOBAL PROPERTY tegula_kernel_files_${group})
  if(NOT number)
    set(number 0)
  endif()
  set(file ${all_kernels}/${group}_${number}.gpu.cpp)
  set(head "// targets: ${CMAKE_MATCH_1}\n#include \"test/gpu/${CMAKE_MATCH_2}.hpp\"\n\nusing namespace tegula;\n")
  file(CONFIGURE OUTPUT ${file} CONTENT "${head}using namespace tegula::test;\n${text}" @ONLY)
  math(EXPR number "${number} + 1")
  set_property(GLOBAL PROPERTY tegula_kernel_files_${group} ${number})
  set_property(GLOBAL PROPERTY tegula_kernels_${group})
  set_property(GLOBAL PROPERTY tegula_kernel_names_${group})
  set(${result} ${${result}} ${file} PARENT_SCOPE)
endfunction()

set(k operand_order::k_contiguous)
set(r operand_order::row_contiguous)
set(types_sm_80 bfloat16 half tfloat32 float std::int8_t)
set(types_sm_89 bfloat16 half tfloat32 float std::int8_t float8_e4m3 float8_e5m2)
set(types_sm_90a ${types_sm_89})
set(types_sm_120a ${types_sm_89})
set(types_gfx90a bfloat16 half float std::int8_t)
set(types_gfx942 bfloat16 half tfloat32 float std::int8_t float8_e4m3_fnuz float8_e5m2_fnuz)
set(types_gfx950 bfloat16 half float std::int8_t float8_e4m3 float8_e5m2)
set(types_gfx1100 bfloat16 half float std::int8_t)
set(types_gfx1201 bfloat16 half float std::int8_t float8_e4m3 float8_e5m2)
set(types_gfx1250 ${types_gfx1201})

set(archs sm_80 sm_89 sm_90a sm_120a gfx90a gfx942 gfx950 gfx1100 gfx1201 gfx1250)
foreach(arch IN LISTS archs)
  foreach(type IN LISTS types_${arch})
    string(REGEX REPLACE ".*:" "" short ${type})
    set(tiles "gemm_tiles<target, ${type}>")
    foreach(tile IN ITEMS t256x256 t256x128 t128x128_interleaved t128x256 t128x128 t64x64 t32x128)
      set(exists "true")
      if(NOT tile MATCHES "^(t128x128|t64x64|t32x128)$")
        set(exists "Tiles::has_${tile}")
      endif()
      foreach(a IN ITEMS k r)
        set(call "add_tile<typename Tiles::${tile}, ${${a}}, ${k}>(\"${tile}\") &&\n               ")
        string(APPEND call "add_tile<typename Tiles::${tile}, ${${a}}, ${r}>(\"${tile}\")")
        tegula_write_kernels(${short}_${tile}_${a} ${arch} "${tiles}" ${exists} "${call}")
      endforeach()
      if(type STREQUAL bfloat16 OR type STREQUAL half)
        tegula_write_kernels(${short}_${tile}_narrow ${arch} "${tiles}" ${exists}
                             "add_narrow<typename Tiles::${tile}, ${k}, ${r}>(\"${tile} narrow\")")
      endif()
    endforeach()
    tegula_write_kernels(${short}_any ${arch} "${tiles}" true "add_element_wise<typename Tiles::t128x128>(\"t128x128\")")
    foreach(form IN ITEMS split_k stream_k)
      tegula_write_kernels(${short}_${form} ${arch} "${tiles}" true
        "add_tile<typename Tiles::t64x64, ${k}, ${r}, run_partials<${form}_gemm>>(\"t64x64 ${form}\")")
    endforeach()
    tegula_write_kernels(${short}_grouped ${arch} "${tiles}" true
                         "add_grouped<typename Tiles::t128x128, ${k}, ${r}>(\"t128x128 grouped\")")
  endforeach()

  foreach(type IN ITEMS bfloat16 half)
    set(tiles "gemm_tiles<target, ${type}>")
    set(int8_large "t128x128, quantized<std::int8_t>, ${k}, ${k}>(\"t128x128 int8 weights\")")
    set(int4_large "t128x128, quantized<int4x2, 128, half>, ${k}, ${k}>(\"t128x128 int4 weights\")")
    set(int8_flat "t32x128, quantized<std::int8_t>, ${k}, ${r}>(\"t32x128 int8 weights\")")
    set(int4_medium "t64x64, quantized<int4x2, 64>, ${k}, ${r}>(\"t64x64 int4 weights\")")
    foreach(weights IN ITEMS int8_large int4_large int8_flat int4_medium)
      tegula_write_kernels(${type}_${weights} ${arch} "${tiles}" true
                           "add_quantized_weights<typename Tiles::${${weights}}")
    endforeach()
  endforeach()
endforeach()

foreach(arch IN ITEMS sm_89 sm_90a gfx942 gfx950 gfx1201 gfx1250)
  set(e4m3 float8_e4m3)
  set(e5m2 float8_e5m2)
  if(arch STREQUAL gfx942)
    set(e4m3 float8_e4m3_fnuz)
    set(e5m2 float8_e5m2_fnuz)
  endif()
  set(largest t128x128)
  if(arch MATCHES "^sm_")
    set(largest t128x64) # two sets of accumulators of 128x128 do not fit
  endif()
  foreach(tile IN ITEMS ${largest} t64x64 t32x128)
    foreach(type IN ITEMS e4m3 e5m2)
      tegula_write_kernels(block_scaled_${type}_${tile} ${arch} "block_scaled_tiles<target, ${${type}}>" true
                           "add_block_scaled<typename Tiles::${tile}>(\"${tile} block-scaled\")")
    endforeach()
    tegula_write_kernels(pair_${tile} ${arch} "block_scaled_tiles<target, ${e4m3}, ${e5m2}>" true
                         "add_pair<typename Tiles::${tile}>(\"${tile} by e5m2\")")
  endforeach()
endforeach()

set(types_specialized ${types_sm_90a})
list(REMOVE_ITEM types_specialized float) # has no wgmma
foreach(type IN LISTS types_specialized)
  string(REGEX REPLACE ".*:" "" short ${type})
  set(tiles "warp_specialized_tiles<target, ${type}>")
  set(orders "k_contiguous k_contiguous")
  if(type STREQUAL bfloat16 OR type STREQUAL half)
    list(APPEND orders "k_contiguous row_contiguous" "row_contiguous k_contiguous" "row_contiguous row_contiguous")
  endif()
  foreach(tile IN ITEMS ws128x256_2x1 ws256x128_1x2 ws256x128_2x1 ws128x128_2x1 ws64x256_2x1 ws128x128 ws16x128 ws32x128 ws64x128 ws128x128_transposed
          ws16x64 ws32x64 ws64x64 ws128x128_2x1_promoted ws128x128_promoted)
    set(exists true)
    if(tile MATCHES promoted)
      set(exists "Tiles::has_promoted")
    endif()
    foreach(order IN LISTS orders)
      string(REPLACE " " "_" order_name ${order})
      string(REPLACE " " ", operand_order::" order ${order})
      tegula_write_kernels(specialized_${short}_${tile}_${order_name} sm_90a ${tiles} ${exists}
        "add_warp_specialized<typename Tiles::${tile}, operand_order::${order}>(\"${tile}\")")
    endforeach()
  endforeach()
  foreach(tile IN ITEMS ws128x128 ws16x128 ws64x128)
    set(name specialized_${short}_${tile})
    set(kernel "add_warp_specialized<typename Tiles::${tile}, ${k}, ${k}, work_partition::")
    foreach(partition IN ITEMS split_k stream)
      tegula_write_kernels(${name}_${partition} sm_90a ${tiles} true
                           "${kernel}${partition}>(\n            \"${tile} ${partition}\")")
    endforeach()
    set(c "result_of<${type}>")
    tegula_write_kernels(${name}_direct sm_90a ${tiles} true
      "${kernel}tiles, ${c}, output_store::direct>(\n            \"${tile} direct\")")
  endforeach()
  if(type STREQUAL bfloat16 OR type STREQUAL half)
    foreach(tile IN ITEMS ws128x256_2x1 ws256x128_1x2 ws64x256_2x1 ws128x128 ws32x128)
      tegula_write_kernels(specialized_${short}_${tile}_narrow sm_90a ${tiles} true
        "add_warp_specialized<typename Tiles::${tile}, ${k}, ${k}, work_partition::tiles, ${type}>(\n            \"${tile} narrow\")")
    endforeach()
  endif()
endforeach()

set(header on_gpu_launch)
foreach(arch IN LISTS archs)
  if(NOT arch MATCHES "^(sm_80|gfx942)$") # which launch.gpu.cpp and graph.gpu.cpp are for
    tegula_write_kernels(launches ${arch} bfloat16 true "add_function_objects<target>() && add_gemm_graph<target>()")
  endif()
endforeach()

list(APPEND archs sm_100a sm_103a) # whose products are tcgen05's, below
set(header on_gpu_attention)
foreach(arch IN LISTS archs)
  foreach(type IN ITEMS bfloat16 half)
    foreach(columns IN ITEMS 64 128 256)
      set(tile "attention_tile_for<target, Tiles, ${columns}>")
      tegula_write_kernels(attention_${type}_${columns} ${arch} ${type} true
        "add_attention<attention_kernel<${tile}, Tiles, attention_causal>>(\"attention ${columns} causal\") &&
               add_attention<attention_kernel<${tile}, float>>(\"attention ${columns}\")")
      foreach(form IN ITEMS masked of_lists)
        set(tile "attention_tile_for<target, Tiles, ${columns}, ${columns}, attention_${form}>")
        tegula_write_kernels(attention_${form}_${type}_${columns} ${arch} ${type} true
          "add_attention_form<attention_kernel<${tile}, Tiles, attention_${form}>>(\"attention ${columns} ${form}\")")
      endforeach()
      set(tile "attention_tile_for<target, Tiles, ${columns}, ${columns}, attention_of_pages, soft_cap<target>>")
      tegula_write_kernels(attention_pages_${type}_${columns} ${arch} ${type} true
        "add_attention_form<attention_kernel<${tile}, Tiles, attention_of_pages, soft_cap<target>>>(
                   \"attention ${columns} of pages\")")
      set(tile "decoding_tile_for<target, Tiles, ${columns}>")
      tegula_write_kernels(attention_split_${type}_${columns} ${arch} ${type} true
        "add_attention<attention_split_kernel<${tile}, float, attention_causal>>(\"attention ${columns} in shares\")")
      set(gradients "target, Tiles, ${columns}")
      tegula_write_kernels(attention_backward_${type}_${columns}_causal ${arch} ${type} true
        "add_attention_gradients<${gradients}, attention_causal>(\"gradients ${columns} causal\")")
      tegula_write_kernels(attention_backward_${type}_${columns} ${arch} ${type} true
        "add_attention_gradients<${gradients}, attention_variant<>>(\"gradients ${columns}\")")
      tegula_write_kernels(attention_append_${type}_${columns} ${arch} ${type} true
                           "add_append<append_kernel<target, Tiles, ${columns}>>(\"append ${columns}\")")
      if(arch STREQUAL sm_90a)
        set(tile "warp_specialized_attention_tile_for<target, Tiles, ${columns}>")
        tegula_write_kernels(attention_specialized_${type}_${columns} ${arch} ${type} true
          "add_attention<warp_specialized_attention<${tile}, Tiles, attention_causal>>(\"specialized ${columns} causal\") &&
               add_attention<warp_specialized_attention<${tile}, float>>(\"specialized ${columns}\")")
        if(columns LESS_EQUAL 128)
          set(tile "warp_specialized_attention_tile_for<target, Tiles, ${columns}, ${columns}, attention_masked>")
          tegula_write_kernels(attention_specialized_masked_${type}_${columns} ${arch} ${type} true
            "add_attention_form<warp_specialized_attention<${tile}, Tiles, attention_masked>>(
                   \"specialized ${columns} masked\")")
          tegula_write_kernels(attention_specialized_backward_${type}_${columns} ${arch} ${type} true
            "add_specialized_gradients<${gradients}, attention_causal>(\"specialized gradients ${columns} causal\") &&
               add_specialized_gradients<${gradients}, attention_variant<>>(\"specialized gradients ${columns}\")")
        endif()
      endif()
    endforeach()
  endforeach()
endforeach()

# Of 8 bits, and the latent form: with values of their own, and with the first columns of the keys for values.
foreach(pair IN ITEMS sm_89:float8_e4m3 sm_89:float8_e5m2 sm_90a:float8_e4m3 sm_90a:float8_e5m2
                      gfx942:float8_e4m3_fnuz gfx950:float8_e4m3 gfx1201:float8_e4m3)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 arch)
  list(GET pair 1 type)
  foreach(columns IN ITEMS 64 128 256)
    set(tile "attention_tile_for<target, Tiles, ${columns}>")
    tegula_write_kernels(attention_${type}_${columns} ${arch} ${type} true
      "add_attention<attention_kernel<${tile}, half, attention_causal>>(\"attention ${columns} causal\")")
    set(tile "decoding_tile_for<target, Tiles, ${columns}>")
    tegula_write_kernels(attention_split_${type}_${columns} ${arch} ${type} true
      "add_attention<attention_split_kernel<${tile}, float, attention_causal>>(\"attention ${columns} in shares\")")
  endforeach()
endforeach()
foreach(arch IN ITEMS sm_80 sm_89 sm_90a gfx90a gfx942 gfx950 gfx1100 gfx1201)
  foreach(type IN ITEMS bfloat16 half)
    tegula_write_kernels(attention_latent_${type} ${arch} ${type} true
      "add_attention<attention_split_kernel<attention_tile_for<target, Tiles, 576, 512>, float, attention_packed>>(\"latent\") &&
               add_attention<attention_split_kernel<latent_attention_tile_for<target, Tiles>, float, attention_packed>>(
                   \"latent, one tensor\")")
  endforeach()
endforeach()

set(header on_gpu_attention_sm100)
foreach(arch IN ITEMS sm_100a sm_103a)
  foreach(type IN ITEMS bfloat16 half)
    foreach(columns IN ITEMS 64 128 256)
      set(tile "tcgen05_attention_tile_for<target, Tiles, ${columns}>")
      tegula_write_kernels(attention_tcgen05_${type}_${columns} ${arch} ${type} true
        "add_attention<tcgen05_attention<${tile}, Tiles, attention_causal>>(\"tcgen05 ${columns} causal\") &&
               add_attention<tcgen05_attention<${tile}, float>>(\"tcgen05 ${columns}\")")
      set(tile "tcgen05_attention_tile_for<target, Tiles, ${columns}, ${columns}, tcgen05_exponentials, attention_masked>")
      tegula_write_kernels(attention_tcgen05_masked_${type}_${columns} ${arch} ${type} true
        "add_attention_form<tcgen05_attention<${tile}, Tiles, attention_masked>>(\"tcgen05 ${columns} masked\")")
      if(columns LESS_EQUAL 128)
        tegula_write_kernels(attention_tcgen05_backward_${type}_${columns} ${arch} ${type} true
          "add_tcgen05_gradients<target, Tiles, ${columns}, attention_causal>(\"tcgen05 gradients ${columns} causal\")")
      endif()
    endforeach()
  endforeach()
endforeach()

set(header on_gpu_rows)
foreach(arch IN LISTS archs)
  foreach(type IN ITEMS bfloat16 half float)
    tegula_write_kernels(normalizations_${type} ${arch} ${type} true "add_normalizations<target, Tiles>()")
    tegula_write_kernels(reductions_${type} ${arch} ${type} true "add_reductions<target, Tiles>()")
    tegula_write_kernels(softmax_gradients_${type} ${arch} ${type} true "add_softmax_gradients<target, Tiles>()")
    foreach(kind IN ITEMS layer rms)
      tegula_write_kernels(norm_gradients_${kind}_${type} ${arch} ${type} true
                           "add_norm_gradients<target, Tiles, norm_kind::${kind}>()")
    endforeach()
    tegula_write_kernels(losses_${type} ${arch} ${type} true "add_losses<target, Tiles>()")
  endforeach()
endforeach()

set(header on_gpu_shapes)
foreach(arch IN LISTS archs)
  foreach(type IN ITEMS bfloat16 half float)
    tegula_write_kernels(shapes_${type} ${arch} ${type} true "add_shapes<target, Tiles>()")
  endforeach()
endforeach()

set(header on_gpu_convolution)
foreach(arch IN LISTS archs)
  foreach(type IN ITEMS bfloat16 half float)
    set(tiles "prologue_tiles<target, ${type}>")
    tegula_write_kernels(im2col_${type} ${arch} ${type} true "add_im2col<target, Tiles>()")
    foreach(direction IN ITEMS forward backward_data backward_weight)
      foreach(tile IN ITEMS large small)
        set(exists true)
        if(tile STREQUAL large)
          set(exists "Tiles::has_large")
        endif()
        foreach(dims IN ITEMS 2 3)
          tegula_write_kernels(convolution_${dims}d_${direction}_${type}_${tile} ${arch} "${tiles}" ${exists}
            "add_convolution<typename Tiles::${tile}, convolution_direction::${direction}, ${dims}>(
                   \"${direction} ${tile}\")")
        endforeach()
      endforeach()
    endforeach()
  endforeach()
endforeach()

set(header on_gpu_prologue)
foreach(arch IN LISTS archs)
  foreach(type IN ITEMS bfloat16 half)
    set(tiles "prologue_tiles<target, ${type}>")
    foreach(tile IN ITEMS large small)
      set(exists true)
      if(tile STREQUAL large)
        set(exists "Tiles::has_large")
      endif()
      foreach(form IN ITEMS gathered made)
        tegula_write_kernels(prologue_${form}_${type}_${tile} ${arch} "${tiles}" ${exists}
                             "add_prologue<${form}_form<typename Tiles::${tile}>>(\"${form} ${tile}\")")
      endforeach()
      tegula_write_kernels(moe_${type}_${tile} ${arch} "${tiles}" ${exists}
                           "add_moe<typename Tiles::${tile}>(\"${tile}\")")
    endforeach()
  endforeach()
endforeach()

set(header on_gpu_scaled)
foreach(arch IN ITEMS sm_100a sm_103a)
  set(types bfloat16 half tfloat32 float8_e4m3)
  if(arch STREQUAL sm_100a)
    list(APPEND types std::int8_t) # which sm_103a does not multiply
  endif()
  foreach(type IN LISTS types)
    string(REGEX REPLACE ".*:" "" short ${type})
    set(tiles "tcgen05_tiles<target, ${type}>")
    foreach(tile IN ITEMS tc256x256_2x1 tc128x256 tc128x128 tc128x64)
      set(typed "typename Tiles::${tile}")
      tegula_write_kernels(tcgen05_${short}_${tile} ${arch} ${tiles} true
        "add_tcgen05<${typed}, ${k}, ${k}>(\"${tile}\") &&
               add_tcgen05<${typed}, ${k}, ${k}, output_store::direct>(\"${tile} direct\")")
      if(NOT type STREQUAL tfloat32) # needs rows along k
        tegula_write_kernels(tcgen05_${short}_${tile}_orders ${arch} ${tiles} true
          "add_tcgen05<${typed}, ${k}, ${r}>(\"${tile}\") && add_tcgen05<${typed}, ${r}, ${k}>(\"${tile}\") &&
               add_tcgen05<${typed}, ${r}, ${r}>(\"${tile}\")")
      endif()
    endforeach()
    foreach(tile IN ITEMS tc256x256_2x1 tc128x64)
      foreach(partition IN ITEMS split_k stream launch_control)
        tegula_write_kernels(tcgen05_${short}_${tile}_${partition} ${arch} ${tiles} true
          "add_tcgen05<typename Tiles::${tile}, ${k}, ${k}, output_store::tensor_copies, work_partition::${partition}>(
                   \"${tile} ${partition}\")")
      endforeach()
    endforeach()
  endforeach()
  foreach(format IN ITEMS nvfp4_format mx_format<float8_e4m3> mx_format<float6_e2m3> mx_format<float4_e2m1>)
    string(MAKE_C_IDENTIFIER ${format} name)
    foreach(tile IN ITEMS tc256x256_2x1 tc128x128)
      set(typed "typename tcgen05_scaled_tiles<target, Tiles>::${tile}")
      tegula_write_kernels(scaled_${name}_${tile} ${arch} "${format}" true
        "add_tcgen05_scaled<${typed}, Tiles>(\"${format} ${tile}\") &&
               add_tcgen05_scaled<${typed}, Tiles, Tiles, output_store::direct>(\"${format} ${tile} direct\")")
    endforeach()
  endforeach()
endforeach()
set(header on_gpu_made)
foreach(arch IN ITEMS sm_100a sm_103a)
  foreach(type IN ITEMS bfloat16 half)
    set(tiles "tcgen05_tiles<target, ${type}>")
    foreach(tile IN ITEMS tc256x256_2x1 tc128x256 tc128x128 tc128x64)
      set(typed "typename Tiles::${tile}")
      tegula_write_kernels(tcgen05_${type}_${tile}_int8 ${arch} ${tiles} true
                           "add_tcgen05_weights<${typed}, quantized<std::int8_t>>(\"${tile} int8 weights\")")
      tegula_write_kernels(tcgen05_${type}_${tile}_int4 ${arch} ${tiles} true
                           "add_tcgen05_weights<${typed}, quantized<int4x2, 64>>(\"${tile} int4 weights\")")
      foreach(form IN ITEMS gathered made)
        tegula_write_kernels(tcgen05_${type}_${tile}_${form} ${arch} ${tiles} true
                             "add_tcgen05_prologue<tcgen05_${form}_form<${typed}>>(\"${tile} ${form}\")")
      endforeach()
      tegula_write_kernels(tcgen05_${type}_${tile}_list ${arch} ${tiles} true
                           "add_tcgen05_list<${typed}, ${type}>(\"${tile} list\")")
    endforeach()
  endforeach()
endforeach()

set(header on_gpu_scaled)
foreach(format IN ITEMS nvfp4_format mx_format<float8_e4m3> mx_format<float6_e2m3> mx_format<float4_e2m1>)
  string(MAKE_C_IDENTIFIER ${format} name)
  foreach(tile IN ITEMS t128x128 t64x64)
    tegula_write_kernels(scaled_warps_${name}_${tile} sm_120a "scaled_warp_tiles<target, ${format}>" true
                         "add_microscaled<typename Tiles::${tile}>(\"${format} ${tile}\")")
  endforeach()
endforeach()
foreach(format IN ITEMS mx_format<float8_e4m3> mx_format<float6_e2m3> mx_format<float4_e2m1>)
  string(MAKE_C_IDENTIFIER ${format} name)
  set(tiles t128x128)
  if(NOT format MATCHES "float6") # whose rows the data mover cannot pad
    list(APPEND tiles t256x256)
  endif()
  foreach(tile IN LISTS tiles)
    tegula_write_kernels(scaled_waves_${name}_${tile} gfx1250 "scaled_wave_tiles<target, ${format}>" true
                         "add_microscaled<typename Tiles::${tile}>(\"${format} ${tile}\")")
  endforeach()
endforeach()
foreach(type IN ITEMS float8_e4m3 float6_e2m3 float4_e2m1)
  foreach(tile IN ITEMS t256x128 t128x128)
    tegula_write_kernels(microscaled_${type}_${tile} gfx950 "microscaled_tiles<target, ${type}>" true
                         "add_microscaled<typename Tiles::${tile}>(\"microscaled ${type} ${tile}\")")
  endforeach()
endforeach()

get_property(groups GLOBAL PROPERTY tegula_kernel_groups)
list(REMOVE_DUPLICATES groups)
foreach(group IN LISTS groups)
  tegula_write_group(${group} written)
endforeach()

# Of an earlier choice of architectures.
file(GLOB left_over ${all_kernels}/*.gpu.cpp)
list(REMOVE_ITEM left_over ${written})
if(left_over)
  file(REMOVE ${left_over})
endif()

foreach(program IN ITEMS test_gpu gpu_checks)
  if(TARGET ${program})
    tegula_add_gpu_sources(${program} ${all_kernels})
    break() # gpu_checks has the objects of test_gpu, where that is built
  endif()
endforeach()
