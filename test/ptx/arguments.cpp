// Prints, for the scripts beside it, how the kernels of the device tests are started: symbol, tile, members of the
// argument. `plan <name>` reads from standard input
//
//     multiprocessors splits workspace-address workspace-bytes argument-in-hexadecimal
//
// with the product filled in, and prints what the host prepares for a warp-specialised kernel: the argument, and the
// parameters of its tensor maps with their offsets. Of a kernel of lists it reads
//
//     multiprocessors products-in-hexadecimal
//
// and prints the list in their place, which the maps' offsets are in, the tiles before each product, the plan and where
// in the argument it lies.

#include "examples/gemm/shipped_rows.hpp"

#include <tegula/host/launch.hpp>
#include <tegula/kernel/gemm/forms/block_scaled.hpp>
#include <tegula/kernel/gemm/forms/grouped.hpp>
#include <tegula/kernel/gemm/forms/quantized_weights.hpp>
#include <tegula/kernel/gemm/forms/split_k.hpp>
#include <tegula/kernel/gemm/forms/stream_k.hpp>
#include <tegula/kernel/gemm/microscaled/gemm.hpp>
#include <tegula/kernel/gemm/microscaled/warp_tile.hpp>
#include <tegula/kernel/gemm/tcgen05/kernel.hpp>
#include <tegula/kernel/gemm/tcgen05/made_dispatch.hpp>
#include <tegula/kernel/gemm/tcgen05/scaled_tile.hpp>
#include <tegula/kernel/gemm/tcgen05/tiles.hpp>
#include <tegula/kernel/gemm/tiles.hpp>
#include <tegula/kernel/gemm/warp_specialized/kernel.hpp>
#include <tegula/kernel/gemm/warp_specialized/list.hpp>
#include <tegula/kernel/gemm/warp_specialized/maps.hpp>
#include <tegula/kernel/gemm/warp_specialized/scaled_tile.hpp>
#include <tegula/kernel/gemm/warp_specialized/tiles.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <typeinfo>

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
struct summing;
template <class>
struct listed;
template <class>
struct weights;
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

template <class Symbol>
std::string symbol()
{
    std::string name = typeid(Symbol*).name(); // P of a type that is not complete
    name.erase(0, 1);
    if (name[0] == 'N')
        name.pop_back();
    return "_Z" + name;
}

std::string quoted(const std::string& x) { return '"' + x + '"'; }

std::string fields_text(const std::vector<gemm_example::argument_field>& fields)
{
    std::string text;
    for (const auto& f : fields)
        text += (text.empty() ? "" : ", ") + ("{\"name\": " + quoted(f.name)) + ", \"type\": " + quoted(f.type) +
                ", \"to\": " + quoted(f.to) + ", \"offset\": " + std::to_string(f.offset) + "}";
    return "[" + text + "]";
}

const char* name_of(operand_order order)
{
    return order == k_contiguous ? "k" : order == row_contiguous ? "row" : "any";
}

struct words
{
    const char* file; ///< of test/device
    const char* arch;
    const char* type;
    const char* form;
    operand_order a, b;
};

void print(const words& w, const std::string& name, const std::string& symbol, const gemm_example::shipped_row& r,
           const std::string& more)
{
    const bool aligned = w.a != any;
    std::cout << "{\"name\": " << quoted(name) << ", \"file\": " << quoted(w.file) << ", \"arch\": " << quoted(w.arch)
              << ", \"type\": " << quoted(w.type) << ", \"form\": " << quoted(w.form)
              << ", \"symbol\": " << quoted(symbol) << ", \"order_a\": " << quoted(name_of(w.a))
              << ", \"order_b\": " << quoted(name_of(w.b)) << ", \"aligned\": " << (aligned ? "true" : "false")
              << ", \"a_type\": " << quoted(r.a_type) << ", \"b_type\": " << quoted(r.b_type)
              << ", \"c_type\": " << quoted(r.c_type) << ", \"block_m\": " << r.block_m
              << ", \"block_n\": " << r.block_n << ", \"block_k\": " << r.block_k << ", \"pass_rows\": " << r.pass_rows
              << ", \"threads\": " << r.threads << ", \"shared\": " << r.shared_bytes
              << ", \"arguments\": {\"bytes\": " << r.argument_bytes << ", \"fields\": " << fields_text(r.fields)
              << "}, \"product\": {\"bytes\": " << r.product_bytes << ", \"fields\": " << fields_text(r.product_fields)
              << "}" << more << "}\n";
}

template <class Kernel>
struct row
{
    using kernel = Kernel;
    static constexpr gemm_example::kernel_words words{"", "", "", k_contiguous, k_contiguous};
};

