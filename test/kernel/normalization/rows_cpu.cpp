/// Kernels on rows on CPUs, as the machine's own code and on the strict emulator: what is checked of GPUs.

#include "test/kernel/device_of_cpu.hpp"
#include "test/kernel/normalization/row_range.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

using native = arch::x86_avx2;
using wide = arch::x86_avx512;
using emulated = arch::strict<arch::x86_avx2>;

} // namespace

TEST_CASE("rows on CPUs: softmax", "[cpu]")
{
    if (has_target<native>()) {
        check_softmax_shapes<native, float, float>();
        check_softmax_shapes<native, bfloat16, bfloat16>();
    }
    if (has_target<wide>())
        check_softmax_shapes<wide, float, float>();
    check_softmax_shapes<emulated, float, float, softmax_form::log_softmax>();
}

TEST_CASE("rows on CPUs: norms", "[cpu]")
{
    using tiles = row_tiles_for<native, row_vector<float, float>>;
    for (const long_index_t length : {7, 16, 128, 500, 1024, 20000})
        if (has_target<native>()) {
            check_norm<native, tiles, norm_kind::layer, float, float>(3, length, length % 128 == 0, 1000);
            check_norm_backward<native, tiles, norm_kind::rms, float>(5, length);
        }
    for (const long_index_t length : {7, 500, 20000})
        if (has_target<wide>())
            check_norm<wide, row_tiles_for<wide, row_vector<float, float>>, norm_kind::layer, float, float>(
                20, length, length % 4 == 0, 1000);
    check_norm<emulated, row_tiles_for<emulated, row_vector<float, float>>, norm_kind::rms, float, float>(3, 1000,
                                                                                                          true);
}
