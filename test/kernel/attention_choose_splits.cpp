/// In how many shares keys are split: what the reasons in choose.hpp say.

#include <tegula/kernel/attention/split/choose.hpp>

#include "test/catch.hpp"

using namespace tegula;

namespace {

/// So many rows of one tile of a decoding with 128 columns of 16-bit floats, 64 keys a tile.
index_t splits(long_index_t lots, index_t keys, const chip_info& chip)
{
    return choose_attention_splits({lots, ceil_div(keys, 64), 64 * 256 * 2, 64 * 129 * 4}, chip);
}

} // namespace

TEST_CASE("keys are split where tiles of queries are few")
{
    for (const chip_info* chip : {&chip::gfx942, &chip::gfx1201, &chip::sm_80, &chip::sm_90a}) {
        CAPTURE(chip->name);
        const long_index_t units = chip::speed_of(*chip).compute_units;
        CHECK(splits(units, 1 << 16, *chip) == 1); // every unit has work
        CHECK(splits(0, 1 << 16, *chip) == 1);
        CHECK(splits(1, 0, *chip) == 1);
        CHECK(splits(1, 64, *chip) == 1); // one tile of keys
        CHECK(splits(8, 1 << 16, *chip) > 1);
        CHECK(8 * splits(8, 1 << 16, *chip) <= units + 8); // one round
        CHECK(splits(8, 1 << 16, *chip) >= splits(8, 1 << 10, *chip));
        for (const index_t keys : {300, 1000, 5000, 100000})
            for (const long_index_t lots : {1, 2, 7, 30, 100}) {
                const index_t s = splits(lots, keys, *chip);
                CHECK((s == 1 || 2 * s <= ceil_div(keys, 64)));
                CHECK(s <= 128);
            }
    }
}

TEST_CASE("a GPU with fewer units takes fewer shares")
{
    chip_info small = chip::sm_90a;
    small.compute_units = 20;
    CHECK(splits(2, 1 << 16, small) <= 10);
    CHECK(splits(2, 1 << 16, small) > 4);
    CHECK(splits(2, 1 << 16, chip::sm_90a) > 10);
}
