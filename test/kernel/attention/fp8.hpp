#pragma once

/// Attention of 8-bit inputs with scales, whole and split.

#include <tegula/core/float8.hpp>
#include <tegula/kernel/attention/split/kernel.hpp>

#include "test/kernel/attention/split/split.hpp"

namespace tegula::test {

/// Scales of a tensor, [batch, heads, blocks], between 1/4 and 4.
struct random_scales
{
    std::vector<float> data;

    random_scales(long_index_t batch, index_t heads, index_t blocks, std::uint64_t seed)
        : data(static_cast<std::size_t>(batch * heads * blocks))
    {
        random_source random(seed);
        for (float& x : data)
            x = 0.25f * static_cast<float>(random.integer(1, 16));
    }
    attention_scale of(index_t heads, index_t blocks, index_t block_rows) const
    {
        return {data.data(), static_cast<long_index_t>(heads) * blocks, blocks, 1, block_rows};
    }
};

/// Scales of a tensor and of blocks, of a kernel with a band.
template <class Kernel>
void check_scales()
{
    constexpr index_t block = round_up(128, Kernel::tile::keys);
    check_attention(attention_data<Kernel>(1, 1, 1, 1, 1));
    attention_data<Kernel> data(65, 3 * block - 84, 2, 1, 1);
    data.args.band.right = 0;
    check_attention(data);
    check_far_products<Kernel>([](const auto& far) { check_attention(far); });
    // One number a tensor; a negative scale of the arguments.
    const float all[] = {0.5f, 2.0f, 1.5f};
    data.args.q_scale.data = all;
    data.args.k_scale.data = all + 1;
    data.args.v_scale.data = all + 2;
    check_attention(data);
    data.args.scale = -0.1f;
    check_attention(data);
    // By blocks: of V one is 0 and the one behind it large.
    const random_scales q(1, 2, 5, 1), k(1, 1, 3, 2);
    const std::vector<float> v = {0.25f, 0.0f, 16.0f};
    data.args.q_scale = q.of(2, 5, 16);
    data.args.k_scale = k.of(1, 3, block);
    data.args.v_scale = {v.data(), 0, 0, 1, block};
    check_attention(data);
    // Blocks of K and of V that end at different keys; 0: one for all.
    const index_t ends[][2] = {{2 * block, block}, {block, 0}, {0, block}};
    for (const auto& [of_k, of_v] : ends) {
        data.args.k_scale.block_rows = of_k;
        data.args.v_scale.block_rows = of_v;
        check_attention(data);
    }
    data.args.k_scale.block_rows = 100;
    CHECK(std::string(Kernel::check({data.args}).message()) ==
          "the scale of K is by blocks of 100 rows; it must be a multiple of the tile's " +
              std::to_string(Kernel::tile::keys) + ", or 0 for all rows");
}

template <class Target, class T>
void check_fp8()
{
    check_scales<attention_kernel<attention_tile_for<Target, T, 64>, float, attention_variant<attention_mask::band>>>();
    { // packed heads, split keys
        using kernel =
            attention_split_kernel<decoding_tile_for<Target, T, 64>, float,
                                   attention_variant<attention_mask::none, attention_bias::none, attention_weights::all,
                                                     attention_cache::contiguous, attention_heads::packed>>;
        attention_data<kernel> data(2, 300, 6, 2, 2);
        const random_scales q(2, 6, 2, 1), k(2, 2, 5, 2), v(2, 2, 5, 3);
        data.args.q_scale = q.of(6, 2, 1);
        data.args.k_scale = k.of(2, 5, 64);
        data.args.v_scale = v.of(2, 5, 64);
        check_split_attention(data, 3);
    }
}

} // namespace tegula::test
