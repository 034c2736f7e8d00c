#pragma once

#include <tegula/arch/target.hpp>
#include <tegula/core/math.hpp>
#include <tegula/kernel/attention/append/can_implement.hpp>
#include <tegula/kernel/attention/append/rotate.hpp>
#include <tegula/kernel/attention/memory.hpp>

namespace tegula {

/// Appends new keys and values to a cache; see attention_append_arguments. It leaves the cache and, if asked for, its
/// lengths and the rotated queries to the attention that follows.
///
///   Target   the GPU
///   T        half or bfloat16
///   Columns  most columns of K, V and Q: a power of two from 32 to 512
///
/// A block is a wave and takes up to `rows` rows of one head of K, V or Q. Its tile starts at a multiple of
/// rows_of_tile in the cache, so that the tile lies in one page.
template <class Target, class T, index_t Columns>
struct append_kernel
{
    static_assert(sizeof(T) == 2, "tegula: keys and values that are appended have 16 bits");
    static_assert(Columns >= 32 && Columns <= 512 && is_power_of_two(Columns),
                  "tegula: the columns of an append_kernel are a power of two from 32 to 512");

    using target = Target;
    using element = T;
    using arguments = attention_append_arguments<T>;

    static constexpr const char* name = "append";
    static constexpr int block_threads = Target::wave_size;
    static constexpr index_t shared_bytes = 0;
    static constexpr index_t columns = Columns;
    static constexpr index_t rows = 16 * Target::wave_size / Columns; ///< no two lanes hold the same element

    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        return args.batch * tensors(args) * tiles(args);
    }

    /// Errors: those of can_append.
    static status check(const arguments& args) { return can_append<append_kernel>(args); }
    static arguments normalize(const arguments& args) { return args; }
    template <class Memory>
    static void memory(const arguments& a, Memory& memory)
    {
        const bool varies = a.new_offsets != nullptr, paged = a.pages.table != nullptr;
        const long_index_t entries = varies ? 1 : a.batch, new_rows = varies ? a.new_offsets[a.batch] : a.rows;
        const long_index_t cache = paged ? a.pages.pages : a.batch, room = paged ? a.pages.page_length : a.capacity;
        internal::add_tensor(memory, a.new_k, entries, a.kv_heads, new_rows, a.head_dim, "new K");
        internal::add_tensor(memory, a.new_v, entries, a.kv_heads, new_rows, a.value_dim, "new V");
        internal::add_tensor(memory, a.k, cache, a.kv_heads, room, a.head_dim, "K");
        internal::add_tensor(memory, a.v, cache, a.kv_heads, room, a.value_dim, "V");
        if (a.q.data != nullptr) {
            internal::add_tensor(memory, a.q, entries, a.heads, new_rows, a.head_dim, "Q");
            internal::add_tensor(memory, a.rotated_q, entries, a.heads, new_rows, a.head_dim, "rotated Q");
        }
        const float* const tables[] = {a.rotary.cosines,
                                       a.rotary.sines}; // named: nvcc cannot take the list in the loop
        for (const float* table : tables)
            internal::add_elements<const float, 2>(memory, table, {a.rotary.positions, a.rotary.columns / 2},
                                                   {a.rotary.row_stride, 1}, "table of the rotary embedding");
        each_index_array(a, internal::adds_index_arrays(memory));
        memory.write(a.key_lengths, static_cast<std::size_t>(a.batch) * sizeof(index_t), "key lengths");
    }
    /// Errors: those of check_append_numbers_in_memory.
    static status check_indices(const arguments& args) { return check_append_numbers_in_memory(args); }
    template <class Visit>
    static void index_arrays(arguments& args, const Visit& visit)
    {
        each_index_array(args, internal::visits_spans(visit));
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        // No number is negative: signed divisions would take more registers.
        const auto number = static_cast<std::uint32_t>(target::block_id()[0]);
        const auto tile_count = static_cast<std::uint32_t>(tiles(args));
        const auto tensor_count = static_cast<std::uint32_t>(tensors(args));
        const auto tile = static_cast<index_t>(number % tile_count);
        const auto tensor = static_cast<index_t>(number / tile_count % tensor_count);
        const new_rows at(args, static_cast<index_t>(number / tile_count / tensor_count), tile);
        if (args.key_lengths != nullptr && tile == 0 && tensor == 0)
            store_length(args, at);
        if (at.inside <= 0)
            return;
        const bool of_keys = tensor < args.kv_heads;
        if (!of_keys && tensor < 2 * args.kv_heads) {
            copy_rows<target, T, rows, columns>(rows_of(args.new_v, at, tensor - args.kv_heads),
                                                cached_rows(args.v, args, at, tensor - args.kv_heads), args.value_dim,
                                                at.inside);
            return;
        }
        const index_t head = of_keys ? tensor : tensor - 2 * args.kv_heads;
        const auto from = rows_of(of_keys ? args.new_k : args.q, at, head);
        const auto to = of_keys ? cached_rows(args.k, args, at, head) : rows_of(args.rotated_q, at, head);
        rotate_rows<target, T, rows, columns>(from, to, args.head_dim, at.inside, args.rotary, at.cached + at.first);
    }

private:
    template <class Arguments, class Visit>
    static void each_index_array(Arguments& a, const Visit& visit)
    {
        visit(a.cached, gemm_checks::element_range{0, a.batch}, "cached rows");
        visit(a.new_offsets, gemm_checks::element_range{0, a.batch + 1}, "offsets of the new rows");
        if (a.pages.table != nullptr)
            internal::visit_page_table(a.pages, a.batch, a.capacity, visit);
    }

