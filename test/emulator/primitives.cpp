// The primitives of every target, emulated: one kernel that uses most of them.
#include "support.hpp"

#include <tegula/arch/target.hpp>
#include <tegula/core/convert.hpp>
#include <tegula/core/half.hpp>

namespace {

using namespace tegula;

/// Each thread moves 16 bytes through shared memory to its neighbour, scaled by a power of two; `n` elements.
template <class Target>
struct neighbour_kernel
{
    const float* in;
    float* out;
    int* count;
    int n;

    void operator()() const
    {
        using vector = raw_vector<16>;
        const int thread = Target::thread_id();
        const int at = Target::block_id()[0] * 256 + thread;
        const bool inside = at * 4 < n;
        auto* tile = reinterpret_cast<vector*>(Target::shared_memory());
        const auto* from = reinterpret_cast<const vector*>(in) + at;
        const index_t x[] = {at * 4};
        Target::set_element("in", x, 1);
        if constexpr (Target::has_async_copy) {
            Target::template async_copy<16>(tile + thread, from, inside);
            Target::async_commit();
            Target::template async_wait<0>();
        } else {
            Target::store_shared(tile + thread, Target::load_global(from, inside));
        }
        Target::block_barrier();
        vector mine = Target::load_shared(tile + (thread ^ 1));
        float first = __builtin_bit_cast(float, mine.words[0]);
        first = Target::shuffle_xor(Target::shuffle_xor(first, 3), 3) *
                Target::exp2(static_cast<float>(Target::uniform(2)));
        mine.words[0] = __builtin_bit_cast(std::uint32_t, first);
        Target::wave_barrier();
        Target::template set_priority<1>();
        Target::scheduling_barrier();
        Target::store_global(reinterpret_cast<vector*>(out) + at, mine, inside);
        if (Target::lane_id() == Target::wave_size - 1)
            Target::atomic_add(count, 1 + Target::wave_id());
    }
};

template <class Target>
void check_target()
{
    static_assert(gpu_target<Target>);
    static_assert(Target::in_this_pass());
    static_assert(Target::wave_size == Target::chip().wave_size);
    static_assert(Target::vendor == Target::chip().vendor);
    static_assert(Target::has_async_copy == Target::chip().has_async_copy);

    constexpr int n = 1500;
    std::vector<float> in(n), out(n);
    for (int i = 0; i < n; ++i)
        in[static_cast<std::size_t>(i)] = static_cast<float>(i);
    int count = 0;
    emu::run_config config;
    config.chip = &chip_of<Target>;
    config.kernel_name = "test_kernel";
    config.grid = {2, 1, 1};
    config.block_threads = 256;
    config.shared_bytes = 4096;
    config.memory.read(in.data(), n * 4, "in").write(out.data(), n * 4, "out").write(&count, 4, "count");
    const emu::launch_result result = emu::launch(config, neighbour_kernel<Target>{in.data(), out.data(), &count, n});
    INFO(config.chip->name);
    expect_fine(result);
    // Vector 374 is the last; its partner 375 is outside, hence zeros.
    for (int v = 0; v < n / 4; ++v) {
        const int partner = v ^ 1;
        const float expected = partner * 4 < n ? static_cast<float>(partner * 4) : 0.f;
        REQUIRE(out[static_cast<std::size_t>(v * 4)] == 4 * expected);
        REQUIRE(out[static_cast<std::size_t>(v * 4 + 1)] == (partner * 4 < n ? expected + 1 : 0.f));
    }
    const int waves = 256 / Target::wave_size;
    CHECK(count == waves * (waves + 1)); // two blocks, 1 + ... + waves each
    CHECK(result.counters.barriers == 2);
    CHECK(result.counters.shared_load_conflicts == 0);
    CHECK(result.counters.shared_store_conflicts == 0);
    CHECK(result.counters.global_load_sectors == (n * 4 + 31) / 32);
    CHECK(result.counters.global_store_sectors == (n * 4 + 31) / 32);
}

} // namespace

TEST_CASE("packed halves toward zero, every number of f16 and those between", "[primitives]")
{
    int wrong = 0;
    for (std::uint32_t bits = 0; bits < 0x7bff; ++bits) {
        const auto number = [](std::uint32_t b) {
            return convert<float>(__builtin_bit_cast(half, static_cast<std::uint16_t>(b)));
        };
        const float x = number(bits), next = number(bits + 1);
        const float below = __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, next) - 1);
        wrong += arch::gfx942::pack_halves_toward_zero(x, -x) != (bits | (bits | 0x8000) << 16);
        wrong += arch::gfx942::pack_halves_toward_zero(below, (x + next) / 2) != (bits | bits << 16);
    }
    CHECK(wrong == 0);
    CHECK((arch::gfx942::pack_halves_toward_zero(__builtin_nanf(""), 0) & 0x7fff) > 0x7c00);
}

TEST_CASE("one kernel runs on every target", "[arch]")
{
    check_target<arch::gfx90a>();
    check_target<arch::gfx942>();
    check_target<arch::gfx950>();
    check_target<arch::gfx1250>();
    check_target<arch::gfx1100>();
    check_target<arch::gfx1200>();
    check_target<arch::gfx1201>();
    check_target<arch::sm_80>();
    check_target<arch::sm_89>();
    check_target<arch::sm_90a>();
}
