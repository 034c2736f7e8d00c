// PTX ISA: "Parallel Synchronization and Communication Instructions": mbarrier.init, .inval, .arrive, .arrive_drop,
// .expect_tx, .complete_tx, .test_wait, .try_wait.

#include "decode.hpp"

namespace ptx {

mbarrier_object& mbarrier_place::object() const
{
    const auto found = of->mbarriers.find(offset);
    if (found == of->mbarriers.end())
        throw fault("no mbarrier is initialised at " + hex(offset) + " of block " + std::to_string(of->rank) +
                    " of the cluster");
    return found->second;
}

mbarrier_place find_mbarrier(warp& w, int lane, const address& at)
{
    std::uint64_t a = at.of(w, lane);
    check_alignment(a, 8);
    if (at.space == state_space::generic && (a & window::mask) != window::shared)
        throw fault("an mbarrier at " + hex(a) + ", which is not in shared memory");
    block& b = w.in().block_of_rank(w, (a & 0xffffffff) >> window::rank_bit);
    if (at.space == state_space::shared_of_block && &b != w.of)
        throw fault("an mbarrier of another block through .shared::cta");
    return {&b, a & ((1u << window::rank_bit) - 1)};
}

namespace {

constexpr std::int64_t max_count = (1 << 20) - 1;

void finish_phase(machine& m, mbarrier_object& o)
{
    if (o.pending != 0 || o.transactions != 0)
        return;
    ++o.phase;
    o.pending = o.expected;
    learn(o.complete, o.arriving);
    ++m.progress;
}

void expect_transactions(machine& m, const mbarrier_place& at, std::int64_t bytes)
{
    mbarrier_object& o = at.object();
    o.transactions += bytes;
    if (o.transactions > max_count || o.transactions < -max_count)
        throw fault("an mbarrier with " + std::to_string(o.transactions) + " bytes to come; the limit is 2^20 - 1");
    ++m.progress;
}

} // namespace

void complete_transactions(warp& w, const mbarrier_place& at, std::int64_t bytes)
{
    hand_over(w, at.object().arriving);
    expect_transactions(w.in(), at, -bytes);
    finish_phase(w.in(), at.object());
}

void arrive(warp& w, const mbarrier_place& at, std::uint32_t count, bool relaxed)
{
    machine& m = w.in();
    mbarrier_object& o = at.object();
    hand_over(w, o.arriving, relaxed);
    if (count < 1 || count > o.pending)
        throw fault(std::to_string(count) + " arrivals at an mbarrier that waits for " + std::to_string(o.pending) +
                    " more in this phase");
    o.pending -= count;
    ++m.progress;
    finish_phase(m, o);
}

void check_initialised(const warp& w, const mbarrier_place& at)
{
    const mbarrier_object& o = at.object();
    const thread_order& by = at.of->threads[static_cast<std::size_t>(o.initialised_by)];
    if (by.init_fenced >= o.initialised_at || o.initialised_at < at.of->cleaned_before)
        return;
    const warp& other = at.of->warps[static_cast<std::size_t>(o.initialised_by / lanes)];
    if (&other != &w && w.clock.shared[static_cast<std::size_t>(other.number)] < o.written_at)
        throw fault("an asynchronous copy on an mbarrier that another warp initialises, and neither a barrier nor "
                    "fence.mbarrier_init is between the two");
    if (w.in().reports(level::pedantic))
        throw fault(
            "an asynchronous copy on an mbarrier that no fence.mbarrier_init or fence.proxy.async has followed");
}

namespace {

/// True where it orders nothing by itself.
bool take_order(decoder& d)
{
    const bool relaxed = d.take_one({"relaxed", "acquire", "release"}) == "relaxed";
    d.take_one({"cta", "cluster"});
    return relaxed;
}

action initialise(decoder& d, const std::string& space)
{
    const address at = d.memory(0, space);
    const source count = d.from(1, 32);
    return [=](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) {
            const mbarrier_place here = find_mbarrier(w, lane, at);
            const auto n = static_cast<std::uint32_t>(count.checked(w, lane, "the count of an mbarrier"));
            if (n < 1 || n > max_count)
                throw fault("an mbarrier for " + std::to_string(n) + " arrivals; it must be 1 to 2^20 - 1");
            if (here.of != w.of)
                throw fault("an mbarrier is initialised in the shared memory of another block");
            if (here.of->mbarriers.contains(here.offset))
                throw fault("an mbarrier is initialised over one that mbarrier.inval has not ended");
            const place bytes = at.resolve(w, lane, 8);
            write_bytes(w, lane, bytes, 8, 0, 0);
            for (std::size_t i = 0; i < 8; ++i)
                bytes.where->states[bytes.offset + i] = byte_state::barrier;
            here.of->mbarriers[here.offset] = {
                n, n, 0, 0, w.in().time, w.thread(lane), w.clock.shared[static_cast<std::size_t>(w.number)], {}, {}};
        });
        return outcome::next;
    };
}

