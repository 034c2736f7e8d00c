#pragma once

#include <tegula/arch/gpu_target.hpp>
#include <tegula/layout/access_plan.hpp>
#include <tegula/mma/packed.hpp>
#include <tegula/tensor/distributed_tensor.hpp>

namespace tegula {

/// The matrix product of a thread block: an atom (a matrix instruction, mma/atom.hpp) repeated over iterations and waves.
///
/// Both operands are [rows, k] tiles: A is [BlockM, k], B is [BlockN, k]. A step multiplies slice_k of k. Each lane reads `pack`
/// consecutive k, 16 bytes if the instruction takes less, and feeds them to `calls` instructions. An instruction then gets
/// its k in another order than its layout has. The order is the same for A and B, so that the product does not change.
///
/// C is stored by rows, in vectors of neighbouring columns. If a lane's accumulators are neighbouring rows of one column, the
/// tile computes the transposed product, with B as the instruction's A. The accumulators are then neighbouring columns.
///
///   WavesM, WavesN  waves that share the rows and the columns of C
///   Copies          waves that compute the same part of C, each for its own use
///   Transposed      computes the transposed product whatever the accumulators: the tile's B are the instruction's rows
template <class Target, class Atom, index_t BlockM, index_t BlockN, int WavesM, int WavesN, int Copies = 1,
          bool Transposed = false>
struct mma_tile
{
    static_assert(internal::is_a_target<Target>::ok);

    using target = Target;
    using atom = Atom;
    using c_type = typename Atom::c_type;

    static constexpr index_t block_m = BlockM;
    static constexpr index_t block_n = BlockN;
    static constexpr int waves_m = WavesM;
    static constexpr int waves_n = WavesN;
    static constexpr int copies = Copies;
    static constexpr int waves = WavesM * WavesN * Copies;
    static_assert(Copies == 1 || WavesN == 1, "tegula: waves share the columns of C, or each computes all of them");
    static constexpr int block_threads = waves * Target::wave_size;

private:
    static constexpr encoding_value atom_c = Atom::c_encoding::value;

    /// Lanes of the accumulator that alternate between rows: rotating the rows by them makes a lane's rows neighbours.
    static consteval index_t row_rotation()
    {
        index_t lanes = 1;
        bool registers_above = false;
        for (int minor = atom_c.hs[0].size() - 1; minor >= 0 && !registers_above; --minor) {
            registers_above = !internal::owned_by_p(atom_c, {1, minor});
            if (!registers_above)
                lanes *= atom_c.hs[0][minor];
        }
        return registers_above ? lanes : 1;
    }
    static constexpr index_t columns_in_lane = internal::contiguous_run(atom_c, 1);
    static constexpr index_t rotation = columns_in_lane > 1 && !Transposed ? 1 : row_rotation();
    static constexpr encoding_value rotated_c = rotate_dim(atom_c, 0, rotation);

public:
    /// Whether the instruction computes the transpose of the tile.
    static constexpr bool transposed = Transposed || internal::contiguous_run(rotated_c, 0) > columns_in_lane;
    /// Types of the tile's A and B: those of the instruction, exchanged if the product is transposed.
    using a_type = std::conditional_t<transposed, typename Atom::b_type, typename Atom::a_type>;
    using b_type = std::conditional_t<transposed, typename Atom::a_type, typename Atom::b_type>;
    static constexpr int pack = vector_pack<Atom>;
    static constexpr bool in_memory = false; ///< accumulators are in registers
    static constexpr int calls = pack / static_cast<int>(own_length(Atom::a_encoding::value, 1));

private:
    static constexpr index_t to_kn[] = {1, 0};
    /// The encoding of an operand in a slice: with k permuted, except for atoms that keep the order of k.
    static constexpr encoding_value as_slice(const encoding_value& operand)
    {
        if constexpr (Atom::keeps_k_order)
            return operand;
        else
            return packed_operand(operand, 1, pack);
    }
    static constexpr encoding_value first = rotate_dim(as_slice(Atom::a_encoding::value), 0, rotation);
    static constexpr encoding_value second = as_slice(transpose(Atom::b_encoding::value, to_kn));

