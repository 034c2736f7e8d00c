#pragma once

// The product that every form computes, and how its result is verified.

#include <tegula/gemm.hpp>
#include <tegula/host/emulated_device.hpp>
#include <tegula/reference/error_bound.hpp>
#include <tegula/reference/random.hpp>

#include <cstdio>
#include <vector>

using namespace tegula;
using enum operand_order;
using target = arch::gfx942;
using fp8 = float8_e4m3_fnuz; // this target's own

using tile = gemm_tiles<target, bfloat16>::t64x64; // 64 x 64 of C a block
using kernels = gemm_kernels<tile, float, epilogue::none>;
using kernel = kernels::aligned<k_contiguous, row_contiguous>; // A by rows, B by rows

/// Random elements.
template <class T>
std::vector<T> filled(long_index_t count, std::uint64_t seed, double low = -1, double high = 1)
{
    std::vector<T> values(static_cast<std::size_t>(count));
    fill_uniform<T>(values, seed, low, high);
    return values;
}

/// Whether c, with these strides, is within the rounding bound of the product.
template <class A, class B>
bool is_product(const reference_gemm_problem<A, B>& problem, const strided_matrix<float>& c)
{
    return verify_gemm(problem, c, reference_gemm(problem)).passed;
}

inline constexpr long_index_t m = 120, n = 96, k = 320;
inline const std::vector<bfloat16> a = filled<bfloat16>(3 * m * k, 1), b = filled<bfloat16>(3 * k * n, 2);
inline std::vector<float> c(3 * m * n);

inline const reference_gemm_problem<bfloat16, bfloat16> one_product{
    m, n, k, 1, row_major(a.data(), m, k), row_major(b.data(), k, n)};

inline bool all_right = true;

inline void report(const char* form, const emulator::launch_result& run, bool right)
{
    const long long conflicts = run.counters.shared_load_conflicts + run.counters.shared_store_conflicts;
    std::printf("%-22s %s %s\n", form, right && conflicts == 0 ? "right" : "wrong", run.status.message());
    c.assign(c.size(), __builtin_nanf("")); // nothing for the next one to find
    all_right = all_right && run.status.ok() && right && conflicts == 0;
}
