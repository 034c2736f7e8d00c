#pragma once

#include <tegula/arch/nvidia/wgmma.hpp>
#include <tegula/core/float8.hpp>
#include <tegula/core/rounding.hpp>
#include <tegula/layout/distribution.hpp>
#include <tegula/mma/wgmma.hpp>
#include <tegula/tensor/distributed_tensor.hpp>
#include <tegula/tensor/elementwise.hpp>

namespace tegula {

/// Two consecutive products of a warpgroup, S = A B^T and then O += f(S) V: A, B and V lie in shared memory, f(S) stays
/// in the registers where S was. If elements have 16 bits, a lane's accumulators of 64x16 are its A operand of 64x16
/// (PTX ISA, "Register Fragments for wgmma.mma_async.m64nNk16").
///
///   A, B  wgmma_operands [64, K] and [N, K], k contiguous
///   V     a wgmma_operand [columns of O, N]; of 16 bits with rows contiguous, of 8 bits with k
///
/// With 8 bits a lane's operand has four neighbours along k, its accumulators have two columns of each of two groups of
/// 8. So k of V is in the order in which these are the operand, and its columns are in the order in which it is easily
/// transposed: see value_transposer. Accumulators of products of 8 bits do not keep all bits of long sums
/// (promoted_accumulators.hpp). So those of one tile of V are apart, and promote() adds them to O.
///
/// Both products run asynchronously: fences, commits and waits are the caller's.
template <class Target, class A, class B, class V>
struct warpgroup_chain
{
    using element = typename A::element_type;
    static constexpr bool of_8_bits = sizeof(element) == 1;
    static_assert(A::mn == 64 && A::k == B::k && B::mn == V::k && (sizeof(element) == 2 || of_8_bits));

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
    static consteval bool accumulators_are_operands()
    {
        using slice_atom = wgmma_atom<Target, element, element, float, output_atom::k>;
        if constexpr (of_8_bits)
            return true;
        else
            return same_distribution<tile_distribution<typename slice_atom::c_encoding>,
                                     tile_distribution<typename output_atom::a_encoding>>;
    }
    static_assert(accumulators_are_operands());

    /// The accumulators of Atom with the columns that they are of.
    template <class Atom>
    struct column_order
    {
        static constexpr encoding_value raw =
            of_8_bits ? exchange_digits(Atom::c_encoding::value, 1, 2, 8, 1) : Atom::c_encoding::value;
        static constexpr const encoding_value& value = raw;
    };

public:
    /// [64, Columns] of O as accumulators of so many columns hold them.
    template <index_t Columns>
    using output_distribution = tile_distribution<column_order<
        wgmma_atom<Target, element, element, float, static_cast<int>(Columns), operand_order::k_contiguous, V::order>>>;

    /// Columns of V whose sums are apart at a time: all, or as many as leave registers for more than 128 columns of O.
    static constexpr index_t sum_columns = of_8_bits && V::mn > 128 ? 64 : V::mn;
    static constexpr int sum_slices = static_cast<int>(V::mn / sum_columns);
    static_assert(V::mn % sum_columns == 0);

private:
    using sum_atom = wgmma_atom<Target, element, element, float, static_cast<int>(sum_columns),
                                operand_order::k_contiguous, V::order>;

public:
    /// Accumulators of a slice of columns of one tile of V, if they are apart.
    struct no_accumulators
    {};
    struct slice_accumulators
    {
        array<typename sum_atom::accumulators, 1> tiles TEGULA_UNSET(array<typename sum_atom::accumulators, 1>);
    };
    using tile_accumulators = std::conditional_t<of_8_bits, slice_accumulators, no_accumulators>;

    /// The accumulators of products with V: `own` of a slice of a tile of V, or O.
    static TEGULA_INLINE auto& sums_of([[maybe_unused]] accumulators& o, [[maybe_unused]] tile_accumulators& own)
    {
        if constexpr (of_8_bits)
            return own;
        else
            return o;
    }
    /// o += factor * sums of slice Slice of a tile of V, if these are apart.
    template <int Slice = 0, class Sums>
    static TEGULA_INLINE void promote(accumulators& o, const Sums& sums, float factor)
    {
        if constexpr (of_8_bits)
            static_for<sum_atom::c_count>([&](auto r) {
                float& to = o.tiles[0][Slice * sum_atom::c_count + r];
                to = multiply_add(sums.tiles[0][r], factor, to);
            });
    }

    /// s = A B^T, by descriptors of both.
    static TEGULA_INLINE void multiply(score_tensor& s, std::uint64_t a, std::uint64_t b)
    {
        multiply_columns<0, A::k, false>(s, a, b);
    }
    /// s (+)= A B^T of the columns [First, First + Columns) of both.
    template <index_t First, index_t Columns, bool Accumulates>
    static TEGULA_INLINE void multiply_columns(score_tensor& s, std::uint64_t a, std::uint64_t b)
    {
        static_for<Columns / score_atom::k>([&](auto slice) {
            constexpr index_t k = First + slice * score_atom::k;
            score_atom::multiply(s.registers, a + A::template part<0, k>(), b + B::template part<0, k>(),
                                 Accumulates || slice > 0);
        });
    }
    /// o += p V, or sums that are apart = p V of slice Slice of V's columns.
    template <int Slice = 0, class Sums>
    static TEGULA_INLINE void accumulate(Sums& o, const operand& p, std::uint64_t v)
    {
        static_for<output_slices>([&](auto slice) {
            constexpr index_t k = slice * output_atom::k;
            sum_atom::multiply(o.tiles[0], p[slice], v + V::template part<Slice * sum_columns, k>(),
                               !of_8_bits || slice > 0);
        });
    }
    /// o += p V, with p [64, N] in shared memory.
    ///
    ///   P  a wgmma_operand, k contiguous
    template <class P>
    static TEGULA_INLINE void accumulate_shared(accumulators& o, std::uint64_t p, std::uint64_t v)
    {
        static_assert(P::mn == 64 && P::k == V::k && P::order == output_atom::order_a);
        static_for<output_slices>([&](auto slice) {
            constexpr index_t k = slice * output_atom::k;
            output_atom::multiply(o.tiles[0], p + P::template part<0, k>(), v + V::template part<0, k>(), true);
        });
    }
    /// f(S), rounded.
    static TEGULA_INLINE operand operand_of(const score_tensor& s)
    {
        if constexpr (of_8_bits) {
            array<std::uint32_t, sizeof(operand) / 4> words;
            static_for<words.size()>([&](auto w) {
                constexpr int n = w / 2 * 8 + w % 2 * 2; // 16 columns, one of two rows
                words[w] = encode_word<element>(s[n], s[n + 1], s[n + 4], s[n + 5]);
            });
            return __builtin_bit_cast(operand, words);
        } else {
            const auto rounded = cast<element>(s);
            return __builtin_bit_cast(operand, rounded.registers);
        }
    }
};

} // namespace tegula
