#pragma once

#include <tegula/block/operand_loader.hpp>
#include <tegula/block/packed/panels.hpp>
#include <tegula/block/packed/staged_operand.hpp>
#include <tegula/core/math.hpp>

namespace tegula {

/// Where a block's accumulators lie: [rows, columns], `pitch` from one row to the next.
template <class C>
struct accumulators_in_memory
{
    using value_type = C;

    C* data = nullptr;
    index_t pitch = 0;
    index_t rows = 0; ///< rows of C in the block; the others are not computed
    index_t columns = 0;
    bool is_zero = true; ///< nothing was added yet, and memory not written
};

/// The accumulators of a block whose lane has no registers for them all: they lie in the block's shared memory and pass
/// through registers a register tile at a time.
template <class Tile>
struct packed_accumulators : accumulators_in_memory<typename Tile::accumulator_type>
{
    using base = accumulators_in_memory<typename Tile::accumulator_type>;

    TEGULA_INLINE packed_accumulators()
        : base{reinterpret_cast<typename Tile::accumulator_type*>(Tile::target::shared_memory()), Tile::pitch}
    {}
    TEGULA_INLINE void clear() { this->is_zero = true; }
    TEGULA_INLINE const base& view() const { return *this; }
};

/// The k loop of a block on a CPU, block_k of k at a time. The block's columns of B are packed into panels in the block's
/// shared memory, and its rows of A a strip at a time. They stay in cache while every register tile of the strip passes
/// over them.
template <class Tile>
struct packed_loop
{
    using operations = typename Tile::operations;
    using instruction = typename Tile::instruction;

    /// acc += A[m0 ..., :] B[n0 ..., :]^T over the whole k of the sources, which have the same k.
    template <class Accumulators, class ASource, class BSource>
    static TEGULA_INLINE void run(Accumulators& acc, const ASource& a, const BSource& b, index_t m0, index_t n0,
                                  std::byte* memory)
    {
        acc.rows = min(Tile::block_m, a.rows - m0);
        acc.columns = min(Tile::block_n, b.rows - n0);
        const index_t rows = round_up(acc.rows, instruction::rows);
        const index_t columns = round_up(acc.columns, instruction::tile_columns);
        std::byte* const a_panel = memory + Tile::accumulator_bytes;
        std::byte* const b_panels = a_panel + Tile::a_panel_bytes;
        std::byte* const stage = b_panels + Tile::b_panel_bytes;
        const index_t step = operations::depth_of(min(acc.rows, Tile::strip_m)) * instruction::per_word;
        for (index_t k = 0; k < a.k;) {
            index_t taken = multiply_unpacked(acc, a_panel, a, b, m0, n0, k);
            if (taken == 0)
                taken = multiply_in_place(acc, a, b, m0, n0, k);
            if (taken == 0) {
                taken = min(step, a.k - k);
                const index_t words = round_up(ceil_div(taken, instruction::per_word), instruction::word_step);
                pack<operand::b>(b_panels, b, n0, columns, k, words, stage);
                for (index_t i = 0; i < rows; i += Tile::strip_m) {
                    const index_t strip = min(rows - i, Tile::strip_m);
                    auto part = acc.view();
                    part.data += i * part.pitch;
                    part.rows = min(part.rows - i, Tile::strip_m);
                    pack<operand::a>(a_panel, a, m0 + i, strip, k, words, stage);
                    operations::multiply(part, columns, a_panel, b_panels, words);
                }
            }
            k += taken;
            acc.is_zero = false;
        }
    }

    /// Bytes after the panels for staged operands, which have no strides of their own.
    static constexpr index_t stage_bytes = max(instruction::columns, instruction::tile_columns) * Tile::block_k *
                                           static_cast<index_t>(sizeof(typename Tile::a_type));

private:
    enum class operand { a, b };

    /// Packs rows of A, or columns of B. An operand without strides is staged first, a strip at a time.
    template <operand Which, class Source>
    static TEGULA_INLINE void pack(std::byte* to, const Source& s, index_t row, index_t rows, index_t k, index_t words,
                                   [[maybe_unused]] std::byte* stage)
    {
        constexpr bool is_a = Which == operand::a;
        if constexpr (has_two_strides<Source>) {
            is_a ? operations::pack_a(to, s, row, rows, k, words) : operations::pack_b(to, s, row, rows, k, words);
        } else {
            using element = std::conditional_t<is_a, typename Tile::a_type, typename Tile::b_type>;
            constexpr index_t strip = is_a ? instruction::columns : instruction::tile_columns;
            constexpr index_t panel_bytes =
                is_a ? Tile::a_panel_bytes / Tile::strip_m * strip : Tile::b_panel_bytes / Tile::block_n * strip;
            for (index_t r = 0; r < rows; r += strip) {
                const index_t count = min(strip, rows - r);
                staged_operand<element> staged;
                operations::call([&] {
                    staged = stage_rows<typename Tile::target, element, strip>(
                        reinterpret_cast<element*>(stage), s, row + r, k, words * instruction::per_word);
                });
                std::byte* const panel = to + r / strip * panel_bytes;
                is_a ? operations::pack_a(panel, staged, 0, count, 0, words)
                     : operations::pack_b(panel, staged, 0, count, 0, words);
            }
        }
    }

