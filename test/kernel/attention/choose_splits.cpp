/// Which kernel computes an attention and in how many shares keys are split: what the reasons in tile_table.hpp and both
/// choose.hpp say.

#include <tegula/core/float8.hpp>
#include <tegula/core/half.hpp>
#include <tegula/kernel/attention/choose.hpp>
#include <tegula/kernel/attention/warp_specialized/latent.hpp>

#include "test/catch.hpp"

using namespace tegula;

namespace {

/// So many rows of one tile of a decoding with 128 columns of 16-bit floats, 64 keys a tile.
index_t splits(long_index_t query_tiles, index_t keys, const chip_info& chip)
{
    const index_t resident = resident_blocks_of_few(chip, (2 * 64 * 256 + 32 * 128) * 2);
    return choose_attention_splits({query_tiles, ceil_div(keys, 64), 64 * 256 * 2, 32 * 130 * 4, resident}, chip);
}

} // namespace

TEST_CASE("keys are split where tiles of queries are few")
{
    for (const chip_info* chip : {&chip::gfx942, &chip::gfx1201, &chip::sm_80, &chip::sm_90a}) {
        CAPTURE(chip->name);
        // A multiprocessor holds two blocks.
        const long_index_t units = chip::speed_of(*chip).compute_units * (chip->vendor == vendor::nvidia ? 2 : 1);
        CHECK(splits(units, 1 << 16, *chip) == 1); // every unit has work
        CHECK(splits(0, 1 << 16, *chip) == 1);
        CHECK(splits(1, 0, *chip) == 1);
        CHECK(splits(1, 64, *chip) == 1); // one tile of keys
        CHECK(splits(8, 1 << 16, *chip) > 1);
        CHECK(8 * splits(8, 1 << 16, *chip) <= units + 8); // one round
        CHECK(splits(8, 1 << 16, *chip) >= splits(8, 1 << 10, *chip));
        for (const index_t keys : {300, 1000, 5000, 100000})
            for (const long_index_t query_tiles : {1, 2, 7, 30, 100}) {
                const index_t s = splits(query_tiles, keys, *chip);
                CHECK((s == 1 || 2 * s <= ceil_div(keys, 64)));
                CHECK(s <= 128);
            }
    }
}

// Decoding of 1, 16 and 64 sequences, 8 heads of keys, 8192 keys each: the powers of two that an H200 was fastest with.
TEST_CASE("shares of decoding as an H200 measured them")
{
    CHECK(splits(8, 8192, chip::sm_90a) == 16);
    CHECK(splits(16 * 8, 8192, chip::sm_90a) == 2);
    CHECK(splits(64 * 8, 8192, chip::sm_90a) == 1);
}

TEST_CASE("a GPU with fewer units takes fewer shares")
{
    chip_info small = chip::sm_90a;
    small.compute_units = 20;
    CHECK(splits(2, 1 << 16, small) <= 20);
    CHECK(splits(2, 1 << 16, small) > 4);
    CHECK(splits(2, 1 << 16, chip::sm_90a) > 20);
}

namespace {

/// A prompt of 16-bit floats: 32 heads on 8, all queries at once.
attention_problem prompt(index_t columns = 128)
{
    attention_problem p;
    p.heads = 32;
    p.kv_heads = 8;
    p.seq_q = p.seq_k = 4096;
    p.head_dim = p.value_dim = columns;
    return p;
}
attention_form form_of(const attention_problem& p, const chip_info& chip, const attention_forms& have = {})
{
    const attention_choice c = choose_attention(p, chip, have);
    REQUIRE(c);
    return c.form;
}

} // namespace

