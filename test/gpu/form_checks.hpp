#pragma once

/// Further forms of GEMM on a device: quantised weights, inputs scaled in blocks or of two types, lists of products.
/// Each is compared with the plain product of what its inputs stand for.

#include <tegula/kernel/gemm/forms/block_scaled.hpp>
#include <tegula/kernel/gemm/forms/grouped.hpp>
#include <tegula/kernel/gemm/forms/quantized_weights.hpp>
#include <tegula/kernel/gemm/warp_specialized/kernel.hpp>
#include <tegula/kernel/gemm/warp_specialized/scaled_tile.hpp>

#include "test/gpu/formula.hpp"
#include "test/gpu/kernel_checks.hpp"

#include <deque>

namespace tegula::test {

/// Inputs on a device, for as long as this is there.
template <class Device>
class inputs_on : public arrays_on<Device>
{
public:
    using arrays_on<Device>::put;

    template <class T>
    matrix_argument<const T> put(const stored_matrix<T>& x)
    {
        return {put(x.values) + x.where.first, x.where.row_stride, x.where.column_stride, x.where.batch_stride};
    }
    /// Row-major: at(batch, i, j).
    template <class At>
    matrix_argument<const float> put(long_index_t rows, long_index_t columns, long_index_t batch, const At& at)
    {
        stored_matrix<float> x(rows, columns, batch, memory_order::row_major, padding::none);
        for (long_index_t b = 0; b < batch; ++b)
            for (long_index_t i = 0; i < rows; ++i)
                for (long_index_t j = 0; j < columns; ++j)
                    x.values[x.where.at(b, i, j)] = at(b, i, j);
        return put(x);
    }
};

template <class T>
stored_matrix<T> filled(long_index_t rows, long_index_t columns, long_index_t batch, memory_order order, padding pad,
                        std::uint64_t seed)
{
    stored_matrix<T> x(rows, columns, batch, order, pad);
    x.fill(seed);
    return x;
}

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
        args.a = on.put(filled<A>(what.m, what.k, what.batch, what.a, what.rows, seed + 1));
        args.b = on.put(filled<B>(what.k, what.n, what.batch, what.b, what.rows, seed + 2));
        product_to_check<A, B, typename Kernel::c_type> p;
        p.a = args.a, p.b = args.b;
        p.least_input = least_input_of<Kernel>;
        return p;
    }
};

