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

/// Every block adds the same row of `from` to `to`, in global memory or, before, in shared memory.
template <class Target, class T, bool Shared>
struct pair_sums
{
    using target = Target;
    static constexpr int block_threads = target::wave_size;
    static constexpr index_t length = 8 * target::wave_size, shared_bytes = length * 2;
    using tile = coalesced<target, T, 1, length, 1>;

    const T* from;
    T* to;
    index_t n;

    template <address_space Space, class U>
    static TEGULA_INLINE auto window(U* data, index_t elements)
    {
        const auto layout = make_strided_descriptor(make_tuple(constant<1>{}, elements),
                                                    make_tuple(constant<0>{}, constant<1>{}), constant<8>{});
        return make_tile_window<tile>(make_tensor_view<target, Space>(data, layout), {0, 0});
    }

    TEGULA_HOST_DEVICE void operator()() const
    {
        using enum address_space;
        const auto row = load(window<global>(from, n));
        if constexpr (Shared) {
            auto* const memory = reinterpret_cast<T*>(target::shared_memory());
            store(window<shared>(memory, length), row);
            target::block_barrier();
            atomic_add(window<shared>(memory, length), row);
            target::block_barrier();
            atomic_add(window<global>(to, n), load(window<shared>(memory, length)));
        } else {
            atomic_add(window<global>(to, n), row);
        }
    }
};

template <class Target, class T, bool Shared>
void check_pairs(index_t n)
{
    using kernel = pair_sums<Target, T, Shared>;
    constexpr index_t blocks = 3, room = kernel::length;
    std::vector<T> from(room), to(room, convert<T>(0.5f)), expected = to;
    for (index_t i = 0; i < room; ++i)
        from[i] = convert<T>(static_cast<float>(i % 97 - 48) * 0.37f);
    for (index_t i = 0; i < n; ++i) // rounded after each addition
        for (index_t b = 0; b < blocks; ++b) {
            const float once = static_cast<float>(from[i]);
            const T value = Shared ? convert<T>(once + once) : from[i];
            expected[i] = convert<T>(static_cast<float>(expected[i]) + static_cast<float>(value));
        }
    emulated_device device;
    device.config.memory.read(from.data(), room * sizeof(T), "from").write(to.data(), room * sizeof(T), "to");
    const status s = launch(device, launch_config{.grid = {blocks}}, kernel{from.data(), to.data(), n});
    INFO(device.result.report);
    REQUIRE(s.ok());
    CHECK(std::equal(to.begin(), to.end(), expected.begin(), [](T x, T y) {
        return __builtin_bit_cast(std::uint16_t, x) == __builtin_bit_cast(std::uint16_t, y);
    }));
}

TEST_CASE("atomic_add adds elements of 16 bits in pairs", "[tensor]")
{
    check_pairs<arch::gfx942, half, false>(512);
    check_pairs<arch::gfx942, bfloat16, true>(512);
    check_pairs<arch::sm_80, half, true>(250);
    check_pairs<arch::sm_80, half, true>(249); // of the last pair one
    check_pairs<arch::sm_90a, bfloat16, false>(100);
    check_pairs<arch::gfx1201, half, true>(256);
}

TEST_CASE("which chips add pairs", "[tensor]")
{
    using detail::adds_pairs;
    static_assert(adds_pairs<half>(chip::gfx90a, false) && !adds_pairs<half>(chip::gfx90a, true));
    static_assert(!adds_pairs<bfloat16>(chip::gfx90a, false) && adds_pairs<bfloat16>(chip::gfx942, true));
    static_assert(!adds_pairs<half>(chip::gfx1100, false) && adds_pairs<bfloat16>(chip::gfx1201, false));
    static_assert(adds_pairs<half>(chip::sm_80, true) && !adds_pairs<bfloat16>(chip::sm_80, false));
    static_assert(adds_pairs<bfloat16>(chip::sm_90a, false) && !adds_pairs<float>(chip::sm_90a, false));
}

} // namespace
} // namespace tegula::test
