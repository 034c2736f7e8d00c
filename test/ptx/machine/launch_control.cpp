// PTX ISA: "Parallel Synchronization and Communication Instructions: clusterlaunchcontrol.try_cancel" and
// "clusterlaunchcontrol.query_cancel". The response is opaque: here its low half says which cluster, the high one that it is
// a response, and a .b128 register, which holds nothing else, has the low half.

#include "decode.hpp"

#include <cstring>

namespace ptx {

namespace {

constexpr std::uint64_t refused = 0xffffffff;

action try_cancel(decoder& d)
{
    if (!d.take("async"))
        throw fault("clusterlaunchcontrol.try_cancel without .async");
    const std::string space = d.take_space("");
    d.take("mbarrier::complete_tx::bytes");
    const bool all = d.take("multicast::cluster::all");
    d.take("b128");
    const address response = d.memory(0, space), barrier = d.memory(1, space);
    return [=](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) {
            machine& m = w.in();
            if (w.of->refused)
                throw fault("clusterlaunchcontrol.try_cancel by a block that has seen a request fail");
            const mbarrier_place at = find_mbarrier(w, lane, barrier);
            const std::uint64_t to = response.of(w, lane);
            check_alignment(to, 16);
            if (&m.block_of_rank(w, (to & 0xffffffff) >> window::rank_bit) != w.of || at.of != w.of)
                throw fault("clusterlaunchcontrol.try_cancel with an address outside .shared::cta");
            const bool fails = m.when == completion::random && m.pick(4) == 0;
            const std::int64_t id = fails ? -1 : m.next_launch();
            const std::uint64_t words[2] = {id < 0 ? refused : static_cast<std::uint64_t>(id), response_mark};
            std::vector<std::uint8_t> bytes(16);
            std::memcpy(bytes.data(), words, 16);
            std::vector<block*> blocks{w.of};
            if (all) {
                blocks.clear();
                for (const auto& b : w.of->of->blocks)
                    blocks.push_back(b.get());
            }
            start_response(w, lane, to & ((1u << window::rank_bit) - 1), bytes, at, blocks);
        });
        return outcome::next;
    };
}

action query_cancel(decoder& d)
{
    const std::string what = d.take_one(
        {"is_canceled", "get_first_ctaid", "get_first_ctaid::x", "get_first_ctaid::y", "get_first_ctaid::z"});
    d.take_one({"pred", "v4"});
    d.take("b32");
    d.take("b128");
    const std::vector<destination> to = d.list_to(0);
    const source response = d.from(1, 64);
    return [=](warp& w, lane_mask mask) {
        const launch_options& o = w.in().options;
        each_lane(mask, [&](int lane) {
            const std::uint64_t id = response.checked(w, lane, "the response to clusterlaunchcontrol.try_cancel");
            if (what == "is_canceled") {
                w.of->refused = w.of->refused || id == refused;
                return to[0].write(w, lane, id != refused);
            }
            if (id == refused)
                throw fault("clusterlaunchcontrol.query_cancel.get_first_ctaid of a request that failed");
            const std::array<std::uint32_t, 3> first = first_block(o, id);
            const std::size_t dimension = what.back() == 'y' ? 1 : what.back() == 'z' ? 2 : 0;
            for (std::size_t i = 0; i < to.size() && i < 3; ++i)
                to[i].write(w, lane, first[to.size() == 1 ? dimension : i]);
        });
        return outcome::next;
    };
}

action launch_control(decoder& d)
{
    return d.take("try_cancel") ? try_cancel(d) : d.take("query_cancel") ? query_cancel(d) : nullptr;
}

} // namespace

void add_launch_control(decoder_table& table) { table["clusterlaunchcontrol"] = launch_control; }

} // namespace ptx