    static constexpr encoding_value atom_a = transposed ? second : first;
    static constexpr encoding_value atom_b = transposed ? first : second;
    static constexpr index_t atom_m = transposed ? Atom::n : Atom::m;
    static constexpr index_t atom_n = transposed ? Atom::m : Atom::n;

public:
    static constexpr index_t slice_k = static_cast<index_t>(x_length(first, 1));
    static constexpr int iterations_m = BlockM / (atom_m * WavesM);
    static constexpr int iterations_n = BlockN / (atom_n * WavesN);
    static_assert(BlockM == iterations_m * atom_m * WavesM && BlockN == iterations_n * atom_n * WavesN,
                  "tegula: the block tile must be a multiple of the instruction's tile times the waves");

private:
    /// The outer part of an operand's encoding: `iterations` in registers and `own` waves along its rows, replicated
    /// over the other waves.
    static constexpr encoding_value outer(int iterations, int own, int others, bool rows_first)
    {
        encoding_value e;
        e.rs = {others};
        e.hs = {encoding_value::lengths_type{iterations, own}, encoding_value::lengths_type{}};
        e.ps = {rows_first ? encoding_value::digits_type{rh_digit{1, 1}, rh_digit{0, 0}}
                           : encoding_value::digits_type{rh_digit{0, 0}, rh_digit{1, 1}}};
        e.ys = {rh_digit{1, 0}};
        return e;
    }
    static constexpr encoding_value outer_c(int iterations)
    {
        encoding_value e;
        e.hs = {encoding_value::lengths_type{iterations, WavesM}, encoding_value::lengths_type{iterations_n, WavesN}};
        e.ps = {encoding_value::digits_type{rh_digit{1, 1}, rh_digit{2, 1}}};
        if (Copies > 1) {
            e.rs = {Copies};
            e.ps = {encoding_value::digits_type{rh_digit{1, 1}, rh_digit{2, 1}, rh_digit{0, 0}}};
        }
        e.ys = {rh_digit{1, 0}, rh_digit{2, 0}};
        return e;
    }
    template <int Iterations>
    struct output_encoding
    {
        static constexpr encoding_value raw =
            embed(outer_c(Iterations), transposed ? transpose(rotated_c, to_kn) : rotated_c);
        static constexpr const encoding_value& value = raw;
    };

public:
    /// [BlockM, slice_k] of A and [BlockN, slice_k] of B over {wave, lane}.
    struct a_encoding
    {
        static constexpr encoding_value raw = embed(outer(iterations_m, WavesM, WavesN* Copies, true), atom_a);
        static constexpr const encoding_value& value = raw;
    };
    struct b_encoding
    {
        static constexpr encoding_value raw = embed(outer(iterations_n, WavesN, WavesM* Copies, false), atom_b);
        static constexpr const encoding_value& value = raw;
    };
    using a_distribution = tile_distribution<a_encoding>;
    using b_distribution = tile_distribution<b_encoding>;
    /// [BlockM, BlockN] of C, and a strip of it: the strip_rows rows of one iteration of all waves along M.
    using c_distribution = tile_distribution<output_encoding<iterations_m>>;
    using strip_distribution = tile_distribution<output_encoding<1>>;
    static constexpr index_t strip_rows = atom_m * WavesM;

    using a_slice = distributed_tensor<a_type, a_distribution>;
    using b_slice = distributed_tensor<b_type, b_distribution>;

    /// The accumulators of a lane, one array per instruction tile: rows of iterations first, as in c_distribution.
    struct accumulators
    {
        using tile = array<c_type, Atom::c_count>;
        array<tile, iterations_m * iterations_n> tiles TEGULA_UNSET(array<tile, iterations_m * iterations_n>);

        TEGULA_INLINE void clear() { clear(std::make_integer_sequence<int, iterations_m * iterations_n>{}); }

