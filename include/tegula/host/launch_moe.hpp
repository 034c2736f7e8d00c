#pragma once

#include <tegula/host/launch_gemm.hpp>
#include <tegula/host/prologue_memory.hpp>
#include <tegula/kernel/moe/layer.hpp>

/// A mixture of experts on a device: gpu_device (gpu_launch.hpp) or emulated_device (emulated_device.hpp).

namespace tegula {

namespace detail {

/// Launches the steps of a layer one behind the other.
template <class Kernels, class Out, class Device>
struct moe_launcher
{
    using T = typename Kernels::element_type;
    using target = typename Kernels::target;

    Device& device;
    const moe_arguments<T, Out>& g;
    moe_workspace w = make_moe_workspace(g);

    template <class Element>
    Element* at(long_index_t place) const
    {
        return reinterpret_cast<Element*>(static_cast<std::byte*>(g.workspace.data) + place);
    }
    long_index_t slots() const { return g.tokens * g.k; }

    template <class Kernel>
    status start(Kernel kernel, const typename Kernel::arguments& args, const char* name)
    {
        return launch(device, config_for<Kernel>(args, name), kernel, args);
    }

    template <index_t Experts>
    status route()
    {
        using kernel = moe_route<target, Experts>;
        const typename kernel::arguments args{
            g.tokens, g.experts, g.k, g.logits, at<index_t>(w.chosen), at<float>(w.weights)};
        const status s = kernel::check(args);
        return s ? start(kernel{}, args, "moe_route") : s;
    }
    status route() { return g.experts <= 128 ? route<128>() : route<1024>(); }

    status sort()
    {
        using kernel = moe_sort<target>;
        const typename kernel::arguments args{slots(),
                                              g.k,
                                              g.experts,
                                              at<index_t>(w.chosen),
                                              at<float>(w.weights),
                                              at<index_t>(w.first_row),
                                              at<index_t>(w.slot_of_row),
                                              at<index_t>(w.token_of_row),
                                              at<float>(w.weight_of_row)};
        const status s = kernel::check(args);
        return s ? start(kernel{}, args, "moe_sort") : s;
    }

    /// The product of all rows of the experts.
    template <class Products>
    status multiply(const typename Products::arguments& all, const char* name)
    {
        return Products::dispatch(all, [&](auto kernel) {
            using grouped = expert_gemm<decltype(kernel)>;
            const typename grouped::arguments args{all, at<index_t>(w.first_row), g.experts, all.k * all.n};
            const status s = grouped::check(args);
            return s ? start(grouped{}, args, name) : s;
        });
    }

    status first_product()
    {
        typename Kernels::first::arguments p{slots(), g.hidden, g.width, 1};
        p.a = {g.x, g.x_stride, 1, 0, at<index_t>(w.token_of_row), 0, g.tokens};
        const strided_rows<T> w1{g.w1, 1, g.hidden, 0};
        p.c = {at<T>(w.between), g.hidden, 1, 0};
        if constexpr (Kernels::gated) {
            p.b = {w1, {g.w1_up, 1, g.hidden, 0}, g.function};
        } else {
            p.b = w1;
            p.epilogue = epilogue::make_chain(epilogue::activate{g.function});
        }
        return multiply<typename Kernels::first>(p, "moe, first product");
    }
    status second_product()
    {
        typename Kernels::second::arguments p{slots(), g.width, g.hidden, 1};
        p.a = {at<T>(w.between), g.hidden, 1, 0};
        p.b = {g.w2, 1, g.width, 0};
        p.c = {at<float>(w.parts), g.width, 1, 0};
        p.epilogue = epilogue::make_chain(epilogue::scale_rows<>{at<float>(w.weight_of_row), 1});
        p.c_rows = at<index_t>(w.slot_of_row);
        p.c_height = slots();
        return multiply<typename Kernels::second>(p, "moe, second product");
    }

    template <int Vector>
    status combine()
    {
        using kernel = moe_combine<target, Out, Vector>;
        return start(kernel{}, {g.tokens, g.width, g.k, at<float>(w.parts), g.out, g.out_stride}, "moe_combine");
    }
    status combine()
    {
        // 8 columns of 16 bits are 16 bytes, 4 of 32.
        if constexpr (sizeof(Out) < 4)
            if (suits<8>())
                return combine<8>();
        return suits<4>() ? combine<4>() : combine<1>();
    }
    template <int Vector>
    bool suits() const
    {
        return g.width % Vector == 0 && (g.out_stride % Vector == 0 || g.tokens == 1) &&
               gemm_checks::is_aligned(g.out, Vector * sizeof(Out));
    }

    void add_memory(emulator::memory_ranges& memory) const
    {
        const long_index_t matrix = g.width * g.hidden;
        add_matrix(memory, matrix_argument<const T>{g.x, g.x_stride, 1, 0}, g.tokens, g.width, 1, "x");
        add_matrix(memory, matrix_argument<const T>{g.w1, g.hidden, 1, matrix}, g.width, g.hidden, g.experts, "w1");
        if (Kernels::gated)
            add_matrix(memory, matrix_argument<const T>{g.w1_up, g.hidden, 1, matrix}, g.width, g.hidden, g.experts,
                       "w1_up");
        add_matrix(memory, matrix_argument<const T>{g.w2, g.width, 1, matrix}, g.hidden, g.width, g.experts, "w2");
        memory.read(g.logits, static_cast<std::size_t>(g.tokens * g.experts) * sizeof(float), "logits");
        add_matrix(memory, matrix_argument<Out>{g.out, g.out_stride, 1, 0}, g.tokens, g.width, 1, "out");
        memory.write(g.workspace.data, static_cast<std::size_t>(w.bytes), "workspace");
    }
};

} // namespace detail

/// Starts the kernels of a layer one behind the other; Kernels is a moe_kernels. All addresses are the device's. On a
/// GPU it does not wait; on the emulator it is done.
///
/// Errors: those of can_implement, and nothing has run then, and of launch.
template <class Kernels, class Device, class Out>
status launch_moe(Device&& device, const moe_arguments<typename Kernels::element_type, Out>& args)
{
    if (status s = can_implement(args); !s)
        return device.refuse(s);
    if (Kernels::gated != (args.w1_up != nullptr))
        return device.refuse(
            Kernels::gated
                ? gemm_checks::invalid("w1_up is a null pointer; gated experts have it, others take moe_kernels<Tile>")
                : gemm_checks::invalid("w1_up is given; experts with it take moe_kernels<Tile, true>"));
    if (args.tokens == 0 || args.width == 0)
        return {};
    detail::moe_launcher<Kernels, Out, std::remove_reference_t<Device>> steps{device, args};
    return device.with_memory([&](auto& memory) { steps.add_memory(memory); },
                              [&] {
                                  status s = steps.route();
                                  if (s)
                                      s = steps.sort();
                                  if (s)
                                      s = steps.first_product();
                                  if (s)
                                      s = steps.second_product();
                                  return s ? steps.combine() : s;
                              });
}

} // namespace tegula
