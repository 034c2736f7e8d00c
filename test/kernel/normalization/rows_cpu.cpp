/// Kernels on rows on CPUs, as the machine's own code and on the strict emulator: what is checked of GPUs.

#include "test/kernel/device_of_cpu.hpp"
#include "test/kernel/normalization/row_range.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

using native = arch::x86_avx2;
using wide = arch::x86_avx512;
using emulated = arch::strict<arch::x86_avx2>;

/// A long row whose numbers differ by a hundred-thousandth of their mean: its sum in float has lost that.
template <class Target>
void check_small_deviations()
{
    constexpr long_index_t length = 131072;
    std::vector<float> x(length), y(length);
    fill_uniform(std::span(x), 7, 1000.29, 1000.31);
    float mean = 0, inverse = 0;
    norm_arguments<float, float> a;
    a.x = make_tensor_argument(static_cast<const float*>(x.data()), {1, length});
    a.y = make_tensor_argument(y.data(), {1, length});
    a.mean = &mean, a.inverse_deviation = &inverse;
    device_of<Target> device;
    require_ran(launch(device, norm_kernels<row_tiles_for<Target, row_vector<float, float>>, norm_kind::layer>{}, a),
                device);
    const row_statistics of =
        reference_statistics(norm_kind::layer, row_of_doubles(x.begin(), x.end()), static_cast<double>(a.epsilon));
    CHECK(std::fabs(static_cast<double>(mean) - of.mean) < 1e-4); // the distance of neighbours is 6e-5
    CHECK(std::fabs(static_cast<double>(inverse) / of.inverse_deviation - 1) < 1e-3);
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
        worst = std::fmax(
            worst, std::fabs(static_cast<double>(y[i]) - (static_cast<double>(x[i]) - of.mean) * of.inverse_deviation));
    CHECK(worst < 0.02);
}

} // namespace

TEST_CASE("rows on CPUs: long rows of small deviations", "[cpu]")
{
    if (has_target<native>())
        check_small_deviations<native>();
    if (has_target<wide>())
        check_small_deviations<wide>();
}

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
