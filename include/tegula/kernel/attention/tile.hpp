#pragma once

#include <tegula/block/byte_pair_loader.hpp>
#include <tegula/block/chained_products.hpp>
#include <tegula/block/direct_sequence_loader.hpp>
#include <tegula/block/online_softmax.hpp>
#include <tegula/block/panel_loader.hpp>
#include <tegula/block/streamed_product.hpp>
#include <tegula/chip/chip_speed.hpp>
#include <tegula/core/math.hpp>
#include <tegula/kernel/attention/places.hpp>

namespace tegula {

namespace attention_rules {
template <bool Ok, long Bytes, long Limit>
struct tiles_fit_shared_memory
{
    static_assert(Ok, "tegula: the tiles of keys and values do not fit the target's shared memory; use fewer keys a "
                      "tile (the template arguments are the bytes needed and the limit)");
};
template <bool Ok, int Registers, int Limit>
struct rows_fit_the_registers
{
    static_assert(Ok, "tegula: output, scores and queries of the tile do not fit the registers of a lane; use more "
                      "waves or fewer queries (the template arguments are the registers needed and the limit)");
};
template <bool Ok, int Conflicts>
struct shared_memory_is_free_of_conflicts
{
    static_assert(Ok, "tegula: no layout of keys or values in shared memory is free of bank conflicts; choose another "
                      "number of keys or waves (the template argument counts extra cycles)");
};
} // namespace attention_rules

/// In the place of the loader that suits_tile and suits_gradient_tile ask a tile for: rows lie at any distance.
struct loads_at_any_distance
{
    static constexpr bool buffered = false;
};

namespace detail {

/// The loader of tiles of V for the product Mma.
template <class Mma, index_t Keys, bool Alternates>
struct value_loader_of
{
    using type = sequence_loader<typename Mma::target, typename Mma::b_type, Mma::block_n, Keys, Mma::waves,
                                 operand_order::row_contiguous, typename Mma::b_distribution,
                                 Mma::transposed ? 0 : Mma::atom::n>;
};
template <class Mma, index_t Keys>
struct value_loader_of<Mma, Keys, true>
{
    using type = byte_pair_loader<Mma, Keys>;
};

} // namespace detail

/// The tiles of an attention. A block of Waves waves takes Queries rows of one head and goes over the keys, Keys at a
/// time. HeadDim and ValueDim are the most columns of Q and K, and of V and O.
///
///   ColumnWaves  waves that share the columns of the same rows of O, if the registers of one have no room for them.
///                Each computes all scores of the rows
///   Exponentials  how exponentials of scores are computed, see block/exponentials.hpp
template <class Target, class Atom, index_t Queries, index_t Keys, index_t HeadDim, index_t ValueDim, int Waves,
          query_place Place, key_value_place KeyValuePlace = key_value_place::apart, int ColumnWaves = 1,
          class Exponentials = hardware_exponentials>
struct attention_tile
{
    static_assert(Waves % ColumnWaves == 0, "tegula: each group of rows has the same number of waves");

    using target = Target;
    using atom = Atom;
    using element = typename Atom::a_type;
    using score_mma = mma_tile<Target, Atom, Queries, Keys, Waves / ColumnWaves, 1, ColumnWaves>;
    using output_mma = mma_tile<Target, Atom, Queries, ValueDim, Waves / ColumnWaves, ColumnWaves>;

    static constexpr index_t queries = Queries;
    static constexpr index_t keys = Keys;
    static constexpr index_t head_dim = HeadDim;
    static constexpr index_t value_dim = ValueDim;
    static constexpr int waves = Waves;
    static constexpr int column_waves = ColumnWaves;
    static constexpr int block_threads = score_mma::block_threads;
    static constexpr query_place place = Place;
    static constexpr key_value_place key_values = KeyValuePlace;
    static constexpr int slices = static_cast<int>(HeadDim / score_mma::slice_k); ///< slices of the head's dimension
    static_assert(HeadDim % score_mma::slice_k == 0);

    /// ldmatrix keeps the instruction's own order of k, so that all three operands are loaded by it, or none.
    static constexpr bool instruction_order = Target::vendor == vendor::nvidia;
    using chain = chained_products<score_mma, output_mma, instruction_order>;
    using softmax = online_softmax<Target, typename chain::score_distribution, output_mma, Exponentials>;

