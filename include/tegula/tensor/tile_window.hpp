#pragma once

#include <tegula/layout/access_plan.hpp>
#include <tegula/tensor/partition.hpp>
#include <tegula/tensor/tensor_view.hpp>

namespace tegula {

/// A tile of a tensor, with the calling lane's place in it computed once.
///
/// The window starts at `origin` of the view and covers the distribution's tile lengths. Its coordinate is that of the
/// lane's first element; move() advances it incrementally. Parts of the tile outside the view are legal: loads fill
/// them, stores leave them out, element by element.
template <class View, class Distribution>
struct tile_window
{
    static_assert(View::num_dims == Distribution::num_x,
                  "tegula: the tile distribution and the tensor view differ in the number of dimensions");

    using view_type = View;
    using distribution = Distribution;
    using target = typename View::target;
    using value_type = typename View::value_type;
    using coordinate_type =
        decltype(make_coordinate(std::declval<typename View::descriptor_type>(), multi_index<View::num_dims>{}));

    static constexpr int num_dims = View::num_dims;
    /// Memory is contiguous along the dimension with the longest guaranteed vector, the last one of equals.
    static constexpr int vector_dim = [] {
        int dim = num_dims - 1;
        for (int i = num_dims - 1; i >= 0; --i)
            if (View::descriptor_type::guaranteed_vector_length(i) >
                View::descriptor_type::guaranteed_vector_length(dim))
                dim = i;
        return dim;
    }();
    static constexpr int max_vector = [] {
        const auto elements = View::descriptor_type::guaranteed_vector_length(vector_dim);
        const int widest = 16 / static_cast<int>(sizeof(value_type));
        return elements < widest ? static_cast<int>(elements) : widest;
    }();
    using plan = access_plan<Distribution, vector_dim, max_vector>;

    View view;
    coordinate_type coordinate;

    /// Moves the window by `step`, in elements of the view.
    constexpr TEGULA_INLINE void move(const multi_index<num_dims>& step)
    {
        move_coordinate(view.descriptor, coordinate, step);
    }

    /// Coordinate of access a.
    template <int A>
    constexpr TEGULA_INLINE coordinate_type access_coordinate() const
    {
        constexpr multi_index<num_dims> step = plan::step(A);
        coordinate_type c = coordinate;
        move_coordinate(view.descriptor, c, step);
        return c;
    }
};

/// The tile of `view` at `origin`, distributed by Distribution over the calling lanes.
template <class Distribution, class View>
TEGULA_INLINE tile_window<View, Distribution> make_tile_window(const View& view,
                                                               const multi_index<View::num_dims>& origin)
{
    multi_index<View::num_dims> x = Distribution::origin(partition_index<typename View::target, Distribution>());
    static_for<View::num_dims>([&](auto i) { x[i] += origin[i]; });
    return {view, make_coordinate(view.descriptor, x)};
}

} // namespace tegula