        /// The calls of a k loop: for a slice of a step, and after the step. Derived accumulators may have their own.
        template <int Slice>
        TEGULA_INLINE void multiply_slice(const a_slice& a, const b_slice& b)
        {
            multiply(*this, a, b);
        }
        TEGULA_INLINE void end_step() {}

        /// The accumulators of iteration I along the rows.
        template <int I>
        TEGULA_INLINE distributed_tensor<c_type, strip_distribution> strip() const
        {
            distributed_tensor<c_type, strip_distribution> c;
            for (int j = 0; j < iterations_n; ++j)
                for (int i = 0; i < Atom::c_count; ++i)
                    c[j * Atom::c_count + i] = tiles[I * iterations_n + j][i];
            return c;
        }

    private:
        template <int... Ts>
        TEGULA_INLINE void clear(std::integer_sequence<int, Ts...>)
        {
            (clear(tiles[Ts]), ...);
        }
        static TEGULA_INLINE void clear(tile& t)
        {
            for (int i = 0; i < Atom::c_count; ++i)
                t[i] = c_type{};
        }
    };

    /// Part `Part` of `Parts` of a slice of B: the rows of iterations_n / Parts iterations.
    template <int Part, int Parts>
    struct b_part
    {
        using value_type = b_type;
        static constexpr int num_registers = b_slice::num_registers / Parts;
        static constexpr int first_iteration = Part * iterations_n / Parts;
        static_assert(iterations_n % Parts == 0);
        alignas(16) array<b_type, num_registers> registers TEGULA_UNSET(array<b_type, num_registers>);
    };

    /// acc += a b^T for one slice of k.
    static TEGULA_INLINE void multiply(accumulators& acc, const a_slice& a, const b_slice& b)
    {
        multiply_tiles<0, iterations_m, 0, iterations_n>(acc, a, b);
    }
    /// Multiplies for the rows of C of iteration I and the columns of part `Part` of `Parts`.
    template <int I, int Part, int Parts>
    static TEGULA_INLINE void multiply_part(accumulators& acc, const a_slice& a, const b_slice& b)
    {
        multiply_tiles<I, 1, Part * iterations_n / Parts, iterations_n / Parts>(acc, a, b);
    }
    /// Multiplies for the columns of C that belong to a part of B.
    template <int Part, int Parts>
    static TEGULA_INLINE void multiply(accumulators& acc, const a_slice& a, const b_part<Part, Parts>& b)
    {
        multiply_tiles<0, iterations_m, b_part<Part, Parts>::first_iteration, iterations_n / Parts>(acc, a, b);
    }

private:
    template <int FirstRow, int Rows, int First, int Count, class B>
    static TEGULA_INLINE void multiply_tiles(accumulators& acc, const a_slice& a, const B& b)
    {
        using columns = std::make_integer_sequence<int, Count>;
        static_for<calls>([&](auto call) {
            array<decltype(fragment<transposed, call, 0>(b)), Count> fb;
            // A b_part holds only its own columns.
            take_fragments<transposed, call, std::is_same_v<B, b_slice> ? First : 0>(fb, b, columns{});
            static_for<Rows>([&](auto r) {
                constexpr int i = FirstRow + r;
                multiply_row<i, First>(acc, fragment<!transposed, call, i>(a), fb, columns{});
            });
        });
    }

    /// The instruction tiles of iteration I along the rows and of iterations First + Js along the columns.
    template <int I, int First, class FragmentA, class FragmentsB, int... Js>
    static TEGULA_INLINE void multiply_row(accumulators& acc, const FragmentA& fa, const FragmentsB& fb,
                                           std::integer_sequence<int, Js...>)
    {
        // From the last column back: B is read after A, so that one wait covers every register.
        constexpr int last = static_cast<int>(sizeof...(Js)) - 1;
        constexpr int tile = I * iterations_n + First + last;
        if constexpr (transposed)
            (multiply_once(acc.tiles[tile - Js], fb[last - Js], fa), ...);
        else
            (multiply_once(acc.tiles[tile - Js], fa, fb[last - Js]), ...);
    }
    template <class Tile, class Left, class Right>
    static TEGULA_INLINE void multiply_once(Tile& c, const Left& left, const Right& right)
    {
        if constexpr (requires { Atom::multiply_words(c, left, right); })
            Atom::multiply_words(c, left, right);
        else
            Atom::multiply(c, __builtin_bit_cast(array<typename Atom::a_type, Atom::a_count>, left),
                           __builtin_bit_cast(array<typename Atom::b_type, Atom::b_count>, right));
    }

