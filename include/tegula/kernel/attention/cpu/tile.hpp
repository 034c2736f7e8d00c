#pragma once

#include <tegula/arch/x86/targets.hpp>
#include <tegula/block/packed/packed_attention.hpp>
#include <tegula/chip/chip_info.hpp>
#include <tegula/kernel/attention/places.hpp>

namespace tegula {

namespace detail {

constexpr index_t bytes_of_floats(index_t count) { return count * static_cast<index_t>(sizeof(float)); }

} // namespace detail

/// The tiles of an attention on a CPU; attention_kernel takes it in the place of an attention_tile. A block is one
/// thread. It takes Queries rows of one head and goes over the keys Keys at a time. Everything is computed in float:
/// 16-bit inputs are converted as they are packed.
///
///   Target             arch::x86_avx2 ...; arch::strict<...> on the emulator
///   Element            of Q, K and V in memory: float, half or bfloat16
///   Instruction        of float, of mma/device/device_x86.hpp
///   HeadDim, ValueDim  most columns of Q and K, and of V and O
template <class Target, class Element, class Instruction, index_t Queries, index_t Keys, index_t HeadDim,
          index_t ValueDim>
struct cpu_attention_tile
{
    using target = Target;
    using element = Element;
    using instruction = Instruction;
    static constexpr index_t queries = Queries;
    static constexpr index_t keys = Keys;
    static constexpr index_t head_dim = HeadDim;
    static constexpr index_t value_dim = ValueDim;
    static constexpr int waves = 1;
    static constexpr int block_threads = 1;
    static constexpr int slices = 1;
    static constexpr int crowded = 0;
    static constexpr bool recomputes_part = false;
    static constexpr bool sums_apart = false;
    static constexpr key_value_place key_values = key_value_place::apart;
    static constexpr bool direct = false;
    static constexpr x86::feature_set needed = Instruction::needed;
    static_assert(Queries % Instruction::rows == 0 && Keys % Instruction::tile_columns == 0 &&
                      HeadDim % Instruction::tile_columns == 0 && ValueDim % Instruction::tile_columns == 0,
                  "tegula: an attention tile of a CPU is whole register tiles of its instruction");
    static_assert(std::is_same_v<typename Instruction::c_type, float> && Instruction::per_word == 1,
                  "tegula: attention on a CPU computes in float");

private:
    template <index_t Depth>
    using panels = std::conditional_t<Target::is_strict, strict_panels<Target, Instruction, Depth>,
                                      native_panels<Instruction, Depth>>;
    using rows = std::conditional_t<Target::is_strict, strict_rows<Target>, native_rows<Instruction>>;
    /// Output rows are a register longer than needed, or they would conflict in the same lines of the cache.
    static constexpr index_t output_pitch = ValueDim + Instruction::columns;

public:
    using query_loader = packed_sequence<panels<HeadDim>, Element, Queries, packed_side::left>;
    using key_loader = packed_sequence<panels<HeadDim>, Element, Keys, packed_side::right>;
    using value_loader = packed_sequence<panels<Keys>, Element, Keys, packed_side::right_by_columns>;

    // Byte offsets in the block's shared memory, in this order: queries, keys, values, scores, output.
    static constexpr index_t first_key_byte = detail::bytes_of_floats(Queries * HeadDim);
    static constexpr index_t first_value_byte = first_key_byte + key_loader::bytes;
    static constexpr index_t first_score_byte = first_value_byte + detail::bytes_of_floats(Keys * ValueDim);
    static constexpr index_t first_output_byte = first_score_byte + detail::bytes_of_floats(Queries * Keys);
    static constexpr index_t shared_bytes = first_output_byte + detail::bytes_of_floats(Queries * output_pitch);

    struct score_mma
    {
        static constexpr bool in_memory = true;
        using accumulators = packed_matrix<Target, first_score_byte, Keys>;
    };
    struct output_mma
    {
        static constexpr bool in_memory = true;
        using accumulators = packed_matrix<Target, first_output_byte, output_pitch>;
    };

    /// Scores become weights in place.
    struct chain
    {
        static constexpr int slices = 1;
        static constexpr bool in_memory = true;
        using score_distribution = tile_distribution<row_of_lane<Instruction::tile_columns>>;
        using score_tensor = packed_scores<rows, score_distribution, Keys>;

        static TEGULA_INLINE score_tensor scores_of(const typename score_mma::accumulators& acc)
        {
            return {acc.data, acc.rows};
        }
        template <bool = false>
        static TEGULA_INLINE packed_panel operand_of(const score_tensor& s)
        {
            return {reinterpret_cast<const std::byte*>(s.data), s.rows};
        }
        template <int>
        static TEGULA_INLINE packed_panel slice_of(const packed_panel& weights)
        {
            return weights;
        }
    };
    using softmax = packed_softmax<Target, rows, Queries, Keys, typename output_mma::accumulators>;

    struct query_slices
    {
        query_loader loader;

        template <int>
        TEGULA_INLINE packed_panel slice() const
        {
            return {loader.panel, loader.extent};
        }
    };
    template <class Load>
    static TEGULA_INLINE query_slices load_queries(long_index_t stride, index_t columns, std::byte* memory,
                                                   const Load& load)
    {
        query_slices q{{stride, columns, memory, "Q"}};
        load(q.loader);
        q.loader.store();
        return q;
    }

    /// Writes the output to the matrix `view` from row `row` on.
    template <class View>
    static TEGULA_INLINE void store_output(const typename softmax::accumulators& output, const View& view, index_t row,
                                           index_t count, index_t columns)
    {
        using stage = packed_output<panels<Keys>>;
        auto all = output.view();
        all.rows = min(Queries, count);
        all.columns = columns;
        stage::store_rows(all, make_tile_window<typename stage::pass_distribution>(view, {row, 0}));
    }

    static consteval bool check() { return true; }
};

} // namespace tegula
