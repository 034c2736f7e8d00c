#pragma once

#include <tegula/kernel/attention/sequence.hpp>
#include <tegula/layout/descriptor/coordinate.hpp>
#include <tegula/layout/transform/merge.hpp>
#include <tegula/layout/transform/shift.hpp>
#include <tegula/tensor/tensor_view.hpp>

namespace tegula {

/// The rows of Q that a block takes: which query and head each is, and matrices in memory that have one row for each.
///
///   at(args, number, row)  of work item `number` in [0, work_items(args)), from row `row` on
///   rows(args, queries)    rows of a work item with so many queries
///   query(r), head(r)      of row r of the tile; past the last row any numbers not below the last ones
///   load(loader, q, s, n)  starts to load the tile from Q, of a sequence with n queries in all
///   matrix(...), numbers(...) a matrix [rows, columns] and numbers [rows]; `data` is that of head 0 and query 0
template <attention_heads Heads>
struct attention_work;

/// Queries of one head. A work item is a head of a sequence.
template <>
struct attention_work<attention_heads::apart>
{
    index_t batch = 0;
    index_t row = 0; ///< first query
    index_t own_head = 0;

    template <class Arguments>
    static constexpr TEGULA_HOST_DEVICE long_index_t work_items(const Arguments& args)
    {
        return args.batch * args.heads;
    }
    template <class Arguments>
    static constexpr TEGULA_HOST_DEVICE long_index_t rows(const Arguments&, index_t queries)
    {
        return queries;
    }
    template <class Arguments>
    static TEGULA_INLINE attention_work at(const Arguments& args, index_t number, index_t first_row)
    {
        const index_t batch = number / args.heads;
        return {batch, first_row, number - batch * args.heads};
    }

    TEGULA_INLINE index_t query(index_t r) const { return row + r; }
    TEGULA_INLINE index_t head(index_t) const { return own_head; }

    template <class Loader, class T>
    TEGULA_INLINE void load(Loader& loader, const attention_tensor<const T>& q, const attention_sequence& s) const
    {
        loader.load(q.data + s.query_batch * q.batch_stride + own_head * q.head_stride +
                        static_cast<long_index_t>(s.first_query + row) * q.row_stride,
                    s.queries - row);
    }

    template <class Target, class T, class ColumnStride, index_t Promise>
    TEGULA_INLINE auto matrix(T* data, long_index_t head_stride, long_index_t query_stride, index_t queries,
                              index_t columns, ColumnStride column_stride, constant<Promise> promise,
                              const char* name) const
    {
        return make_tensor_view<Target, address_space::global>(
            data + own_head * head_stride,
            make_strided_descriptor(make_tuple(queries, columns), make_tuple(query_stride, column_stride), promise),
            name);
    }
    template <class Target, class T>
    TEGULA_INLINE auto numbers(T* data, long_index_t head_stride, index_t queries, const char* name) const
    {
        return make_tensor_view<Target, address_space::global>(
            data + own_head * head_stride,
            make_strided_descriptor(make_tuple(queries), make_tuple(constant<1>{}), constant<1>{}), name);
    }
};

/// Queries of the heads that share keys. A work item is a head of K of a sequence. Its row r is query r / group of the
/// head r % group among those that share.
template <>
struct attention_work<attention_heads::packed>
{
    index_t batch = 0;
    index_t row = 0; ///< first row
    index_t first_head = 0;
    magic_divisor group = {}; ///< heads that share keys

    template <class Arguments>
    static constexpr TEGULA_HOST_DEVICE long_index_t work_items(const Arguments& args)
    {
        return args.batch * args.kv_heads;
    }
    template <class Arguments>
    static constexpr TEGULA_HOST_DEVICE long_index_t rows(const Arguments& args, index_t queries)
    {
        return args.kv_heads > 0 ? long_index_t{queries} * (args.heads / args.kv_heads) : 0;
    }
    template <class Arguments>
    static TEGULA_INLINE attention_work at(const Arguments& args, index_t number, index_t first_row)
    {
        const index_t batch = number / args.kv_heads;
        const index_t heads = args.heads / args.kv_heads;
        return {batch, first_row, (number - batch * args.kv_heads) * heads, magic_divisor(heads)};
    }

