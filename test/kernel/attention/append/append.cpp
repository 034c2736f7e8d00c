#include "test/kernel/attention/append/append.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("gfx942: keys and values appended to a cache", "[attention]") { check_appending<arch::gfx942>(); }

TEST_CASE("rows of the latent form are appended as the columns that turn and those that do not")
{
    using kernel = append_kernel<arch::gfx942, half, 512>;
    append_data<half> data({0, 5}, 3, 2, 1, 64, 512, 16, 0);
    data.embed(64, true);
    check_append<kernel>(data); // to two caches
    constexpr long_index_t row = 576;
    std::vector<half> cache(static_cast<std::size_t>(2 * 16 * row));
    auto args = data.args;
    args.v = {cache.data(), 16 * row, 16 * row, row};
    args.k = {cache.data() + 512, 16 * row, 16 * row, row};
    emulated_device device;
    const status s = launch(device, kernel{}, args);
    INFO(s.message() << device.result.report);
    REQUIRE(s.ok());
    for (long_index_t b = 0; b < 2; ++b)
        for (index_t i = b == 0 ? 0 : 5; i < (b == 0 ? 3 : 8); ++i) {
            const half* const here = cache.data() + (b * 16 + i) * row;
            CHECK(std::memcmp(here, data.cache_row(data.args.v, b, 0, i), 512 * sizeof(half)) == 0);
            CHECK(std::memcmp(here + 512, data.cache_row(data.args.k, b, 0, i), 64 * sizeof(half)) == 0);
        }
}

TEST_CASE("a decoding step: append, turn, attend in shares", "[attention]")
{
    using target = arch::gfx942;
    using variant = attention_variant<attention_mask::band, attention_bias::none, attention_weights::all,
                                      attention_cache::paged, attention_heads::packed>;
    using append = append_kernel<target, half, 64>;
    using kernel = attention_split_kernel<decoding_tile_for<target, half, 64>, half, variant>;
    append_data<half> data({0, 99, 250}, 2, 8, 2, 64, 64, 256, 64);
    data.embed(64, false);
    const auto& a = data.args;
    std::vector<half> o(data.q.size());
    kernel::arguments args{{.batch = a.batch,
                            .heads = a.heads,
                            .kv_heads = a.kv_heads,
                            .seq_q = a.rows,
                            .seq_k = a.capacity,
                            .head_dim = 64,
                            .value_dim = 64,
                            .q = {a.rotated_q.data, a.q.batch_stride, a.q.head_stride, a.q.row_stride},
                            .k = {a.k.data, a.k.batch_stride, a.k.head_stride, a.k.row_stride},
                            .v = {a.v.data, a.v.batch_stride, a.v.head_stride, a.v.row_stride},
                            .o = {o.data(), a.q.batch_stride, a.q.head_stride, a.q.row_stride},
                            .scale = 0.125f,
                            .band = {.right = 0},
                            .lengths = {.key_lengths = data.lengths.data()},
                            .pages = a.pages},
                           3,
                           {}};
    emulated_memory workspace;
    REQUIRE(workspace.allocate(static_cast<std::size_t>(args.workspace_size()) * sizeof(float)).ok());
    args.workspace = {static_cast<float*>(workspace.data()), args.workspace_size()};
    emulated_device device;
    const status s = launch(device, append_and_attend<append, kernel>{}, {a, args});
    INFO(s.message() << device.result.report);
    REQUIRE(s.ok());
    CHECK(data.lengths == std::vector<index_t>{2, 101, 252});
    const auto& attention = args.attention;
    const attention_result exact = reference_attention<variant>(attention);
    CHECK(verify_attention(gather_attention(attention.o, exact.o), exact.o).passed);

    // A refusal by either kernel stops both.
    args.splits = 0;
    data.lengths.assign(3, -1);
    CHECK_FALSE(launch(device, append_and_attend<append, kernel>{}, {a, args}).ok());
    CHECK(data.lengths == std::vector<index_t>{-1, -1, -1});

    // So does a page of the cache that is not there, read by the attention alone or written.
    args.splits = 3;
    for (const index_t entry : {2, 3}) { // of the last sequence, which has 250 rows and gets 2, in pages of 64
        append_data<half> other({0, 99, 250}, 2, 8, 2, 64, 64, 256, 64);
        auto rows = other.args;
        std::vector<index_t> table(rows.pages.table, rows.pages.table + 3 * rows.pages.batch_stride);
        table[static_cast<std::size_t>(2 * rows.pages.batch_stride + entry)] = 1000;
        rows.pages.table = table.data();
        auto behind = args;
        behind.attention.pages = rows.pages;
        behind.attention.lengths.key_lengths = other.lengths.data();
        other.lengths.assign(3, -1);
        const status refused = launch(device, append_and_attend<append, kernel>{}, {rows, behind});
        CHECK(std::string(refused.message()) == "page " + std::to_string(entry) +
                                                    " of sequence 2 is 1000; the cache has " +
                                                    std::to_string(rows.pages.pages) + " pages, numbered from 0");
        CHECK(other.lengths == std::vector<index_t>{-1, -1, -1});
        CHECK(launch(device, append{}, rows).ok() == (entry == 2)); // into pages that are there
    }
    const index_t offsets[] = {0, 2, 1, 3};
    auto uneven = data.args;
    uneven.new_offsets = offsets;
    CHECK(std::string(launch(device, append{}, uneven).message()) ==
          "new_offsets[2] is 1, less than the 2 before it; offsets do not decrease");
}

TEST_CASE("rows that cannot be appended are refused")
{
    using kernel = append_kernel<arch::gfx942, half, 64>;
    append_data<half> data({0, 31}, 4, 4, 2, 64, 32, 128, 64);
    data.embed(64, true);
    const auto refused = [&](const auto& change, const std::string& sentence) {
        auto a = data.args;
        change(a);
        CHECK(std::string(can_append<kernel>(a).message()) == sentence);
    };
    CHECK(can_append<kernel>(data.args).ok());
    refused([](auto& a) { a.head_dim = 60; }, "head_dim is 60 and value_dim 32; both must be multiples of 8");
    refused([](auto& a) { a.value_dim = 128; },
            "head_dim is 64 and value_dim 128; the kernel is for up to 64, use a larger one");
    refused([](auto& a) { a.cached = nullptr, a.cached_rows = 125; },
            "the cache has 125 rows and gets 4 new ones; it has room for 128");
    refused([](auto& a) { a.pages.page_length = 0; }, "the cache has 5 pages of 0 rows; the least is 0 pages of 1 row");
    refused([](auto& a) { a.new_k.data = nullptr; }, "the new K is a null pointer");
    refused([](auto& a) { a.k.row_stride = 8; },
            "K has a stride of 8 over 64 elements that lie on each other; it must be at least 64");
    refused([](auto& a) { a.rotated_q.data += 1; },
            "a row of K, V or Q, new or in the cache, does not start at a multiple of 16 bytes; all of them must");
    refused([](auto& a) { a.rotary.columns = 72; },
            "the rotary embedding rotates 72 columns; it must be a multiple of 16 from 16 to head_dim, 64");
    refused([](auto& a) { a.rotary.positions = 127; },
            "the tables of cosines and sines have 127 positions; rows of the cache come to 128");
    refused([](auto& a) { a.rotary.sines = nullptr; }, "the table of sines is a null pointer");
}
