#pragma once

/// Further forms of GEMM on a device: quantised weights, inputs scaled in blocks or of two types, lists of products.
/// Each is compared with the plain product of what its inputs stand for.

#include <tegula/kernel/gemm/forms/block_scaled.hpp>
#include <tegula/kernel/gemm/forms/grouped.hpp>
#include <tegula/kernel/gemm/forms/quantized_weights.hpp>
#include <tegula/kernel/gemm/forms/weight_tiles.hpp>
#include <tegula/kernel/gemm/warp_specialized/kernel.hpp>
#include <tegula/kernel/gemm/warp_specialized/scaled_tile.hpp>

#include "test/gpu/kernel_checks.hpp"

#include <cmath>
#include <deque>
#include <memory>

namespace tegula::test {

/// Inputs on a device, for as long as this is there.
template <gpu_target Target, class Device>
class inputs_on : public arrays_on<Target, Device>
{
public:
    using arrays_on<Target, Device>::arrays_on;

    /// A matrix of each batch whose numbers the seed tells.
    template <class T>
    matrix_argument<const T> filled(long_index_t rows, long_index_t columns, long_index_t batch, memory_order order,
                                    padding pad, std::uint64_t seed)
    {
        auto* const x = new matrix_on<Target, T, Device>;
        matrices_.emplace_back(x, [](void* p) { delete static_cast<matrix_on<Target, T, Device>*>(p); });
        status& s = this->error;
        s = s ? x->create(this->device_, rows, columns, batch, order, pad) : s;
        s = s ? x->fill(this->device_, seed) : s;
        return x->source();
    }

private:
    std::deque<std::shared_ptr<void>> matrices_;
};

/// Element (batch, i, j) of a matrix.
template <class T>
TEGULA_HOST_DEVICE T element_of(const matrix_argument<const T>& x, long_index_t batch, long_index_t i, long_index_t j)
{
    return x.data[batch * x.batch_stride + i * x.row_stride + j * x.column_stride];
}

// What operands stand for: value(batch, row, column) is the number that is multiplied.

/// The number itself; 0 if its magnitude is below `least`.
template <class T>
struct plain_input
{
    matrix_argument<const T> x;
    float least = 0;

    static TEGULA_HOST_DEVICE float multiplied(T value, float least)
    {
        const auto wide = convert<float>(value);
        return std::fabs(wide) < least ? 0.0f : wide;
    }
    TEGULA_HOST_DEVICE float operator()(long_index_t batch, long_index_t i, long_index_t j) const
    {
        return multiplied(element_of(x, batch, i, j), least);
    }
};

/// A weight of Form by its group's scale, rounded once to T, by its column's scale.
template <class Form, class T>
struct quantized_weight
{
    matrix_argument<const std::uint8_t> packets;
    matrix_argument<const typename Form::scale> scales;
    const float* columns;
    float least;

    TEGULA_HOST_DEVICE float operator()(long_index_t batch, long_index_t k, long_index_t j) const
    {
        const auto packet = __builtin_bit_cast(typename Form::packet, element_of(packets, batch, k / Form::packing, j));
        auto weight = static_cast<float>(tegula::detail::packet_element(packet, static_cast<int>(k % Form::packing)));
        if constexpr (Form::group != 0)
            weight *= static_cast<float>(element_of(scales, batch, k / Form::group, j));
        return plain_input<T>::multiplied(convert<T>(weight), least) * columns[j];
    }
};

/// A number by the scale of its block.
template <class T>
struct scaled_input
{
    matrix_argument<const T> x;
    matrix_argument<const float> scales;
    long_index_t block_rows, block_columns;