template <class Symbol, class Kernel>
void list(const words& w, const std::string& name)
{
    print(w, name, symbol<Symbol>(),
          gemm_example::describe_shipped<typename gemm_example::plain_of<Kernel>::type::target, row<Kernel>>(), "");
}

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
        "gemm_bf16", "bf16", k_contiguous, row_contiguous, "t128x128.mixed");
    one.template operator()<element_wise, plain<typename bf16::t128x128, float, any, any>>("gemm_bf16", "bf16", any,
                                                                                           any, "t128x128.any");
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

void list_warps_of_sm_120a()
{
    using relative = plain<gemm_tiles<arch::sm_120a, half>::t64x64, float, k_contiguous, k_contiguous>;
    list<along_k<relative>, relative>({"gemm_relatives", "sm_120a", "f16", "plain", k_contiguous, k_contiguous},
                                      "gemm_relatives.sm_120a");
}

// Warp-specialised kernels: test/device/gemm_hopper.cpp and gemm_partitions.cu

std::map<std::string, std::function<void()>>& plans()
{
    static std::map<std::string, std::function<void()>> all;
    return all;
}

std::string hexadecimal(const void* data, std::size_t size)
{
    std::string digits;
    for (std::size_t i = 0; i < size; ++i)
        for (const int shift : {4, 0})
            digits += "0123456789abcdef"[static_cast<const unsigned char*>(data)[i] >> shift & 15];
    return digits;
}

std::string map_text(long offset, const tensor_map_parameters& p)
{
    std::ostringstream text;
    const auto numbers = [&](const char* name, const auto* values, int first) {
        text << ", \"" << name << "\": [";
        for (int i = first; i < p.rank; ++i)
            text << (i > first ? ", " : "") << values[i];
        text << "]";
    };
    text << "{\"offset\": " << offset << ", \"base\": " << reinterpret_cast<std::uintptr_t>(p.base)
         << ", \"type\": " << static_cast<int>(p.type) << ", \"swizzle\": " << static_cast<int>(p.swizzle);
    numbers("lengths", p.lengths, 0);
    numbers("strides", p.strides_bytes, 1);
    numbers("box", p.box, 0);
    numbers("element_strides", p.element_strides, 0);
    text << "}";
    return text.str();
}

std::vector<unsigned char> bytes_of(const std::string& digits)
{
    std::vector<unsigned char> bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
        bytes.push_back(static_cast<unsigned char>(std::stoi(digits.substr(i, 2), nullptr, 16)));
    return bytes;
}

/// Of a kernel of lists.
template <class Kernel>
void plan_list()
{
    int multiprocessors = 0;
    std::string digits;
    std::cin >> multiprocessors >> digits;
    const std::vector<unsigned char> given = bytes_of(digits);
    std::vector<typename Kernel::product_type> products(given.size() / sizeof(typename Kernel::product_type));
    std::memcpy(static_cast<void*>(products.data()), given.data(), given.size());
    std::vector<typename Kernel::listed_product> list(products.size());
    std::vector<index_t> first_tile(products.size() + 1);
    std::string maps;
    const auto record = [&](tensor_map& map, const tensor_map_parameters& p) {
        maps += (maps.empty() ? "" : ", ") +
                map_text(reinterpret_cast<const char*>(&map) - reinterpret_cast<const char*>(list.data()), p);
        return status{};
    };
    const auto count = static_cast<index_t>(products.size());
    const status s = fill_list<Kernel>(list.data(), first_tile.data(), products.data(), count, record);
    typename Kernel::arguments args;
    args.count = count;
    args.plan = make_list_plan<Kernel>(first_tile.back(), multiprocessors);
    std::cout << "{\"status\": " << quoted(s ? "" : s.message()) << ", \"blocks\": " << Kernel::blocks(args)
              << ", \"maps\": [" << maps
              << "], \"list\": " << quoted(hexadecimal(list.data(), list.size() * sizeof(list[0])))
              << ", \"first_tile\": " << quoted(hexadecimal(first_tile.data(), first_tile.size() * sizeof(index_t)))
              << ", \"arguments\": " << quoted(hexadecimal(&args, sizeof(args)))
              << ", \"products_at\": " << offsetof(typename Kernel::arguments, products)
              << ", \"first_tile_at\": " << offsetof(typename Kernel::arguments, first_tile) << "}\n";
}

template <class Kernel>
void plan()
{
    int multiprocessors = 0;
    index_t splits = 0;
    std::uintptr_t workspace = 0;
    long_index_t workspace_bytes = 0;
    std::string digits;
    std::cin >> multiprocessors >> splits >> workspace >> workspace_bytes >> digits;
    typename Kernel::arguments given{}, args{};
    const std::vector<unsigned char> bytes = bytes_of(digits);
    std::memcpy(static_cast<void*>(&given), bytes.data(), std::min(sizeof(given), bytes.size()));
    std::string maps;
    const auto record = [&](tensor_map& map, const tensor_map_parameters& p) {
        maps += (maps.empty() ? "" : ", ") +
                map_text(reinterpret_cast<const char*>(&map) - reinterpret_cast<const char*>(&args), p);
        return status{};
    };
    const status s = fill_arguments<Kernel>(args, given.product, multiprocessors, record, splits,
                                            gemm_workspace{reinterpret_cast<std::byte*>(workspace), workspace_bytes});
    long_index_t needed = 0, sums = 0;
    if constexpr (Kernel::has_partials) {
        needed = split_k_workspace_bytes<Kernel>(given.product, multiprocessors, splits);
        if (s)
            sums = reduce_partials<split_k_reduction<Kernel>>::blocks(args);
    }
    std::cout << "{\"status\": " << quoted(s ? "" : s.message()) << ", \"blocks\": " << (s ? Kernel::blocks(args) : 0)
              << ", \"sum_blocks\": " << sums << ", \"workspace\": " << needed << ", \"maps\": [" << maps
              << "], \"arguments\": " << quoted(hexadecimal(&args, sizeof(args))) << "}\n";
}

