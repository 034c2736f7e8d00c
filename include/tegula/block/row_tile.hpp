#pragma once

#include <tegula/block/float_pairs.hpp>
#include <tegula/block/held_values.hpp>
#include <tegula/core/bfloat16.hpp>
#include <tegula/core/convert.hpp>
#include <tegula/core/math.hpp>
#include <tegula/tensor/elementwise.hpp>
#include <tegula/tensor/reduce.hpp>

#include <utility>

/// Rows distributed over lanes. A row that fits into registers is read once. A longer one is read in chunks, once for
/// each sweep. One kernel serves both.

namespace tegula {

/// Whether a tile's registers hold whole rows, or chunks of rows of any length.
enum class row_storage { resident, chunks };

/// How a block holds rows. `Lanes` neighbouring lanes of each of `RowWaves` waves share a row. Each lane has `Passes`
/// vectors of `Vector` elements of it.
///
///   Lanes     a power of two up to the wave; below it a wave has several rows, and RowWaves is 1
///   RowWaves  1, so that each wave has rows of its own, or Waves
///   Vector    elements of an access. More than 1: every row starts at a multiple of them and is whole vectors.
template <class Target, int Lanes, int RowWaves, int Waves, int Passes, int Vector,
          row_storage Storage = row_storage::resident>
struct row_tile
{
    static_assert(RowWaves == 1 || (RowWaves == Waves && Lanes == Target::wave_size),
                  "tegula: a row belongs to lanes of a wave or to all threads of the block");

    using target = Target;
    static constexpr int waves = Waves;
    static constexpr int vector = Vector;
    static constexpr int passes = Passes;
    static constexpr bool resident = Storage == row_storage::resident;
    static constexpr int block_threads = Waves * Target::wave_size;
    static constexpr index_t rows = Waves / RowWaves * (Target::wave_size / Lanes); ///< rows of a block
    static constexpr index_t threads_of_row = RowWaves * Lanes;
    static constexpr index_t columns = threads_of_row * Vector * Passes; ///< columns of a row in registers at a time
    static constexpr int registers = Passes * Vector;                    ///< registers of a lane

    /// Whether the longest row fills the block's registers with whole vectors, so that it needs no test for each of them.
    static constexpr bool fills_block = resident && threads_of_row > Target::wave_size&& Vector > 1;

    /// [rows, columns]; register pass * Vector + j is element j of the lane's vector number `pass`.
    using distribution = tile_distribution<tile_distribution_encoding<
        sequence<>,
        tuple<sequence<Waves / RowWaves, Target::wave_size / Lanes>, sequence<Passes, RowWaves, Lanes, Vector>>,
        tuple<sequence<1, 2>, sequence<1, 2>>, tuple<sequence<0, 1>, sequence<1, 2>>, sequence<2, 2>, sequence<0, 3>>>;
    /// [rows, threads_of_row]: one number per thread.
    using partials = tile_distribution<tile_distribution_encoding<
        sequence<>, tuple<sequence<Waves / RowWaves, Target::wave_size / Lanes>, sequence<RowWaves, Lanes>>,
        tuple<sequence<1, 2>, sequence<1, 2>>, tuple<sequence<0, 0>, sequence<1, 1>>, sequence<>, sequence<>>>;

    template <class T>
    using values = distributed_tensor<T, distribution>;

private:
    static constexpr int part_passes = Vector < 8 ? 8 / Vector : 1;

public:
    /// The tile of 8 of a lane's elements; its chunks are this tile's registers in order. On a CPU it is this tile.
    using part = row_tile<Target, Lanes, RowWaves, Waves,
                          Target::wave_size != 1 && Passes % part_passes == 0 ? part_passes : Passes, Vector, Storage>;

    /// Shared memory that combine() needs.
    template <class T>
    static constexpr index_t scratch_bytes = reduce_scratch_bytes<Target, T, partials, 1>;

    /// The calling lane's row in the block, and the first column of its vectors.
    static TEGULA_INLINE index_t row_of_lane() { return origin()[0]; }
    static TEGULA_INLINE index_t column_of_lane()
    {
        if constexpr (fills_block && Target::vendor == vendor::amd) {
            // origin()[1], computed where it is used: the columns of all vectors would be held in registers across rows.
            auto thread = static_cast<std::uint32_t>(Target::thread_id());
            Target::hide(thread);
            return static_cast<index_t>(thread) * Vector;
        } else {
            return origin()[1];
        }
    }
    /// Whether the calling lane is the first of its row.
    static TEGULA_INLINE bool is_first_lane_of_row() { return column_of_lane() == 0; }
    /// Columns from one vector of a lane to its next.
    static constexpr index_t pass_columns = threads_of_row * Vector;

