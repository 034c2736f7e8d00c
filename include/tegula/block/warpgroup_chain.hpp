#pragma once

#include <tegula/arch/nvidia/wgmma.hpp>
#include <tegula/layout/distribution.hpp>
#include <tegula/mma/wgmma.hpp>
#include <tegula/tensor/distributed_tensor.hpp>
#include <tegula/tensor/elementwise.hpp>

namespace tegula {

/// Two consecutive products of a warpgroup, S = A B^T and then O += f(S) V: A, B and V lie in shared memory, f(S) stays
/// in the registers where S was. A lane's accumulators of 64x16 are its A operand of 64x16 (PTX ISA, "Register
/// Fragments for wgmma.mma_async.m64nNk16").
///
///   A, B  wgmma_operands [64, K] and [N, K], k contiguous
///   V     a wgmma_operand [columns of O, N], rows contiguous
///
/// Both products run asynchronously: fences, commits and waits are the caller's.
template <class Target, class A, class B, class V>
struct warpgroup_chain
{
    using element = typename A::element_type;
    static_assert(A::mn == 64 && A::k == B::k && B::mn == V::k && sizeof(element) == 2);

    using score_atom = wgmma_atom<Target, element, element, float, static_cast<int>(B::mn), A::order, B::order>;
    using output_atom =
        wgmma_atom<Target, element, element, float, static_cast<int>(V::mn), operand_order::k_contiguous, V::order>;
    using score_distribution = tile_distribution<typename score_atom::c_encoding>;
    using score_tensor = distributed_tensor<float, score_distribution>;
    static constexpr bool in_memory = false; ///< whether scores lie in shared memory

    /// O, as block/online_softmax.hpp takes the accumulators of a block.
    struct output_mma
    {
        using a_type = element;
        using atom = output_atom;
        using c_distribution = tile_distribution<typename output_atom::c_encoding>;
        struct accumulators
        {
            array<typename output_atom::accumulators, 1>
                tiles TEGULA_UNSET(array<typename output_atom::accumulators, 1>);
        };
    };
    using accumulators = typename output_mma::accumulators;

    static constexpr int score_slices = static_cast<int>(A::k / score_atom::k);
    static constexpr int output_slices = static_cast<int>(V::k / output_atom::k);
    using operand = array<typename output_atom::a_registers, output_slices>;

private:
    using slice_atom = wgmma_atom<Target, element, element, float, output_atom::k>;
    static_assert(same_distribution<tile_distribution<typename slice_atom::c_encoding>,
                                    tile_distribution<typename output_atom::a_encoding>>);

public:
    /// s = A B^T, by descriptors of both.
    static TEGULA_INLINE void multiply(score_tensor& s, std::uint64_t a, std::uint64_t b)
    {
        static_for<score_slices>([&](auto slice) {
            constexpr index_t k = slice * score_atom::k;
            score_atom::multiply(s.registers, a + A::template part<0, k>(), b + B::template part<0, k>(), slice > 0);
        });
    }
    /// o += p V.
    static TEGULA_INLINE void accumulate(accumulators& o, const operand& p, std::uint64_t v)
    {
        static_for<output_slices>([&](auto slice) {
            constexpr index_t k = slice * output_atom::k;
            output_atom::multiply(o.tiles[0], p[slice], v + V::template part<0, k>(), true);
        });
    }
    /// f(S), rounded.
    static TEGULA_INLINE operand operand_of(const score_tensor& s)
    {
        const auto rounded = cast<element>(s);
        return __builtin_bit_cast(operand, rounded.registers);
    }
};

} // namespace tegula
