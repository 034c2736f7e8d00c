#include "test/kernel/gemm/case.hpp"

#include <tegula/reference/random.hpp>

#include "test/kernel/pairwise.hpp"

#include <sstream>

namespace tegula::test {

std::string gemm_case::text() const
{
    std::ostringstream s;
    s << m << " x " << n << " x " << k << ", batch " << batch << ", orders " << static_cast<int>(a)
      << static_cast<int>(b) << static_cast<int>(c) << ", padding " << static_cast<int>(rows) << ", alpha " << alpha
      << ", beta " << beta << (in_place ? " in place" : "") << (bias ? ", bias" : "") << ", activation "
      << static_cast<int>(activation);
    return s.str();
}

gemm_sizes all_gemm_sizes()
{
    const std::vector<long_index_t> sizes = {1, 7, 63, 64, 65, 129, 255, 300};
    return {sizes, sizes, sizes};
}

gemm_sizes few_gemm_sizes() { return {{1, 65, 130}, {7, 64, 133}, {1, 64, 131}}; }

namespace {

/// The case of a row of levels: sizes m, n, k first, then the factors of `operation_levels`.
gemm_case make_case(const gemm_sizes& sizes, const std::vector<int>& row)
{
    const auto at = [&](std::size_t f) { return static_cast<std::size_t>(row[f]); };
    constexpr float alphas[] = {1.0f, -0.625f}, betas[] = {0.0f, 1.0f, 0.75f};
    gemm_case c;
    c.m = sizes.m[at(0)];
    c.n = sizes.n[at(1)];
    c.k = sizes.k[at(2)];
    c.a = static_cast<memory_order>(row[3]);
    c.b = static_cast<memory_order>(row[4]);
    // Half of the results are what the kernels for aligned operands write.
    c.c = static_cast<memory_order>(row[5] > 2 ? row[5] - 2 : 0);
    c.rows = static_cast<padding>(row[6]);
    c.alpha = alphas[at(7)];
    c.beta = betas[at(8)];
    c.in_place = row[9] != 0;
    c.bias = row[10] != 0;
    c.activation = static_cast<tegula::activation>(row[11]);
    c.batch = row[12] != 0 ? 3 : 1;
    return c;
}

std::vector<int> operation_levels() { return {5, 5, 6, 3, 2, 3, 2, 2, 4, 2}; }

} // namespace

namespace {

/// The sizes and `operations` in pairs, each row made into a case and given to change(case, row).
template <class Change>
std::vector<gemm_case> pairwise_cases(const gemm_sizes& sizes, const std::vector<int>& operations, quarter part,
                                      const Change& change)
{
    std::vector<int> levels = {static_cast<int>(sizes.m.size()), static_cast<int>(sizes.n.size()),
                               static_cast<int>(sizes.k.size())};
    levels.insert(levels.end(), operations.begin(), operations.end());
    levels.push_back(4);
    std::vector<gemm_case> cases;
    for (const auto& row : pairwise_rows(levels))
        if (part == quarter::all || row.back() == static_cast<int>(part)) {
            cases.push_back(make_case(sizes, row));
            change(cases.back(), row);
        }
    return cases;
}

} // namespace

std::vector<gemm_case> pairwise_gemm_cases(const gemm_sizes& sizes, quarter part)
{
    return pairwise_cases(sizes, operation_levels(), part, [](gemm_case&, const std::vector<int>&) {});
}

std::vector<gemm_case> aligned_gemm_cases(const gemm_sizes& sizes, const memory_order (&a)[2],
                                          const memory_order (&b)[2], quarter part)
{
    std::vector<int> operations = operation_levels();
    operations[0] = operations[1] = 2; // orders of A and B
    operations[2] = operations[3] = 1; // C row-major
    return pairwise_cases(sizes, operations, part, [&](gemm_case& c, const std::vector<int>& row) {
        c.a = a[row[3]];
        c.b = b[row[4]];
        c.rows = padding::vectors;
    });
}

std::vector<gemm_case> all_gemm_cases(const gemm_sizes& sizes, int times)
{
    std::vector<gemm_case> cases;
    random_source random(1);
    for (std::size_t m = 0; m < sizes.m.size(); ++m)
        for (std::size_t n = 0; n < sizes.n.size(); ++n)
            for (std::size_t k = 0; k < sizes.k.size(); ++k)
                for (int i = 0; i < times; ++i) {
                    std::vector<int> row = {static_cast<int>(m), static_cast<int>(n), static_cast<int>(k)};
                    for (int levels : operation_levels())
                        row.push_back(static_cast<int>(random.integer(0, levels - 1)));
                    cases.push_back(make_case(sizes, row));
                }
    return cases;
}

} // namespace tegula::test