action invalidate(decoder& d, const std::string& space)
{
    const address at = d.memory(0, space);
    return [=](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) {
            const mbarrier_place here = find_mbarrier(w, lane, at);
            if (here.object().transactions != 0)
                throw fault("mbarrier.inval with copies under way");
            here.of->mbarriers.erase(here.offset);
            const place bytes = at.resolve(w, lane, 8);
            for (std::size_t i = 0; i < 8; ++i)
                bytes.where->states[bytes.offset + i] = byte_state::unwritten;
        });
        return outcome::next;
    };
}

/// arrive, arrive_drop, with .expect_tx: the state of the phase, then the arrival.
action come(decoder& d, bool drops)
{
    const bool expects = d.take("expect_tx");
    const bool stays = d.take("noComplete");
    const bool relaxed = take_order(d);
    const std::string space = d.take_space("");
    d.take("b64");
    const bool has_result = d.at(0).what != operand::kind::address;
    const destination state = has_result ? d.to(0) : destination{};
    const std::size_t i = has_result ? 1 : 0;
    const address at = d.memory(i, space);
    const bool has_count = d.operands() > i + 1;
    const source count = has_count ? d.from(i + 1, 32) : source{};
    return [=](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) {
            const mbarrier_place here = find_mbarrier(w, lane, at);
            const auto n = has_count ? count.checked(w, lane, "the count of an arrival") : 1;
            state.write(w, lane, here.object().phase);
            if (stays && n >= here.object().pending)
                throw fault("mbarrier.arrive.noComplete completes the phase");
            if (expects)
                expect_transactions(w.in(), here, static_cast<std::int64_t>(n));
            if (drops)
                --here.object().expected;
            arrive(w, here, expects ? 1 : static_cast<std::uint32_t>(n), relaxed);
        });
        return outcome::next;
    };
}

action change_transactions(decoder& d, std::int64_t sign)
{
    take_order(d);
    const std::string space = d.take_space("");
    d.take("b64");
    const address at = d.memory(0, space);
    const source bytes = d.from(1, 32);
    return [=](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) {
            const mbarrier_place here = find_mbarrier(w, lane, at);
            const auto n = static_cast<std::int64_t>(bytes.checked(w, lane, "the bytes of an mbarrier"));
            expect_transactions(w.in(), here, sign * n);
            if (sign < 0)
                finish_phase(w.in(), here.object());
        });
        return outcome::next;
    };
}

/// test_wait, try_wait, by the state that an arrival gave or by parity. A try may fail although the phase is complete.
action wait(decoder& d, bool tries)
{
    const bool parity = d.take("parity");
    const bool relaxed = take_order(d);
    const std::string space = d.take_space("");
    d.take("b64");
    const destination to = d.to(0);
    const address at = d.memory(1, space);
    const source phase = d.from(2, parity ? 32 : 64);
    if (d.operands() > 3)
        d.from(3, 32); // how long a try may take
    return [=](warp& w, lane_mask mask) {
        machine& m = w.in();
        lane_mask complete = 0;
        each_lane(mask, [&](int lane) {
            const mbarrier_object& o = find_mbarrier(w, lane, at).object();
            const std::uint64_t p = phase.checked(w, lane, "the phase of an mbarrier");
            if (parity && p > 1 && m.reports(level::portability))
                throw fault("a parity of " + std::to_string(p) + "; it is 0 or 1");
            const bool done = parity ? (o.phase & 1) != (p & 1) : o.phase > p;
            complete |= static_cast<lane_mask>(done) << lane;
        });
        if (tries && complete != 0 && m.when == completion::random && m.pick(16) == 0)
            complete = 0;
        each_lane(mask, [&](int lane) { to.write(w, lane, complete >> lane & 1); });
        each_lane(complete, [&](int lane) {
            const knowledge& seen = find_mbarrier(w, lane, at).object().complete;
            learn(w.clock, seen, relaxed);
            if (relaxed) // the next fence acquires it
                learn(w.heard, seen);
        });
        if (complete != 0)
            m.note_synchronised(w, complete);
        return complete == mask ? outcome::next : outcome::yielded;
    };
}

action mbarrier(decoder& d)
{
    if (d.take("arrive"))
        return come(d, false);
    if (d.take("arrive_drop"))
        return come(d, true);
    if (d.take("expect_tx"))
        return change_transactions(d, 1);
    if (d.take("complete_tx"))
        return change_transactions(d, -1);
    if (d.take("test_wait"))
        return wait(d, false);
    if (d.take("try_wait"))
        return wait(d, true);
    const std::string kind = d.take_one({"init", "inval"});
    const std::string space = d.take_space("");
    d.take("b64");
    if (kind == "init")
        return initialise(d, space);
    if (kind == "inval")
        return invalidate(d, space);
    throw fault("the machine does not know " + d.what().text());
}

} // namespace

void add_mbarriers(decoder_table& table) { table["mbarrier"] = mbarrier; }

} // namespace ptx