    /// op over the threads that share a row; all of them get the same bits. Uses shared memory if several waves share a row.
    TEGULA_CALLS_BACK
    template <class T, class Op>
    static TEGULA_INLINE T combine(T value, const Op& op)
    {
        distributed_tensor<T, partials> mine;
        mine[0] = value;
        if constexpr (RowWaves == 1)
            return reduce<Target, 1>(mine, op)[0];
        else
            return reduce<Target, 1>(mine, op, Target::shared_memory())[0];
    }

    /// A number that a row's lanes have in common, in a scalar register if AMD's waves belong to one row each: kernels on rows
    /// run out of vector registers.
    static TEGULA_INLINE float in_common(float x)
    {
        if constexpr (Target::chip().vendor == vendor::amd && threads_of_row >= Target::wave_size)
            return __builtin_bit_cast(float, Target::uniform(__builtin_bit_cast(int, x)));
        else
            return x;
    }

private:
    static TEGULA_INLINE multi_index<2> origin()
    {
        return distribution::origin(partition_index<Target, distribution>());
    }
};

/// f(0) ... f(N - 1), with constants in device code, where registers have no run-time index. On a host it is a loop,
/// which compiles in a fraction of the time.
TEGULA_CALLS_BACK
template <int N, class F>
TEGULA_INLINE void for_each_register(const F& f)
{
#if TEGULA_DEVICE_PASS
    static_for<N>(f);
#else
    for (int r = 0; r < N; ++r)
        f(r);
#endif
}

/// The greater of two numbers; if one is a NaN, the other. For sums in which the NaN shows anyway.
template <class Target>
struct greater_number
{
    TEGULA_INLINE float operator()(float a, float b) const { return Target::max_number(a, b); }
};
template <class Target>
inline constexpr bool is_commutative<greater_number<Target>> = true;

/// One row of a tensor, or none (length 0), as the calling lane sees it.
///
///   T         const if the row is read
///   MayBeWhole  a row that fills the block is accessed without a test for each vector
template <class Tile, class T, bool MayBeWhole = true>
struct row_access
{
    using tile = Tile;
    using target = typename Tile::target;
    using value_type = std::remove_const_t<T>;

    T* data = nullptr;       ///< element 0 of the lane's row
    index_t length = 0;      ///< elements
    long_index_t stride = 1; ///< between elements; 1 if the tile has vectors
    const char* name = "row";

    /// The elements from column `first` on, `fill` past the row's end.
    TEGULA_INLINE auto load(index_t first, value_type fill = value_type{}) const
    {
        return load_as<value_type>(first, fill);
    }
    /// load as float.
    TEGULA_INLINE auto load_float(index_t first, float fill) const
    {
        return load_as<float>(first, convert<value_type>(fill));
    }
    /// The elements as a lane holds them, 0 past the row's end.
    TEGULA_INLINE held_values<Tile, value_type> load_held(index_t first) const
    {
        using held = held_values<Tile, value_type>;
        held x;
        if constexpr (held::packed)
            for_each_vector(first, [&](auto pass, T* at, bool active) {
                constexpr int words = Tile::vector / 2;
                const auto vector = internal::read_words<target, address_space::global, Tile::vector>(at, active);
                for_each_register<words>([&](auto w) { x.words[pass * words + w] = vector.words[w]; });
            });
        else
            x.words = load_float(first, 0.0f).registers;
        return x;
    }
    /// load as float, 0 past the row's end.
    TEGULA_INLINE typename Tile::template values<float> load_float(index_t first) const
    {
        if constexpr (held_values<Tile, value_type>::packed)
            return load_held(first).floats();
        else
            return load_float(first, 0.0f);
    }
    /// Writes the elements that are in the row.
    TEGULA_INLINE void store(index_t first, const typename Tile::template values<value_type>& x) const
    {
        if constexpr (takes_runs)
            return write_run(first, x);
        for_each_vector(first, [&](auto pass, T* at, bool active) {
            array<value_type, Tile::vector> vector;
            for_each_register<Tile::vector>([&](auto j) { vector[j] = x[pass * Tile::vector + j]; });
            internal::write_vector<target, address_space::global, Tile::vector>(at, vector, active);
        });
    }
    ///   ShortNan  the lower half of every NaN is 0: all were computed from numbers of bfloat16
    template <bool ShortNan = false>
    TEGULA_INLINE void store_float(index_t first, const typename Tile::template values<float>& x) const
    {
        if constexpr (takes_runs)
            write_run(first, x);
        else
            store_held(first, held_values<Tile, value_type>::template round<ShortNan>(x));
    }
    /// Writes the elements that are in the row.
    TEGULA_INLINE void store_held(index_t first, const held_values<Tile, value_type>& x) const
    {
        if constexpr (held_values<Tile, value_type>::packed)
            store(first, __builtin_bit_cast(typename Tile::template values<value_type>, x.words));
        else
            store(first, cast<value_type>(typename Tile::template values<float>{x.words}));
    }

private:
    /// A CPU has one lane, whose vectors follow each other. They are read and written as runs, which
    /// compilers vectorize.
    static constexpr bool takes_runs = is_native_cpu<target> && Tile::vector > 1;

