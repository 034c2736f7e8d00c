// Attention on CPUs: as the machine's own code and on the strict emulator, against the reference and the bounds that the
// GPUs' kernels are held to.

#include "test/kernel/attention/cpu/forward.hpp"

TEST_CASE("CPU attention: scores far from 0", "[attention][cpu]")
{
    using kernel = attention_kernel<attention_tile_for<arch::x86_avx2, half, 64>, half, causal>;
    check_far_products<kernel>([](const auto& data) { check_native(data); });
}

TEST_CASE("CPU attention: more than 256 columns", "[attention][cpu]")
{
    const auto check = [](auto element, index_t head_dim, index_t value_dim) {
        using kernel = attention_kernel<attention_tile_for<arch::x86_avx2, decltype(element), 576, 512>, float, causal>;
        attention_data<kernel> data(200, 150, 2, 1, 1, head_dim, value_dim);
        data.args.band.right = 0;
        if (has_target<arch::x86_avx2>())
            check_attention(data, [&] {
                cpu_device device;
                emulator::launch_result run;
                run.status = launch(device, cpu_attention<arch::x86_avx2, causal>{}, data.args);
                return run;
            });
    };
    check(half{}, 512, 512);
    check(half{}, 576, 8);
    check(half{}, 264, 512);
    check(half{}, 64, 40);
}

TEST_CASE("CPU attention on the strict emulator: heads packed, keys shared out", "[attention][cpu]")
{
    using kernel =
        attention_split_kernel<strict_tile<arch::x86_avx2, half>, half,
                               attention_variant<attention_mask::band, attention_bias::none, attention_weights::all,
                                                 attention_cache::contiguous, attention_heads::packed>>;
    attention_data<kernel> data(3, 127, 6, 2, 1);
    data.args.band.right = 0;
    check_split_attention(data, 3);
}

TEST_CASE("CPU attention: floats, bias and soft cap", "[attention][cpu]")
{
    using target = arch::x86_avx2;
    using kernel = attention_kernel<attention_tile_for<target, float, 128>, float,
                                    attention_variant<attention_mask::band, attention_bias::tensor>, soft_cap<target>>;
    attention_data<kernel> data(100, 150, 2, 1, 1, 96, 112);
    std::vector<float> bias(100 * 150);
    fill_normal<float>(bias, 5);
    data.args.bias = {bias.data(), 0, 0, 150, 1};
    data.args.score.cap = 2;
    check_native(data);
}
