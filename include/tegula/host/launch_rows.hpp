#pragma once

#include <tegula/host/launch.hpp>
#include <tegula/host/tensor_memory.hpp>
#include <tegula/kernel/loss/cross_entropy.hpp>
#include <tegula/kernel/normalization/norm.hpp>
#include <tegula/kernel/normalization/norm_backward.hpp>
#include <tegula/kernel/normalization/row_tiles.hpp>
#include <tegula/kernel/normalization/softmax.hpp>
#include <tegula/kernel/normalization/softmax_backward.hpp>
#include <tegula/kernel/normalization/topk_softmax.hpp>

#include <algorithm>
#include <cmath>

/// Kernels on rows on a device: gpu_device (gpu_launch.hpp) or emulated_device (emulated_device.hpp). All addresses in the
/// arguments are the device's. Arguments are checked first, so that the same arguments give the same errors everywhere;
/// the emulator learns what memory they name.
///
/// Tiles, if it is a template argument, is the row_tile_list to pick from.

namespace tegula {

namespace detail {

/// Tells the emulator the memory of `count` numbers; nothing for a null pointer.
template <class Memory, class T>
void add_numbers(Memory& memory, T* x, long_index_t count, const char* name)
{
    memory.add(x, static_cast<std::size_t>(count) * sizeof(T), name, !std::is_const_v<T>);
}

/// Launches Kernel<tile> with the first tile of the list that suits the rows.
///
///   vector  of find_row_vector
///   add     tells the emulator the memory
template <template <class> class Kernel, class... Tiles, class Device, class Rows, class Add>
status launch_rows(Device&& device, row_tile_list<Tiles...> tiles, Rows& rows, int vector, const char* name,
                   const Add& add)
{
    if (rows.space.rows.size == 0)
        return {};
    const int chosen = choose_row_tile(tiles, rows.space.length, vector);
    if (chosen < 0)
        return device.refuse(status(status_code::unsupported, name)
                             << ": no tile suits rows of " << rows.space.length
                             << " elements at these strides; add one of single elements in chunks to the list");
    return with_row_tile(tiles, chosen, [&](auto* tile) {
        using tile_type = std::remove_pointer_t<decltype(tile)>;
        constexpr long_index_t most_blocks = 1 << 20; // a block takes further rows
        launch_config config;
        config.grid.x = std::min(most_blocks, ceil_div(rows.space.rows.size, long_index_t{tile_type::rows}));
        config.name = name;
        rows.space.blocks = static_cast<index_t>(config.grid.x);
        return device.with_memory(add, [&] { return launch(device, config, Kernel<tile_type>{}, rows); });
    });
}

/// Kernel templates of a tile alone.
template <class T, class O, softmax_form Form>
struct softmax_of
{
    template <class Tile>
    using kernel = softmax_kernel<Tile, T, O, Form>;
    template <class Tile>
    using backward_kernel = softmax_backward_kernel<Tile, T, O, Form>;
};
template <class T, class O, norm_kind Kind>
struct norm_of
{
    template <class Tile>
    using kernel = norm_kernel<Tile, Kind, T, O>;
    template <class Tile>
    using backward_kernel = norm_backward_kernel<Tile, Kind, T, O>;
};
template <class T, class O>
struct cross_entropy_of
{
    template <class Tile>
    using kernel = cross_entropy_kernel<Tile, T, O>;
    template <class Tile>
    using backward_kernel = cross_entropy_backward_kernel<Tile, T, O>;
};
template <class T>
struct topk_softmax_of
{
    template <class Tile>
    using kernel = topk_softmax_kernel<Tile, T>;
};

/// The widest vectors of a row that a tensor of one dimension allows: 1 where neighbours are apart or it begins between
/// vectors.
template <class T>
int limit_vector(const tensor_argument<T>& w, int vector)
{
    if (w.data == nullptr || w.rank == 0)
        return vector;
    const auto bytes = static_cast<std::uintptr_t>(vector) * sizeof(T);
    return w.strides[0] == 1 && reinterpret_cast<std::uintptr_t>(w.data) % bytes == 0 ? vector : 1;
}

/// A tensor that is left out, with the lengths of x: what it takes in a row_space.
template <class T, class X>
tensor_argument<T> or_like(const tensor_argument<T>& given, const tensor_argument<X>& x)
{
    if (is_given(given))
        return given;
    tensor_argument<T> none;
    none.rank = x.rank;
    for (int i = 0; i < x.rank; ++i)
        none.lengths[i] = x.lengths[i], none.strides[i] = x.strides[i];
    return none;
}

} // namespace detail

/// Errors: those of can_implement and launch. With the first nothing ran. So it is of all functions here.
template <class Tiles, softmax_form Form = softmax_form::softmax, class Device, class T, class O>
status launch_softmax(Device&& device, const softmax_arguments<T, O>& a)
{
    if (status s = can_implement(a); !s)
        return device.refuse(s);
    softmax_rows<T, O> rows{a.x.data, a.y.data, make_row_space(a.axis, a.x, a.y)};
    const int vector = find_row_vector<2>(rows.space, {a.x.data, a.y.data}, {sizeof(T), sizeof(O)}, 16);
    return detail::launch_rows<detail::softmax_of<T, O, Form>::template kernel>(device, Tiles{}, rows, vector,
                                                                                "softmax", [&](auto& memory) {
                                                                                    add_tensor(memory, a.x, "x");
                                                                                    add_tensor(memory, a.y, "y");
                                                                                });
}

template <class Tiles, softmax_form Form = softmax_form::softmax, class Device, class T, class O>
status launch_softmax_backward(Device&& device, const softmax_backward_arguments<T, O>& a)
{
    if (status s = can_implement(a); !s)
        return device.refuse(s);
    softmax_backward_rows<T, O> rows{a.dy.data, a.y.data, a.dx.data, make_row_space(a.axis, a.dy, a.y, a.dx)};
    const int vector =
        find_row_vector<3>(rows.space, {a.dy.data, a.y.data, a.dx.data}, {sizeof(T), sizeof(T), sizeof(O)}, 16);
    return detail::launch_rows<detail::softmax_of<T, O, Form>::template backward_kernel>(
        device, Tiles{}, rows, vector, "softmax backward", [&](auto& memory) {
            add_tensor(memory, a.dy, "dy");
            add_tensor(memory, a.y, "y");
            add_tensor(memory, a.dx, "dx");
        });
}

template <class Tiles, norm_kind Kind, class Device, class T, class O>
status launch_norm(Device&& device, const norm_arguments<T, O>& a)
{
    if (status s = can_implement(a); !s)
        return device.refuse(s);
    norm_rows<T, O> rows{
        a.x.data,
        a.y.data,
        a.residual.data,
        a.sum.data,
        make_row_space(a.axis, a.x, a.y, detail::or_like(a.residual, a.x), detail::or_like(a.sum, a.x)),
        a.weight.data,
        a.bias.data,
        a.smooth.data,
        a.weight.strides[0],
        a.bias.strides[0],
        a.smooth.strides[0],
        a.mean,
        a.inverse_deviation,
        a.scale,
        a.epsilon,
        std::sqrt(a.epsilon)};
    int vector = find_row_vector<4>(rows.space, {a.x.data, a.y.data, a.residual.data, a.sum.data},
                                    {sizeof(T), sizeof(O), sizeof(T), sizeof(T)}, 16);
    for (const auto* w : {&a.weight, &a.bias, &a.smooth})
        vector = detail::limit_vector(*w, vector);
    return detail::launch_rows<detail::norm_of<T, O, Kind>::template kernel>(
        device, Tiles{}, rows, vector, Kind == norm_kind::layer ? "layernorm" : "rmsnorm", [&](auto& memory) {
            add_tensor(memory, a.x, "x");
            add_tensor(memory, a.y, "y");
            add_tensor(memory, a.residual, "residual");
            add_tensor(memory, a.sum, "sum");
            add_tensor(memory, a.weight, "weight");
            add_tensor(memory, a.bias, "bias");
            add_tensor(memory, a.smooth, "smooth");
            detail::add_numbers(memory, a.mean, rows.space.rows.size, "mean");
            detail::add_numbers(memory, a.inverse_deviation, rows.space.rows.size, "inverse deviation");
            detail::add_numbers(memory, a.scale, rows.space.rows.size, "scale");
        });
}

/// The kernels that a backward pass needs, one after the other. StripTile is what dweight and dbias are summed up with: a
/// row_tile of one row a wave.
template <class Tiles, class StripTile, norm_kind Kind, class Device, class T, class O>
status launch_norm_backward(Device&& device, const norm_backward_arguments<T, O>& a)
{
    if (status s = can_implement<Kind>(a); !s)
        return device.refuse(s);
    norm_backward_rows<T, O> rows{a.dy.data,     a.x.data,
                                  a.dx.data,     make_row_space(a.axis, a.dy, a.x, a.dx),
                                  a.weight.data, a.weight.strides[0],
                                  a.mean,        a.inverse_deviation,
                                  a.dweight,     a.dbias,
                                  a.workspace,   0};
    const long_index_t count = rows.space.rows.size, length = rows.space.length;
    rows.runs = norm_gradient_runs(count);
    const auto add = [&](auto& memory) {
        add_tensor(memory, a.dy, "dy");
        add_tensor(memory, a.x, "x");
        add_tensor(memory, a.dx, "dx");
        add_tensor(memory, a.weight, "weight");
        detail::add_numbers(memory, a.mean, count, "mean");
        detail::add_numbers(memory, a.inverse_deviation, count, "inverse deviation");
        detail::add_numbers(memory, a.dweight, length, "dweight");
        detail::add_numbers(memory, a.dbias, length, "dbias");
        detail::add_numbers(memory, a.workspace, 2 * rows.runs * length, "workspace");
    };
    const int vector = detail::limit_vector(a.weight, find_row_vector<3>(rows.space, {a.dy.data, a.x.data, a.dx.data},
                                                                         {sizeof(T), sizeof(T), sizeof(O)}, 16));
    if (status s = detail::launch_rows<detail::norm_of<T, O, Kind>::template backward_kernel>(
            device, Tiles{}, rows, vector, "norm backward", add);
        !s || length == 0 || (a.dweight == nullptr && a.dbias == nullptr))
        return s;
    using sums = norm_gradient_sums<StripTile, Kind, T, O>;
    using totals = norm_gradient_totals<StripTile, T, O>;
    launch_config config;
    config.grid = {sums::strips(rows), rows.runs, 1};
    config.name = "sums of norm gradients";
    if (status s = device.with_memory(add, [&] { return launch(device, config, sums{}, rows); }); !s)
        return s;
    config.grid = {totals::blocks(rows), 1, 1};
    config.name = "totals of norm gradients";
    return device.with_memory(add, [&] { return launch(device, config, totals{}, rows); });
}

namespace detail {

template <template <class> class Kernel, class Tiles, class Device, class T, class O>
status launch_cross_entropy_rows(Device&& device, const cross_entropy_arguments<T, O>& a, const char* name)
{
    cross_entropy_rows<T, O> rows{a.x.data,  a.dx.data, make_row_space(a.axis, a.x, or_like(a.dx, a.x)),
                                  a.labels,  a.ignored, a.losses,
                                  a.log_sum, a.d_losses};
    const int vector = find_row_vector<2>(rows.space, {a.x.data, a.dx.data}, {sizeof(T), sizeof(O)}, 16);
    return launch_rows<Kernel>(device, Tiles{}, rows, vector, name, [&](auto& memory) {
        const long_index_t count = rows.space.rows.size;
        add_tensor(memory, a.x, "x");
        add_tensor(memory, a.dx, "dx");
        add_numbers(memory, a.labels, count, "labels");
        add_numbers(memory, a.losses, count, "losses");
        add_numbers(memory, a.log_sum, count, "log_sum");
        add_numbers(memory, a.d_losses, count, "d_losses");
    });
}

} // namespace detail

/// The forward pass.
template <class Tiles, class Device, class T, class O>
status launch_cross_entropy(Device&& device, const cross_entropy_arguments<T, O>& a)
{
    if (status s = can_implement(a); !s)
        return device.refuse(s);
    cross_entropy_arguments<T, O> forward = a;
    forward.dx = {};
    return detail::launch_cross_entropy_rows<detail::cross_entropy_of<T, O>::template kernel, Tiles>(device, forward,
                                                                                                     "cross-entropy");
}
/// The backward pass.
template <class Tiles, class Device, class T, class O>
status launch_cross_entropy_backward(Device&& device, const cross_entropy_arguments<T, O>& a)
{
    if (status s = can_implement_backward(a); !s)
        return device.refuse(s);
    return detail::launch_cross_entropy_rows<detail::cross_entropy_of<T, O>::template backward_kernel, Tiles>(
        device, a, "cross-entropy backward");
}

template <class Tiles, class Device, class T>
status launch_topk_softmax(Device&& device, const topk_softmax_arguments<T>& a)
{
    if (status s = can_implement(a); !s)
        return device.refuse(s);
    topk_softmax_rows<T> rows{a.x.data, make_row_space(a.axis, a.x), a.k, a.renormalize, a.weights, a.indices};
    const int vector = find_row_vector<1>(rows.space, {a.x.data}, {sizeof(T)}, 16);
    return detail::launch_rows<detail::topk_softmax_of<T>::template kernel>(
        device, Tiles{}, rows, vector, "top-k softmax", [&](auto& memory) {
            add_tensor(memory, a.x, "x");
            detail::add_numbers(memory, a.weights, rows.space.rows.size * a.k, "weights");
            detail::add_numbers(memory, a.indices, rows.space.rows.size * a.k, "indices");
        });
}

} // namespace tegula
