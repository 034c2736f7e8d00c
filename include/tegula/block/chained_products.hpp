#pragma once

#include <tegula/block/mma_tile.hpp>
#include <tegula/core/bfloat16.hpp>
#include <tegula/core/float8.hpp>
#include <tegula/tensor/convert.hpp>

namespace tegula {

/// Two products in a row, S = A B^T and then O = f(S) V: how f(S) goes from the accumulators of the first to the
/// operands of the second.
///
///   First, Second     mma_tiles of the same waves along M; First's columns are Second's k. Waves that share Second's
///                     columns each have a copy of First
///   InstructionOrder  whether slices of V have the instruction's own order of k, not the packed one (ldmatrix)
///
/// An instruction's result may spread its columns over as many lanes as an operand spreads its k. Then the rows of B
/// are read in an order in which a lane's accumulators are its operand's registers. Otherwise lanes exchange registers.
/// In the instruction's own order of k, rows of V are reordered if the operand's runs of k are longer than the
/// result's of columns.
template <class First, class Second, bool InstructionOrder>
struct chained_products
{
private:
    using target = typename First::target;
    using operand_type = typename Second::a_type;

    static constexpr encoding_value scores = First::c_distribution::value;
    static constexpr encoding_value operand = Second::a_distribution::value;
    static constexpr encoding_value instruction_operand =
        First::transposed ? Second::atom::b_encoding::value : Second::atom::a_encoding::value;
    static constexpr int instruction_k = First::transposed ? 0 : 1;

    static consteval index_t lanes_along(const encoding_value& e, int dim)
    {
        index_t lanes = 1;
        for (rh_digit d : e.ps.back())
            if (d.major == dim + 1)
                lanes *= e.length(d);
        return lanes;
    }
    static constexpr index_t lanes = lanes_along(scores, 1);
    static constexpr index_t run = internal::contiguous_run(scores, 1);
    static constexpr bool reorders = !InstructionOrder && lanes > 1 && lanes == lanes_along(operand, 1);
    static_assert(!reorders || Second::pack % run == 0);
    static constexpr index_t together = internal::contiguous_run(instruction_operand, instruction_k);

public:
    /// Whether k of Second alternates between the lanes' runs of S: V must be read in that order, see byte_pair_loader.
    static constexpr bool alternates = InstructionOrder && together != run;

private:
    static_assert(!alternates || (lanes == lanes_along(operand, 1) && together % run == 0));

    /// The order of B's rows, dimension `dim` of e: a lane's runs of a slice side by side.
    static consteval encoding_value with_adjacent_runs(const encoding_value& e, int dim)
    {
        return reorders ? exchange_digits(e, dim, Second::pack / run, lanes, run) : e;
    }
    /// The operand [M, k] of all slices, slice by slice.
    static consteval encoding_value all_slices()
    {
        encoding_value slices;
        slices.hs = {encoding_value::lengths_type{}, encoding_value::lengths_type{First::block_n / Second::slice_k}};
        slices.ys = {rh_digit{2, 0}};
        const encoding_value packed = embed(slices, operand);
        if (!InstructionOrder)
            return packed;
        const encoding_value in_order =
            exchange_digits(packed, 1, lanes_along(operand, 1), Second::pack / together, together);
        return alternates ? exchange_digits(in_order, 1, lanes, together / run, run) : in_order;
    }

