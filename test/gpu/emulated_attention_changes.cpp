/// Attention with masks, biases, dropout, sinks, pages, lists and unequal lengths by the tests of GPUs, with the emulator
/// as the device: right results pass, wrong ones do not.

#include <tegula/host/emulated_device.hpp>

#include "test/catch.hpp"
#include "test/gpu/attention_form_checks.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

using target = arch::sm_80;
using tile = attention_tile_for<target, half, 64>;
using masked = attention_kernel<tile, half, attention_masked>;

/// With another generator.
struct other_dropout : masked
{
    TEGULA_INLINE void operator()(const arguments& args) const
    {
        arguments changed = args;
        ++changed.dropout.offset;
        masked::operator()(changed);
    }
};

constexpr attention_sizes small{2, 2, 1, 37, 150, 64, 56};

} // namespace

TEST_CASE("attention with a mask, a bias, dropout and sinks is compared, every element")
{
    emulated_device device;
    CHECK(check_attention_form<masked>(device, small, 1) == "");
    CHECK(check_attention_form<other_dropout>(device, small, 1).find("elements are wrong") != std::string::npos);
}

TEST_CASE("gradients with a mask, a bias, dropout and sinks are compared, every element")
{
    emulated_device device;
    using kernels = attention_backward_for<target, half, 64, 64, attention_masked>;
    CHECK(check_gradients_form<masked, kernels>(device, small, 1) == "");
    const std::string wrong = check_gradients_form<other_dropout, kernels>(device, small, 1);
    CHECK(wrong.find("elements are wrong") != std::string::npos);
}

TEST_CASE("attention by tensor copies with a mask, a bias, dropout and sinks is compared, every element")
{
    emulated_device device;
    using kernel =
        warp_specialized_attention<warp_specialized_attention_tile_for<arch::sm_90a, half, 64, 64, attention_masked>,
                                   half, attention_masked>;
    CHECK(check_attention_form<kernel>(device, small, 1) == "");
}

TEST_CASE("attention by tensor copies of unequal lengths is compared, every element")
{
    emulated_device device;
    using causal = attention_variant<attention_mask::band>;
    constexpr auto any = attention_sequences::of_any_length;
    using kernel = warp_specialized_attention<warp_specialized_attention_tile_for<arch::sm_90a, half, 64>, half, causal,
                                              unchanged_score, any>;
    CHECK(check_attention_form<kernel>(device, {3, 4, 2, 150, 200, 64, 64}, 3) == "");
}

TEST_CASE("attention of pages with slopes and a soft cap is compared, every element")
{
    emulated_device device;
    using pages = attention_kernel<tile, float, attention_of_pages, soft_cap<target>>;
    CHECK(check_attention_form<pages>(device, small, 2) == "");
}

TEST_CASE("attention of pages by tensor copies is compared, every element")
{
    emulated_device device;
    using hopper = arch::sm_90a;
    using kernel = warp_specialized_attention<
        warp_specialized_attention_tile_for<hopper, half, 64, 64, attention_of_pages, soft_cap<hopper>>, half,
        attention_of_pages, soft_cap<hopper>, attention_sequences::of_any_length>;
    CHECK(check_attention_form<kernel>(device, small, 2) == "");
}

TEST_CASE("attention of lists and unequal lengths is compared, every element")
{
    emulated_device device;
    using lists = attention_kernel<tile, half, attention_of_lists>;
    CHECK(check_attention_form<lists>(device, {3, 4, 2, 150, 200, 64, 64}, 3) == "");
}