    /// The rows of a block: `inside` rows, the first of which is new row `first` of the sequence.
    struct new_rows
    {
        index_t batch, cached, count, first, inside;
        long_index_t row;   ///< the first row's in Q and new K and V, from the start of their batch entry
        long_index_t entry; ///< batch entry of Q and new K and V

        TEGULA_INLINE new_rows(const arguments& args, index_t sequence, index_t tile)
            : batch(sequence), cached(args.cached != nullptr ? args.cached[sequence] : args.cached_rows),
              count(args.rows), row(0), entry(sequence)
        {
            if (args.new_offsets != nullptr) {
                row = args.new_offsets[sequence];
                count = args.new_offsets[sequence + 1] - args.new_offsets[sequence];
                entry = 0;
            }
            const index_t tile_rows = rows_of_tile(args);
            const index_t begin = (cached / tile_rows + tile) * tile_rows - cached;
            first = max(begin, index_t{0});
            inside = min(begin + tile_rows, count) - first;
            row += first;
        }
    };

    /// One tile more than the rows fill: the first row can lie inside a tile.
    static constexpr TEGULA_HOST_DEVICE index_t tiles(const arguments& args)
    {
        return ceil_div(args.rows, rows_of_tile(args)) + 1;
    }
    /// The largest power of two up to `rows` that divides the length of a page.
    static constexpr TEGULA_HOST_DEVICE index_t rows_of_tile(const arguments& args)
    {
        const index_t length = args.pages.page_length;
        return args.pages.table == nullptr ? rows : min(rows, length & -length);
    }
    static constexpr TEGULA_HOST_DEVICE index_t tensors(const arguments& args)
    {
        return 2 * args.kv_heads + (args.q.data != nullptr ? args.heads : 0);
    }

    template <class E>
    static TEGULA_INLINE aligned_rows<E> rows_of(const attention_tensor<E>& x, const new_rows& at, index_t head)
    {
        return {x.data + at.entry * x.batch_stride + head * x.head_stride + at.row * x.row_stride, x.row_stride};
    }
    static TEGULA_INLINE aligned_rows<T> cached_rows(const attention_tensor<T>& x, const arguments& args,
                                                     const new_rows& at, index_t head)
    {
        T* const of_head = x.data + head * x.head_stride;
        const index_t row = at.cached + at.first;
        if (args.pages.table == nullptr)
            return {of_head + at.batch * x.batch_stride + row * x.row_stride, x.row_stride};
        const auto page =
            static_cast<index_t>(static_cast<std::uint32_t>(row) / static_cast<std::uint32_t>(args.pages.page_length));
        const long_index_t number = args.pages.table[at.batch * args.pages.batch_stride + page];
        return {of_head + number * x.batch_stride +
                    static_cast<long_index_t>(row - page * args.pages.page_length) * x.row_stride,
                x.row_stride};
    }

    static TEGULA_INLINE void store_length(const arguments& args, const new_rows& at)
    {
        using one = coalesced<target, index_t, 1, 1, 1>;
        const auto view = make_tensor_view<target, address_space::global>(
            args.key_lengths + at.batch,
            make_strided_descriptor(make_tuple(constant<1>{}, constant<1>{}), make_tuple(constant<1>{}, constant<1>{}),
                                    constant<1>{}),
            "key lengths");
        store(make_tile_window<one>(view, {0, 0}), make_distributed_tensor<index_t, one>(at.cached + at.count));
    }
};

} // namespace tegula