    struct score_encoding
    {
        static constexpr encoding_value raw = with_adjacent_runs(scores, 1);
        static constexpr const encoding_value& value = raw;
    };
    struct row_encoding
    {
        static constexpr encoding_value raw = with_adjacent_runs(First::b_distribution::value, 0);
        static constexpr const encoding_value& value = raw;
    };
    struct operand_encoding
    {
        static constexpr encoding_value raw = all_slices();
        static constexpr const encoding_value& value = raw;
    };

public:
    /// [M, N] of S, as the accumulators of First hold it if B is read as b_distribution.
    using score_distribution = tile_distribution<score_encoding>;

private:
    static constexpr bool rounds_to_half = [] {
        if constexpr (requires { target::rounds_to_half; })
            return target::rounds_to_half;
        else
            return false;
    }();
    /// Rounds to nearest. On AMD's targets without an instruction that rounds to bfloat16, ties go away from zero: two
    /// numbers take three instructions instead of eleven. A NaN whose payload is all ones becomes a zero, and remains
    /// in the sum of the row. f16 is rounded this way if all numbers are below 2^15: two take three instructions at the
    /// full rate. The conversion takes three, two of which take four times as long on CDNA. Below 2^-14, where f16 is
    /// coarser, numbers are rounded toward zero.
    template <bool Small>
    static TEGULA_INLINE auto rounded(const distributed_tensor<typename First::c_type, score_distribution>& s)
    {
        if constexpr (std::is_same_v<operand_type, bfloat16> && target::vendor == vendor::amd) {
            constexpr int words = score_distribution::num_registers / 2;
            array<std::uint32_t, words> pairs;
            static_for<words>([&](auto w) {
                const float low = s[2 * w], high = s[2 * w + 1];
                constexpr std::uint32_t half = 0x8000;
                if constexpr (target::rounds_to_bfloat16)
                    pairs[w] = target::round_pair(low, high);
                else
                    pairs[w] = target::template pick_bytes<0x7632>(__builtin_bit_cast(std::uint32_t, low) + half,
                                                                   __builtin_bit_cast(std::uint32_t, high) + half);
            });
            distributed_tensor<bfloat16, score_distribution> result;
            result.registers = __builtin_bit_cast(decltype(result.registers), pairs);
            return result;
        } else if constexpr (std::is_same_v<operand_type, half> && rounds_to_half) {
            constexpr int words = score_distribution::num_registers / 2;
            array<std::uint32_t, words> pairs;
            static_for<words>([&](auto w) { pairs[w] = target::round_pair_to_halves(s[2 * w], s[2 * w + 1]); });
            distributed_tensor<half, score_distribution> result;
            result.registers = __builtin_bit_cast(decltype(result.registers), pairs);
            return result;
        } else if constexpr (std::is_same_v<operand_type, half> && target::vendor == vendor::amd && Small) {
            constexpr int words = score_distribution::num_registers / 2;
            array<std::uint32_t, words> pairs;
            const auto raised = [](float x) {
                constexpr std::uint32_t half_a_place = 0x1000;
                return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, x) + half_a_place);
            };
            static_for<words>(
                [&](auto w) { pairs[w] = target::pack_halves_toward_zero(raised(s[2 * w]), raised(s[2 * w + 1])); });
            distributed_tensor<half, score_distribution> result;
            result.registers = __builtin_bit_cast(decltype(result.registers), pairs);
            return result;
        } else if constexpr (sizeof(operand_type) == 1 && score_distribution::num_registers % 4 == 0) {
            return rounded_in_words<Small>(s);
        } else {
            return cast<operand_type>(s);
        }
    }
    /// Rounds to 8 bits, four numbers of a lane in a word.
    template <bool Small, class Distribution>
    static TEGULA_INLINE auto rounded_in_words(const distributed_tensor<typename First::c_type, Distribution>& s)
    {
        array<std::uint32_t, Distribution::num_registers / 4> words;
        static_for<words.size()>([&](auto w) {
            constexpr int n = 4 * decltype(w)::value;
            words[w] = encode_word<operand_type, Small>(s[n], s[n + 1], s[n + 2], s[n + 3]);
        });
        distributed_tensor<operand_type, Distribution> result;
        result.registers = __builtin_bit_cast(decltype(result.registers), words);
        return result;
    }
    static_assert(First::block_n % Second::slice_k == 0 && First::waves_n == 1 && First::copies == Second::waves_n);

public:
    static constexpr int slices = static_cast<int>(First::block_n / Second::slice_k);

    /// A slice of B, [N, slice_k].
    using b_distribution = tile_distribution<row_encoding>;
    /// [M, N] of f(S) as the operands of Second hold it.
    using operand_distribution = tile_distribution<operand_encoding>;

    using score_tensor = distributed_tensor<typename First::c_type, score_distribution>;
    static constexpr bool in_memory = false; ///< scores are in registers
    using operand_tensor = distributed_tensor<typename Second::a_type, operand_distribution>;

    /// The accumulators of First as a tile.
    static TEGULA_INLINE score_tensor scores_of(const typename First::accumulators& acc)
    {
        score_tensor s;
        const auto& tiles = acc.tiles;
        s.registers = __builtin_bit_cast(decltype(s.registers), tiles);
        return s;
    }

    /// f(S), rounded, as operands.
    ///
    ///   Small  whether all numbers are NaN or below 2^15 in magnitude (below 2^7.9 for operands of 8 bits)
    template <bool Small = false>
    static TEGULA_INLINE operand_tensor operand_of(const score_tensor& s)
    {
        if constexpr (alternates)
            return rounded_in_words<Small>(convert<target, operand_distribution>(s));
        else
            return convert<target, operand_distribution>(rounded<Small>(s));
    }

    /// Slice S of the operands.
    template <int S>
    static TEGULA_INLINE typename Second::a_slice slice_of(const operand_tensor& p)
    {
        typename Second::a_slice slice;
        static_for<Second::a_slice::num_registers>(
            [&](auto r) { slice[r] = p[S * Second::a_slice::num_registers + r]; });
        return slice;
    }
};

} // namespace tegula
