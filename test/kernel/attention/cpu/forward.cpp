// Attention on CPUs: as the machine's own code and on the strict emulator, against the reference and the bounds that the
// GPUs' kernels are held to.

#include "test/kernel/attention/cpu/forward.hpp"
#include "test/kernel/attention/pages.hpp"

TEST_CASE("CPU attention: every length with every band", "[attention][cpu]")
{
    using kernel = attention_kernel<attention_tile_for<arch::x86_avx2, half, 64>, half, causal>;
    check_attention_lengths<kernel>([](const auto& data) { check_native<kernel>(data); });
}

TEST_CASE("CPU attention: scores above the slack raise the reference", "[attention][cpu]")
{
    using kernel = attention_kernel<attention_tile_for<arch::x86_avx2, half, 64>, half, causal>;
    attention_data<kernel> data(60, 400, 1, 1, 1);
    data.args.scale = 4;
    check_native(data);
}

TEST_CASE("CPU attention: offsets that decrease and lengths of more keys than there are", "[attention][cpu]")
{
    using kernel = attention_kernel<attention_tile_for<arch::x86_avx2, half, 64>, half, causal>;
    attention_data<kernel> data(3, 10, 1, 1, 2);
    const index_t offsets[] = {0, 3, 2}, lengths[] = {10, 11};
    data.args.lengths.query_offsets = offsets;
    cpu_device device;
    CHECK(std::string(launch(device, kernel{}, data.args).message()) ==
          "query_offsets[2] is 2, less than the 3 before it; offsets do not decrease");
    data.args.lengths = {.key_lengths = lengths};
    CHECK(std::string(launch(device, kernel{}, data.args).message()) == "key_lengths[1] is 11; it must be in [0, 10]");
}

TEST_CASE("CPU attention on the strict emulator: a boolean mask inside a band", "[attention][cpu]")
{
    using kernel =
        attention_kernel<strict_tile<arch::x86_avx512, bfloat16>, bfloat16, attention_variant<attention_mask::boolean>>;
    attention_data<kernel> data(65, 70, 2, 1, 1, 40, 24);
    std::vector<std::uint8_t> mask(65 * 70);
    for (std::size_t i = 0; i < mask.size(); ++i)
        mask[i] = i % 3 != 0;
    data.args.boolean = {mask.data(), 0, 0, 70, 1};
    data.args.band.right = 3;
    check_attention(data);
}

TEST_CASE("CPU attention: pages of any number of keys", "[attention][cpu]")
{
    using kernel = attention_kernel<attention_tile_for<arch::x86_avx2, half, 64>, half, band_by_key>;
    check_page_lengths<kernel>([](const auto& data) { check_native<kernel>(data); });
    using wide = attention_kernel<attention_tile_for<arch::x86_avx512, float, 128>, float, band_by_key>;
    check_page_lengths<wide>([](const auto& data) { check_native<wide>(data); });
    check_page_length<attention_kernel<strict_tile<arch::x86_avx2, half>, half, band_by_key>>(
        7, [](const auto& data) { check_attention(data); });
    using packed = attention_variant<attention_mask::band, attention_bias::none, attention_weights::all,
                                     attention_cache::paged_by_key, attention_heads::packed>;
    check_page_length<attention_split_kernel<strict_tile<arch::x86_avx2, float>, float, packed>>(
        16, [](auto& data) { check_split_attention(data, 3); });
}

TEST_CASE("CPU attention: the call for users, several tiles of queries", "[attention][cpu]")
{
    using kernel = attention_kernel<attention_tile_for<arch::x86_avx2, bfloat16, 128>, float, causal>;
    attention_data<kernel> data(400, 333, 4, 2, 2, 72, 40);
    data.args.band.right = 0;
    cpu_device device;
    data.args.head_dim = 300;
    CHECK(launch(device, cpu_attention<arch::host, causal>{}, data.args).code() == status_code::unsupported);
    data.args.head_dim = 72;
    check_attention(data, [&] {
        emulator::launch_result run;
        run.status = launch(device, cpu_attention<arch::host, causal>{}, data.args);
        return run;
    });
}
