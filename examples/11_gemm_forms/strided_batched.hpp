#pragma once

// A batch of products, operands of any strides.

#include "one_product.hpp"

inline void strided_batched()
{
    kernels::arguments args{m, n, k, 3};
    args.a = {a.data(), k, 1, m * k}; // row, column and batch stride
    args.b = {b.data(), n, 1, 0};     // one B for the whole batch
    args.c = {c.data(), 1, m, m * n}; // C by columns
    const auto run = emulate(kernels::element_wise{}, args);

    auto problem = one_product;
    problem.batch = 3;
    problem.b.batch_stride = 0;
    report("strided batch", run, is_product(problem, column_major(c.data(), m, n)));
}
