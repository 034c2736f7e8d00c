#pragma once

#include <tegula/core/math.hpp>
#include <tegula/layout/distribution.hpp>

namespace tegula {

namespace detail {

/// Adjacent elements along `dim` that a lane holds: the product of the lengths of the lowest digits, which Ys own.
constexpr long_index_t contiguous_run(const encoding_value& e, int dim)
{
    long_index_t run = 1;
    for (int minor = e.hs[dim].size() - 1; minor >= 0; --minor) {
        if (owned_by_p(e, {dim + 1, minor}))
            break;
        run *= e.hs[dim][minor];
    }
    return run;
}

/// Elements of one vector access along `dim`: the greatest power of two that divides the run, at most `limit`.
constexpr int vector_length(const encoding_value& e, int dim, int limit)
{
    return static_cast<int>(power_of_two_divisor<long_index_t>(contiguous_run(e, dim), limit));
}

} // namespace detail

/// How a lane walks through its registers in vector accesses along one tensor dimension.
///
///   Dim    the tensor dimension that is contiguous in memory
///   Limit  longest vector that the memory and the target allow, in elements
///
/// `vector` is the number of elements of an access, a power of two up to Limit. It divides the run of adjacent elements that a
/// lane holds along Dim. A lane makes `accesses` accesses. Access a covers `vector` elements along Dim, the first at
/// step(a) from the lane's origin.
template <class Distribution, int Dim, int Limit>
struct access_plan
{
private:
    // In a function: nvcc's host compiler takes 400 MB more for the same call in the initializer.
    static consteval int find_vector() { return detail::vector_length(Distribution::value, Dim, Limit); }

public:
    static constexpr int vector = find_vector();
    static constexpr int accesses = Distribution::num_elements / vector;

private:
    struct table
    {
        index_t steps[accesses][Distribution::num_x];
        int registers[accesses][vector];
    };

    static consteval table make()
    {
        table t{};
        int a = 0;
        for (int n = 0; n < Distribution::num_elements; ++n) {
            auto x = Distribution::step(n);
            if (x[Dim] % vector != 0)
                continue;
            for (int d = 0; d < Distribution::num_x; ++d)
                t.steps[a][d] = x[d];
            for (int j = 0; j < vector; ++j, ++x[Dim])
                t.registers[a][j] = Distribution::register_at(x);
            ++a;
        }
        return t;
    }

    static constexpr table plan = computed_once<make()>;

public:
    /// Index of the first element of access a, relative to the lane's origin.
    static consteval multi_index<Distribution::num_x> step(int a)
    {
        multi_index<Distribution::num_x> x{};
        for (int d = 0; d < Distribution::num_x; ++d)
            x[d] = plan.steps[a][d];
        return x;
    }

    /// The register that holds element j of access a, j in [0, vector).
    static consteval int register_of(int a, int j) { return plan.registers[a][j]; }

    /// Distance between the registers of neighbouring elements of access a; 0 if the distances differ.
    static consteval int register_step(int a)
    {
        if constexpr (vector == 1)
            return 1;
        const int step = plan.registers[a][vector > 1] - plan.registers[a][0];
        for (int j = 1; j < vector; ++j)
            if (plan.registers[a][j] - plan.registers[a][j - 1] != step)
                return 0;
        return step;
    }
};

} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::contiguous_run;
using tegula::detail::vector_length;
} // namespace tegula::internal
