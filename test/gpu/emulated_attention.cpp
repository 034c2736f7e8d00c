/// Attention by the tests of GPUs, with the emulator as the device:
/// right results pass, wrong ones do not.

#include <tegula/host/emulated_device.hpp>

#include "test/catch.hpp"
#include "test/gpu/attention_form_checks.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

using causal = attention_variant<attention_mask::band>;
using tile = attention_tile_for<arch::gfx942, bfloat16, 64>;
using forward = attention_kernel<tile, bfloat16, causal>;

/// A scale that is off by one part in 64.
struct other_scale : forward
{
    TEGULA_INLINE void operator()(const arguments& args) const
    {
        arguments changed = args;
        changed.scale *= 1 + 0x1p-6f;
        forward::operator()(changed);
    }
};

/// A scale that is off by as much, in the kernel of dQ alone.
struct other_kernels : attention_backward_for<arch::gfx942, bfloat16, 64, 64, causal>
{
    struct queries : attention_backward_for<arch::gfx942, bfloat16, 64, 64, causal>::queries
    {
        using plain = attention_backward_for<arch::gfx942, bfloat16, 64, 64, causal>::queries;
        TEGULA_INLINE void operator()(const arguments& args) const
        {
            arguments changed = args;
            changed.problem.forward.scale *= 1 + 0x1p-6f;
            plain::operator()(changed);
        }
    };

    template <class Launcher>
    status launches(const arguments& args, Launcher& launch) const
    {
        return launch_gradients(*this, args, launch);
    }
};

/// Kernels that take lengths without a parameter that says so.
struct kernels_of_any_length : attention_backward_for<arch::gfx942, bfloat16, 64, 64, causal>
{
    static constexpr bool any_length = true;
};

} // namespace

TEST_CASE("attention is compared with its formula, every element")
{
    emulated_device device;
    const attention_sizes sizes{1, 2, 1, 35, 70, 64, 56};
    CHECK(check_attention<forward>(device, sizes, 1) == "");
    CHECK(check_attention<other_scale>(device, sizes, 1).find("elements are wrong") != std::string::npos);
    using split = attention_split_kernel<decoding_tile_for<arch::gfx942, half, 64>, float>;
    CHECK(check_attention<split>(device, {1, 2, 1, 3, 150, 64, 64}, 2) == "");
    using specialized = warp_specialized_attention<warp_specialized_attention_tile_for<arch::sm_90a, bfloat16, 64>>;
    CHECK(check_attention<specialized>(device, {1, 1, 1, 20, 130, 64, 64}, 3) == "");
    using latent = warp_specialized_latent_attention<warp_specialized_latent_tile<arch::sm_90a, bfloat16, float8_e4m3>>;
    CHECK(check_attention<latent>(device, {1, 4, 2, 3, 70, 576, 512}, 4) == "");
}

TEST_CASE("gradients of attention are compared with their formulas, every element")
{
    emulated_device device;
    const attention_sizes sizes{1, 2, 1, 35, 40, 64, 64};
    using kernels = attention_backward_for<arch::gfx942, bfloat16, 64, 64, causal>;
    CHECK(check_gradients_form<forward, kernels>(device, sizes, 1) == "");
    const std::string wrong = check_gradients_form<forward, other_kernels>(device, sizes, 1);
    CHECK((wrong.starts_with("dQ") && wrong.find("elements are wrong") != std::string::npos));
    CHECK(check_gradients_form<forward, kernels_of_any_length>(device, {3, 2, 1, 35, 40, 64, 64}, 1) == "");
}
