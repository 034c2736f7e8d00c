#pragma once

#include <tegula/block/warpgroup.hpp>
#include <tegula/core/math.hpp>
#include <tegula/layout/distribution.hpp>
#include <tegula/mma/tcgen05.hpp>
#include <tegula/tensor/distributed_tensor.hpp>
#include <tegula/tensor/elementwise.hpp>
#include <tegula/tensor/vector_access.hpp>

namespace tegula {

/// A tile [128, Columns] as a warpgroup loads it from tensor memory: waves and lanes count its rows, the registers of a
/// lane the columns.
template <index_t Columns>
using tensor_memory_distribution = tile_distribution<
    tile_distribution_encoding<sequence<>, tuple<sequence<4, 32>, sequence<Columns>>, tuple<sequence<1>, sequence<1>>,
                               tuple<sequence<0>, sequence<1>>, sequence<2>, sequence<0>>>;

/// Two consecutive products of the tensor core, S = A B^T and then O += f(S) V: A, B and V lie in shared memory, S, f(S)
/// and O in tensor memory. A warpgroup has a row in each lane.
///
///   A, B  tcgen05_operands [128, K] and [N, K], k contiguous
///   V     a tcgen05_operand [columns of O, N], rows contiguous
///
/// One lane issues the products, which run asynchronously: commits and waits are the caller's.
template <class Target, class A, class B, class V>
struct tensor_core_chain
{
    using element = typename A::element_type;
    static_assert(A::mn == 128 && A::k == B::k && B::mn == V::k && B::mn % 32 == 0 && sizeof(element) == 2);

    using score_atom =
        tcgen05_atom<Target, element, element, float, 128, static_cast<int>(B::mn), 1, A::order, B::order>;
    using output_atom = tcgen05_atom<Target, element, element, float, 128, static_cast<int>(V::mn), 1,
                                     operand_order::k_contiguous, V::order>;
    using score_distribution = tensor_memory_distribution<B::mn>;
    using score_tensor = distributed_tensor<float, score_distribution>;
    static constexpr bool in_memory = false; ///< whether scores lie in shared memory
    static constexpr int output_columns = static_cast<int>(V::mn);
    static constexpr int chunk_columns = 32; ///< columns of O that a lane has in registers at once

    /// Some columns of O, as block/online_softmax.hpp takes the accumulators of a block.
    struct output_mma
    {
        using a_type = element;
        using c_distribution = tensor_memory_distribution<chunk_columns>;
        struct atom
        {
            static constexpr int c_count = chunk_columns;
        };
        struct accumulators
        {
            array<array<float, chunk_columns>, 1> tiles TEGULA_UNSET(array<array<float, chunk_columns>, 1>);
        };
    };

    /// S at address `s` = A B^T, by descriptors of both.
    static TEGULA_INLINE void multiply(std::uint32_t s, std::uint64_t a, std::uint64_t b)
    {
        static_for<static_cast<int>(A::k / score_atom::k)>([&](auto slice) {
            constexpr index_t k = slice * score_atom::k;
            score_atom::multiply(s, A::moved(a, A::template part<0, k>()), B::moved(b, B::template part<0, k>()),
                                 slice > 0);
        });
    }
    /// multiply() with A in tensor memory at address `a`, two elements in a word, as store_rows() writes it.
    static TEGULA_INLINE void multiply_stored(std::uint32_t s, std::uint32_t a, std::uint64_t b)
    {
        static_for<static_cast<int>(A::k / score_atom::k)>([&](auto slice) {
            constexpr index_t k = slice * score_atom::k;
            score_atom::multiply_tensor_memory(s, a + static_cast<std::uint32_t>(k / 2),
                                               B::moved(b, B::template part<0, k>()), slice > 0);
        });
    }
    /// O at address `o` = (accumulate ? O : 0) + f(S) V with f(S) at address `weights`, two in a word. Chunk columns of it
    /// take the first half of as many words; behind them the second half is left out.
    template <index_t Chunk = V::k>
    static TEGULA_INLINE void accumulate(std::uint32_t o, std::uint32_t weights, std::uint64_t v, bool accumulate)
    {
        static_for<static_cast<int>(V::k / output_atom::k)>([&](auto slice) {
            constexpr index_t k = slice * output_atom::k;
            output_atom::multiply_tensor_memory(o,
                                                weights + static_cast<std::uint32_t>(k / Chunk * Chunk + k % Chunk / 2),
                                                V::moved(v, V::template part<0, k>()), slice > 0 || accumulate);
        });
    }

