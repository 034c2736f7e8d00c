#pragma once

/// Runs attention kernels on the emulator with every check on, against the 64-bit reference.

#include <tegula/host/emulated_device.hpp>
#include <tegula/kernel/attention/attention_kernel.hpp>
#include <tegula/kernel/attention/tiles.hpp>
#include <tegula/reference/attention_error_bound.hpp>
#include <tegula/reference/random.hpp>

#include "test/catch.hpp"
#include "test/kernel/attention/far_memory.hpp"

#include <algorithm>
#include <vector>

namespace tegula::test {

/// The attention_arguments of a kernel's arguments.
template <class Arguments>
struct attention_in
{
    using type = Arguments;
};
template <class Arguments>
    requires requires { &Arguments::attention; }
struct attention_in<Arguments>
{
    using type = decltype(Arguments::attention);
};
template <class Arguments>
    requires requires { &Arguments::problem; }
struct attention_in<Arguments>
{
    using type = decltype(Arguments::problem);
};
template <class Arguments>
using attention_of = typename attention_in<Arguments>::type;

/// The tensors of a problem [batch, rows, heads, columns], as models keep them, with a row of `padding` columns between
/// rows, and their arguments.
template <class Kernel>
struct attention_data
{
    using T = typename Kernel::element;
    using O = typename Kernel::output_type;
    using arguments = attention_of<typename Kernel::arguments>;

    std::vector<T> q, k, v;
    std::vector<O> o;
    std::vector<float> lse;
    arguments args;

