/// Attention that cannot be computed is refused before anything runs, by a sentence that names the value and the limit.

#include <tegula/core/half.hpp>
#include <tegula/kernel/attention/can_implement.hpp>
#include <tegula/kernel/attention/dropout.hpp>
#include <tegula/kernel/attention/split/check.hpp>

#include "test/catch.hpp"

#include <cmath>
#include <limits>
#include <string>

using namespace tegula;

namespace {

alignas(16) half storage[4096];
alignas(16) float floats[4096];
alignas(16) float gradients[4096];
index_t integers[64];

using arguments = attention_arguments<half, float>;
using backward_arguments = attention_backward_arguments<half, float, float>;
using plain = attention_variant<>;
using paged =
    attention_variant<attention_mask::none, attention_bias::none, attention_weights::all, attention_cache::paged>;

/// Two sequences of 5 queries and 7 keys, 4 heads that share 2 of K and V, 8 columns, 6 of V; all tight.
arguments good()
{
    arguments a;
    a.batch = 2, a.heads = 4, a.kv_heads = 2, a.seq_q = 5, a.seq_k = 7, a.head_dim = 8, a.value_dim = 6;
    a.q = {storage, 160, 40, 8};
    a.k = {storage, 112, 56, 8};
    a.v = {storage, 84, 42, 6};
    a.o = {floats, 120, 30, 6};
    a.lse = {floats, 20, 5};
    return a;
}

template <class Variant = plain, class Change>
status changed(const Change& change)
{
    arguments a = good();
    change(a);
    return can_implement<Variant>(a);
}

template <class Variant = plain, class Change>
status changed_backward(const Change& change)
{
    const arguments a = good();
    backward_arguments b{.forward = a,
                         .d_o = {floats, 120, 30, 6},
                         .dq = {gradients, 160, 40, 8},
                         .dk = {gradients, 112, 56, 8},
                         .dv = {gradients, 84, 42, 6}};
    change(b);
    return can_implement<Variant>(b);
}

/// As on AMD.
struct loader
{
    static constexpr bool buffered = true;
};

struct tile
{
    using query_loader = loader;
    using key_loader = loader;
    using value_loader = loader;
    static constexpr index_t queries = 32, keys = 16, head_dim = 64, value_dim = 32;
    static constexpr key_value_place key_values = key_value_place::apart;
};

struct tile_by_tensor_copies : tile
{
    static constexpr index_t page_keys = 16;
};

/// A kernel's types, as far as it is asked whether it takes arguments.
struct split_kernel
{
    using tile = ::tile;
    using variant = attention_variant<attention_mask::none, attention_bias::none, attention_weights::all,
                                      attention_cache::contiguous, attention_heads::packed>;
    using arguments = attention_split_arguments<::arguments>;
};

void refused(const status& s, const std::string& sentence, status_code code = status_code::invalid_argument)
{
    CHECK(std::string(s.message()) == sentence);
    CHECK(s.code() == code);
}

} // namespace

TEST_CASE("attention that is right is accepted")
{
    CHECK(can_implement<plain>(good()).ok());
    CHECK(changed([](auto& a) { a.lse.data = nullptr; }).ok());
    CHECK(changed([](auto& a) { a.v = a.k; }).ok()); // K and V share memory
    CHECK(changed([](auto& a) { a.q = {storage, 160, 8, 32}, a.o = {floats, 120, 6, 24}; }).ok()); // heads inside rows
    CHECK(changed([](auto& a) { a.seq_k = 0, a.k.data = a.v.data = nullptr; }).ok());
    CHECK(changed([](auto& a) { a.seq_q = 0, a.q.data = nullptr, a.o.data = nullptr; }).ok());
    CHECK(changed([](auto& a) { a.seq_q = 0, a.q.head_stride = a.o.head_stride = a.lse.head_stride = 0; }).ok());
    CHECK(changed([](auto& a) { a.heads = a.kv_heads = 0; }).ok());
    CHECK(changed([](auto& a) { a.scale = 0; }).ok());
    CHECK(changed([](auto& a) { a.band.prefix = -1; }).ok()); // a band nothing reads
    CHECK(changed([](auto& a) {
              a.head_dim = 576, a.value_dim = 512, a.heads = a.kv_heads = a.seq_q = a.seq_k = 1, a.batch = 1;
          }).ok());
    CHECK(changed_backward([](auto&) {}).ok());
}

