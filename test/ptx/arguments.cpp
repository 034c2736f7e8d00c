// Prints, for the scripts beside it, how the kernels of the device tests are started; see arguments.hpp.

#include "test/ptx/arguments.hpp"

#include <tegula/kernel/gemm/forms/block_scaled.hpp>
#include <tegula/kernel/gemm/forms/grouped.hpp>
#include <tegula/kernel/gemm/forms/quantized_weights.hpp>
#include <tegula/kernel/gemm/forms/split_k.hpp>
#include <tegula/kernel/gemm/forms/stream_k.hpp>
#include <tegula/kernel/gemm/forms/weight_tiles.hpp>
#include <tegula/kernel/gemm/microscaled/gemm.hpp>
#include <tegula/kernel/gemm/microscaled/warp_tile.hpp>
#include <tegula/kernel/gemm/tcgen05/scaled_tile.hpp>
#include <tegula/kernel/gemm/tcgen05/tiles.hpp>
#include <tegula/kernel/gemm/tiles.hpp>
#include <tegula/kernel/gemm/warp_specialized/made_dispatch.hpp>
#include <tegula/kernel/gemm/warp_specialized/scaled_tile.hpp>
#include <tegula/kernel/gemm/warp_specialized/tiles.hpp>

// The templates of kernels in test/device and beside this file, as classes: their names are mangled alike.
namespace tegula {
template <class>
struct along_k;
template <class>
struct in_groups;
template <class>
struct along_rows;
template <class>
struct mixed;
template <class>
struct element_wise;
template <class>
struct paired;
template <class>
struct wide;
template <class>
struct turns;
template <class>
struct few_rows;
template <class>
struct promoted;
template <class>
struct pair;
template <class>
struct single;
template <class>
struct scaled;
template <class>
struct two_sets;
template <class>
struct bytes;
template <class>
struct narrow;
template <class>
struct launches;
template <class>
struct direct;
template <class>
struct shared;
template <class>
struct listed;
template <class>
struct weights;
template <class>
struct bits_4_in_f16;
template <class>
struct zero_points;
template <class>
struct bits_8;
} // namespace tegula
template <class>
struct first_kernel;
template <class>
struct second_kernel;
template <class>
struct grouped_kernel;

