/// Attention's 8-bit inputs and its cache by the tests of GPUs, with the emulator as the device: right
/// results pass, wrong ones do not.

#include <tegula/host/emulated_device.hpp>

#include "test/catch.hpp"
#include "test/gpu/append_checks.hpp"
#include "test/gpu/attention_checks.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

using fp8_tile = attention_tile_for<arch::gfx942, float8_e4m3_fnuz, 64>;
using fp8_kernel = attention_kernel<fp8_tile, float, attention_variant<attention_mask::band>>;

/// With the scale of the first block of keys for all.
template <class Kernel>
struct scaled_by_first_block : Kernel
{
    TEGULA_INLINE void operator()(const typename Kernel::arguments& args) const
    {
        typename Kernel::arguments changed = args;
        changed.k_scale.block_stride = 0;
        Kernel::operator()(changed);
    }
};

using append = append_kernel<arch::sm_80, half, 64>;

/// With the first head's values for all.
struct one_head : append
{
    TEGULA_INLINE void operator()(const arguments& args) const
    {
        arguments changed = args;
        changed.new_v.head_stride = 0;
        append::operator()(changed);
    }
};

} // namespace

TEST_CASE("attention of 8 bits is compared with its formula, every element")
{
    emulated_device device;
    const attention_sizes sizes{1, 2, 1, 35, 150, 64, 48};
    CHECK(check_attention<fp8_kernel>(device, sizes, 1) == "");
    using plain = attention_kernel<attention_tile_for<arch::sm_89, float8_e5m2, 64>, bfloat16>;
    CHECK(check_attention<plain>(device, sizes, 2) == "");
    CHECK(check_attention<scaled_by_first_block<plain>>(device, sizes, 2).find("elements are wrong") !=
          std::string::npos);
}

TEST_CASE("a cache that was appended to is compared, every element")
{
    emulated_device device;
    CHECK(check_append<append>(device, 1, 1) == "");
    CHECK(check_append<append>(device, 37, 2) == "");
    CHECK(check_append<one_head>(device, 1, 1).starts_with("V: "));
}