    template <bool First, int Call, int Skipped, class Fragments, class Slice, int... Is>
    static TEGULA_INLINE void take_fragments(Fragments& f, const Slice& slice, std::integer_sequence<int, Is...>)
    {
        ((f[Is] = fragment<First, Call, Skipped + Is>(slice)), ...);
    }

    template <bool First>
    static constexpr int slot_count = First ? Atom::a_count : Atom::b_count;

    template <bool First>
    static consteval array<int, calls * slot_count<First>> find_packed_slots()
    {
        const packed_register_map map(First ? Atom::a_encoding::value : transpose(Atom::b_encoding::value, to_kn), 1,
                                      pack);
        array<int, calls * slot_count<First>> slots{};
        for (int i = 0; i < calls * slot_count<First>; ++i)
            slots[i] = map(i / slot_count<First>, i % slot_count<First>);
        return slots;
    }
    /// Which packed registers feed the slots of the instruction, in its first call, in its second and so on.
    template <bool First>
    static constexpr auto packed_slots = computed_once<find_packed_slots<First>()>;

    /// Elements in a register of 32 bits, 1 if the instruction's slots do not take whole registers of a slice.
    template <bool First, class T>
    static consteval int word_elements()
    {
        constexpr int elements = sizeof(T) < 4 ? 4 / static_cast<int>(sizeof(T)) : 1;
        if (slot_count<First> % elements != 0)
            return 1;
        for (int i = 0; i < calls * slot_count<First>; ++i) {
            const int own = packed_slots<First>[i], first = packed_slots<First>[i / elements * elements];
            if (own % elements != i % elements || own / elements != first / elements)
                return 1;
        }
        return elements;
    }

    /// word_elements as a constant, which is computed once for all fragments.
    template <bool First, class T>
    static constexpr int elements_of_word = word_elements<First, T>();

    /// The registers that instruction `Call` of a slice takes from iteration `I`, in the instruction's slot order.
    /// These are whole registers if possible: compilers split bytes and do not see that they stay together. Nor are
    /// elements returned, which LLVM 22 would put together again one by one.
    template <bool First, int Call, int I, class Slice>
    static TEGULA_INLINE auto fragment(const Slice& slice)
    {
        using T = typename Slice::value_type;
        constexpr int count = slot_count<First>;
        constexpr int elements = elements_of_word<First, T>;
        using word = std::conditional_t<elements == 1, T, std::uint32_t>;
        const auto& from = slice.registers;
        const auto words = __builtin_bit_cast(array<word, Slice::num_registers / elements>, from);
        array<word, count / elements> picked;
        pick<First, Call, I>(picked, words, std::make_integer_sequence<int, count / elements>{});
        return picked;
    }
    template <bool First, int Call, int I, class Word, int N, int Words, int... Ws>
    static TEGULA_INLINE void pick(array<Word, N>& picked, const array<Word, Words>& words,
                                   std::integer_sequence<int, Ws...>)
    {
        ((picked[Ws] = words[find_word<First>(Call, I, Ws, slot_count<First> / N)]), ...);
    }

    /// The word of a slice with the registers of word `w` of that call and iteration.
    template <bool First>
    static consteval int find_word(int call, int iteration, int w, int elements)
    {
        constexpr int count = slot_count<First>;
        return (iteration * calls * count + packed_slots<First>[call * count + w * elements]) / elements;
    }
};

} // namespace tegula