namespace {

using namespace tegula;
using enum operand_order;
using namespace ptx_arguments;

template <class C, class Tile>
using test_epilogue = std::conditional_t<std::is_integral_v<C>, epilogue::none, epilogue::linear<C>>;
template <class Tile, class C, operand_order A, operand_order B>
using plain =
    gemm_kernel<Tile, A, B, C, test_epilogue<C, Tile>, A == any ? output_access::elements : output_access::vectors>;

// The kernels of test/device/gemm_<type>.cpp

template <class Target>
void list_plain(const char* arch)
{
    using f16 = gemm_tiles<Target, half>;
    using bf16 = gemm_tiles<Target, bfloat16>;
    using tf32 = gemm_tiles<Target, tfloat32>;
    using f32 = gemm_tiles<Target, float>;
    using i8 = gemm_tiles<Target, std::int8_t>;
    const auto one = [&]<template <class> class Name, class Kernel>(const char* file, const char* type, operand_order a,
                                                                    operand_order b, const std::string& tile) {
        list<Name<Kernel>, Kernel>({file, arch, type, "plain", a, b}, std::string(file) + "." + tile);
    };
    one.template operator()<along_rows, plain<typename f16::t64x64, half, row_contiguous, row_contiguous>>(
        "gemm_f16", "f16", row_contiguous, row_contiguous, "t64x64.rows");
    one.template operator()<along_k, plain<typename f16::t32x128, half, k_contiguous, k_contiguous>>(
        "gemm_f16", "f16", k_contiguous, k_contiguous, "t32x128.k");
    one.template operator()<along_k, plain<typename bf16::t128x128, float, k_contiguous, k_contiguous>>(
        "gemm_bf16", "bf16", k_contiguous, k_contiguous, "t128x128.k");
    one.template operator()<along_rows, plain<typename bf16::t128x128, float, row_contiguous, row_contiguous>>(
        "gemm_bf16", "bf16", row_contiguous, row_contiguous, "t128x128.rows");
    one.template operator()<mixed, plain<typename bf16::t128x128, bfloat16, k_contiguous, row_contiguous>>(
        "gemm_bf16_mixed", "bf16", k_contiguous, row_contiguous, "t128x128.mixed");
    one.template operator()<element_wise, plain<typename bf16::t128x128, float, any, any>>("gemm_bf16_mixed", "bf16",
                                                                                           any, any, "t128x128.any");
    one.template operator()<along_k, plain<typename bf16::t64x64, float, k_contiguous, k_contiguous>>(
        "gemm_bf16", "bf16", k_contiguous, k_contiguous, "t64x64.k");
    one.template operator()<along_k, plain<typename tf32::t128x128, float, k_contiguous, k_contiguous>>(
        "gemm_tf32", "tf32", k_contiguous, k_contiguous, "t128x128.k");
    one.template operator()<along_rows, plain<typename tf32::t64x64, float, row_contiguous, row_contiguous>>(
        "gemm_tf32", "tf32", row_contiguous, row_contiguous, "t64x64.rows");
    one.template operator()<along_k, plain<typename f32::t128x128, float, k_contiguous, k_contiguous>>(
        "gemm_f32", "f32", k_contiguous, k_contiguous, "t128x128.k");
    one.template operator()<element_wise, plain<typename f32::t32x128, float, any, any>>("gemm_f32", "f32", any, any,
                                                                                         "t32x128.any");
    one.template operator()<along_k, plain<typename i8::t128x128, std::int32_t, k_contiguous, k_contiguous>>(
        "gemm_int8", "int8", k_contiguous, k_contiguous, "t128x128.k");
    one.template operator()<along_rows, plain<typename i8::t128x128, std::int32_t, row_contiguous, row_contiguous>>(
        "gemm_int8", "int8", row_contiguous, row_contiguous, "t128x128.rows");
    one.template operator()<element_wise, plain<typename i8::t32x128, std::int32_t, any, any>>("gemm_int8", "int8", any,
                                                                                               any, "t32x128.any");
}

void list_fp8()
{
    using tiles = gemm_tiles<arch::sm_89, float8_e4m3>;
    using large = plain<tiles::t128x128, float, k_contiguous, k_contiguous>;
    using medium = plain<tiles::t64x64, float, row_contiguous, row_contiguous>;
    list<along_k<large>, large>({"gemm_fp8", "sm_89", "fp8_e4m3", "plain", k_contiguous, k_contiguous},
                                "gemm_fp8.t128x128.k");
    list<along_rows<medium>, medium>({"gemm_fp8", "sm_89", "fp8_e4m3", "plain", row_contiguous, row_contiguous},
                                     "gemm_fp8.t64x64.rows");
}

void list_forms()
{
    using tile = gemm_tiles<arch::sm_80, bfloat16>::t128x128;
    using aligned =
        gemm_kernel<tile, k_contiguous, row_contiguous, bfloat16, epilogue::linear<bfloat16>, output_access::vectors>;
    using split = split_k_gemm<aligned>;
    using stream = stream_k_gemm<aligned>;
    using grouped = grouped_gemm<aligned>;
    const auto words_of = [](const char* file, const char* form) {
        return words{file, "sm_80", "bf16", form, k_contiguous, row_contiguous};
    };
    list<first_kernel<split>, split>(words_of("gemm_split", "split_k"), "gemm_split.t128x128");
    list<second_kernel<split>, reduce_partials<split>>(words_of("gemm_split", "split_k_sum"), "gemm_split.sum");
    list<first_kernel<stream>, stream>(words_of("gemm_stream", "stream_k"), "gemm_stream.t128x128");
    list<second_kernel<stream>, reduce_partials<stream>>(words_of("gemm_stream", "stream_k_sum"), "gemm_stream.sum");
    list<grouped_kernel<grouped>, grouped>(words_of("gemm_grouped", "grouped"), "gemm_grouped.t128x128");

    using scaled_tile = block_scaled_tiles<arch::sm_90a, float8_e4m3>::t128x64;
    using scaled = block_scaled_kernels<scaled_tile, float, epilogue::none>::aligned<k_contiguous, k_contiguous>;
    list<along_k<scaled>, scaled>({"gemm_scaled", "sm_90a", "fp8_e4m3", "block_scaled", k_contiguous, k_contiguous},
                                  "gemm_scaled.t128x64.k");

    using columns = epilogue::chain<epilogue::scale_columns<>>;
    using int8_weights = quantized_weights_kernels<gemm_tiles<arch::sm_80, bfloat16>::t128x128, quantized<std::int8_t>,
                                                   bfloat16, columns>::aligned<k_contiguous, k_contiguous>;
    using zero_points = quantized<uint4x2, 64, float, std::uint8_t>;
    using uint4_weights = quantized_weights_kernels<gemm_tiles<arch::sm_80, bfloat16>::t64x64, zero_points, bfloat16,
                                                    columns>::aligned<k_contiguous, row_contiguous>;
    list<along_k<int8_weights>, int8_weights>(
        {"gemm_quantized_weights", "sm_80", "bf16", "int8_weights", k_contiguous, k_contiguous},
        "gemm_quantized_weights.int8");
    list<in_groups<uint4_weights>, uint4_weights>(
        {"gemm_quantized_weights", "sm_80", "bf16", "uint4_weights", k_contiguous, row_contiguous},
        "gemm_quantized_weights.uint4");
}

// test/device/gemm_packed_weights.cpp

void list_packed_weights()
{
    using f16 = weight_tiles<arch::sm_90a, half>;
    using bf16 = weight_tiles<arch::sm_90a, bfloat16>;
    const auto one = [&]<template <class> class Name, class Tile, class Form, operand_order B>(
                         const char* type, const char* form, const char* name) {
        using kernel = typename quantized_weights_kernels<
            Tile, Form, typename Tile::a_type,
            epilogue::chain<epilogue::scale_columns<>>>::template aligned<k_contiguous, B>;
        list<Name<kernel>, kernel>({"gemm_packed_weights", "sm_90a", type, form, k_contiguous, B}, name);
    };
    one.template operator()<bits_4_in_f16, f16::t32x128_packed, quantized<int4x2, 64>, k_contiguous>(
        "f16", "packed_int4_weights", "gemm_packed_weights.int4");
    one.template operator()<tegula::zero_points, bf16::t16x128_packed, quantized<uint4x2, 64, float, std::uint8_t>,
                            k_contiguous>("bf16", "packed_uint4_weights", "gemm_packed_weights.uint4");
    one.template operator()<bits_8, bf16::t16x128_packed, quantized<std::int8_t>, row_contiguous>(
        "bf16", "int8_weights", "gemm_packed_weights.int8");
}

void list_warps_of_sm_120a()
{
    using relative = plain<gemm_tiles<arch::sm_120a, half>::t64x64, float, k_contiguous, k_contiguous>;
    list<along_k<relative>, relative>({"gemm_relatives", "sm_120a", "f16", "plain", k_contiguous, k_contiguous},
                                      "gemm_relatives.sm_120a");
}

// Warp-specialised kernels: test/device/gemm_hopper.cpp, gemm_hopper_split.cpp and gemm_partitions.cu

/// Prints the plan of a kernel of sm_120a whose operands have block scales.
template <class Kernel>
void plan_warps()
{
    std::string skipped, digits;
    for (int i = 0; i < 4; ++i)
        std::cin >> skipped;
    std::cin >> digits;
    typename Kernel::arguments given{}, args{};
    const std::vector<unsigned char> bytes = bytes_of(digits);
    std::memcpy(static_cast<void*>(&given), bytes.data(), std::min(sizeof(given), bytes.size()));
    std::string maps;
    const status s = fill_arguments<Kernel>(args, given.product, [&](tensor_map& map, const tensor_map_parameters& p) {
        maps += (maps.empty() ? "" : ", ") +
                map_text(reinterpret_cast<const char*>(&map) - reinterpret_cast<const char*>(&args), p);
        return status{};
    });
    std::cout << "{\"status\": " << quoted(s ? "" : s.message()) << ", \"blocks\": " << Kernel::blocks(args)
              << ", \"maps\": [" << maps << "], \"arguments\": " << quoted(hexadecimal(&args, sizeof(args))) << "}\n";
}

/// type: the formats of A and of B.
template <template <class> class Name, class Tile>
void list_warps(bool prints, const char* name, const char* type)
{
    using kernel = microscaled_gemm<Tile, bfloat16, epilogue::linear<bfloat16>, output_access::vectors>;
    plans()[name] = &plan_warps<kernel>;
    if (!prints)
        return;
    gemm_example::shipped_row r{};
    r.threads = kernel::block_threads;
    r.shared_bytes = kernel::shared_bytes;
    r.block_m = kernel::tile::block_m;
    r.block_n = kernel::tile::block_n;
    r.block_k = kernel::tile::step_k;
    r.a_type = r.b_type = number_traits<std::uint8_t>::name();
    r.c_type = number_traits<bfloat16>::name();
    r.argument_bytes = sizeof(typename kernel::arguments);
    r.fields = gemm_example::describe_arguments(typename kernel::arguments{});
    print({"gemm_scaled_warps", "sm_120a", type, "microscaled", k_contiguous, k_contiguous}, name,
          symbol<Name<kernel>>(), r, ", \"cluster\": 1");
}
void list_all_warps(bool prints)
{
    using e4m3 = mx_format<float8_e4m3>;
    list_warps<scaled, scaled_warp_tiles<arch::sm_120a, nvfp4_format>::t128x128>(prints, "gemm_scaled_warps.nvfp4",
                                                                                 "nvfp4 nvfp4");
    list_warps<bytes, scaled_warp_tiles<arch::sm_120a, e4m3>::t64x64>(prints, "gemm_scaled_warps.bytes",
                                                                      "mxfp8_e4m3 mxfp8_e4m3");
    list_warps<narrow,
               scaled_warp_tile<arch::sm_120a, mx_format<float6_e2m3>, mx_format<float4_e2m1>, 64, 64, 2, 2, 3>>(
        prints, "gemm_scaled_warps.narrow", "mxfp6_e2m3 mxfp4");
}

template <template <class> class Name, class T, class Tile, operand_order B, class C,
          output_store Store = output_store::tensor_copies, work_partition Partition = work_partition::tiles>
void list_warp_specialized(bool prints, const char* name, const char* file, const char* type)
{
    list_kernel<Name,
                warp_specialized_gemm<Tile, operand_order::k_contiguous, B, C,
                                      std::conditional_t<std::is_integral_v<C>, epilogue::none, epilogue::linear<C>>,
                                      Store, Partition>,
                T, B>(prints, name, file, "sm_90a", type);
}

/// Block-scaled fp8 on sm_90a.
template <template <class> class Name, class Tile>
void list_block_scaled(bool prints, const char* name)
{
    constexpr auto k = operand_order::k_contiguous;
    list_kernel<Name, warp_specialized_gemm<Tile, k, k, float, epilogue::none, output_store::tensor_copies>,
                typename Tile::a_type, k>(prints, name, "gemm_hopper_scaled", "sm_90a", "fp8_e4m3");
}

/// A kernel of sm_100a.
template <template <class> class Name, class T, class Tile, operand_order B, class C,
          output_store Store = output_store::tensor_copies, work_partition Partition = work_partition::tiles>
void list_tcgen05(bool prints, const char* name, const char* type, const char* file = "gemm_tcgen05")
{
    list_kernel<Name, tcgen05_gemm<Tile, operand_order::k_contiguous, B, C, epilogue::linear<C>, Store, Partition>, T,
                B>(prints, name, file, "sm_100a", type);
}
/// Weights of integers, which a warpgroup of the kernel widens.
template <class Tile, class Form, bool Whole>
void list_made(bool prints, const char* name, const char* form)
{
    using columns = epilogue::chain<epilogue::scale_columns<>>;
    using kernels = persistent_quantized_kernels<Tile, Form, bfloat16, columns>;
    list_kernel<weights,
                typename kernels::template kernel<Whole, operand_order::k_contiguous, output_store::tensor_copies>,
                bfloat16, Whole ? operand_order::k_contiguous : operand_order::row_contiguous>(
        prints, name, std::is_same_v<typename Tile::target, arch::sm_90a> ? "gemm_hopper_made" : "gemm_tcgen05_made",
        Tile::target::chip().name, "bf16", form);
}
void list_all_warp_specialized(bool prints)
{
    using bf16 = warp_specialized_tiles<arch::sm_90a, bfloat16>;
    using i8 = warp_specialized_tiles<arch::sm_90a, std::int8_t>;
    using f16 = warp_specialized_tiles<arch::sm_90a, half>;
    using fp8 = warp_specialized_tiles<arch::sm_90a, float8_e4m3>;
    constexpr auto k = operand_order::k_contiguous, mn = operand_order::row_contiguous;
    list_warp_specialized<paired, bfloat16, bf16::ws128x256_2x1, k, bfloat16>(prints, "hopper.paired", "gemm_hopper",
                                                                              "bf16");
    list_warp_specialized<turns, std::int8_t, i8::ws128x128, k, std::int32_t>(prints, "hopper.turns", "gemm_hopper",
                                                                              "int8");
    list_warp_specialized<few_rows, half, f16::ws16x128, mn, half>(prints, "hopper.few_rows", "gemm_hopper", "f16");
    list_warp_specialized<promoted, float8_e4m3, fp8::ws128x128_2x1_promoted, k, bfloat16>(prints, "hopper.promoted",
                                                                                           "gemm_hopper", "fp8_e4m3");
    using scaled_fp8 = warp_specialized_scaled_tiles<arch::sm_90a, float8_e4m3>;
    list_block_scaled<promoted, scaled_fp8::ws128x128_2x1>(prints, "hopper.block_scaled");
    list_block_scaled<few_rows, scaled_fp8::ws16x128>(prints, "hopper.block_scaled_few_rows");
    list_warp_specialized<direct, bfloat16, bf16::ws128x128_2x1, mn, float, output_store::direct>(
        prints, "hopper.direct", "gemm_hopper", "bf16");
    list_warp_specialized<shared, bfloat16, bf16::ws128x128_2x1, k, float, output_store::tensor_copies,
                          work_partition::split_k>(prints, "hopper.split_k", "gemm_partitions", "bf16");
    list_warp_specialized<shared, bfloat16, bf16::ws128x128_2x1, k, float, output_store::tensor_copies,
                          work_partition::stream>(prints, "hopper.stream_k", "gemm_partitions", "bf16");
    list_warp_specialized<wide, bfloat16, cluster_split_tile<bf16::ws128x256, 2>, k, bfloat16>(
        prints, "hopper.cluster_of_two", "gemm_hopper_split", "bf16");
    list_warp_specialized<few_rows, float8_e4m3, cluster_split_tile<fp8::ws16x128, 4>, k, bfloat16>(
        prints, "hopper.cluster_few_rows", "gemm_hopper_split", "fp8_e4m3");
    list_warp_specialized<direct, std::int8_t, cluster_split_tile<i8::ws64x128, 4>, k, std::int32_t,
                          output_store::direct>(prints, "hopper.cluster_direct", "gemm_hopper_split", "int8");
    list_warp_specialized<paired, bfloat16, bf16::ws128x256_2x1, k, bfloat16, output_store::tensor_copies,
                          work_partition::list>(prints, "hopper.list", "gemm_hopper_list", "bf16");
    list_warp_specialized<turns, std::int8_t, i8::ws128x128, k, std::int32_t, output_store::tensor_copies,
                          work_partition::list>(prints, "hopper.list_in_turns", "gemm_hopper_list", "int8");
    list_tcgen05<pair, bfloat16, tcgen05_tiles<arch::sm_100a, bfloat16>::tc256x256_2x1, k, bfloat16>(
        prints, "tcgen05.pair", "bf16");
    list_tcgen05<launches, bfloat16, tcgen05_tiles<arch::sm_100a, bfloat16>::tc256x256_2x1, k, bfloat16,
                 output_store::tensor_copies, work_partition::launch_control>(prints, "tcgen05.launches", "bf16");
    list_tcgen05<shared, bfloat16, tcgen05_tiles<arch::sm_100a, bfloat16>::tc128x128, k, float,
                 output_store::tensor_copies, work_partition::stream>(prints, "tcgen05.stream_k", "bf16");
    list_tcgen05<single, float8_e4m3, tcgen05_tiles<arch::sm_100a, float8_e4m3>::tc128x256, mn, bfloat16>(
        prints, "tcgen05.single", "fp8_e4m3");
    list_tcgen05<direct, tfloat32, tcgen05_tiles<arch::sm_100a, tfloat32>::tc128x128, k, float, output_store::direct>(
        prints, "tcgen05.direct", "tf32");
    list_tcgen05<scaled, std::uint8_t, tcgen05_scaled_tiles<arch::sm_100a, nvfp4_format>::tc256x256_2x1, k, bfloat16>(
        prints, "tcgen05.scaled", "nvfp4");
    list_tcgen05<two_sets, std::uint8_t, tcgen05_scaled_tiles<arch::sm_100a, nvfp4_format>::tc256x192_2x1, k, bfloat16>(
        prints, "tcgen05.two_sets", "nvfp4");
    list_tcgen05<listed, bfloat16, tcgen05_tiles<arch::sm_100a, bfloat16>::tc256x256_2x1, k, bfloat16,
                 output_store::tensor_copies, work_partition::list>(prints, "tcgen05.list", "bf16",
                                                                    "gemm_tcgen05_list");
    using made_tiles = tcgen05_tiles<arch::sm_100a, bfloat16>;
    list_made<made_tiles::tc256x256_2x1, quantized<std::int8_t>, true>(prints, "tcgen05.int8_weights", "int8_weights");
    list_made<made_tiles::tc128x128, quantized<int4x2, 64>, false>(prints, "tcgen05.int4_weights", "int4_weights");
    list_made<bf16::ws256x128, quantized<std::int8_t>, true>(prints, "hopper.int8_weights", "int8_weights");
    list_made<bf16::ws128x128, quantized<int4x2, 64>, true>(prints, "hopper.int4_weights", "int4_weights");
    list_made<bf16::ws16x128, quantized<int4x2, 64>, true>(prints, "hopper.int4_weights_few_rows", "int4_weights");
}

} // namespace

int main(int argc, char** argv)
{
    if (argc == 3 && std::string(argv[1]) == "plan") {
        list_all_warp_specialized(false);
        list_all_warps(false);
        return print_plan(argv[2]);
    }
    list_plain<arch::sm_80>("sm_80");
    list_fp8();
    list_forms();
    list_packed_weights();
    list_warps_of_sm_120a();
    list_all_warp_specialized(true);
    list_all_warps(true);
}
