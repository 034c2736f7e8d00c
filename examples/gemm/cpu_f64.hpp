#pragma once

#include "cpu.hpp"

#include <vector>

namespace gemm_example {

/// A matrix of the problem in double.
struct wide_matrix
{
    std::vector<double> values;
    tegula::matrix_argument<const double> argument;

    wide_matrix(const tegula::matrix_argument<const void>& x, long_index_t rows, long_index_t columns,
                long_index_t batch)
    {
        const long_index_t matrices = x.batch_stride == 0 ? 1 : batch;
        values.reserve(static_cast<std::size_t>(matrices * rows * columns));
        const auto* const from = static_cast<const float*>(x.data);
        for (long_index_t b = 0; b < matrices; ++b)
            for (long_index_t i = 0; i < rows; ++i)
                for (long_index_t j = 0; j < columns; ++j)
                    values.push_back(
                        static_cast<double>(from[b * x.batch_stride + i * x.row_stride + j * x.column_stride]));
        argument = {values.data(), columns, 1, matrices == 1 ? 0 : rows * columns};
    }
};

/// --type f64: of inputs in float, which are exact in double, the product and its sums in double; C is float as of every
/// type.
template <class Target, class Instruction, class Tile>
struct in_double
{
    using kernels = tegula::cpu_gemm_kernels<Target, double, Instruction, float, epilogue_of<float>>;

    static run_result run(const problem& p, const run_options&)
    {
        const auto narrow = make_arguments<float>(p);
        const wide_matrix a(p.a, p.m, p.k, p.batch), b(p.b, p.k, p.n, p.batch);
        const typename kernels::arguments args{p.m,        p.n,        p.k,      p.batch,
                                               a.argument, b.argument, narrow.c, narrow.epilogue};
        return run_on_cpu([&](tegula::cpu_device& device) {
            if (const tegula::status s = tegula::can_implement(args); !s)
                return s;
            return kernels::template dispatch_tile<Tile>(
                args, [&](auto kernel) { return tegula::launch(device, kernel, args); });
        });
    }
    static kernel_entry entry(const char* name)
    {
        kernel_entry e = describe_cpu_tile<Target, Tile>("f64", name);
        e.element = element::f32; // as operands are rounded and lie in memory
        e.tile.input_bytes = sizeof(float);
        e.run = &run;
        return e;
    }
};

template <class Target>
bool add_cpu_f64()
{
    return tegula::detail::with_instruction(typename tegula::cpu_instructions<Target, double>::type{},
                                            [&](auto instruction) {
                                                using I = decltype(instruction);
                                                using tiles = tegula::cpu_gemm_tiles<Target, double, I>;
                                                add_kernels(
                                                    {in_double<Target, I, typename tiles::t84x256>::entry("t84x256")});
                                                return tegula::status();
                                            })
        .ok();
}

} // namespace gemm_example
