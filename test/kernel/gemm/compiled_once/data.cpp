#include "test/kernel/gemm/data.hpp"

namespace tegula::test {

placement place(long_index_t rows, long_index_t columns, long_index_t batch, memory_order order, padding pad)
{
    rows = std::max<long_index_t>(rows, 1), columns = std::max<long_index_t>(columns, 1);
    batch = std::max<long_index_t>(batch, 1);
    constexpr long_index_t vector = 16; // elements; of every type a multiple of 16 bytes
    constexpr long_index_t guard = 4 * vector;
    random_source random(static_cast<std::uint64_t>((rows * 1000 + columns) * 10 + static_cast<int>(order)));
    const auto odd = [&] { return 2 * random.integer(0, 20) + 1; };
    const bool by_rows =
        order == memory_order::row_major || order == memory_order::strided || order == memory_order::overlapping;
    const long_index_t step = order == memory_order::strided ? random.integer(2, 4) : 1;
    const long_index_t inner = (by_rows ? columns : rows) * step, outer = by_rows ? rows : columns;
    long_index_t leading = pad == padding::none      ? inner
                           : pad == padding::vectors ? (inner + vector - 1) / vector * vector + vector
                                                     : inner + inner % 2 + odd();
    if (order == memory_order::overlapping)
        leading = pad == padding::none ? 0 : pad == padding::vectors ? vector : 1;
    const long_index_t matrix = (outer - 1) * leading + inner;
    placement p;
    p.row_stride = by_rows ? leading : step;
    p.column_stride = by_rows ? step : leading;
    p.batch_stride = pad == padding::none      ? matrix
                     : pad == padding::vectors ? (matrix + vector - 1) / vector * vector
                                               : matrix + matrix % 2 + odd();
    p.first = guard + (pad == padding::odd ? odd() : 0);
    if (order == memory_order::backwards) {
        p.first += (rows - 1) * p.row_stride + (columns - 1) * p.column_stride;
        p.row_stride = -p.row_stride;
        p.column_stride = -p.column_stride;
    }
    p.storage = guard + 2 * vector + (batch - 1) * p.batch_stride + matrix + 2 * guard;
    return p;
}

std::vector<gemm_case> aligned_gemm_cases(const gemm_sizes& sizes, operand_order a, operand_order b, quarter part)
{
    using enum memory_order;
    using enum operand_order;
    const memory_order a_orders[] = {a == k_contiguous ? row_major : column_major,
                                     a == k_contiguous ? overlapping : column_major};
    const memory_order b_orders[] = {b == k_contiguous ? column_major : row_major,
                                     b == k_contiguous ? column_major : overlapping};
    return aligned_gemm_cases(sizes, a_orders, b_orders, part);
}

std::vector<gemm_case> two_kernel_cases(operand_order a, operand_order b, quarter part)
{
    std::vector<gemm_case> cases = pairwise_gemm_cases(all_gemm_sizes(), part);
    for (const gemm_case& what : aligned_gemm_cases(all_gemm_sizes(), a, b, part))
        cases.push_back(what);
    for (const auto& [m, n, k, batch] :
         {std::array{0, 65, 7, 1}, {65, 0, 7, 2}, {65, 63, 0, 2}, {65, 63, 7, 0}, {0, 0, 0, 0}}) {
        gemm_case what;
        what.m = m, what.n = n, what.k = k, what.batch = batch;
        what.beta = 0.5f;
        what.bias = true;
        cases.push_back(what);
    }
    return cases;
}

std::vector<gemm_case> grid_cases(operand_order a, operand_order b)
{
    std::vector<gemm_case> cases = all_gemm_cases(all_gemm_sizes(), 2);
    for (std::size_t i = 1; i < cases.size(); i += 2) {
        cases[i].a = a == operand_order::k_contiguous ? memory_order::row_major : memory_order::column_major;
        cases[i].b = b == operand_order::k_contiguous ? memory_order::column_major : memory_order::row_major;
        cases[i].c = memory_order::row_major;
        cases[i].rows = padding::vectors;
    }
    return cases;
}

std::vector<gemm_case> ragged_cases(long_index_t block_m, long_index_t block_n, long_index_t block_k, operand_order a,
                                    operand_order b)
{
    gemm_case several;
    several.m = block_m + 37;
    several.n = block_n + 10;
    several.k = 4 * block_k + 3;
    several.a = a == operand_order::k_contiguous ? memory_order::row_major : memory_order::column_major;
    several.b = b == operand_order::k_contiguous ? memory_order::column_major : memory_order::row_major;
    several.rows = padding::vectors;
    several.bias = true;
    gemm_case part = several;
    part.m = block_m / 2 + 1;
    part.n = 7;
    part.k = 12 * block_k - 5;
    part.batch = 2;
    return {several, part};
}

TEGULA_TEST_GEMM_DATA()

} // namespace tegula::test
