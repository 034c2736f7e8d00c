#include "test/kernel/attention/fp8.hpp"
#include "test/kernel/truncating_atom.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("gfx1201: attention of fp8", "[attention]") { check_fp8<arch::gfx1201, float8_e4m3>(); }

TEST_CASE("sm_89: attention of fp8", "[attention]") { check_fp8<arch::sm_89, float8_e4m3>(); }

TEST_CASE("sm_89: attention of fp8, sums of each tile of V are added to an output that loses nothing", "[attention]")
{
    using shipped = attention_tile_for<arch::sm_89, float8_e4m3, 64>;
    using tile = attention_tile<arch::sm_89, truncating<shipped::atom>, shipped::queries, shipped::keys, 64, 64,
                                shipped::waves, shipped::place, shipped::key_values>;
    // All weights are equal, and the integers of V have sums of one sign. Those of 64 keys are exact in 13 bits behind the
    // leading one, those of all keys are not; 4096 times the mean is below 2^24.
    constexpr index_t keys = 4096;
    using kernel = attention_kernel<tile, float>;
    attention_data<kernel> data(1, keys, 1, 1, 1);
    std::fill(data.q.begin(), data.q.end(), float8_e4m3(0.0f));
    fill_integers<float8_e4m3>(data.v, 1, 8, 11);
    const emulator::launch_result run = emulate(kernel{}, data.args);
    INFO(run.report << run.status.message());
    REQUIRE(run.status.ok());
    for (std::size_t column = 0; column < 64; ++column) {
        float sum = 0;
        for (std::size_t key = 0; key < keys; ++key)
            sum += static_cast<float>(data.v[key * static_cast<std::size_t>(data.args.v.row_stride) + column]);
        REQUIRE(data.o[column] == sum / keys);
    }
}

TEST_CASE("sm_90a: attention of e5m2, of wide values", "[attention]")
{
    using kernel = attention_kernel<attention_tile_for<arch::sm_90a, float8_e5m2, 64, 256>, bfloat16>;
    check_attention(attention_data<kernel>(129, 100, 1, 1, 1, 64, 208));
}

TEST_CASE("gfx942: attention of fp8, 256 columns, split keys", "[attention]")
{
    using kernel = attention_split_kernel<decoding_tile_for<arch::gfx942, float8_e4m3_fnuz, 256>, float>;
    attention_data<kernel> data(5, 300, 2, 1, 2, 256, 208);
    const random_scales k(2, 1, 5, 2), v(2, 1, 5, 3);
    data.args.k_scale = k.of(1, 5, 64);
    data.args.v_scale = v.of(1, 5, 64);
    check_split_attention(data, 3);
}