    /// Whether products with each tile of V have sums of their own: those of 8 bits on sm_89, whose instructions truncate.
    static constexpr bool sums_apart = Atom::truncates_sums;

    /// The Crowded of streamed_product. On NVIDIA it is for outputs of half of a lane's registers. If ptxas widens
    /// 8-bit operands to 16 bits, it is for outputs of a quarter, and for the many columns that waves share.
    static constexpr bool widened = Atom::widens_operands;
    /// Parts are half as long if waves share columns on sm_100a, where ptxas moves more reads ahead, and in small blocks
    /// whose sums of P V are apart.
    static constexpr bool halves_parts =
        (ColumnWaves > 1 && Target::chip().family == chip_family::blackwell) || (sums_apart && Waves <= 4);
    static constexpr int crowded = widened && (ColumnWaves > 1 || output_mma::c_distribution::num_registers >= 64) ? 8
                                   : output_mma::c_distribution::num_registers < 128                               ? 0
                                   : halves_parts                                                                  ? 16
                                                                                                                   : 32;

    /// Whether the part of a block with shares of the keys is computed again after the loop, from another read of the
    /// block's number: ptxas would spill four numbers of it if it widens operands and scores are changed.
    static constexpr bool recomputes_part = widened && ColumnWaves > 1;

    /// Parts of their columns in which queries go to registers; 1 if the shared memory has room for whole queries.
    static constexpr index_t query_parts = Place == query_place::registers &&
                                                   Queries * HeadDim * static_cast<index_t>(sizeof(element)) >
                                                       Target::chip().shared_bytes
                                               ? 3
                                               : 1;
    static constexpr index_t query_columns = HeadDim / query_parts;
    static_assert(query_columns * query_parts == HeadDim && query_columns % score_mma::slice_k == 0);

    using query_loader = column_loader<Target, element, Queries, query_columns, Waves,
                                       typename score_mma::a_distribution, score_mma::transposed ? 0 : Atom::m>;
    using stored_key_loader = column_loader<Target, element, Keys, HeadDim, Waves, typename chain::b_distribution,
                                            score_mma::transposed ? 0 : Atom::n>;
    using stored_value_loader = typename detail::value_loader_of<output_mma, Keys, chain::alternates>::type;
    template <index_t Columns, class Across>
    using direct_loader = direct_sequence_loader<Target, element, Keys, Columns, Waves, typename chain::b_distribution,
                                                 Across, KeyValuePlace == key_value_place::two_stages>;
    using direct_key_loader = direct_loader<HeadDim, void>;
    using direct_value_loader = direct_loader<ValueDim, typename output_mma::b_distribution>;
    /// Whether keys and values come straight into shared memory. If not, they come through registers or by asynchronous
    /// copies.
    static constexpr bool direct = [] {
        if constexpr (KeyValuePlace != key_value_place::apart && KeyValuePlace != key_value_place::two_stages)
            return false;
        else if constexpr (!internal::takes_direct_rows<Target, element, Keys, HeadDim, Waves, direct_key_loader>())
            return false;
        else
            return internal::takes_direct_rows<Target, element, Keys, ValueDim, Waves, direct_value_loader>();
    }();
    using key_loader = std::conditional_t<direct, direct_key_loader, stored_key_loader>;
    using value_loader = std::conditional_t<direct, direct_value_loader, stored_value_loader>;
    static_assert(query_loader::instruction_order == instruction_order &&
                  key_loader::instruction_order == instruction_order &&
                  value_loader::instruction_order == instruction_order);

    /// Queries in registers come through the memory of the keys.
    static constexpr index_t first_key_byte = Place == query_place::shared ? query_loader::bytes : 0;
    static constexpr index_t key_value_bytes =
        KeyValuePlace == key_value_place::apart
            ? max(key_loader::bytes + value_loader::bytes, stored_key_loader::bytes + stored_value_loader::bytes)
        : KeyValuePlace == key_value_place::two_stages ? 2 * (key_loader::bytes + value_loader::bytes)
        : KeyValuePlace == key_value_place::same       ? 2 * key_loader::bytes
                                                       : max(key_loader::bytes, value_loader::bytes);
    static_assert(!direct || stored_key_loader::bytes + stored_value_loader::bytes <= key_value_bytes); // pages by key
    static constexpr index_t shared_bytes = max(first_key_byte + key_value_bytes, query_loader::bytes);

