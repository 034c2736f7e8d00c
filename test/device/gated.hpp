#pragma once

/// The maker of gemm_prologue.cpp, whose name is part of its kernel's.

#include <tegula/kernel/gemm/forms/prologue.hpp>

namespace tegula {

/// silu(gate) * up, as in the second layer of a gated perceptron.
struct gated
{
    matrix_argument<const bfloat16> gate, up;

    template <class Target, int N>
    TEGULA_INLINE array<bfloat16, N> make(index_t row, index_t k, long_index_t) const
    {
        constexpr auto global = address_space::global;
        const auto x = detail::read_vector<Target, global, N>(gate.data + row * gate.row_stride + k, true);
        const auto y = detail::read_vector<Target, global, N>(up.data + row * up.row_stride + k, true);
        array<bfloat16, N> made;
        static_for<N>([&](auto j) {
            made[j] = convert<bfloat16>(silu<Target>(static_cast<float>(x[j])) * static_cast<float>(y[j]));
        });
        return made;
    }
};

} // namespace tegula