    /// Elements of the row in the chunk at `first`.
    TEGULA_INLINE index_t count_from(index_t first) const { return max(min(length - first, Tile::columns), index_t{}); }

    /// to[i] = convert(from[i]) for i below count. Loops have constant lengths; compilers do not vectorize others.
    template <class To, class From>
    static TEGULA_INLINE void convert_run(To* to, const From* from, index_t count)
    {
        constexpr index_t part = Tile::registers % 32 == 0 ? 32 : 1;
        const auto convert_part = [&](index_t i) {
            if constexpr (std::is_same_v<To, From>)
                __builtin_memcpy(to + i, from + i, part * sizeof(To)); // a loop would become one slow copy of the whole
            else
                for (index_t j = 0; j < part; ++j)
                    to[i + j] = convert<To>(from[i + j]);
        };
        if (count == Tile::registers)
            for (index_t i = 0; i < Tile::registers; i += part)
                convert_part(i);
        else {
            const index_t whole = count / part * part;
            for (index_t i = 0; i < whole; i += part)
                convert_part(i);
            for (index_t i = whole; i < count; ++i)
                to[i] = convert<To>(from[i]);
        }
    }
    template <class To>
    TEGULA_INLINE array<To, Tile::registers> read_run(index_t first, To fill) const
    {
        array<To, Tile::registers> x;
        const index_t count = count_from(first);
        if (count < Tile::columns)
            for (int r = 0; r < Tile::registers; ++r)
                x[r] = fill;
        convert_run(x.values, data + first, count);
        return x;
    }
    template <class From>
    TEGULA_INLINE void write_run(index_t first, const From& x) const
    {
        convert_run(data + first, x.registers.values, count_from(first));
    }
    /// Each vector is converted where it is read: after the two branches of for_each_vector, elements of 16 bits would
    /// take a register each.
    template <class To>
    TEGULA_INLINE typename Tile::template values<To> load_as(index_t first, value_type fill) const
    {
        if constexpr (takes_runs) {
            // Made in place: a tensor's initial values would be written for nothing.
            return typename Tile::template values<To>{read_run(first, convert<To>(fill))};
        } else {
            return load_vectors<To>(first, fill);
        }
    }
    template <class To>
    TEGULA_INLINE typename Tile::template values<To> load_vectors(index_t first, value_type fill) const
    {
        typename Tile::template values<To> x;
        for_each_vector(first, [&](auto pass, T* at, bool active) {
            auto words = internal::read_words<target, address_space::global, Tile::vector>(at, active);
            auto filled = words;
            filled.fill(fill);
            const auto vector = choose(active, words, filled).values();
            array<To, Tile::vector> converted;
            internal::convert_all(converted, vector);
            for_each_register<Tile::vector>([&](auto j) { x[pass * Tile::vector + j] = converted[j]; });
        });
        return x;
    }
    /// f(pass, pointer, active) for the lane's vectors of the chunk at `first`.
    template <class F>
    TEGULA_INLINE void for_each_vector(index_t first, const F& f) const
    {
        const index_t lane = Tile::column_of_lane();
        const auto each = [&](auto whole) {
            for_each_register<Tile::passes>([&](auto pass) {
                const index_t in_chunk = pass * Tile::pass_columns, at = first + in_chunk + lane;
                label(at);
                f(pass, address(first, in_chunk, lane), whole.value || at < length);
            });
        };
        // A row that fills the block's registers needs no test per vector; a CPU has its own vectors for whole chunks.
        if constexpr ((Tile::fills_block && MayBeWhole) || target::wave_size == 1)
            if (first + Tile::columns <= length)
                return each(std::true_type{});
        each(std::false_type{});
    }
    /// Element first + in_chunk + lane, of which a wave's lanes have all but `lane` in common. AMD's chips add 32 bits of a
    /// lane to a pointer of the wave. If rows are resident, these bits are the same for all tensors and parts of a row.
    TEGULA_INLINE T* address(index_t first, index_t in_chunk, index_t lane) const
    {
        if constexpr (Tile::vector == 1)
            return data + (first + in_chunk + lane) * stride;
        if constexpr (target::vendor == vendor::nvidia)
            return data + lane + (first + in_chunk);
        using byte = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;
        const index_t of_wave = Tile::resident ? 0 : first;
        const auto bytes = static_cast<std::uint32_t>(first - of_wave + in_chunk + lane) * sizeof(T);
        return reinterpret_cast<T*>(reinterpret_cast<byte*>(data + of_wave) + static_cast<std::uint32_t>(bytes));
    }
    /// Tells the emulator which element the next access touches first.
    TEGULA_INLINE void label([[maybe_unused]] index_t column) const
    {
#if !TEGULA_DEVICE_PASS
        if (target::labels_enabled())
            target::set_element(name, &column, 1, data);
#endif
    }
};

/// f(register, column, inside) for a lane's elements of the chunk at column `first`; `inside` is the same for
/// all elements of a vector.
TEGULA_CALLS_BACK
template <class Tile, class F>
TEGULA_INLINE void for_each_in_row(index_t first, index_t length, const F& f)
{
    const index_t column = first + Tile::column_of_lane();
    for_each_register<Tile::passes>([&](auto pass) {
        const bool inside = column + pass * Tile::pass_columns < length;
        for_each_register<Tile::vector>(
            [&](auto j) { f(pass * Tile::vector + j, column + pass * Tile::pass_columns + j, inside); });
    });
}

/// How many of a lane's elements of the chunk at column `first` are in the row.
template <class Tile>
TEGULA_INLINE index_t count_in_row(index_t first, index_t length)
{
    const index_t rest = length - first - Tile::column_of_lane();
    const index_t passes = (max(rest, 0) + Tile::pass_columns - 1) / Tile::pass_columns;
    return min(passes, index_t{Tile::passes}) * Tile::vector;
}

struct load_later
{};

/// The values computed from the elements of a row, held in registers or loaded again for each sweep.
///
///   Load  load(first): what is computed from the chunk at column `first`, such as values<float>
template <class Tile, class Load>
struct row_values
{
    using chunk = decltype(std::declval<const Load&>()(index_t{}));
    struct no_chunk
    {};

