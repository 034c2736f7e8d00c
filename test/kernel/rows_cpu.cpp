/// Kernels on rows and reductions on CPUs, as the machine's own code and on the strict emulator: what is checked of GPUs.

#include "test/kernel/device_of_cpu.hpp"
#include "test/kernel/rows.hpp"
#include "test/kernel/shape_reductions.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

using native = arch::x86_avx2;
using emulated = arch::strict<arch::x86_avx2>;

bool has_native()
{
    const status s = x86::check_features(needed_features<native>(), x86::host_features(), native::chip().name);
    if (!s)
        WARN("not run: " << s.message());
    return s.ok();
}

} // namespace

TEST_CASE("rows on CPUs: softmax", "[cpu]")
{
    if (has_native()) {
        check_softmax_shapes<native, float, float>();
        check_softmax_shapes<native, bfloat16, bfloat16>();
    }
    check_softmax_shapes<emulated, float, float, softmax_form::log_softmax>();
}

TEST_CASE("rows on CPUs: norms", "[cpu]")
{
    using tiles = row_tiles_for<native, row_vector<float, float>>;
    for (const long_index_t length : {7, 16, 128, 500, 1024, 20000})
        if (has_native()) {
            check_norm<native, tiles, norm_kind::layer, float, float>(3, length, length % 128 == 0, 1000);
            check_norm_backward<native, tiles, norm_kind::rms, float>(5, length);
        }
    check_norm<emulated, row_tiles_for<emulated, row_vector<float, float>>, norm_kind::rms, float, float>(3, 1000,
                                                                                                          true);
}

TEST_CASE("rows on CPUs: losses and gradients", "[cpu]")
{
    if (!has_native())
        return;
    check_cross_entropy<native, float>(4, 1003);
    check_cross_entropy<native, bfloat16>(4, 1024);
    for (const long_index_t length : {7, 1024, 20000})
        check_softmax_backward<native, float, softmax_form::softmax>(3, length, false);
}

TEST_CASE("reductions of any shape on CPUs", "[cpu]")
{
    if (has_native()) {
        check_reductions<native, float>();
        check_special_reductions<native, float>();
        check_reductions<native, bfloat16>();
    }
    check_reductions<emulated, float>();
}
