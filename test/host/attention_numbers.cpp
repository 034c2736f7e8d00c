/// Launches of attention on a device whose memory the host cannot read: with `checks_arrays` they refuse, from copies, what
/// launches on the emulator refuse in place.

#include <tegula/core/half.hpp>
#include <tegula/host/launch.hpp>
#include <tegula/kernel/attention/append/append_and_attend.hpp>
#include <tegula/kernel/attention/append/kernel.hpp>
#include <tegula/kernel/attention/attention_kernel.hpp>
#include <tegula/kernel/attention/backward/tiles.hpp>
#include <tegula/kernel/attention/tiles.hpp>

#include "test/catch.hpp"

#include <cstdint>
#include <cstring>
#include <string>

using namespace tegula;

namespace {

/// Where the device keeps an array of the host; no address of the host's.
template <class T>
T* far(T* host)
{
    return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(host) + (std::uintptr_t{1} << 62));
}

struct far_device
{
    bool checks_arrays = true;
    int* copies;
    int* launches;

    status refuse(const status& why) const { return why; }
    template <class Add, class Launch>
    status with_memory(const Add&, const Launch& launch) const
    {
        return launch();
    }
    status copy_to_host(void* host, const void* data, std::size_t bytes) const
    {
        ++*copies;
        std::memcpy(host,
                    reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(data) ^ (std::uintptr_t{1} << 62)),
                    bytes);
        return {};
    }
};

template <class Kernel, class... Arguments>
status launch(const far_device& device, const launch_config&, const Kernel&, const Arguments&...)
{
    ++*device.launches;
    return {};
}

using target = arch::sm_80;
using paged =
    attention_variant<attention_mask::none, attention_bias::none, attention_weights::all, attention_cache::paged>;
using listed = attention_variant<attention_mask::lists>;
template <class Variant>
using kernel = attention_kernel<attention_tile_for<target, half, 64, 64, Variant>, half, Variant>;
template <class Kernel>
using arguments_of = typename Kernel::arguments;

/// Two sequences of 100 queries and 256 keys, 4 heads that share 2, 64 columns; nothing is read of the tensors.
template <class Arguments>
Arguments good()
{
    half* const tensor = far<half>(nullptr);
    float* const floats = far<float>(nullptr);
    Arguments a;
    a.batch = 2, a.heads = 4, a.kv_heads = 2, a.seq_q = 100, a.seq_k = 256, a.head_dim = 64, a.value_dim = 64;
    a.q = {tensor, 4 * 100 * 64, 100 * 64, 64};
    a.k = {tensor, 2 * 256 * 64, 256 * 64, 64};
    a.v = {tensor, 2 * 256 * 64, 256 * 64, 64};
    a.o = {decltype(a.o.data)(floats), 4 * 100 * 64, 100 * 64, 64};
    a.lse = {floats, 400, 100};
    return a;
}

/// How often a launch copied and started a kernel, and what it said.
struct seen
{
    int copies = 0, launches = 0;
    std::string message;
};

template <class Launch>
seen with_device(const Launch& launch, bool checks = true)
{
    seen result;
    const status s = launch(far_device{checks, &result.copies, &result.launches});
    if (!s)
        result.message = s.message();
    return result;
}

void refused(const seen& result, const std::string& message)
{
    CHECK(result.message == message);
    CHECK(result.launches == 0);
}

void passes(const seen& result, int copies)
{
    CHECK(result.message.empty());
    CHECK(result.launches > 0);
    CHECK(result.copies == copies);
}

} // namespace

TEST_CASE("offsets, lengths and pages in a GPU's memory are checked from copies")
{
    auto a = good<arguments_of<kernel<paged>>>();
    index_t queries[] = {0, 60, 160}, lengths[] = {256, 40};
    index_t table[] = {9, 9, 9, 3, 2, 1, 0}; // the second sequence's pages are before the first one's
    a.lengths = {.query_offsets = far(queries), .key_lengths = far(lengths)};
    a.pages = {far(table + 3), -3, 64, 4};
    table[0] = 0;
    const auto run = [&](const auto& device) { return launch(device, kernel<paged>{}, a); };
    passes(with_device(run), 3);
    queries[2] = 59;
    refused(with_device(run), "query_offsets[2] is 59, less than the 60 before it; offsets do not decrease");
    passes(with_device(run, false), 0);
    queries[2] = 160;
    lengths[1] = 257;
    refused(with_device(run), "key_lengths[1] is 257; it must be in [0, 256]");
    lengths[1] = 65;
    refused(with_device(run), "page 1 of sequence 1 is 9; the cache has 4 pages, numbered from 0");
}

