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

/// Forward and backward kernels that change scores.
template <class Variant>
using changed = attention_kernel<attention_tile_for<target, half, 64, 64, Variant, soft_cap<target>>, half, Variant,
                                 soft_cap<target>>;
template <class Variant>
using changed_backward = attention_backward_for<target, half, 64, 64, Variant, half, soft_cap<target>>;

/// With a cap that is off by one part in 64, in the kernel of dK and dV alone.
struct other_cap : changed_backward<attention_changing>
{
    struct keys : changed_backward<attention_changing>::keys
    {
        using plain = changed_backward<attention_changing>::keys;
        TEGULA_INLINE void operator()(const arguments& args) const
        {
            arguments other = args;
            other.problem.forward.score.cap *= 1 + 0x1p-6f;
            plain::operator()(other);
        }
    };

    template <class Launcher>
    status launches(const arguments& args, Launcher& launch) const
    {
        return launch_gradients(*this, args, launch);
    }
};

constexpr attention_sizes small{2, 2, 1, 37, 150, 64, 56};
constexpr attention_sizes few{1, 2, 1, 37, 70, 64, 56};

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

TEST_CASE("gradients with a bias and a soft cap, and with dropout and sinks, are compared, every element")
{
    emulated_device device;
    using forward = changed<attention_changing>;
    CHECK(check_attention_form<forward>(device, few, 1) == "");
    CHECK(check_gradients_form<forward, changed_backward<attention_changing>>(device, few, 1) == "");
    const std::string wrong = check_gradients_form<forward, other_cap>(device, few, 1);
    CHECK((wrong.starts_with("dK") && wrong.find("elements are wrong") != std::string::npos));
    using dropping = changed<attention_dropping>;
    CHECK(check_attention_form<dropping>(device, few, 1) == "");
    CHECK(check_gradients_form<dropping, changed_backward<attention_dropping>>(device, few, 1) == "");
}

TEST_CASE("gradients by tensor copies with a bias and a soft cap are compared, every element")
{
    emulated_device device;
    const auto check = [&](auto kernels) {
        using type = decltype(kernels);
        using cap = soft_cap<typename type::target>;
        using tile = attention_tile_for<typename type::target, half, 64, 64, attention_changing, cap>;
        return check_gradients_form<attention_kernel<tile, half, attention_changing, cap>, type>(device, few, 1);
    };
    using by_wgmma =
        warp_specialized_backward_for<arch::sm_90a, half, 64, 64, attention_changing, half, soft_cap<arch::sm_90a>>;
    using by_tcgen05 =
        tcgen05_backward_for<arch::sm_100a, half, 64, 64, attention_changing, half, soft_cap<arch::sm_100a>>;
    CHECK(check(by_wgmma{}) == "");
    CHECK(check(by_tcgen05{}) == "");
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