    TEGULA_HOST_DEVICE float operator()(long_index_t batch, long_index_t i, long_index_t j) const
    {
        return convert<float>(element_of(x, batch, i, j)) *
               element_of(scales, batch, i / block_rows, j / block_columns);
    }
};

// How each form's arguments are made, and what A and B they stand for: fill(arguments, case, inputs, seed) returns a
// product_to_check of which A and B are set.

/// One product of two types.
struct pair_form
{
    template <class Kernel, class Inputs>
    static auto fill(typename Kernel::arguments& args, const gemm_case& what, Inputs& on, std::uint64_t seed)
    {
        using A = typename Kernel::tile::a_type;
        using B = typename Kernel::tile::b_type;
        args.a = on.template filled<A>(what.m, what.k, what.batch, what.a, what.rows, seed + 1);
        args.b = on.template filled<B>(what.k, what.n, what.batch, what.b, what.rows, seed + 2);
        product_to_check<A, B, typename Kernel::c_type> p;
        p.a = args.a, p.b = args.b;
        p.least_input = least_input_of<Kernel>;
        return p;
    }
};

/// Weights are integers by the scale of their group, rounded once to A's type, by that of their column. A kernel that scales
/// sums rounds none.
struct quantized_weights_form
{
    template <class Kernel, class Inputs>
    static auto fill(typename Kernel::arguments& args, const gemm_case& what, Inputs& on, std::uint64_t seed)
    {
        using form = typename Kernel::arguments::form;
        using packet = typename form::packet;
        using A = typename Kernel::plain::a_type;
        const auto bytes =
            on.template filled<std::uint8_t>(args.packets_k(), what.n, what.batch, what.b, what.rows, seed + 2);
        const float* const columns = on.template uniform<float>(what.n, seed + 4);
        args.a = on.template filled<A>(what.m, what.k, what.batch, what.a, what.rows, seed + 1);
        args.b = {reinterpret_cast<const packet*>(bytes.data), bytes.row_stride, bytes.column_stride,
                  bytes.batch_stride};
        args.scales = on.template filled<typename form::scale>(
            args.groups(), what.n, what.batch, static_cast<memory_order>(what.activation), padding::odd, seed + 3);
        args.epilogue = epilogue::make_chain(epilogue::scale_columns<>{columns, 0});
        constexpr auto least = static_cast<float>(least_input_of<typename Kernel::plain>);
        product_to_check<float, float, typename Kernel::plain::c_type> p;
        p.a = on.make(what.m, what.k, what.batch, plain_input<A>{args.a, least});
        constexpr bool rounds = [] {
            if constexpr (requires { Kernel::scales_sums; })
                return !Kernel::scales_sums;
            else
                return true;
        }();
        using weight = std::conditional_t<rounds, A, float>;
        p.b = on.make(what.k, what.n, what.batch, quantized_weight<form, weight>{bytes, args.scales, columns, least});
        return p;
    }
};

/// Every element by its block's scale.
struct block_scaled_form
{
    template <class Kernel, class Inputs>
    static auto fill(typename Kernel::arguments& args, const gemm_case& what, Inputs& on, std::uint64_t seed)
    {
        using plain = typename Kernel::plain;
        const auto order = static_cast<memory_order>(what.activation);
        using A = typename plain::a_type;
        using B = typename plain::b_type;
        constexpr long_index_t block = block_scale_length;
        args.a = on.template filled<A>(what.m, what.k, what.batch, what.a, what.rows, seed + 1);
        args.b = on.template filled<B>(what.k, what.n, what.batch, what.b, what.rows, seed + 2);
        args.a_scales = on.template filled<float>(what.m, args.groups_k(), what.batch, order, padding::odd, seed + 3);
        args.b_scales =
            on.template filled<float>(args.groups_k(), args.groups_n(), what.batch, order, padding::none, seed + 4);
        product_to_check<float, float, typename plain::c_type> p;
        p.a = on.make(what.m, what.k, what.batch, scaled_input<A>{args.a, args.a_scales, 1, block});
        p.b = on.make(what.k, what.n, what.batch, scaled_input<B>{args.b, args.b_scales, block, block});
        return p;
    }
};

/// A warp_specialized_gemm of a form as check_form takes it.
template <class Kernel>
struct form_by_roles
{
    using plain = Kernel;
    using target = typename Kernel::target;
    using arguments = typename Kernel::product_type;