/// Weights are integers by the scale of their group, rounded once to A's type, by that of their column.
struct quantized_weights_form
{
    template <class Kernel, class Inputs>
    static auto fill(typename Kernel::arguments& args, const gemm_case& what, Inputs& on, std::uint64_t seed)
    {
        using form = typename Kernel::arguments::form;
        using packet = typename form::packet;
        using A = typename Kernel::plain::a_type;
        const auto b = filled<std::uint8_t>(args.packets_k(), what.n, what.batch, what.b, what.rows, seed + 2);
        const auto scales = filled<typename form::scale>(
            args.groups(), what.n, what.batch, static_cast<memory_order>(what.activation), padding::odd, seed + 3);
        std::vector<float> columns(static_cast<std::size_t>(what.n));
        fill_uniform(std::span(columns), seed + 4);
        const auto a = filled<A>(what.m, what.k, what.batch, what.a, what.rows, seed + 1);
        const auto bytes = on.put(b);
        args.a = on.put(a);
        args.b = {reinterpret_cast<const packet*>(bytes.data), bytes.row_stride, bytes.column_stride,
                  bytes.batch_stride};
        args.scales = on.put(scales);
        args.epilogue = epilogue::make_chain(epilogue::scale_columns<>{on.put(columns), 0});
        const auto multiplied = [](A x) {
            const float wide = convert<float>(x);
            return std::fabs(wide) < least_input_of<typename Kernel::plain> ? 0 : wide;
        };
        product_to_check<float, float, typename Kernel::plain::c_type> p;
        p.a = on.put(what.m, what.k, what.batch, [&](long_index_t batch, long_index_t i, long_index_t k) {
            return multiplied(a.values[a.where.at(batch, i, k)]);
        });
        p.b = on.put(what.k, what.n, what.batch, [&](long_index_t batch, long_index_t k, long_index_t j) {
            const std::uint8_t bits = b.values[b.where.at(batch, k / form::packing, j)];
            float weight = static_cast<float>(
                tegula::detail::packet_element(__builtin_bit_cast(packet, bits), static_cast<int>(k % form::packing)));
            if constexpr (form::group != 0)
                weight *= static_cast<float>(scales.values[scales.where.at(batch, k / form::group, j)]);
            return multiplied(convert<A>(weight)) * columns[static_cast<std::size_t>(j)];
        });
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
        const auto a = filled<typename plain::a_type>(what.m, what.k, what.batch, what.a, what.rows, seed + 1);
        const auto b = filled<typename plain::b_type>(what.k, what.n, what.batch, what.b, what.rows, seed + 2);
        const auto sa = filled<float>(what.m, args.groups_k(), what.batch, order, padding::odd, seed + 3);
        const auto sb = filled<float>(args.groups_k(), args.groups_n(), what.batch, order, padding::none, seed + 4);
        args.a = on.put(a);
        args.b = on.put(b);
        args.a_scales = on.put(sa);
        args.b_scales = on.put(sb);
        product_to_check<float, float, typename plain::c_type> p;
        p.a = on.put(what.m, what.k, what.batch, [&](long_index_t batch, long_index_t i, long_index_t k) {
            return convert<float>(a.values[a.where.at(batch, i, k)]) *
                   sa.values[sa.where.at(batch, i, k / block_scale_length)];
        });
        p.b = on.put(what.k, what.n, what.batch, [&](long_index_t batch, long_index_t k, long_index_t j) {
            return convert<float>(b.values[b.where.at(batch, k, j)]) *
                   sb.values[sb.where.at(batch, k / block_scale_length, j / block_scale_length)];
        });
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
    static status launch(Device& device, const arguments& args)
    {
        return tegula::launch(device, Kernel{}, arguments_for(Kernel{}, args));
    }
};

/// Starts a Kernel; one that knows how has a launch() of its own.
template <class Kernel, class Device>
status start_form(Device& device, const typename Kernel::arguments& args)
{
    if constexpr (requires { Kernel::launch(device, args); })
        return Kernel::launch(device, args);
    else
        return launch(device, Kernel{}, args);
}

/// Checks one case of a form with one lot of data. Returns what is wrong, or an empty string.
template <class Kernel, class Form, class Device>
std::string check_form(Device& device, const gemm_case& what, std::uint64_t seed)
{
    typename Kernel::arguments args{};
    args.m = what.m, args.n = what.n, args.k = what.k, args.batch = what.batch;
    inputs_on<Device> inputs;
    auto product = Form::template fill<Kernel>(args, what, inputs, 10 * seed + 201);
    using C = std::remove_const_t<std::remove_pointer_t<decltype(product.c.data)>>;
    stored_matrix<C> c(what.m, what.n, what.batch, what.c, what.rows);
    typename Device::memory memory;
    status s = inputs.error;
    s = s ? memory.copy_from(c.values.data(), c.values.size() * sizeof(C)) : s;
    args.c = {static_cast<C*>(memory.data()) + c.where.first, c.where.row_stride, c.where.column_stride,
              c.where.batch_stride};
    s = s ? start_form<Kernel>(device, args) : s;
    s = s ? wait_for(device) : s;
    if (!s)
        return s.message();
    using target = typename Kernel::target;
    product.m = what.m, product.n = what.n, product.k = what.k, product.batch = what.batch;
    product.c = {args.c.data, args.c.row_stride, args.c.column_stride, args.c.batch_stride};
    product.unit = unit_of_sums<target, std::remove_cvref_t<decltype(*args.a.data)>>;
    return judge_product<target>(device, product, c, memory);
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
    std::deque<device_case<Device, typename Kernel::a_type, typename Kernel::c_type>> problems;
    std::vector<typename Run::product> products;
    for (const gemm_case& what : cases) {
        problems.emplace_back(device, suited_case<Kernel>(what), seed + products.size());
        if (status s = problems.back().upload(); !s)
            return s.message();
        products.push_back(problems.back().arguments());
    }
    inputs_on<Device> lists;
    status s = Run::run(device, products, lists);
    s = s ? wait_for(device) : s;
    if (!s)
        return s.message();
    for (std::size_t i = 0; i < cases.size(); ++i)
        if (cases[i].m > 0)
            if (std::string wrong = problems[i].template check_result<typename Kernel::target>(); !wrong.empty())
                return "product " + std::to_string(i) + ", " + cases[i].text() + ": " + wrong;
    return {};
}

} // namespace tegula::test