TEST_CASE("long queries take the warp-specialised kernel where there is one and it takes the problem")
{
    attention_problem p = prompt();
    CHECK(form_of(p, chip::sm_90a) == attention_form::warp_specialized);
    CHECK(choose_attention(p, chip::sm_90a).tile.keys == 128);
    CHECK(choose_attention(prompt(256), chip::sm_90a).tile.keys == 80);
    for (const chip_info* chip : {&chip::sm_100a, &chip::sm_103a}) {
        CHECK(form_of(p, *chip) == attention_form::warp_specialized);
        CHECK(choose_attention(p, *chip).tile.queries == 256);
    }
    CHECK(form_of(p, chip::sm_120a) == attention_form::multistage);
    CHECK(form_of(p, chip::sm_90a, {.warp_specialized = false}) == attention_form::multistage);
    for (const chip_info* chip :
         {&chip::gfx90a, &chip::gfx942, &chip::gfx1100, &chip::gfx1201, &chip::sm_80, &chip::sm_89})
        CHECK(form_of(p, *chip) == attention_form::multistage);
    CHECK(choose_attention(prompt(256), chip::gfx1100).tile.keys == 16);

    const auto but_for = [&](auto change) {
        attention_problem other = p;
        change(other);
        CHECK(form_of(other, chip::sm_90a) == attention_form::multistage);
    };
    but_for([](attention_problem& x) { x.changes.mask = attention_mask::lists; });
    but_for([](attention_problem& x) { x.cache = attention_cache::paged, x.page_length = 8; });
    but_for([](attention_problem& x) { x.cache = attention_cache::paged_by_key, x.page_length = 64; });
    but_for([](attention_problem& x) { x.tensor_copies = false; });
    but_for([](attention_problem& x) { x.element_bytes = 1, x.scale_rows = 48; });
    but_for([](attention_problem& x) { x.seq_k = 0; });
    attention_problem varying = p;
    varying.lengths_vary = true;
    CHECK(form_of(varying, chip::sm_90a) == attention_form::warp_specialized);
    CHECK(form_of(varying, chip::sm_90a, {.any_length = false}) == attention_form::multistage);
    attention_problem paged = p;
    paged.cache = attention_cache::paged;
    for (const index_t page : {16, 48, 64, 256}) {
        paged.page_length = page;
        CHECK(form_of(paged, chip::sm_90a) == attention_form::warp_specialized);
        CHECK(form_of(paged, chip::sm_100a) == attention_form::warp_specialized);
        CHECK(form_of(paged, chip::sm_80) == attention_form::multistage);
    }
    CHECK(form_of(paged, chip::sm_90a, {.paged = false}) == attention_form::multistage);
}

TEST_CASE("what changes scores leaves tensor copies fewer keys, and of wide heads on sm_90a none")
{
    using enum attention_mask;
    constexpr attention_bias tensor = attention_bias::tensor;
    const auto keys = [](const attention_changes& changes, const chip_info& chip, index_t columns = 128) {
        attention_problem p = prompt(columns);
        p.changes = changes;
        const attention_choice c = choose_attention(p, chip);
        return c.form == attention_form::warp_specialized ? c.tile.keys : 0;
    };
    const attention_changes capped{band, attention_bias::none, false, true}, biased{none, tensor},
        dropped{none, {}, true}, masked{boolean}, both{boolean, tensor};
    attention_changes read = capped; // as a functor of documents does
    read.functor_reads_memory = true;
    CHECK(keys(capped, chip::sm_90a) == 128);
    CHECK(keys(read, chip::sm_90a) == 64);
    read.mask = boolean;
    CHECK(keys(read, chip::sm_90a) == 48);
    CHECK(keys(biased, chip::sm_90a) == 128);
    CHECK(keys(dropped, chip::sm_90a) == 64);
    CHECK(keys(masked, chip::sm_90a) == 64);
    CHECK(keys(both, chip::sm_90a) == 48);
    CHECK(keys({band}, chip::sm_90a, 256) == 80);
    for (const attention_changes& changes : {capped, biased, dropped, masked, both})
        CHECK(keys(changes, chip::sm_90a, 256) == 0);
    attention_problem wide = prompt();
    wide.value_dim = 192;
    CHECK(choose_attention(wide, chip::sm_90a).tile.keys == 80);
    wide.changes = biased;
    CHECK(form_of(wide, chip::sm_90a) == attention_form::multistage);
    CHECK(keys(dropped, chip::sm_100a) == 128);
    CHECK(keys(masked, chip::sm_100a) == 64);
    CHECK(keys(both, chip::sm_100a) == 32);
    CHECK(keys(both, chip::sm_103a, 256) == 32);
}

TEST_CASE("few queries are packed, and their keys split as far as that helps")
{
    attention_problem p = prompt();
    p.seq_q = 1;
    const attention_choice one = choose_attention(p, chip::gfx942);
    CHECK(one.form == attention_form::few_queries);
    CHECK(one.splits > 1);
    CHECK(one.tile.queries == 64);
    p.batch = 256;
    CHECK(choose_attention(p, chip::gfx942).splits == 1); // every unit has work; heads are packed still
    CHECK(form_of(p, chip::gfx942) == attention_form::few_queries);
    p.heads = p.kv_heads;
    CHECK(form_of(p, chip::gfx942) == attention_form::multistage); // nothing to pack or to split
    p = prompt();
    p.seq_q = 16; // of 4 heads: 64 rows, two tiles
    CHECK(choose_attention(p, chip::sm_90a).tile.queries == 32);
    CHECK(form_of(p, chip::sm_90a) == attention_form::few_queries);
    p.seq_q = 1;
    p.element_bytes = 1;
    CHECK(choose_attention(p, chip::sm_90a).tile.queries == 32); // 64 would spill
    CHECK(choose_attention(p, chip::sm_89).tile.queries == 64);
    p.changes.mask = attention_mask::boolean;
    for (const chip_info* chip : {&chip::sm_89, &chip::sm_90a, &chip::sm_120a}) {
        const attention_choice masked = choose_attention(p, *chip);
        CHECK(masked.form == attention_form::few_queries);
        CHECK(masked.tile.queries == 16);
        CHECK(masked.tile.column_waves == 4);
    }
    p = prompt();
    p.seq_q = 17; // of 4 heads: 68 rows
    CHECK(form_of(p, chip::gfx942) == attention_form::multistage);
    p.seq_q = 1;
    p.changes.mask = attention_mask::lists;
    CHECK(form_of(p, chip::gfx942) == attention_form::multistage);
    p.changes.mask = attention_mask::band;
    p.band = {.left = 10, .right = 0}; // two tiles of keys or less
    CHECK(choose_attention(p, chip::gfx942).splits == 1);
    p.rows_can_pack = false;
    CHECK(form_of(p, chip::gfx942) == attention_form::multistage);
}

