// Bank conflicts as a specification: what is free, what is not, on which chip.
#include <tegula/chip/bank_conflicts.hpp>

#include <initializer_list>

namespace {

using tegula::access_kind;
using tegula::chip_info;
namespace chip = tegula::chip;

constexpr std::uint64_t everyone = ~0ULL;

struct lanes
{
    int address[64];
};

template <class F>
constexpr int cycles(const chip_info& c, access_kind kind, int bytes, F address, std::uint64_t active = everyone)
{
    lanes l{};
    for (int i = 0; i < c.wave_size; ++i)
        l.address[i] = address(i);
    return tegula::conflict_cycles(c, kind, bytes, l.address, active);
}

constexpr auto linear = [](int bytes) { return [bytes](int lane) { return lane * bytes; }; };

// Neighbouring lanes at neighbouring addresses are free on every chip, at every width.
constexpr bool linear_is_free()
{
    for (const chip_info* c : chip::all)
        for (int bytes : {1, 2, 4, 8, 16})
            for (access_kind kind : {access_kind::load, access_kind::store})
                if (cycles(*c, kind, bytes, linear(bytes)) != 0)
                    return false;
    return true;
}
static_assert(linear_is_free());

// All lanes at one word: a broadcast, free.
static_assert(cycles(chip::sm_80, access_kind::load, 4, [](int) { return 64; }) == 0);
static_assert(cycles(chip::gfx942, access_kind::load, 16, [](int) { return 64; }) == 0);

// A column of a 32 x 32 float tile: every lane in one bank; one element of padding mends it.
static_assert(cycles(chip::sm_80, access_kind::load, 4, [](int lane) { return lane * 128; }) == 31);
static_assert(cycles(chip::sm_80, access_kind::load, 4, [](int lane) { return lane * 132; }) == 0);
static_assert(cycles(chip::gfx942, access_kind::load, 4, [](int lane) { return lane * 128; }) == 62);
// Only the active lanes count.
static_assert(cycles(chip::sm_80, access_kind::load, 4, [](int lane) { return lane * 128; }, 0x3) == 1);
static_assert(cycles(chip::sm_80, access_kind::load, 4, [](int lane) { return lane * 128; }, 0) == 0);

// 16 bytes a lane at a stride of 32: each quarter warp hits every bank group twice.
static_assert(cycles(chip::sm_80, access_kind::load, 16, [](int lane) { return lane * 32; }) == 4);
static_assert(cycles(chip::sm_80, access_kind::load, 8, [](int lane) { return lane * 16; }) == 2);

// Bytes and halves of one word are one word.
static_assert(cycles(chip::sm_80, access_kind::load, 2, [](int lane) { return lane / 2 * 128 + lane % 2 * 2; }) == 15);

// The swizzles known to be free for reads of a 16 x 32 bf16 operand: lane l reads row l % 16, chunk l / 16.
constexpr auto rows_of_64_bytes = [](int lane) {
    const int r = lane % 16;
    return r * 64 + ((lane / 16) ^ ((r >> 1 ^ r >> 2) & 3)) * 16;
};
static_assert(cycles(chip::gfx942, access_kind::load, 16, rows_of_64_bytes) == 0);
static_assert(cycles(chip::gfx950, access_kind::load, 16, rows_of_64_bytes) == 0);
// 32 x 16: lane l reads row l % 32, chunk l / 32, of 128-byte rows. The classic r & 7 is two-way on gfx950.
constexpr auto swizzled = [](int lane) {
    return lane % 32 * 128 + (lane / 32 ^ ((lane % 32 ^ lane % 32 >> 4) & 7)) * 16;
};
constexpr auto classic = [](int lane) { return lane % 32 * 128 + (lane / 32 ^ (lane % 32 & 7)) * 16; };
static_assert(cycles(chip::gfx942, access_kind::load, 16, swizzled) == 0);
static_assert(cycles(chip::gfx950, access_kind::load, 16, swizzled) == 0);
static_assert(cycles(chip::gfx950, access_kind::load, 16, classic) == 4);

// 12-byte reads of neighbouring lanes, by words.
static_assert(cycles(chip::gfx950, access_kind::load, 12, linear(12)) >= 0);

// Phases that are published, and phases that are assumed.
static_assert(tegula::phase_is_published(chip::gfx942, access_kind::load, 16));
static_assert(tegula::phase_is_published(chip::gfx942, access_kind::store, 16));
static_assert(!tegula::phase_is_published(chip::gfx942, access_kind::load, 4));
static_assert(tegula::phase_is_published(chip::gfx950, access_kind::load, 8));
static_assert(!tegula::phase_is_published(chip::gfx950, access_kind::store, 16));
static_assert(!tegula::phase_is_published(chip::gfx1100, access_kind::load, 16));
static_assert(tegula::phase_is_published(chip::sm_80, access_kind::load, 16));

static_assert(chip::find("gfx1201") == &chip::gfx1201);
static_assert(chip::find("sm_90") == nullptr);
static_assert(chip::find("") == nullptr);

} // namespace
