#pragma once

// One product as the benchmark knows it: sizes, element type, how the operands lie in memory.

#include <tegula/kernel/gemm/choose/choose_tile.hpp>
#include <tegula/reference/with_type.hpp>

#include <array>
#include <string>
#include <string_view>

namespace gemm_benchmark {

using tegula::long_index_t;

/// Element type of A and B: bf16, f16, f8e4m3 or f8e4m3fnuz. D has the same, but bf16 where the inputs are fp8.
using element = tegula::element_kind;

/// f(tegula::type_tag<T>{}) with the number type of `e`.
template <class F>
auto with_type(element e, F&& f)
{
    return tegula::with_type<tegula::bfloat16, tegula::half, tegula::float8_e4m3, tegula::float8_e4m3_fnuz>(e, f);
}

/// How A and B lie in memory; D is row-major. The letters are those of the vendor's column-major call for it, which
/// computes D^T and takes B first:
///
///   tn  A by rows, B by columns: k contiguous in both
///   nn  A by rows, B by rows
///   nt  A by columns, B by rows: k contiguous in neither
enum class layout { tn, nn, nt };

inline constexpr std::array all_layouts{layout::tn, layout::nn, layout::nt};

constexpr bool a_by_rows(layout l) { return l != layout::nt; }
constexpr bool b_by_rows(layout l) { return l != layout::tn; }

constexpr const char* name_of(layout l) { return l == layout::tn ? "TN" : l == layout::nn ? "NN" : "NT"; }

/// The name under which results are kept; both flavours of fp8 have one name, a GPU having one of them.
constexpr const char* name_of(element e) { return e == element::bf16 ? "bf16" : e == element::f16 ? "f16" : "fp8"; }

constexpr bool is_fp8(element e) { return e == element::f8e4m3 || e == element::f8e4m3fnuz; }
constexpr element output_of(element e) { return is_fp8(e) ? element::bf16 : e; }
constexpr int bytes_of(element e) { return is_fp8(e) ? 1 : 2; }

/// D = A B with A [m, k], B [k, n], D [m, n].
struct shape
{
    long_index_t m = 0, n = 0, k = 0;

    constexpr bool operator==(const shape&) const = default;
    constexpr double flops() const
    {
        return 2. * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    }
    constexpr tegula::gemm_size size() const { return {m, n, k, 1}; }
    std::string name() const { return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k); }
};

/// Bytes of A, B and D.
constexpr double bytes_of(const shape& s, element e)
{
    const double m = static_cast<double>(s.m), n = static_cast<double>(s.n), k = static_cast<double>(s.k);
    return (m * k + k * n) * bytes_of(e) + m * n * bytes_of(output_of(e));
}

/// A product whose matrices are on the GPU, dense.
struct gpu_problem
{
    gemm_benchmark::shape shape;
    element type = element::bf16;
    gemm_benchmark::layout layout = layout::tn;
    const void* a = nullptr;
    const void* b = nullptr;
    void* d = nullptr;
};

} // namespace gemm_benchmark