TEST_CASE("past 256 columns there is the latent form, and not everywhere")
{
    attention_problem p = prompt(576);
    p.value_dim = 512;
    for (const chip_info& chip : {chip::gfx90a, chip::gfx942, chip::gfx950, chip::gfx1100, chip::gfx1201, chip::sm_80,
                                  chip::sm_89, chip::sm_90a, chip::sm_100a, chip::sm_120a})
        CHECK(form_of(p, chip) == attention_form::latent);
    CHECK(!choose_attention(p, chip::gfx1250));
    CHECK(!choose_attention(p, chip::gfx942, {.latent = false}));
    p.head_dim = 600;
    CHECK(!choose_attention(p, chip::gfx942));
}

TEST_CASE("decoding of the latent form on sm_90a takes wgmma if the values are columns of the keys")
{
    attention_problem p = prompt(576);
    p.value_dim = 512;
    p.heads = 128;
    p.kv_heads = p.seq_q = 1;
    p.values_in_keys = true;
    constexpr attention_form by_wgmma = attention_form::warp_specialized_latent;
    const attention_choice one = choose_attention(p, chip::sm_90a);
    CHECK(one.form == by_wgmma);
    CHECK(one.tile.queries == 64);
    CHECK(one.splits > 1);
    p.cache = attention_cache::paged;
    for (const index_t page : {128, 64, 16, 48}) {
        p.page_length = page;
        CHECK(form_of(p, chip::sm_90a) == by_wgmma);
    }
    CHECK(form_of(p, chip::sm_100a) != by_wgmma);
    CHECK(form_of(p, chip::sm_90a, {.warp_specialized_latent = false}) == attention_form::latent);
    p.batch = 512; // blocks for every multiprocessor, and more rows than few_queries takes
    CHECK(choose_attention(p, chip::sm_90a).splits == 1);
    const auto but_for = [&](auto change) {
        attention_problem other = p;
        change(other);
        CHECK(form_of(other, chip::sm_90a) == attention_form::latent);
    };
    but_for([](attention_problem& x) { x.values_in_keys = false; });
    but_for([](attention_problem& x) { x.page_length = 24; });
    but_for([](attention_problem& x) { x.cache = attention_cache::paged_by_key; });
    but_for([](attention_problem& x) { x.tensor_copies = false; });
    but_for([](attention_problem& x) { x.rows_can_pack = false; });
    but_for([](attention_problem& x) { x.changes.mask = attention_mask::boolean; });
    but_for([](attention_problem& x) { x.changes.functor = true; });
}

TEST_CASE("a cache of 8 bits of the latent form is for one kernel alone")
{
    attention_arguments<bfloat16, bfloat16> a;
    a.batch = 2;
    a.heads = 128;
    a.kv_heads = a.seq_q = 1;
    a.seq_k = 4096;
    a.head_dim = 576;
    a.value_dim = 512;
    using variant = attention_variant<attention_mask::none, attention_bias::none, attention_weights::all,
                                      attention_cache::contiguous, attention_heads::packed>;
    const scaled_latent_attention_arguments<decltype(a), bfloat16> args(a);
    const attention_problem p = problem_of<variant>(args);
    const attention_choice one = choose_attention(p, chip::sm_90a);
    CHECK(one.form == attention_form::warp_specialized_latent);
    CHECK(one.splits > 1);
    CHECK(!choose_attention(p, chip::sm_100a));
    CHECK(!choose_attention(p, chip::sm_90a, {.scaled_latent = false}));
    const auto none_for = [&](auto change) {
        attention_problem other = p;
        change(other);
        CHECK(!choose_attention(other, chip::sm_90a));
    };
    none_for([](attention_problem& x) { x.head_dim = 512; });
    none_for([](attention_problem& x) { x.changes.functor = true; });
    none_for([](attention_problem& x) { x.cache = attention_cache::paged_by_key; });
    none_for([](attention_problem& x) { x.cache = attention_cache::paged, x.page_length = 96; });
}

