#pragma once

// Products of several sizes in one launch.

#include "one_product.hpp"

inline void grouped()
{
    const long_index_t rows[] = {24, 0, 96}; // of the experts of a layer, one with nothing to do
    std::vector<kernels::arguments> products;
    long_index_t first = 0;
    for (const long_index_t count : rows) {
        products.push_back(
            {count, n, k, 1, {&a[first * k], k, 1}, {&b[products.size() * k * n], n, 1}, {&c[first * n], n, 1}, {}});
        first += count;
    }
    std::vector<index_t> first_block(products.size() + 1);
    emulator::launch_result run;
    run.status = grouped_kernels<kernels>::dispatch(products.data(), 3, first_block.data(), [&](auto grouped) {
        run = emulate(grouped, {products.data(), first_block.data(), 3, first_block.back()});
        return run.status;
    });

    bool right = true;
    for (const auto& p : products)
        right =
            right && is_product(reference_gemm_problem<bfloat16, bfloat16>{p.m, n, k, 1, row_major(p.a.data, p.m, k),
                                                                           row_major(p.b.data, k, n)},
                                row_major<float>(p.c.data, p.m, n));
    report("grouped", run, right);
}