    template <class Device>
    static status start(Device& device, const arguments& args)
    {
        return launch(device, Kernel{}, arguments_for(Kernel{}, args));
    }
};

/// Starts a Kernel; one that knows how has a start() of its own.
template <class Kernel, class Device>
status start_form(Device& device, const typename Kernel::arguments& args)
{
    if constexpr (requires { Kernel::start(device, args); })
        return Kernel::start(device, args);
    else
        return launch(device, Kernel{}, args);
}

/// Checks one case of a form with one lot of data. Returns what is wrong, or an empty string.
template <class Kernel, class Form, class Device>
std::string check_form(Device& device, const gemm_case& what, std::uint64_t seed)
{
    typename Kernel::arguments args{};
    args.m = what.m, args.n = what.n, args.k = what.k, args.batch = what.batch;
    using target = typename Kernel::target;
    inputs_on<target, Device> inputs(device);
    auto product = Form::template fill<Kernel>(args, what, inputs, 10 * seed + 201);
    using C = std::remove_const_t<std::remove_pointer_t<decltype(product.c.data)>>;
    matrix_on<target, C, Device> c;
    status s = inputs.error;
    s = s ? c.create(device, what.m, what.n, what.batch, what.c, what.rows) : s;
    args.c = c.argument();
    s = s ? start_form<Kernel>(device, args) : s;
    s = s ? wait_for(device) : s;
    if (!s)
        return s.message();
    product.m = what.m, product.n = what.n, product.k = what.k, product.batch = what.batch;
    product.c = c.source();
    product.unit = unit_of_sums<target, std::remove_cvref_t<decltype(*args.a.data)>>;
    return judge_product<target>(device, product, c);
}

/// Starts lists of products by the grouped_gemm of Kernel.
template <class Kernel>
struct run_grouped
{
    using grouped = grouped_gemm<Kernel>;
    using product = typename grouped::product;

    template <class Device, class Inputs>
    static status run(Device& device, std::vector<product>& products, Inputs& on)
    {
        const auto count = static_cast<index_t>(products.size());
        std::vector<index_t> first_block(products.size() + 1);
        if (status s = grouped::number_blocks(products.data(), count, first_block.data()); !s)
            return s;
        const typename grouped::arguments args{on.put(products), on.put(first_block), count, first_block.back()};
        return on.error ? launch(device, grouped{}, args) : on.error;
    }
};

/// A list of products in one launch, with one of nothing among them.
template <class Kernel, class Run = run_grouped<Kernel>, class Device>
std::string check_list(Device& device, std::vector<gemm_case> cases, std::uint64_t seed)
{
    gemm_case nothing = cases.front();
    nothing.m = 0;
    cases.insert(cases.begin() + 1, nothing);
    using target = typename Kernel::target;
    std::deque<device_case<target, Device, typename Kernel::a_type, typename Kernel::c_type>> problems;
    std::vector<typename Run::product> products;
    for (const gemm_case& what : cases) {
        problems.emplace_back(device, suited_case<Kernel>(what), seed + products.size());
        if (status s = problems.back().upload(); !s)
            return s.message();
        products.push_back(problems.back().arguments());
    }
    inputs_on<target, Device> lists(device);
    status s = Run::run(device, products, lists);
    s = s ? wait_for(device) : s;
    if (!s)
        return s.message();
    for (std::size_t i = 0; i < cases.size(); ++i)
        if (cases[i].m > 0)
            if (std::string wrong = problems[i].check_result(); !wrong.empty())
                return "product " + std::to_string(i) + ", " + cases[i].text() + ": " + wrong;
    return {};
}

} // namespace tegula::test