TEST_CASE("tiles of kernels that change scores")
{
    attention_problem p = prompt();
    p.head_dim = p.value_dim = 64;
    CHECK(choose_attention(p, chip::sm_80).tile.waves == 4);
    p.changes.dropout = true;
    CHECK(choose_attention(p, chip::sm_80).tile.waves == 8);
    p.head_dim = p.value_dim = 256;
    CHECK(choose_attention(p, chip::gfx1201).tile.keys == 16);
    CHECK(choose_attention(p, chip::gfx1250).tile.keys == 32);
    p.element_bytes = 1;
    CHECK(choose_attention(p, chip::gfx1201).tile.keys == 32);
}

TEST_CASE("attention of 8 bits where instructions multiply them")
{
    attention_problem p = prompt();
    p.element_bytes = 1;
    for (const chip_info& chip : {chip::gfx942, chip::gfx950, chip::gfx1201, chip::gfx1250, chip::sm_89, chip::sm_100a})
        CHECK(form_of(p, chip) == attention_form::multistage);
    // By wgmma where blocks with scales of their own are whole tiles of keys.
    CHECK(form_of(p, chip::sm_90a) == attention_form::warp_specialized);
    CHECK(choose_attention(p, chip::sm_90a).tile.keys == 96);
    const auto keys_of_blocks = [&](index_t rows, index_t columns) {
        p.scale_rows = rows;
        p.head_dim = p.value_dim = columns;
        const attention_choice c = choose_attention(p, chip::sm_90a);
        return c.form == attention_form::warp_specialized ? c.tile.keys : 0;
    };
    CHECK(keys_of_blocks(192, 128) == 96);
    CHECK(keys_of_blocks(128, 128) == 64);
    CHECK(keys_of_blocks(64, 128) == 64);
    CHECK(keys_of_blocks(64, 64) == 64);
    CHECK(keys_of_blocks(32, 128) == 32);
    CHECK(keys_of_blocks(48, 128) == 0);
    p.scale_rows = 0;
    p.head_dim = p.value_dim = 256; // a band alone
    CHECK(choose_attention(p, chip::sm_90a).tile.keys == 64);
    p.changes.bias = attention_bias::tensor;
    CHECK(form_of(p, chip::sm_90a) == attention_form::multistage);
    p.changes.bias = attention_bias::none;
    for (const chip_info& chip : {chip::gfx90a, chip::gfx1100, chip::sm_80})
        CHECK(!choose_attention(p, chip));
    p.head_dim = 576;
    CHECK(!choose_attention(p, chip::gfx942)); // the latent form has 16 bits alone
}

TEST_CASE("arguments say what problem they are")
{
    attention_arguments<half, float> a;
    a.heads = a.kv_heads = 2;
    a.seq_q = 3;
    a.seq_k = 5;
    a.head_dim = a.value_dim = 64;
    a.q = {nullptr, 384, 192, 64};
    a.k = a.v = {nullptr, 640, 320, 64};
    using variant = attention_variant<attention_mask::boolean>;
    CHECK(problem_of<variant>(a).tensor_copies);
    CHECK(problem_of<variant>(a).changes.mask == attention_mask::boolean);
    CHECK(problem_of<variant>(a).element_bytes == 2);
    attention_arguments<float8_e4m3, float> of_8_bits;
    CHECK(problem_of<variant>(of_8_bits).scale_rows == 0);
    const float scales[] = {1, 2};
    of_8_bits.k_scale = {.data = scales, .block_rows = 192};
    of_8_bits.v_scale = {.data = scales, .block_rows = 128};
    CHECK(problem_of<variant>(of_8_bits).scale_rows == 64);
    of_8_bits.v_scale.block_rows = 0;
    CHECK(problem_of<variant>(of_8_bits).scale_rows == 192);
    a.k.row_stride = 0; // a key for all
    CHECK(!problem_of<variant>(a).tensor_copies);
    const index_t lengths[] = {4};
    a.lengths.key_lengths = lengths;
    CHECK(problem_of<variant>(a).lengths_vary);
    a.k.row_stride = 64;
    CHECK(problem_of<variant>(a).tensor_copies);
    a.lengths.key_offsets = lengths; // without the number of rows
    CHECK(!problem_of<variant>(a).tensor_copies);
    a.lengths.key_rows = 9;
    CHECK(problem_of<variant>(a).tensor_copies);
    a.q.head_stride = -192;
    CHECK(!problem_of<variant>(a).rows_can_pack);
}