    /// Multiplies both operands where they lie, if the operations can and it pays. Returns how many k it took, or 0.
    template <class Accumulators, class ASource, class BSource>
    static TEGULA_INLINE index_t multiply_in_place(const Accumulators& acc, const ASource& a, const BSource& b,
                                                   index_t m0, index_t n0, index_t k)
    {
        if constexpr (has_two_strides<ASource> && has_two_strides<BSource>)
            if constexpr (operations::template multiplies_in_place<std::remove_cvref_t<decltype(*a.data)>>)
                if (operations::suits_in_place(b, acc.rows)) {
                    const index_t taken = min(operations::in_place_depth, a.k - k);
                    operations::multiply_in_place(acc.view(), a, b, m0, n0, k, taken);
                    return taken;
                }
        return 0;
    }

    /// Reads B where it lies, if the operations can and it pays. Returns how many k it took, or 0.
    template <class Accumulators, class ASource, class BSource>
    static TEGULA_INLINE index_t multiply_unpacked(const Accumulators& acc, std::byte* a_panel, const ASource& a,
                                                   const BSource& b, index_t m0, index_t n0, index_t k)
    {
        if constexpr (has_two_strides<ASource> && has_two_strides<BSource> && operations::multiplies_unpacked) {
            if constexpr (Tile::a_panel_bytes < operations::unpacked_bytes)
                return 0;
            constexpr index_t step = instruction::word_step * instruction::per_word; // the rest of k is packed
            index_t taken = min(operations::unpacked_depth * instruction::per_word, a.k - k);
            if (instruction::is_tile && taken > step)
                taken -= taken % step;
            const index_t words = ceil_div(taken, instruction::per_word);
            if (operations::suits_unpacked(b, acc.rows, acc.columns, k, words)) {
                operations::pack_few(a_panel, a, m0, k, words);
                operations::multiply_unpacked(acc.view(), a_panel, b, n0, k, words);
                return taken;
            }
        }
        return 0;
    }
};

/// The depth of panels in words of k on a machine with these caches. One panel of B's columns stays in the first cache.
/// The `rows` of A, which each of B's panels meets, stay in three quarters of the second. The depth is at most `most`,
/// at least 64, and in 64s: with fewer, accumulators pass through memory too often. A cache whose size is not known, 0,
/// limits nothing.
template <class Instruction>
constexpr index_t panel_depth(const x86::cache_sizes& caches, index_t rows, index_t most)
{
    constexpr long word = sizeof(typename Instruction::word);
    const auto words_in = [](long bytes, long word_bytes) { return bytes > 0 ? bytes / word_bytes : long{INT32_MAX}; };
    const long fit = min(words_in(caches.level1, Instruction::tile_columns * word),
                         words_in(caches.level2 / 4 * 3, max(long{rows}, 1L) * word));
    return static_cast<index_t>(max(min(fit / 64 * 64, long{most}), min(64L, long{most})));
}

/// The panels' operations as the machine's own instructions. A source's elements are converted on the way if the
/// instruction takes others.
template <class Instruction, index_t Depth>
struct native_panels
{
    using instruction = Instruction;
    static constexpr index_t depth = Depth; ///< words of k of a panel, at most

    /// The words of k that a block of so many rows takes at a time on this machine.
    static index_t depth_of(index_t rows) { return panel_depth<Instruction>(x86::host_caches(), rows, Depth); }

