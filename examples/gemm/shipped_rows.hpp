#pragma once

// Rows of the list of shipped kernels as the program prints them.

#include "launch_plan.hpp"

namespace gemm_example {

template <class Kernel>
struct plain_of
{
    using type = Kernel;
};
template <class Kernel>
    requires requires { typename Kernel::plain; }
struct plain_of<Kernel>
{
    using type = typename Kernel::plain;
};

template <class Target, class Row>
shipped_row describe_shipped()
{
    using kernel = typename Row::kernel;
    using plain = typename plain_of<kernel>::type;
    using tile = typename plain::tile;
    using arguments = typename kernel::arguments;
    shipped_row r{};
    r.arch = Target::chip().name;
    r.words = Row::words;
    r.threads = kernel::block_threads;
    r.shared_bytes = kernel::shared_bytes;
    r.block_m = tile::block_m;
    r.block_n = tile::block_n;
    r.block_k = tile::block_k;
    if constexpr (requires { kernel::passes; })
        r.pass_rows = kernel::rows;
    r.a_type = tegula::number_traits<typename plain::a_type>::name();
    r.b_type = tegula::number_traits<typename plain::b_type>::name();
    if constexpr (requires { typename arguments::form; })
        r.b_type = tegula::number_traits<typename arguments::form::packet>::name();
    r.c_type = tegula::number_traits<typename plain::c_type>::name();
    r.argument_bytes = sizeof(arguments);
    r.fields = describe_arguments(arguments{});
    if constexpr (requires(arguments x) { x.products; }) {
        r.product_bytes = sizeof(typename kernel::product);
        r.product_fields = describe_arguments(typename kernel::product{});
    }
    return r;
}

/// Adds the rows of Target to the program.
template <class Target, class... Rows>
bool add_shipped_rows(type_list<Rows...>)
{
    std::vector<shipped_row> rows;
    (rows.push_back(describe_shipped<Target, Rows>()), ...);
    return add_shipped(std::move(rows));
}

} // namespace gemm_example
