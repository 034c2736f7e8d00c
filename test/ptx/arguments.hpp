#pragma once

/// How kernels of GEMM are started, printed for scripts: symbol, tile, members of the argument. A program's `plan <name>` reads
/// from standard input
///
///     multiprocessors splits workspace-address workspace-bytes argument-in-hexadecimal
///
/// with the product filled in, and prints what the host prepares for a warp-specialised kernel: the argument, and the
/// parameters of its tensor maps with their offsets. For a kernel of lists it reads
///
///     multiprocessors products-in-hexadecimal
///
/// and prints the list in their place, which the maps' offsets are in, the tiles before each product, the plan and where
/// in the argument it lies.

#include "examples/gemm/shipped_rows.hpp"

#include <tegula/host/launch.hpp>
#include <tegula/kernel/gemm/tcgen05/kernel.hpp>
#include <tegula/kernel/gemm/warp_specialized/kernel.hpp>
#include <tegula/kernel/gemm/warp_specialized/list.hpp>
#include <tegula/kernel/gemm/warp_specialized/maps.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <typeinfo>

namespace tegula {

/// The template of the kernels that sum parts, as a class: their names are mangled alike.
template <class>
struct summing;

namespace ptx_arguments {

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

inline std::string quoted(const std::string& x) { return '"' + x + '"'; }

inline std::string fields_text(const std::vector<gemm_example::argument_field>& fields)
{
    std::string text;
    for (const auto& f : fields)
        text += (text.empty() ? "" : ", ") + ("{\"name\": " + quoted(f.name)) + ", \"type\": " + quoted(f.type) +
                ", \"to\": " + quoted(f.to) + ", \"offset\": " + std::to_string(f.offset) + "}";
    return "[" + text + "]";
}

inline const char* name_of(operand_order order)
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

inline void print(const words& w, const std::string& name, const std::string& symbol,
                  const gemm_example::shipped_row& r, const std::string& more)
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

inline std::map<std::string, std::function<void()>>& plans()
{
    static std::map<std::string, std::function<void()>> all;
    return all;
}

inline std::string hexadecimal(const void* data, std::size_t size)
{
    std::string digits;
    for (std::size_t i = 0; i < size; ++i)
        for (const int shift : {4, 0})
            digits += "0123456789abcdef"[static_cast<const unsigned char*>(data)[i] >> shift & 15];
    return digits;
}

inline std::string map_text(long offset, const tensor_map_parameters& p)
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

inline std::vector<unsigned char> bytes_of(const std::string& digits)
{
    std::vector<unsigned char> bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
        bytes.push_back(static_cast<unsigned char>(std::stoi(digits.substr(i, 2), nullptr, 16)));
    return bytes;
}

/// Prints the plan of a kernel of lists.
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

/// A kernel whose launch the host prepares; it is printed if `prints`.
template <template <class> class Name, class kernel, class T, operand_order B, operand_order A = k_contiguous>
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
    print({file, arch, type, form, A, B == operand_order::k_contiguous ? k_contiguous : row_contiguous}, name,
          symbol<Name<kernel>>(), r, more);
}

/// Prints the plan of the kernel of this name; the program's result.
inline int print_plan(const std::string& name)
{
    const auto found = plans().find(name);
    if (found == plans().end()) {
        std::cerr << "no kernel " << name << "\n";
        return 1;
    }
    found->second();
    return 0;
}

} // namespace ptx_arguments
} // namespace tegula