    /// Rows [row, row + rows) of A from k on: `words` words of each.
    template <class Source>
    static void pack_a(std::byte* to, const Source& s, index_t row, index_t rows, index_t k, index_t words)
    {
        pack_rows(Instruction{}, constant<Depth>{}, to, s, row, rows, k, words);
    }
    /// Columns of B, which are rows of the source.
    template <class Source>
    static void pack_b(std::byte* to, const Source& s, index_t column, index_t columns, index_t k, index_t words)
    {
        pack_columns(Instruction{}, constant<Depth>{}, to, s, column, columns, k, words);
    }
    /// acc += a b over `columns` columns, which are whole register tiles.
    template <class Accumulators>
    static void multiply(const Accumulators& acc, index_t columns, const std::byte* a, const std::byte* b,
                         index_t words)
    {
        multiply_panels(Instruction{}, constant<Depth>{}, acc, columns, a, b, words);
    }
    /// Rows of A that do not pay for packing B, and words of k that they take at a time.
    static constexpr index_t unpacked_rows = Instruction::is_tile ? Instruction::tile_columns : 2;
    static constexpr index_t unpacked_depth = Instruction::is_tile ? 512 : 2048;
    /// Bytes of their panel of A, which stays in the L1 cache, or by tiles in the L2 cache.
    static constexpr index_t unpacked_bytes =
        unpacked_rows * unpacked_depth * static_cast<index_t>(sizeof(typename Instruction::word));

    /// Whether few rows are multiplied by multiply_unpacked.
    static constexpr bool multiplies_unpacked = true;
    template <class Source>
    static bool suits_unpacked(const Source& b, index_t rows, index_t columns, index_t k, index_t words)
    {
        return suits_few_rows(Instruction{}, b, rows, columns, k, words);
    }
    /// Rows of A as multiply_unpacked takes them.
    template <class Source>
    static void pack_few(std::byte* to, const Source& s, index_t row, index_t k, index_t words)
    {
        constexpr constant<unpacked_depth> pitch;
        if constexpr (Instruction::is_tile)
            pack_columns(Instruction{}, pitch, to, s, row, unpacked_rows, k, words);
        else
            pack_rows(Instruction{}, pitch, to, s, row, unpacked_rows, k, words);
    }
    template <class Accumulators, class Source>
    static void multiply_unpacked(const Accumulators& acc, const std::byte* a, const Source& b, index_t column,
                                  index_t k, index_t words)
    {
        multiply_few_rows(Instruction{}, constant<unpacked_depth>{}, acc, a, b, column, k, words);
    }
    /// k that operands multiplied in place take at a time: a register tile's columns of B stay in the L1 cache.
    static constexpr index_t in_place_depth = 256;
    /// Most rows of a block whose products read B in place, if k is at most in_place_depth and if it exceeds it. More rows repay
    /// packing: their register tile has 14 rows.
    static constexpr index_t in_place_rows = 128, deep_rows = 64;
    /// Largest B, in bytes, that is multiplied in place if k exceeds in_place_depth: a larger one misses the TLB.
    static constexpr long_index_t in_place_bytes = 4 << 20;

    /// Whether A's elements can be multiplied where they lie, with those of B that the instruction takes.
    template <class A>
    static constexpr bool multiplies_in_place =
        Instruction::reads_some && std::is_same_v<A, typename Instruction::a_type>;
    template <class Source>
    static bool suits_in_place(const Source& b, index_t rows)
    {
        constexpr long_index_t bytes = sizeof(typename Instruction::b_type);
        return b.row_stride == 1 &&
               (b.k <= in_place_depth ? rows <= in_place_rows
                                      : rows <= deep_rows && long_index_t{b.k} * b.rows * bytes <= in_place_bytes);
    }
    /// acc += a b over `depth` k from k on, without packing them.
    template <class Accumulators, class ASource, class BSource>
    static void multiply_in_place(const Accumulators& acc, const ASource& a, const BSource& b, index_t m0, index_t n0,
                                  index_t k, index_t depth)
    {
        multiply_block_in_place(Instruction{}, acc, a, b, m0, n0, k, depth);
    }
    /// Copies the accumulators of row i to C as they are, if C has elements of their type.
    template <class C>
    static constexpr bool copies =
        (Instruction::reads_some || Instruction::is_tile) && std::is_same_v<C, typename Instruction::c_type>;
    template <class Accumulators, class C>
    static void copy(C* to, const Accumulators& acc, index_t i)
    {
        copy_row(Instruction{}, to, acc, i);
    }
    /// Calls f() compiled for the instruction set.
    template <class F>
    static void call(const F& f)
    {
        call_flat(Instruction{}, f);
    }
    /// The accumulators of row i from column j on.
    template <class Accumulators, class C, int N>
    static TEGULA_INLINE void read(array<C, N>& row, const Accumulators& acc, index_t i, index_t j)
    {
        // As a whole: if elements were written one by one, a vector read of them would wait for the last.
        if (acc.is_zero)
            row = {};
        else
            __builtin_memcpy(&row, acc.data + i * acc.pitch + j, sizeof(row));
    }
};

} // namespace tegula
