#pragma once

/// Attention with all that a kernel can do to scores, keys and lengths, in few kernels that do much at once.

#include "test/gpu/attention_checks.hpp"
#include "test/gpu/attention_variants.hpp"

namespace tegula::test {

/// A boolean mask [.., queries, keys]: three of four keys; the third query sees none.
struct seen_keys
{
    std::uint64_t seed;
    index_t queries, keys;

    TEGULA_HOST_DEVICE unsigned char operator()(long_index_t i) const
    {
        const bool is_seen = mix_bits(mix_bits(seed) + static_cast<std::uint64_t>(i)) >> 62 != 0;
        return is_seen && i / keys % queries != 2 ? 1 : 0;
    }
};

/// Gives the arguments of an attention_on what the kernel's variant reads besides Q, K and V.
template <class Kernel, class On>
struct attention_form
{
    using variant = typename Kernel::variant;
    using tile = typename Kernel::tile;

    On& on;
    std::uint64_t seed;

    /// Returns how far a score may be off by the functor, which is computed in float.
    double fill()
    {
        on.args.band.right = variant::mask == attention_mask::band ? 0 : -1;
        if constexpr (variant::mask == attention_mask::boolean)
            fill_boolean();
        if constexpr (variant::mask == attention_mask::lists) {
            fill_lists();
            on.join_sequences();
        }
        if constexpr (variant::bias == attention_bias::tensor) {
            const auto& a = on.args;
            on.args.bias = {on.arrays.template uniform<float>(a.batch * a.heads * a.seq_q * a.seq_k, seed + 1),
                            long_index_t{a.heads} * a.seq_q * a.seq_k, long_index_t{a.seq_q} * a.seq_k, a.seq_k, 1};
        }
        if constexpr (variant::bias == attention_bias::alibi)
            on.args.alibi = {numbers(on.args.heads, 0.01, 0.2), 0};
        if constexpr (variant::dropout) {
            on.args.dropout = make_dropout(0.25, 77 + seed, 3);
            on.args.sinks = numbers(on.args.heads, -1, 2);
        }
        if constexpr (variant::cache == attention_cache::paged)
            fill_pages();
        if constexpr (requires { requires Kernel::any_length && !variant::in_pages; })
            on.join_sequences();
        if constexpr (requires { on.args.score.cap; }) {
            on.args.score.cap = 2;
            return on.args.score.rounding_error();
        }
        return 0;
    }

private:
    const float* numbers(index_t count, double least, double most)
    {
        return on.arrays.template uniform<float>(count, seed + 2, least, most);
    }
    void fill_boolean()
    {
        const auto& a = on.args;
        const unsigned char* const seen = on.arrays.template make<unsigned char>(a.batch * a.heads * a.seq_q * a.seq_k,
                                                                                 seen_keys{seed + 3, a.seq_q, a.seq_k});
        on.args.boolean = {seen, long_index_t{a.heads} * a.seq_q * a.seq_k, long_index_t{a.seq_q} * a.seq_k, a.seq_k,
                           1};
    }
    /// By head, of blocks as large as the tile; the second block of queries has an empty one.
    void fill_lists()
    {
        const auto& a = on.args;
        const index_t rows = ceil_div(a.seq_q, tile::queries), columns = ceil_div(a.seq_k, tile::keys);
        std::vector<index_t> counts, blocks;
        for (index_t head = 0; head < a.heads; ++head)
            for (index_t row = 0; row < rows; ++row) {
                index_t count = 0;
                for (index_t column = 0; column < columns; ++column)
                    if (row != 1 && (row + column + head) % 3 != 1) {
                        blocks.push_back(column);
                        ++count;
                    }
                counts.push_back(count);
                blocks.resize(counts.size() * static_cast<std::size_t>(columns));
            }
        on.args.lists = {on.arrays.put(counts), on.arrays.put(blocks), 0, rows, columns, tile::queries, tile::keys};
    }
    /// Pages of the tile's keys, or, for tensor copies, by seed of 16 to 128; the last first. A few keys of each sequence are
    /// not there yet.
    void fill_pages()
    {
        auto& a = on.args;
        index_t length = tile::keys;
        if constexpr (requires { tile::page_keys; })
            length = tile::page_keys << (seed % 4);
        const index_t of_sequence = ceil_div(a.seq_k, length);
        a.pages.page_length = length;
        a.pages.pages = static_cast<index_t>(a.batch) * of_sequence;
        a.pages.batch_stride = of_sequence;
        std::vector<index_t> table, keys;
        for (index_t page = a.pages.pages; page > 0; --page)
            table.push_back(page - 1);
        for (index_t b = 0; b < a.batch; ++b)
            keys.push_back(max(a.seq_k - 2 * b - 1, index_t{1}));
        a.pages.table = on.arrays.put(table);
        a.lengths.key_lengths = on.arrays.put(keys);
        const auto cache = [&](index_t columns, std::uint64_t number) {
            using T = typename Kernel::element;
            const long_index_t page = long_index_t{a.kv_heads} * length * columns;
            return attention_tensor<const T>{on.arrays.template uniform<T>(a.pages.pages * page, seed + number), page,
                                             long_index_t{length} * columns, columns};
        };
        a.k = cache(a.head_dim, 4);
        a.v = cache(a.value_dim, 5);
    }
};

/// The arguments of an attention_kernel, or, for one by tensor copies, the problem that its maps are made of.
template <class Kernel>
struct attention_problem_of
{
    using type = typename Kernel::arguments;
};
template <class Kernel>
    requires requires { typename Kernel::problem_type; }
struct attention_problem_of<Kernel>
{
    using type = typename Kernel::problem_type;
};

/// Gradients with all that their variant reads.
template <class Forward, class Kernels, class Device>
std::string check_gradients_form(Device& device, const attention_sizes& sizes, std::uint64_t seed)
{
    return check_attention_gradients<Forward, Kernels>(device, sizes, seed, [seed](auto& on) {
        return attention_form<Kernels, std::decay_t<decltype(on)>>{on, 31 * seed}.fill();
    });
}

/// An attention_kernel, or one by tensor copies, of one of the variants above, with soft_cap or no functor, for one problem.
template <class Kernel, class Device>
std::string check_attention_form(Device& device, const attention_sizes& sizes, std::uint64_t seed)
{
    using T = typename Kernel::element;
    using O = typename Kernel::output_type;
    using target = typename Kernel::target;
    using score = decltype(typename attention_problem_of<Kernel>::type{}.score);
    attention_on<target, Device, T, O, score> on(device, sizes, seed, Kernel::tile::keys);
    const double score_error = attention_form<Kernel, decltype(on)>{on, 31 * seed}.fill();
    status s = on.arrays.error;
    s = s ? launch(device, Kernel{}, {on.args}) : s;
    s = s ? wait_for(device) : s;
    if (!s)
        return s.message();
    return check_formula<target>(
        device, "O and lse",
        attention_output<T, O, typename Kernel::variant, score>{{on.args, unit_of_sums<target, T>, score_error}});
}

} // namespace tegula::test