    TEGULA_INLINE index_t query(index_t r) const { return group.divide(row + r).quotient; }
    TEGULA_INLINE index_t head(index_t r) const { return first_head + group.divide(row + r).remainder; }

    template <class Loader, class T>
    TEGULA_INLINE void load(Loader& loader, const attention_tensor<const T>& q, const attention_sequence& s) const
    {
        const quotient_remainder begin = group.divide(row);
        const index_t extent = s.queries * group.value() - row;
        const index_t last = group.divide(begin.remainder + min(extent, Loader::length) - 1).quotient;
        loader.gather(q.data + s.query_batch * q.batch_stride + first_head * q.head_stride +
                          static_cast<long_index_t>(s.first_query + begin.quotient) * q.row_stride,
                      extent, last * q.row_stride + (group.value() - 1) * q.head_stride, [&](index_t r) {
                          const quotient_remainder at = group.divide(begin.remainder + r);
                          return at.quotient * q.row_stride + at.remainder * q.head_stride;
                      });
    }

    template <class Target, class T, class ColumnStride, index_t Promise>
    TEGULA_INLINE auto matrix(T* data, long_index_t head_stride, long_index_t query_stride, index_t queries,
                              index_t columns, ColumnStride column_stride, constant<Promise> promise,
                              const char* name) const
    {
        const auto apart = make_strided_descriptor(make_tuple(queries, group.value(), columns),
                                                   make_tuple(query_stride, head_stride, column_stride), promise);
        const auto merged = transform_descriptor(
            apart,
            make_tuple(make_merge_transform(make_tuple(queries, group.value())), make_pass_through_transform(columns)),
            make_tuple(sequence<0, 1>{}, sequence<2>{}), make_tuple(sequence<0>{}, sequence<1>{}));
        return make_tensor_view<Target, address_space::global>(data + first_head * head_stride, merged, name);
    }
    template <class Target, class T>
    TEGULA_INLINE auto numbers(T* data, long_index_t head_stride, index_t queries, const char* name) const
    {
        const auto apart = make_strided_descriptor(make_tuple(queries, group.value()),
                                                   make_tuple(constant<1>{}, head_stride), constant<1>{});
        const auto merged =
            transform_descriptor(apart, make_tuple(make_merge_transform(make_tuple(queries, group.value()))),
                                 make_tuple(sequence<0, 1>{}), make_tuple(sequence<0>{}));
        return make_tensor_view<Target, address_space::global>(data + first_head * head_stride, merged, name);
    }
};

/// The rows of `at` in a tensor of the queries, [rows, columns]. Rows are whole vectors of 16 bytes.
template <class Target, class Work, class T>
TEGULA_INLINE auto make_query_view(const attention_tensor<T>& x, const attention_sequence& s, const Work& at,
                                   index_t columns, const char* name)
{
    return at.template matrix<Target>(x.data + s.query_batch * x.batch_stride +
                                          static_cast<long_index_t>(s.first_query) * x.row_stride,
                                      x.head_stride, x.row_stride, s.queries, columns, constant<1>{},
                                      constant<16 / static_cast<index_t>(sizeof(T))>{}, name);
}
/// The numbers of the rows of `at`, [rows].
template <class Target, class Work>
TEGULA_INLINE auto make_query_view(const attention_rows<float>& x, const attention_sequence& s, const Work& at,
                                   const char* name)
{
    return at.template numbers<Target>(x.data + s.query_batch * x.batch_stride + s.first_query, x.head_stride,
                                       s.queries, name);
}

/// The tiles of Tile::queries rows that blocks take, of each work item.
template <class Tile, class Variant>
struct attention_tile_rows
{
    using work = attention_work<Variant::heads>;

    /// Tiles in a work item.
    template <class Arguments>
    static constexpr TEGULA_HOST_DEVICE index_t tiles(const Arguments& args)
    {
        return static_cast<index_t>(ceil_div(work::rows(args, args.seq_q), long_index_t{Tile::queries}));
    }
    /// The rows of tile `tile` of work item `item`. With a band, the last rows, which see the most keys, come first.
    template <class Arguments>
    static TEGULA_INLINE work position(const Arguments& args, index_t item, index_t tile)
    {
        const index_t row = Variant::mask == attention_mask::none ? tile : tiles(args) - 1 - tile;
        return work::at(args, item, row * Tile::queries);
    }
};

} // namespace tegula