    // Called by all lanes of a warpgroup; addresses are those of the wave's own lanes.

    /// The columns from an address on, in registers.
    template <index_t Columns>
    static TEGULA_INLINE void load(distributed_tensor<float, tensor_memory_distribution<Columns>>& x,
                                   std::uint32_t address)
    {
        array<std::uint32_t, static_cast<int>(Columns)> words;
        arch::nvidia::tensor_load<tensor_access::lanes_32x32b, static_cast<int>(Columns)>(words, address);
        arch::nvidia::tensor_wait_loads(words);
        static_for<static_cast<int>(Columns)>([&](auto i) { x[i] = __builtin_bit_cast(float, words[i]); });
    }
    /// Writes f(S), or some columns of it, rounded; the caller waits for the stores.
    template <index_t Columns>
    static TEGULA_INLINE void store_operand(const distributed_tensor<float, tensor_memory_distribution<Columns>>& s,
                                            std::uint32_t address)
    {
        // At a time: their words take registers in addition to those of S.
        constexpr int columns = static_cast<int>(min(Columns, index_t{32}));
        static_assert(Columns % columns == 0);
        static_for<static_cast<int>(Columns / columns)>([&](auto part) {
            distributed_tensor<float, tensor_memory_distribution<columns>> some;
            static_for<columns>([&](auto i) { some[i] = s[part * columns + i]; });
            arch::nvidia::tensor_store<tensor_access::lanes_32x32b, columns / 2>(
                address + static_cast<std::uint32_t>(part * columns / 2),
                __builtin_bit_cast(array<std::uint32_t, columns / 2>, cast<element>(some).registers));
        });
    }
    /// Writes A, which lies at `a` in shared memory, to tensor memory; returns when that is done.
    static TEGULA_INLINE void store_rows(std::uint32_t address, const element* a)
    {
        using group = warpgroup<Target>;
        constexpr int columns = 32; // at a time
        static_assert(A::k % columns == 0);
        const index_t row = 32 * group::wave_id() + group::lane_id();
        TEGULA_ROLLED
        for (index_t column = 0; column < A::k; column += columns) {
            array<element, columns> some;
            static_for<columns / 8>([&](auto v) {
                const auto values =
                    internal::read_vector<group, address_space::shared, 8>(a + A::offset(row, column + 8 * v), true);
                static_for<8>([&](auto i) { some[8 * v + i] = values[i]; });
            });
            arch::nvidia::tensor_store<tensor_access::lanes_32x32b, columns / 2>(
                address + static_cast<std::uint32_t>(column / 2),
                __builtin_bit_cast(array<std::uint32_t, columns / 2>, some));
        }
        arch::nvidia::tensor_wait_stores();
    }
    /// O = f(O, chunk after chunk).
    TEGULA_CALLS_BACK
    template <class F>
    static TEGULA_INLINE void update(std::uint32_t address, const F& f)
    {
        TEGULA_ROLLED
        for (int column = 0; column < output_columns; column += chunk_columns) {
            const std::uint32_t at = address + static_cast<std::uint32_t>(column);
            distributed_tensor<float, tensor_memory_distribution<chunk_columns>> values;
            load<chunk_columns>(values, at);
            f(values);
            arch::nvidia::tensor_store<tensor_access::lanes_32x32b, chunk_columns>(
                at, __builtin_bit_cast(array<std::uint32_t, chunk_columns>, values.registers));
        }
        arch::nvidia::tensor_wait_stores();
    }
};

} // namespace tegula