/// Of a kernel of sm_120a whose operands have block scales.
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

template <template <class> class Name, class kernel, class T, operand_order B>
void list_kernel(bool prints, const char* name, const char* file, const char* arch, const char* type,
                 const char* form_of_b = nullptr)
{
    constexpr bool listing = kernel::sharing == work_partition::list;
    if constexpr (listing)
        plans()[name] = &plan_list<kernel>;
    else
        plans()[name] = &plan<kernel>;
    if (!prints)
        return;
    using arguments = typename kernel::arguments;
    gemm_example::shipped_row r{};
    r.threads = kernel::block_threads;
    r.shared_bytes = kernel::shared_bytes;
    r.block_m = kernel::tile::block_m;
    r.block_n = kernel::tile::block_n;
    r.block_k = kernel::tile::block_k;
    r.a_type = r.b_type = number_traits<T>::name();
    if (form_of_b != nullptr)
        r.b_type = form_of_b;
    r.c_type = number_traits<typename kernel::c_type>::name();
    r.argument_bytes = sizeof(arguments);
    if constexpr (!listing) {
        r.fields = gemm_example::describe_arguments(arguments{});
    } else {
        r.product_bytes = sizeof(typename kernel::product_type);
        r.product_fields = gemm_example::describe_arguments(typename kernel::product_type{});
    }
    std::string more = ", \"cluster\": " + std::to_string(kernel::cluster_blocks);
    if constexpr (kernel::has_partials)
        more += ", \"sum\": {\"symbol\": " + quoted(symbol<summing<kernel>>()) +
                ", \"threads\": " + std::to_string(reduce_partials<split_k_reduction<kernel>>::block_threads) + "}";
    if constexpr (kernel::sharing == work_partition::launch_control)
        more += ", \"takes_over_launches\": true";
    constexpr bool of_scaled_format = requires(arguments x) { x.product.tensor_scale; };
    constexpr bool block_scaled = requires(arguments x) { x.product.a_scales; };
    const char* const form = form_of_b != nullptr ? form_of_b
                             : listing            ? "list"
                             : of_scaled_format   ? "scaled_format"
                             : block_scaled       ? "block_scaled"
                                                  : "warp_specialized";
    print({file, arch, type, form, k_contiguous, B == operand_order::k_contiguous ? k_contiguous : row_contiguous},
          name, symbol<Name<kernel>>(), r, more);
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

/// Of sm_100a.
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
    using kernels = tcgen05_quantized_kernels<Tile, Form, bfloat16, columns>;
    list_kernel<weights,
                typename kernels::template kernel<Whole, operand_order::k_contiguous, output_store::tensor_copies>,
                bfloat16, Whole ? operand_order::k_contiguous : operand_order::row_contiguous>(
        prints, name, "gemm_tcgen05_made", "sm_100a", "bf16", form);
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
    list_tcgen05<listed, bfloat16, tcgen05_tiles<arch::sm_100a, bfloat16>::tc256x256_2x1, k, bfloat16,
                 output_store::tensor_copies, work_partition::list>(prints, "tcgen05.list", "bf16",
                                                                    "gemm_tcgen05_list");
    using made_tiles = tcgen05_tiles<arch::sm_100a, bfloat16>;
    list_made<made_tiles::tc256x256_2x1, quantized<std::int8_t>, true>(prints, "tcgen05.int8_weights", "int8_weights");
    list_made<made_tiles::tc128x128, quantized<int4x2, 64>, false>(prints, "tcgen05.int4_weights", "int4_weights");
}

} // namespace

int main(int argc, char** argv)
{
    if (argc == 3 && std::string(argv[1]) == "plan") {
        list_all_warp_specialized(false);
        list_all_warps(false);
        const auto found = plans().find(argv[2]);
        if (found == plans().end()) {
            std::cerr << "no kernel " << argv[2] << "\n";
            return 1;
        }
        found->second();
        return 0;
    }
    list_plain<arch::sm_80>("sm_80");
    list_fp8();
    list_forms();
    list_warps_of_sm_120a();
    list_all_warp_specialized(true);
    list_all_warps(true);
}
