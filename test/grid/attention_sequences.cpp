/// Sequences of a batch that lie one behind the other, and prefixes of their own.

#include <tegula/kernel/attention/backward/tiles.hpp>

#include "test/kernel/attention/backward/backward.hpp"
#include "test/kernel/attention/harness.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

using within_a_band = attention_variant<attention_mask::band>;

/// Sequences of 130, 0, 65 and 1 queries; of 3, 64, 0 and 300 keys, of which one has fewer than its rows.
template <class Target>
void check_offsets()
{
    const std::vector<index_t> query_offsets = {0, 130, 130, 195, 196}, key_offsets = {0, 3, 67, 67, 367},
                               key_lengths = {3, 64, 0, 250};
    attention_data<test_attention<Target, half, 64, 64, within_a_band>> data(130, 300, 4, 2, 4);
    auto& args = data.args;
    args.band.right = 40;
    args.lengths.key_offsets = key_offsets.data();
    for (const index_t* const lengths : {static_cast<const index_t*>(nullptr), key_lengths.data()}) {
        args.lengths.key_lengths = lengths;
        args.lengths.query_offsets = nullptr; // as many queries in each sequence
        args.lse.head_stride = args.seq_q;
        check_attention(data);
        args.lengths.query_offsets = query_offsets.data();
        args.lse.head_stride = query_offsets.back();
        check_attention(data);
    }
}

/// The offsets of check_offsets in the backward pass, also with everything that is read by place.
template <class Target>
void check_gradients_of_offsets()
{
    using enum attention_mask;
    attention_gradient_case c{4, 2, 1, 130, 300, 64, 64, {-1, 40}};
    c.query_offsets = {0, 130, 130, 195, 196};
    c.key_offsets = {0, 3, 67, 67, 367};
    c.key_lengths = {3, 64, 0, 250};
    check_attention_gradients<attention_backward_for<Target, half, 64, 64, within_a_band>>(c);
    check_attention_gradients<attention_backward_for<
        Target, bfloat16, 64, 64, attention_variant<boolean, attention_bias::tensor, attention_weights::dropped>>>(
        c, {}, 0.25);
    check_attention_gradients<
        attention_backward_for<Target, half, 64, 64, attention_variant<lists, attention_bias::alibi>>>(c);
}

/// Prefixes that are empty, end within a tile, within the band, and past the last key.
template <class Target>
void check_prefixes()
{
    const std::vector<index_t> prefixes = {0, 131, 20, 400};
    attention_band band{30, 0};
    band.prefix = 300; // not read
    band.prefix_lengths = prefixes.data();
    attention_data<test_attention<Target, bfloat16, 64, 64, within_a_band>> data(70, 290, 2, 1, 4);
    data.args.band = band;
    check_attention(data);
    check_attention_gradients<attention_backward_for<Target, bfloat16, 64, 64, within_a_band>>(
        {4, 2, 1, 70, 290, 64, 64, band});
}

} // namespace

// sm_90a's kernels by tensor copies know one length of all sequences: these are by mma.sync.
TEMPLATE_TEST_CASE("attention of sequences one behind the other, with prefixes of their own", "[attention]",
                   arch::gfx90a, arch::gfx942, arch::gfx950, arch::gfx1100, arch::gfx1201, arch::sm_80, arch::sm_89,
                   arch::sm_90a)
{
    check_offsets<TestType>();
    check_gradients_of_offsets<TestType>();
    check_prefixes<TestType>();
}