TEST_CASE("heads, lengths and head dimensions of attention")
{
    refused(changed([](auto& a) { a.kv_heads = 3; }),
            "Q has 4 heads and K 3; the heads of Q must be a multiple of those of K");
    refused(changed([](auto& a) { a.kv_heads = 0; }),
            "Q has 4 heads and K 0; the heads of Q must be a multiple of those of K");
    refused(changed([](auto& a) { a.seq_q = -1; }), "seq_q is -1; sizes start at 0");
    refused(changed([](auto& a) { a.seq_k = INT32_MAX; }), "seq_k is 2147483647; the limit is 2147418111",
            status_code::unsupported);
    refused(changed([](auto& a) { a.head_dim = 0; }), "head_dim is 0 and value_dim 6; both must be at least 1");
    refused(changed([](auto& a) {
                a.head_dim = 264;
                a.value_dim = 520;
            }),
            "head_dim is 264 and value_dim 520; kernels are for up to 576 and 512", status_code::unsupported);
    refused(changed([](auto& a) { a.value_dim = 513; }),
            "head_dim is 8 and value_dim 513; kernels are for up to 576 and 512", status_code::unsupported);
    for (const float scale : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
        refused(changed([&](auto& a) { a.scale = scale; }), "the scale is infinite or not a number; it must be finite");
}

TEST_CASE("memory of attention's tensors")
{
    refused(changed([](auto& a) { a.q.data = nullptr; }), "Q is a null pointer");
    refused(changed([](auto& a) { a.v.data = nullptr; }), "V is a null pointer");
    refused(changed([](auto& a) {
                a.k.data = reinterpret_cast<const half*>(reinterpret_cast<std::uintptr_t>(storage) + 1);
            }),
            "K is not aligned to its elements of 2 bytes");
    refused(changed([](auto& a) { a.k.batch_stride = 1L << 62; }),
            "K with these strides reaches past 2^63 bytes; use smaller strides");
    refused(changed([](auto& a) { a.o.row_stride = 5; }),
            "O has a stride of 5 over 5 elements that lie on each other; it must be at least 6");
    refused(changed([](auto& a) { a.o.batch_stride = -100; }),
            "O has a stride of -100 over 2 elements that lie on each other; it must be at least 120");
    refused(changed([](auto& a) { a.lse.head_stride = 0; }),
            "lse has a stride of 0 over 4 elements that lie on each other; it must be at least 1");
}

TEST_CASE("masks, biases and dropout of attention")
{
    using enum attention_mask;
    refused(changed<attention_variant<band>>([](auto& a) { a.band.prefix = -1; }),
            "the prefix has -1 keys; the least is 0");
    refused(changed<attention_variant<boolean>>([](auto&) {}), "the mask is a null pointer");
    refused(changed<attention_variant<none, attention_bias::tensor>>([](auto&) {}), "the bias is a null pointer");
    refused(changed<attention_variant<none, attention_bias::alibi>>([](auto&) {}),
            "the list of slopes is a null pointer");
    refused(changed<attention_variant<lists>>([](auto& a) { a.lists.query_length = 64; }),
            "the block lists are of blocks of 64 queries and 0 keys; both must be at least 1");
    refused(changed<attention_variant<lists>>([](auto& a) { a.lists = {nullptr, nullptr, 0, 0, 1, 64, 64}; }),
            "the block lists is a null pointer");
    for (const double p : {1.0, 1e30, -0.1, std::nan("")})
        refused(changed<attention_variant<none, attention_bias::none, attention_weights::dropped>>(
                    [&](auto& a) { a.dropout = make_dropout(p, 7); }),
                "the dropout has the threshold 65536; take one below 65536, a probability from 0 to below 1");
    CHECK(make_dropout(-1e-6, 7).threshold == 0);
}

TEST_CASE("the backward pass needs what the forward pass left")
{
    refused(changed_backward([](auto& b) { b.forward.lse.data = nullptr; }),
            "lse is a null pointer; the backward pass reads what the forward pass wrote there");
    refused(changed_backward([](auto& b) { b.d_o.data = nullptr; }), "dO is a null pointer");
    refused(changed_backward([](auto& b) { b.dk.head_stride = 8; }),
            "dK has a stride of 8 over 7 elements that lie on each other; it must be at least 16");
    refused(changed_backward([](auto& b) { b.d_bias.data = gradients; }),
            "d_bias is asked for, but there is no bias; leave it null");
    using biased = attention_variant<attention_mask::none, attention_bias::tensor>;
    const auto sums = [](long_index_t head_stride, long_index_t query_stride) {
        return changed_backward<biased>([=](auto& b) {
            b.forward.bias = {floats, 0, 0, 0, 1};
            b.d_bias = {gradients, 0, head_stride, query_stride, 1};
        });
    };
    CHECK(sums(0, 0));
    CHECK(sums(7, 0));
    CHECK(sums(35, 7));
    refused(sums(7, 7), "d_bias has a stride of 7 over 5 elements that lie on each other; it must be at least 28");
    refused(sums(0, 6), "d_bias has a stride of 6 over 5 elements that lie on each other; it must be at least 7");
    refused(changed_backward([](auto& b) { b.d_sinks = gradients; }),
            "d_sinks is asked for, but there are no sinks; leave it null");
    refused(changed_backward<paged>([](auto& b) {
                b.forward.pages = {integers, 0, 8, 2};
                b.forward.k.batch_stride = b.forward.v.batch_stride = 128;
            }),
            "a paged cache has no backward pass; pass K and V as tensors", status_code::unsupported);
}

TEST_CASE("what a tile of attention takes")
{
    // Rows of 16 elements, of Q, K and V of 32 bytes each.
    const auto aligned = [](const auto& change) {
        arguments a = good();
        a.head_dim = 16, a.value_dim = 8;
        a.q = {storage, 320, 80, 16}, a.k = {storage, 224, 112, 16}, a.v = a.k, a.o = {floats, 160, 40, 8};
        change(a);
        return a;
    };
    const auto suits = [&](auto variant, const auto& change) {
        const arguments a = aligned(change);
        CHECK(can_implement<plain>(a).ok());
        return suits_tile<tile, decltype(variant)>(a);
    };
    CHECK(suits(plain{}, [](auto&) {}).ok());
    CHECK(suits(plain{}, [](auto& a) { a.batch = 1, a.q.batch_stride = 3; }).ok()); // a stride nothing uses
    refused(suits(plain{}, [](auto& a) { a.head_dim = 72, a.q = a.k = {storage, 1440, 360, 72}; }),
            "head_dim is 72 and value_dim 8; the tile is for up to 64 and 32, use a larger one",
            status_code::unsupported);
    refused(suits(plain{}, [](auto& a) { a.value_dim = 7; }),
            "head_dim is 16 and value_dim 7; both must be multiples of 8: add columns of zeros to Q and K, or to V",
            status_code::unsupported);
    const char* const rows = "a row of Q, K, V or O does not start at a multiple of 16 bytes; all of them must";
    refused(suits(plain{}, [](auto& a) { a.q.row_stride = 20; }), rows, status_code::unsupported);
    // Sequences of offsets start at any row of a tensor whose batch stride nobody reads.
    CHECK(suits(plain{}, [](auto& a) { a.lengths.query_offsets = integers, a.q.batch_stride = 7; }).ok());
    const auto short_ones = [](auto& a) { a.lengths.query_offsets = integers, a.seq_q = 1, a.q.row_stride = 20; };
    refused(suits(plain{}, short_ones), rows, status_code::unsupported);
    refused(suits(plain{}, [](auto& a) { a.v.data = storage + 4; }), rows, status_code::unsupported);
    refused(suits(plain{}, [](auto& a) { a.o = {floats, 168, 42, 8}; }), rows, status_code::unsupported);
    refused(suits(plain{}, [](auto& a) { a.q.row_stride = 1 << 26; }),
            "rows of Q are 67108864 elements apart; 32 of them must lie within 2^31 bytes", status_code::unsupported);
    refused(suits(plain{}, [](auto& a) { a.v.row_stride = -(1LL << 33); }),
            "rows of V are -8589934592 elements apart; 16 of them must lie within 2^31 bytes",
            status_code::unsupported);
    for (const char name : {'Q', 'K', 'V'}) {
        const status s = suits(plain{}, [&](auto& a) {
            (name == 'Q' ? a.q : name == 'K' ? a.k : a.v).row_stride = -64;
        });
        refused(s,
                "rows of " + std::string(1, name) +
                    " are -64 elements apart; kernels for AMD read rows in rising order: copy the tensor so that "
                    "its rows rise",
                status_code::unsupported);
    }
    refused(suits(attention_variant<attention_mask::lists>{},
                  [](auto& a) { a.lists = {integers, integers, 0, 0, 1, 48, 16}; }),
            "block lists are of 48 queries and 16 keys; they must be multiples of the tile's 32 and 16",
            status_code::unsupported);
    refused(suits(paged{}, [](auto& a) { a.pages = {integers, 1, 8, 2}; }),
            "pages have 8 keys; it must be a multiple of the tile's 16, or the cache attention_cache::paged_by_key",
            status_code::unsupported);
    refused(suits_tile<tile_by_tensor_copies, paged>(aligned([](auto& x) { x.pages = {integers, 1, 24, 2}; })),
            "pages have 24 keys; tensor copies take a multiple of 16, and an attention_kernel of "
            "attention_cache::paged_by_key any",
            status_code::unsupported);
}

TEST_CASE("packed heads and split keys of attention")
{
    const auto check = [](const auto& change) {
        split_kernel::arguments a{good(), 3, {floats, 4096}};
        a.attention.head_dim = 16, a.attention.value_dim = 8;
        a.attention.q = {storage, 320, 80, 16}, a.attention.k = {storage, 224, 112, 16}, a.attention.v = a.attention.k;
        a.attention.o = {floats, 160, 40, 8};
        change(a);
        return check_split<split_kernel>(a);
    };
    // A share has 40 rows of 8 columns and 40 logarithms of two numbers each.
    CHECK(check([](auto&) {}).ok());
    CHECK(check([](auto& a) { a.workspace.size = 3 * 400; }).ok());
    CHECK(check([](auto& a) { a.workspace = {}, a.attention.seq_q = 0; }).ok());
    refused(check([](auto& a) { a.splits = 0; }), "splits is 0; keys are split into at least 1 share");
    refused(check([](auto& a) { a.workspace.data = nullptr; }),
            "the workspace is a null pointer; 1200 floats are needed");
    refused(check([](auto& a) { a.workspace.data = floats + 1; }),
            "the workspace of 1200 floats is not aligned to 16 bytes");
    refused(check([](auto& a) { a.workspace.size = 1199; }), "the workspace has 1199 floats; 1200 are needed");
    refused(check([](auto& a) { a.attention.scale = std::numeric_limits<float>::infinity(); }),
            "the scale is infinite or not a number; it must be finite");
    refused(check([](auto& a) { a.attention.q.head_stride = -80; }),
            "Q has a stride of -80; packed heads need strides from 0", status_code::unsupported);
    refused(check([](auto& a) { a.attention.q.head_stride = 1 << 30; }),
            "Q has rows 16 elements apart and heads 1073741824 apart; those of a tile of packed heads must lie within "
            "2^31 bytes",
            status_code::unsupported);
    refused(check([](auto& a) {
                a.attention.seq_q = 1 << 30, a.attention.batch = 1;
                a.attention.q.head_stride = 1L << 34, a.attention.o.head_stride = 1L << 34;
                a.attention.lse.head_stride = 1L << 30;
            }),
            "packed heads make 2147483648 rows of queries; the limit is 2147483615, take a kernel with heads apart",
            status_code::unsupported);
}

TEST_CASE("offsets, lengths and page tables that point outside")
{
    const index_t offsets[] = {0, 3, 3, 9};
    CHECK(check_offsets("key_offsets", offsets, 3, 6, 9).ok());
    refused(check_offsets("key_offsets", offsets, 3, 5, 9),
            "key_offsets give sequence 2 6 rows; the arguments say that the longest has 5");
    refused(check_offsets("key_offsets", offsets, 3, 6, 8), "key_offsets[3] is 9, past the 8 rows of the tensor");
    const index_t decreasing[] = {0, 5, 4};
    refused(check_offsets("query_offsets", decreasing, 2, 9, 9),
            "query_offsets[2] is 4, less than the 5 before it; offsets do not decrease");
    const index_t late[] = {1, 5};
    refused(check_offsets("query_offsets", late, 1, 9, 9), "query_offsets[0] is 1; the first sequence starts at 0");

    const index_t lengths[] = {2, 7, -1};
    CHECK(check_key_lengths(lengths, 2, 7).ok());
    refused(check_key_lengths(lengths, 2, 6), "key_lengths[1] is 7; it must be in [0, 6]");
    refused(check_key_lengths(lengths, 3, 7), "key_lengths[2] is -1; it must be in [0, 7]");
    const index_t narrow[] = {0, 1};
    refused(check_key_lengths(lengths, 1, 7, narrow), "key_lengths[0] is 2; it must be in [0, 1]");

    const index_t table[] = {3, 0, 99, 1, 2, 4};
    const attention_pages pages{table, 3, 16, 4};
    const index_t held[] = {17, 32};
    CHECK(check_page_table(pages, 2, 48, held).ok()); // entries of pages without keys are not looked at
    refused(check_page_table(pages, 1, 48), "page 2 of sequence 0 is 99; the cache has 4 pages, numbered from 0");
    refused(check_page_table({table, 3, 0, 4}, 1, 48), "pages have 0 keys; they have at least 1");
    refused(changed<paged>([](auto&) {}), "the cache has 0 pages of 0 keys; the least is 0 pages of 1 key");
    refused(changed<paged>([](auto& a) { a.pages = {nullptr, 1, 8, 2}; }), "the page table is a null pointer");
    refused(changed<paged>([](auto& a) { a.pages = {integers, 1, 8, 2}, a.lengths.key_offsets = integers; }),
            "a paged cache has a page table, not key offsets; pass key_lengths alone");
}

TEST_CASE("numbers in memory, by arguments")
{
    arguments a = good();
    CHECK(check_numbers_in_memory<plain>(a).ok());
    const index_t offsets[] = {0, 7, 14}, many[] = {0, 5, 11};
    a.lengths.key_offsets = offsets;
    a.lengths.query_offsets = many;
    refused(check_numbers_in_memory<plain>(a),
            "query_offsets give sequence 1 6 rows; the arguments say that the longest has 5");
    a.lengths = {.key_offsets = many};
    CHECK(check_numbers_in_memory<plain>(a).ok());
    const index_t table[] = {1, 2};
    a.lengths = {};
    a.pages = {table, 1, 8, 2};
    CHECK(check_numbers_in_memory<plain>(a).ok()); // not read
    refused(check_numbers_in_memory<paged>(a), "page 0 of sequence 1 is 2; the cache has 2 pages, numbered from 0");

    using listed = attention_variant<attention_mask::lists>;
    const index_t counts[] = {1, 1}, blocks[] = {0, 1};
    backward_arguments b{.forward = good()};
    b.forward.lists = {counts, blocks, 0, 0, 1, 4, 4};
    b.lists_by_keys = {counts, blocks, 0, 0, 1, 4, 4};
    CHECK(check_gradient_numbers_in_memory<listed>(b).ok());
    const index_t outside[] = {0, 2};
    b.lists_by_keys.blocks = outside;
    refused(check_gradient_numbers_in_memory<listed>(b),
            "the list of key block 1 (sequence 0, head 0) has block 2 at place 0; it must be in [0, 2)");
}

TEST_CASE("block lists that name blocks outside")
{
    index_t counts[] = {2, 1};
    index_t blocks[] = {0, 2, 1, -5}; // the second list holds one
    const attention_block_lists lists{counts, blocks, 0, 0, 2, 4, 3};
    const auto check = [&] { return check_block_lists(lists, 1, 1, 5, 7); };
    refused(check_block_lists({counts, blocks, 0, 0, 2, 0, 3}, 1, 1, 5, 7),
            "block lists are of blocks of 0 queries and 3 keys; both must be at least 1");
    CHECK(check().ok());
    blocks[1] = 3;
    refused(check(), "the list of query block 0 (sequence 0, head 0) has block 3 at place 1; it must be in [1, 3)");
    blocks[1] = 0;
    refused(check(), "the list of query block 0 (sequence 0, head 0) has block 0 at place 1; it must be in [1, 3)");
    counts[0] = 3;
    refused(check(), "the list of query block 0 (sequence 0, head 0) has 3 blocks; the capacity is 2");
}
