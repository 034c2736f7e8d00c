#pragma once

#include <tegula/kernel/index_space.hpp>
#include <tegula/layout/distribution.hpp>
#include <tegula/layout/encoding.hpp>

/// Descriptors of views whose dimensions are the numbers of an index space's elements, so that tile windows walk through
/// tensors of any rank.

namespace tegula {

/// One dimension: element x is the one of number first + x * step.
///
///   Vector  elements that are neighbours in memory at every multiple of their number, if step is 1
template <int Tensors, index_t Vector>
struct numbered_descriptor
{
    static constexpr int num_dims = 1;

    const index_space<Tensors>* space;
    int tensor;
    long_index_t first;
    index_t length; ///< elements of the view
    index_t step = 1;

    struct coordinate_type
    {
        multi_index<1> at;
        long_index_t place;
        constexpr TEGULA_INLINE const multi_index<1>& index() const { return at; }
        constexpr TEGULA_INLINE long_index_t offset() const { return place; }
    };

    static consteval index_t guaranteed_vector_length(int) { return Vector; }

    constexpr TEGULA_INLINE bool is_valid(const multi_index<1>& x) const { return x[0] >= 0 && x[0] < length; }

    friend TEGULA_INLINE coordinate_type make_coordinate(const numbered_descriptor& d, const multi_index<1>& x)
    {
        // Numbers past the end have a place too, at which nothing is touched.
        return {x, d.space->offset(d.first + static_cast<long_index_t>(x[0]) * d.step, d.tensor)};
    }
    friend TEGULA_INLINE void move_coordinate(const numbered_descriptor& d, coordinate_type& c,
                                              const multi_index<1>& by)
    {
        c = make_coordinate(d, multi_index<1>{c.at[0] + by[0]});
    }
    /// A step inside a vector leads to a neighbour.
    template <index_t By>
    friend TEGULA_INLINE void move_coordinate(const numbered_descriptor& d, coordinate_type& c, sequence<By>)
    {
        if constexpr (By >= 0 && By < Vector)
            c = {{c.at[0] + By}, c.place + By};
        else
            c = make_coordinate(d, multi_index<1>{c.at[0] + By});
    }
};

/// Two dimensions, rows and columns, each with a space of its own: element (x0, x1) is row first_row + x0 and column
/// first_column + x1.
///
///   VectorDim  0 or 1: the dimension along which Vector elements are neighbours; its length and first number are multiples
///              of Vector
template <int RowTensors, int ColumnTensors, index_t Vector, int VectorDim>
struct crossed_descriptor
{
    static constexpr int num_dims = 2;
    static constexpr bool whole_vectors = true;

    const index_space<RowTensors>* rows;
    const index_space<ColumnTensors>* columns;
    int row_tensor, column_tensor; ///< the tensor of each space whose places they are
    long_index_t first_row, first_column;
    index_t num_rows, num_columns; ///< rows and columns of the view

    struct coordinate_type
    {
        multi_index<2> at;
        long_index_t row, column;
        constexpr TEGULA_INLINE const multi_index<2>& index() const { return at; }
        constexpr TEGULA_INLINE long_index_t offset() const { return row + column; }
    };

    static consteval index_t guaranteed_vector_length(int dim) { return dim == VectorDim ? Vector : 1; }

    constexpr TEGULA_INLINE bool is_valid(const multi_index<2>& x) const
    {
        return x[0] >= 0 && x[0] < num_rows && x[1] >= 0 && x[1] < num_columns;
    }

    friend TEGULA_INLINE coordinate_type make_coordinate(const crossed_descriptor& d, const multi_index<2>& x)
    {
        return {x, d.place_of_row(x[0]), d.place_of_column(x[1])};
    }
    friend TEGULA_INLINE void move_coordinate(const crossed_descriptor& d, coordinate_type& c, const multi_index<2>& by)
    {
        c.at = {c.at[0] + by[0], c.at[1] + by[1]};
        if (by[0] != 0)
            c.row = d.place_of_row(c.at[0]);
        if (by[1] != 0)
            c.column = d.place_of_column(c.at[1]);
    }

private:
    TEGULA_INLINE long_index_t place_of_row(index_t x) const { return rows->offset(first_row + x, row_tensor); }
    TEGULA_INLINE long_index_t place_of_column(index_t x) const
    {
        return columns->offset(first_column + x, column_tensor);
    }
};

/// Two dimensions; the calling lane holds one row: the view's data is the row's own, and element (x0, x1) its
/// column first_column + x1.
template <int Tensors, index_t Vector>
struct own_row_descriptor
{
    static constexpr int num_dims = 2;

    const index_space<Tensors>* columns;
    int tensor;
    long_index_t first_column;
    index_t num_columns; ///< columns of the view; 0 if the lane has no row

    struct coordinate_type
    {
        multi_index<2> at;
        long_index_t place;
        constexpr TEGULA_INLINE const multi_index<2>& index() const { return at; }
        constexpr TEGULA_INLINE long_index_t offset() const { return place; }
    };

    static consteval index_t guaranteed_vector_length(int dim) { return dim == 1 ? Vector : 1; }

    constexpr TEGULA_INLINE bool is_valid(const multi_index<2>& x) const { return x[1] >= 0 && x[1] < num_columns; }

    friend TEGULA_INLINE coordinate_type make_coordinate(const own_row_descriptor& d, const multi_index<2>& x)
    {
        return {x, d.columns->offset(d.first_column + x[1], d.tensor)};
    }
    friend TEGULA_INLINE void move_coordinate(const own_row_descriptor& d, coordinate_type& c, const multi_index<2>& by)
    {
        c.at = {c.at[0] + by[0], c.at[1] + by[1]};
        if (by[1] != 0)
            c.place = d.columns->offset(d.first_column + c.at[1], d.tensor);
    }
};

namespace detail {

/// The number of elements of `count` that lie in [first, first + most).
constexpr TEGULA_INLINE index_t count_from(long_index_t first, long_index_t count, index_t most)
{
    const long_index_t rest = count - first;
    return rest < most ? static_cast<index_t>(rest < 0 ? 0 : rest) : most;
}

} // namespace detail

/// [Passes * Waves * lanes * Vector] elements: a lane has Vector neighbours in each pass, the lanes of the block follow
/// each other.
template <class Target, index_t Passes, int Waves, index_t Vector>
using flat_distribution =
    tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<Passes, Waves, Target::wave_size, Vector>>,
                                                 tuple<sequence<1>, sequence<1>>, tuple<sequence<1>, sequence<2>>,
                                                 sequence<1, 1>, sequence<0, 3>>>;

} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::count_from;
} // namespace tegula::internal
