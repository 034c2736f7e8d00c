// Attention on CPUs: as the machine's own code and on the strict emulator, against the reference and the bounds that the
// GPUs' kernels are held to.

#include "test/kernel/attention/cpu/forward.hpp"

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
