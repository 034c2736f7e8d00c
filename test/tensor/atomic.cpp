// A matrix-vector product whose k is split among blocks that add to one result.

#include "test/tensor/support.hpp"

#include <tegula/host/emulated_device.hpp>
#include <tegula/tensor/atomic.hpp>
#include <tegula/tensor/coalesced.hpp>
#include <tegula/tensor/elementwise.hpp>
#include <tegula/tensor/reduce.hpp>

#include <vector>

namespace tegula::test {
namespace {

template <class Target, class T>
struct matrix_vector
{
    using target = Target;
    static constexpr index_t rows = 8, columns = 128;
    static constexpr int waves = 2;
    static constexpr int block_threads = waves * target::wave_size;
    using tile = coalesced<target, T, rows, columns, waves>;

    const T* a; // [m, k]
    const T* x; // [k]
    T* y;       // [m], zero before
    index_t m, k;

    TEGULA_HOST_DEVICE void operator()() const
    {
        const auto block = target::block_id();
        const index_t row = block[0] * rows;
        const auto window = [&](const T* data, auto row_stride) {
            const auto layout = make_strided_descriptor(make_tuple(m, k), make_tuple(row_stride, constant<1>{}));
            return make_tile_window<tile>(make_tensor_view<target, address_space::global>(data, layout),
                                          {row, block[1] * columns});
        };
        const auto products =
            elementwise([](T p, T q) { return p * q; }, load(window(a, k)), load(window(x, constant<0>{})));
        const auto total = reduce<target, 1>(products, [](T p, T q) { return p + q; }); // [8]
        const auto result = make_tensor_view<target, address_space::global>(
            y, make_strided_descriptor(make_tuple(m), make_tuple(constant<1>{})), "y");
        atomic_add(make_tile_window<typename decltype(total)::distribution>(result, {row}), total);
    }
};

template <class Target, class T>
void check()
{
    using kernel = matrix_vector<Target, T>;
    const index_t m = 13, k = 300; // ragged rows and a ragged last part of k
    std::vector<T> a(m * k), x(k), y(m), expected(m);
    for (index_t i = 0; i < m * k; ++i)
        a[i] = static_cast<T>(i % 7 - 3);
    for (index_t i = 0; i < k; ++i)
        x[i] = static_cast<T>(i % 5);
    for (index_t i = 0; i < m * k; ++i)
        expected[i / k] += a[i] * x[i % k]; // whole numbers, exact in float
    emulated_device device;
    device.config.memory.read(a.data(), a.size() * sizeof(T), "A").read(x.data(), x.size() * sizeof(T), "x");
    device.config.memory.write(y.data(), y.size() * sizeof(T), "y");
    const launch_config grid{.grid = {ceil_div(m, kernel::rows), ceil_div(k, kernel::columns)}};
    const status s = launch(device, grid, kernel{a.data(), x.data(), y.data(), m, k});
    INFO(device.result.report);
    REQUIRE(s.ok());
    CHECK(y == expected);
}

TEST_CASE("atomic_add adds each element once, whoever holds copies", "[tensor]")
{
    check<arch::gfx942, float>();
    check<arch::sm_80, int>();
}

} // namespace
} // namespace tegula::test
