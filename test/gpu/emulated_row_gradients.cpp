/// Backward kernels on rows, losses and largest elements by the tests of GPUs, with the emulator as the device: right
/// results pass, wrong ones do not.

#include <tegula/host/emulated_device.hpp>

#include "test/catch.hpp"
#include "test/gpu/row_gradient_checks.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

using target = arch::gfx942;
template <class T>
using few = few_row_tiles_for<target, 16 / static_cast<int>(sizeof(T))>;

} // namespace

TEST_CASE("gradients of rows are compared with their formulas, every element")
{
    emulated_device device;
    using tiles = row_tile_list<tile_at<few<bfloat16>, 2>>;
    for (const row_sizes& size : row_cases(false)) {
        CHECK(check_softmax_gradients<target, bfloat16, tiles>(device, size, 1) == "");
        CHECK(check_norm_gradients<target, bfloat16, norm_kind::layer, tiles, tiles>(device, size, 2) == "");
    }
    CHECK(check_norm_gradients<target, bfloat16, norm_kind::rms, tiles, tiles>(device, {70, 33}, 3) == "");
}

TEST_CASE("losses and the largest elements are compared with their formulas, every element")
{
    emulated_device device;
    using tiles = row_tile_list<tile_at<few<half>, 2>>;
    for (const row_sizes& size : row_cases(false))
        CHECK(check_losses<target, half, tiles, tiles>(device, size, 2) == "");
}

TEST_CASE("formulas of gradients and of largest elements say what is wrong")
{
    emulated_device device;
    arrays_on<target, emulated_device> on(device);
    const half* const x = on.uniform<half>(30, 1);
    const half* const dy = on.uniform<half>(30, 2);
    half* const dx = on.room<half>(30);
    const row_formula<half, half> rows{x, dx, 3, 10};
    const auto wrong = [&](const auto& formula) { return check_formula<target>(device, "formula", formula); };

    const softmax_gradient<half, half> gradient{rows, dy, false};
    CHECK(wrong(gradient).starts_with("formula: 30 of 30 elements are wrong"));
    for (int i = 0; i < 30; ++i)
        dx[i] = convert<half>(gradient.expected(i).value);
    CHECK(wrong(gradient) == "");
    dx[17] = convert<half>(gradient.expected(17).value + 0.01);
    CHECK(wrong(gradient).starts_with("formula: 1 of 30 elements are wrong; the error of element 17 is"));

    std::vector<long_index_t> order;
    for (int r = 0; r < 3; ++r) {
        long_index_t best = 0;
        for (long_index_t j = 1; j < 10; ++j)
            best = convert<float>(x[10 * r + j]) > convert<float>(x[10 * r + best]) ? j : best;
        order.push_back(best);
    }
    long_index_t* const indices = on.put(order);
    half* const values = on.room<half>(3);
    for (int r = 0; r < 3; ++r)
        values[r] = x[10 * r + order[static_cast<std::size_t>(r)]];
    const largest_of_rows<half, half> largest{x, values, indices, 3, 10, 1, false};
    CHECK(wrong(largest) == "");
    indices[1] = (indices[1] + 1) % 10;
    CHECK(wrong(largest).starts_with("formula: 2 of 6 elements are wrong")); // the rank, and the element there
    indices[1] = 10;
    CHECK(wrong(largest).starts_with("formula: 2 of 6 elements are wrong"));
}