TEST_CASE("block lists in a GPU's memory are checked from copies, those by keys too")
{
    using kernels = attention_backward_for<target, half, 64, 64, listed>;
    typename kernels::problem b;
    b.forward = good<decltype(b.forward)>();
    index_t counts[] = {1, 1}, blocks[] = {0, 1, 1, 0}; // one list of both heads and sequences: the capacity is 2
    index_t key_counts[] = {1, 1}, key_blocks[] = {0, 0};
    b.forward.lists = {far(counts), far(blocks), 0, 0, 2, 64, 128};
    b.lists_by_keys = {far(key_counts), far(key_blocks), 0, 0, 1, 64, 128};
    half* const tensor = far<half>(nullptr);
    b.d_o = {tensor, 4 * 100 * 64, 100 * 64, 64};
    b.dq = {decltype(b.dq.data)(far<float>(nullptr)), 4 * 100 * 64, 100 * 64, 64};
    b.dk = {decltype(b.dk.data)(far<float>(nullptr)), 2 * 256 * 64, 256 * 64, 64};
    b.dv = {decltype(b.dv.data)(far<float>(nullptr)), 2 * 256 * 64, 256 * 64, 64};
    const auto run = [&](const auto& device) { return launch(device, kernels{}, {b, {far<float>(nullptr)}}); };
    passes(with_device(run), 4);
    key_blocks[1] = 2;
    refused(with_device(run),
            "the list of key block 1 (sequence 0, head 0) has block 2 at place 0; it must be in [0, 2)");
    counts[1] = 3;
    refused(with_device(run), "the list of query block 1 (sequence 0, head 0) has 3 blocks; the capacity is 2");
}

TEST_CASE("rows are appended in a GPU's memory if they and the attention behind them are right")
{
    using append = append_kernel<target, half, 64>;
    auto a = good<arguments_of<kernel<paged>>>();
    index_t cached[] = {128, 0}, offsets[] = {0, 100, 180}, table[] = {0, 1, 2, 9, 3, 0, 1, 2};
    index_t left[] = {-1, -1}; // what is there before the append
    typename append::arguments rows;
    rows.batch = 2, rows.kv_heads = 2, rows.rows = 100, rows.capacity = 256, rows.head_dim = 64, rows.value_dim = 64;
    half* const tensor = far<half>(nullptr);
    rows.new_k = rows.new_v = {tensor, 2 * 100 * 64, 100 * 64, 64};
    rows.k = rows.v = {tensor, 2 * 64 * 64, 64 * 64, 64};
    rows.cached = far(cached);
    rows.new_offsets = far(offsets);
    rows.key_lengths = far(left);
    rows.pages = a.pages = {far(table), 4, 64, 4};
    a.k = {tensor, 2 * 64 * 64, 64 * 64, 64};
    a.v = a.k;
    a.lengths.key_lengths = far(left);

    const auto alone = [&](const auto& device) { return launch(device, append{}, rows); };
    const auto both = [&](const auto& device) {
        return launch(device, append_and_attend<append, kernel<paged>>{}, {rows, a});
    };
    refused(with_device(alone), "page 3 of sequence 0 is 9; the cache has 4 pages, numbered from 0");
    refused(with_device(both), "page 3 of sequence 0 is 9; the cache has 4 pages, numbered from 0");
    table[3] = 3;
    passes(with_device(alone), 3);
    table[0] = -1; // of rows that are there, which the append does not touch
    passes(with_device(alone), 3);
    refused(with_device(both), "page 0 of sequence 0 is -1; the cache has 4 pages, numbered from 0");
    table[0] = 0;
    cached[1] = 200;
    refused(with_device(both), "sequence 1 of the cache has 200 rows and gets 80 new ones; it has room for 256");
    offsets[2] = 99;
    refused(with_device(alone), "new_offsets[2] is 99, less than the 100 before it; offsets do not decrease");
}