    attention_data(index_t seq_q, index_t seq_k, index_t heads, index_t kv_heads, index_t batch,
                   index_t head_dim = Kernel::tile::head_dim, index_t value_dim = Kernel::tile::value_dim)
    {
        args.batch = batch;
        args.heads = heads;
        args.kv_heads = kv_heads;
        args.seq_q = seq_q;
        args.seq_k = seq_k;
        args.head_dim = head_dim;
        args.value_dim = value_dim;
        args.scale = 1 / std::sqrt(static_cast<float>(head_dim));
        args.q = tensor<const T>(q, seq_q, heads, head_dim);
        args.k = tensor<const T>(k, seq_k, kv_heads, head_dim);
        args.v = tensor<const T>(v, seq_k, kv_heads, value_dim);
        args.o = tensor<O>(o, seq_q, heads, value_dim);
        lse.assign(static_cast<std::size_t>(batch * heads * seq_q), 7);
        args.lse = {lse.data(), static_cast<long_index_t>(heads) * seq_q, seq_q};
        fill_normal<T>(q, 1);
        fill_normal<T>(k, 2);
        fill_normal<T>(v, 3);
    }
    attention_data(const attention_data&) = delete;

private:
    template <class Pointed, class Element>
    attention_tensor<Pointed> tensor(std::vector<Element>& x, index_t rows, index_t heads, index_t columns)
    {
        constexpr long_index_t padding = 16 / static_cast<long_index_t>(sizeof(T));
        const long_index_t row = heads * (columns + padding);
        x.resize(static_cast<std::size_t>(args.batch * rows * row));
        return {x.data(), rows * row, columns + padding, row};
    }
};

/// Runs the attention by launch(), which gives a launch_result, and compares it with the formula.
template <class Kernel, class Run>
void check_attention(const attention_data<Kernel>& data, const Run& launch)
{
    using variant = typename Kernel::variant;
    const auto& args = data.args;
    INFO(args.seq_q << " queries, " << args.seq_k << " keys, " << args.heads << " heads of " << args.head_dim << " and "
                    << args.value_dim);
    const emulator::launch_result run = launch();
    INFO(run.report << run.status.message());
    REQUIRE(run.status.ok());
    CHECK(run.counters.shared_load_conflicts == 0);
    CHECK(run.counters.shared_store_conflicts == 0);

    const attention_result reference = reference_attention<variant>(
        args, least_input(arch_of<typename Kernel::target>(), kind_of_type<typename Kernel::element>()));
    const error_report o = verify_attention(gather_attention(args.o, reference.o), reference.o);
    INFO("O: error " << o.max_abs_error << ", " << o.worst_ratio << " of the bound, at " << o.worst_index);
    CHECK(o.passed);
    const error_report lse = verify_attention(gather_attention(args.lse, reference.lse), reference.lse);
    INFO("lse: error " << lse.max_abs_error << ", " << lse.worst_ratio << " of the bound, at " << lse.worst_index);
    CHECK(lse.passed);
}
template <class Kernel>
void check_attention(const attention_data<Kernel>& data)
{
    // Few multiprocessors: resident blocks go through several tiles of queries each.
    check_attention(data, [&] { return emulate(Kernel{}, {data.args}, {}, 3); });
}

template <class Target, class T, index_t D, index_t ValueDim = D, class Variant = attention_variant<>>
using test_attention = attention_kernel<attention_tile_for<Target, T, D, ValueDim, Variant>, T, Variant>;

inline constexpr attention_variant<attention_mask::band> banded{};

/// Tensors of more than 2^31 elements: rows and sequences lie as far apart as a tile takes them.
template <class Kernel>
void check_attention_of_far_rows()
{
    attention_data<Kernel> data(70, 300, 2, 1, 2);
    constexpr long_index_t row = (1 << 23) - 8;
    const auto bytes = [](index_t rows) { return static_cast<std::size_t>(2 * rows * row) * 2; };
    const far_memory q(bytes(300)), k(bytes(300)), v(bytes(300)), o(bytes(300));
    const auto move = [&](auto& x, const far_memory& to, index_t heads, index_t rows, index_t columns) {
        using T = std::remove_const_t<std::remove_pointer_t<decltype(x.data)>>;
        T* const data_there = static_cast<T*>(to.data());
        const auto old = x;
        x = {data_there, 300 * row, old.head_stride, row};
        for (long_index_t b = 0; b < 2; ++b)
            for (index_t h = 0; h < heads; ++h)
                for (index_t r = 0; r < rows; ++r)
                    std::copy_n(old.data + b * old.batch_stride + h * old.head_stride + r * old.row_stride, columns,
                                data_there + b * x.batch_stride + h * x.head_stride + r * x.row_stride);
    };
    auto& args = data.args;
    move(args.q, q, args.heads, args.seq_q, args.head_dim);
    move(args.k, k, args.kv_heads, args.seq_k, args.head_dim);
    move(args.v, v, args.kv_heads, args.seq_k, args.value_dim);
    move(args.o, o, args.heads, args.seq_q, args.value_dim);
    args.band.right = 0;
    check_attention(data);
}

/// Every length of queries and of keys, with every band, in few runs: each length meets each band.
///   check  runs a problem; leaves it to the emulator if it is not given
template <class Kernel, class Check>
void check_attention_lengths(const Check& check)
{
    struct lengths
    {
        index_t queries, keys, heads, kv_heads, batch, left, right;
        attention_diagonal diagonal;
    };
    constexpr auto top = attention_diagonal::top_left, bottom = attention_diagonal::bottom_right;
    constexpr lengths all[] = {{1, 1, 1, 1, 1, -1, 0, top},        {3, 300, 2, 1, 2, -1, 0, bottom},
                               {64, 3, 1, 1, 1, -1, 0, top},       {65, 127, 2, 2, 1, 20, 0, bottom},
                               {127, 64, 1, 1, 2, 5, 9, top},      {300, 65, 1, 1, 1, -1, 0, bottom},
                               {130, 300, 3, 1, 1, 70, 3, bottom}, {1, 127, 4, 2, 1, -1, -1, bottom}};
    for (const lengths& l : all) {
        attention_data<Kernel> data(l.queries, l.keys, l.heads, l.kv_heads, l.batch);
        data.args.band.left = l.left;
        data.args.band.right = l.right;
        data.args.band.diagonal = l.diagonal;
        check(data);
    }
}
template <class Kernel>
void check_attention_lengths()
{
    check_attention_lengths<Kernel>([](const auto& data) { check_attention(data); });
}

} // namespace tegula::test
