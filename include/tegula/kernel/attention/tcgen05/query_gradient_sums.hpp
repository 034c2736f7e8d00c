#pragma once

#include <tegula/block/copied_sums.hpp>
#include <tegula/block/tensor_core_chain.hpp>
#include <tegula/block/warpgroup.hpp>
#include <tegula/mma/tcgen05_operand.hpp>
#include <tegula/tensor/vector_access.hpp>

namespace tegula {

/// Sums of dQ over the keys of many blocks, in the workspace. The tensor core computes dQ^T = K^T dS^T of a tile over a
/// block's 128 keys. A warpgroup has a column of dQ in each lane, and copies add its queries to the sums.
///
/// dS^T goes to the tensor core through shared memory, and dQ to the copies through the same: each wave uses the part of
/// its own keys again.
///
/// Sums of a tile of queries are copied_sums of [part of 32 queries, wave].
///
///   HeadDim  columns of Q and K, 128
///   Queries  of a tile, 64 or 128: a warpgroup adds 64 of them
template <class Target, class T, index_t HeadDim, index_t Queries>
struct tensor_query_gradient_sums
{
    static_assert(HeadDim == 128 && (Queries == 64 || Queries == 128));

    using group_target = warpgroup<Target>;
    static constexpr index_t part_columns = HeadDim;
    static constexpr index_t part_queries = 32;
    static constexpr index_t queries = 2 * part_queries; ///< whose dQ two warpgroups read, or one adds
    using distribution = tensor_memory_distribution<part_queries>;
    static constexpr TEGULA_INLINE index_t first_column(int) { return 0; }
    static constexpr TEGULA_INLINE index_t first_query(int number) { return number * part_queries; }

    using keys = tcgen05_operand<T, HeadDim, 128, operand_order::row_contiguous>;
    using scores = tcgen05_operand<T, Queries, 128, operand_order::row_contiguous>;
    using atom = tcgen05_atom<Target, T, T, float, 128, static_cast<int>(Queries), 1, keys::order, scores::order>;

    static constexpr index_t part_floats = HeadDim * part_queries;
    using copies = copied_sums<group_target, static_cast<int>(part_queries)>;
    static constexpr index_t part_bytes = part_floats * static_cast<index_t>(sizeof(float));
    static_assert(scores::bytes * queries == part_bytes * Queries); // a part has the room of a warpgroup's dS

    /// Writes some columns of dS^T, rounded, a key in each lane. The caller makes them visible to products.
    ///
    ///   own     the tile in shared memory, scores::bytes; or a warpgroup's queries of it
    ///   column  the first of the columns, which are queries
    template <index_t Columns>
    static TEGULA_INLINE void write_scores(std::byte* own, index_t column,
                                           const distributed_tensor<float, tensor_memory_distribution<Columns>>& ds)
    {
        constexpr auto layout = scores::layout;
        const auto rounded = cast<T>(ds);
        static_for<static_cast<int>(Columns / 8)>([&](auto v) {
            array<T, 8> values;
            static_for<8>([&](auto i) { values[i] = rounded[8 * v + i]; });
            internal::write_vector<group_target, address_space::shared, 8>(
                reinterpret_cast<T*>(own) +
                    layout.offset(32 * group_target::wave_id() + group_target::lane_id(), column + 8 * v),
                values, true);
        });
    }
    /// dQ^T at address `dq` = K^T dS^T, by descriptors of both. One lane issues the products.
    static TEGULA_INLINE void multiply(std::uint32_t dq, std::uint64_t keys_at, std::uint64_t scores_at)
    {
        static_for<static_cast<int>(keys::k / atom::k)>([&](auto slice) {
            constexpr index_t k = slice * atom::k;
            atom::multiply(dq, keys::moved(keys_at, keys::template part<0, k>()),
                           scores::moved(scores_at, scores::template part<0, k>()), slice > 0);
        });
    }
    /// Starts to add dQ to the sums of its queries.
    ///
    ///   dq      a column in each lane
    ///   memory  part_bytes for each part of the queries, which products have read. Parts with one place wait for each
    ///           other. drain() was called since it was last used
    static TEGULA_INLINE void add(const distributed_tensor<float, tensor_memory_distribution<queries>>& dq, float* sums,
                                  const array<std::byte*, 2>& memory, bool one_place)
    {
        const index_t at = group_target::wave_id() * copies::wave_floats;
        static_for<2>([&](auto part) {
            if (part > 0 && one_place)
                drain();
            copies::template add_wave<part* static_cast<int>(part_queries)>(
                dq, sums + part * part_floats + at, reinterpret_cast<float*>(memory[part]) + at);
        });
    }
    /// Called by each lane that called add(), before its wave writes that memory again or the block ends.
    static TEGULA_INLINE void drain()
    {
        copies::drain();
        group_target::wave_barrier();
    }
    /// A part of 32 queries of the sums, for the kernel that reads them.
    static TEGULA_INLINE auto read(const float* sums, int number)
    {
        return copies::template read_wave<distribution>(sums + number * part_floats +
                                                        group_target::wave_id() * copies::wave_floats);
    }
};

} // namespace tegula