    Load load;
    index_t length;
    std::conditional_t<Tile::resident, chunk, no_chunk> held;

    TEGULA_INLINE row_values(const Load& from, index_t row_length)
        : load(from), length(row_length), held(first_chunk(from))
    {}

    /// A resident row that load_now() loads.
    TEGULA_INLINE row_values(const Load& from, index_t row_length, load_later) : load(from), length(row_length) {}
    TEGULA_INLINE void load_now() { held = load(0); }

    /// f(chunk, first) for the chunks of the row in turn; f may change elements of a resident row for later sweeps.
    TEGULA_CALLS_BACK
    template <class F>
    TEGULA_INLINE void sweep(const F& f)
    {
        if constexpr (Tile::resident) {
            f(held, 0);
        } else {
            TEGULA_ROLLED
            for (index_t first = 0; first < length; first += Tile::columns) {
                chunk x = load(first);
                f(x, first);
            }
        }
    }

private:
    TEGULA_CALLS_BACK
    static TEGULA_INLINE auto first_chunk([[maybe_unused]] const Load& from)
    {
        if constexpr (Tile::resident)
            return from(0);
        else
            return no_chunk{};
    }
};

/// Writes `value` for the row, by its first lane.
template <class Tile, class T>
TEGULA_INLINE void store_of_row(T* to, T value, bool exists)
{
    internal::write_scalar<typename Tile::target>(to, value, exists && Tile::is_first_lane_of_row());
}

/// A number that a row's lanes share, in global memory.
template <class Tile, class T>
TEGULA_INLINE T load_of_row(const T* from)
{
    return internal::read_scalar<typename Tile::target>(from);
}

/// f(row, exists) for the rows of this block, in steps of the grid, or on a CPU one after the other: `row` is the calling
/// lane's. Past the last row `exists` is false, and lanes only take part in what the row's lanes do together.
TEGULA_CALLS_BACK
template <class Tile, class F>
TEGULA_INLINE void for_each_row(long_index_t rows, index_t blocks, const F& f)
{
    const index_t in_block = Tile::row_of_lane();
    const auto block = static_cast<long_index_t>(Tile::target::block_id()[0]);
    if constexpr (Tile::target::wave_size == 1) {
        const long_index_t share = ceil_div(rows, static_cast<long_index_t>(blocks)), end = block * share + share;
        for (long_index_t row = block * share; row < min(end, rows); ++row)
            TEGULA_INLINE_CALL f(row, true);
        return;
    }
    TEGULA_ROLLED
    for (long_index_t first = block * Tile::rows; first < rows;
         first += static_cast<long_index_t>(blocks) * Tile::rows) {
        const bool exists = first + in_block < rows;
        TEGULA_INLINE_CALL f(exists ? first + in_block : first, exists);
    }
}

} // namespace tegula