    static_assert(KeyValuePlace != key_value_place::alternate || key_loader::buffered,
                  "tegula: tiles that take turns in the same shared memory wait in registers; the target copies past "
                  "them");
    /// Whether an element of V lies at the place of the same element of K.
    static consteval bool values_alias_keys()
    {
        if constexpr (Target::vendor != vendor::nvidia || !Target::has_async_copy || sizeof(element) != 2) {
            return false;
        } else {
            for (index_t key = 0; key < Keys; ++key)
                for (index_t column = 0; column < ValueDim; column += 8)
                    if (value_loader::panels::place(column, key) != key_loader::panels::place(key, column))
                        return false;
            return ValueDim <= HeadDim;
        }
    }
    static_assert(KeyValuePlace != key_value_place::same || values_alias_keys(),
                  "tegula: values are read from tiles of keys where ldmatrix transposes, from sm_80 on, of inputs of "
                  "16 bits and no more columns than K's");

    /// The queries of a lane during the loop.
    struct query_slices
    {
        query_loader loader;
        array<typename score_mma::a_slice, Place == query_place::registers ? slices : 1> held;

        template <int S>
        TEGULA_INLINE typename score_mma::a_slice slice() const
        {
            if constexpr (Place == query_place::registers)
                return held[S];
            else
                return read_slice<S>(loader);
        }
    };

    template <int S>
    static TEGULA_INLINE typename score_mma::a_slice read_slice(const query_loader& loader)
    {
        const auto words = loader.stream().template read<S* static_cast<int>(score_mma::slice_k)>();
        typename score_mma::a_slice slice;
        slice.registers = __builtin_bit_cast(decltype(slice.registers), words);
        return slice;
    }

    /// Loads the queries through the block's shared memory. `load` is called with a query_loader and starts its loads.
    TEGULA_CALLS_BACK
    template <class Load>
    static TEGULA_INLINE query_slices load_queries(long_index_t stride, index_t columns, std::byte* memory,
                                                   const Load& load)
    {
        query_slices q{{stride, columns, memory, "Q"}, {}};
        static_for<query_parts>([&](auto part) {
            constexpr index_t first = decltype(part)::value * query_columns;
            if constexpr (first > 0)
                q.loader = query_loader(stride, columns, memory, "Q", first);
            load(q.loader);
            q.loader.store();
            if constexpr (Place == query_place::registers) {
                q.loader.arrive();
                constexpr int own = slices / static_cast<int>(query_parts);
                static_for<own>([&](auto s) { q.held[part * own + s] = read_slice<s>(q.loader); });
                target::shared_barrier(); // the next part goes to the same place
            }
        });
        return q;
    }

    /// 32-bit registers of a lane for output, scores, probabilities and queries.
    static constexpr int registers =
        static_cast<int>(output_mma::c_distribution::num_registers + chain::score_distribution::num_registers +
                         chain::operand_distribution::num_registers / 2 +
                         (Place == query_place::registers ? slices * score_mma::a_slice::num_registers / 2 : 0));

    /// True, or the compilation stops with the rule that the tile breaks.
    static consteval bool check()
    {
        namespace rules = attention_rules;
        constexpr long limit = Target::chip().shared_bytes;
        constexpr int conflicts =
            query_loader::shared::conflicts + key_loader::shared::conflicts + value_loader::shared::conflicts;
        constexpr int most = lane_registers(Target::chip(), block_threads) - 16;
        return sizeof(rules::tiles_fit_shared_memory<(shared_bytes <= limit), shared_bytes, limit>) &&
               sizeof(rules::rows_fit_the_registers<(registers <= most), registers, most>) &&
               sizeof(rules::shared_memory_is_free_of_conflicts < conflicts == 0, conflicts >);
    }
};

} // namespace tegula
