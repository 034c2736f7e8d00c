/// Attention by wgmma in clusters of two blocks that share copies of keys and values, on the emulator: whole and half
/// clusters, heads that share keys, resident clusters that go through several tiles.

#include "test/kernel/attention/harness.hpp"
#include "test/kernel/attention/warp_specialized/family.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

template <class T, index_t HeadDim, index_t ValueDim>
using clustered = warp_specialized_attention<clustered_attention_tile_for<arch::sm_90a, T, HeadDim, ValueDim>, T>;

template <class Kernel>
void check(index_t queries, index_t keys, index_t heads, index_t kv_heads, index_t batch)
{
    attention_data<Kernel> data(queries, keys, heads, kv_heads, batch);
    for (const int multiprocessors : {1, 3, 4})
        check_attention(data, [&] { return emulate(Kernel{}, {data.args}, {}, multiprocessors); });
}

} // namespace

TEST_CASE("sm_90a: attention in clusters", "[attention]")
{
    using kernel = clustered<half, 128, 128>;
    check<kernel>(1, 1, 1, 1, 1);     // a block of the cluster has no query
    check<kernel>(200, 300, 3, 1, 1); // two tiles a head
    check<kernel>(300, 650, 2, 2, 2); // three tiles, more keys than the stages hold
    check<kernel>(0, 5, 1, 1, 1);
    check<clustered<bfloat16, 64, 128>>(130, 260, 2, 1, 1);
}
