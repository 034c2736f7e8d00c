// PTX ISA 9.0: 9.7.16 "TensorCore 5th Generation Family Instructions": tcgen05.cp (9.7.16.9), mma (9.7.16.10), commit
// (9.7.16.12), fence (9.7.16.11); instruction and matrix descriptors (9.7.16.4); data paths A and D (9.7.16.10.5). ld, st and
// wait are in tensor_access.cpp, allocation in tensor_allocation.cpp.
//
// Products and copies take effect when the machine's policy says. Words of tensor memory that they are to write or read are
// nobody else's from their issue on. What a warp does with words behind another's work, or the tensor core's, must be ordered
// by a barrier or a commit (vector clocks, as for shared memory); level::pedantic asks for the fences too, after_thread_sync
// behind the wait, and before_thread_sync between loads and stores and the arrival.

#include "tensor_core.hpp"

#include <optional>

namespace ptx {

using word = tensor_memory::word;

std::string name_of(int lane, int column)
{
    return "tensor memory lane " + std::to_string(lane) + ", column " + std::to_string(column);
}

namespace {

tensor_pipe& pipe_of(warp& w, int lane)
{
    for (tensor_pipe& p : w.in().pipes)
        if (p.of == &w && p.lane == lane)
            return p;
    return w.in().pipes.emplace_back(tensor_pipe{&w, lane, {}});
}

} // namespace

std::vector<block*> blocks_of(warp& w, int group, bool collective)
{
    tensor_memory& t = w.of->tensors;
    if (t.group == 0)
        t.group = group;
    if (t.group != group)
        throw fault("cta_group::" + std::to_string(group) +
                    " in a kernel that uses cta_group::" + std::to_string(t.group));
    if (group == 1)
        return {w.of};
    auto& all = w.of->of->blocks;
    const auto first = static_cast<std::size_t>(w.of->rank & ~1);
    if (first + 1 >= all.size())
        throw fault("cta_group::2 in a block without a peer");
    for (const std::size_t rank : {first, first + 1})
        if (all[rank]->running == 0 && !collective)
            throw fault("cta_group::2 when block " + std::to_string(rank) + " of the cluster has ended");
    return {all[first].get(), all[first + 1].get()};
}

std::uint64_t uniform(warp& w, lane_mask mask, const source& s, const char* what)
{
    std::optional<std::uint64_t> first;
    each_lane(mask, [&](int lane) {
        const std::uint64_t x = s.checked(w, lane, what);
        if (first.value_or(x) != x)
            throw fault(std::string(what) + " is not the same in all lanes");
        first = x;
    });
    return *first;
}

int take_group(decoder& d)
{
    if (d.take("cta_group::1"))
        return 1;
    if (d.take("cta_group::2"))
        return 2;
    throw fault(d.what().text() + ": .cta_group is missing");
}

// Order

namespace {

[[noreturn]] void report(const char* who, int lane, int column, const std::string& what)
{
    throw fault(std::string(who) + " at " + name_of(lane, column) + ", " + what);
}
[[noreturn]] void report_race(const char* who, int lane, int column, const char* others, const char* done)
{
    report(who, lane, column,
           std::string("which ") + others + " " + done +
               "; a race: nothing that the warp has waited for says that it is done");
}

/// How far the warp knows the tensor core's work for another, or itself, to be.
std::uint32_t known_of_core(const warp& w, const warp& other)
{
    return w.clock.tensor[w.clock.shared.size() + static_cast<std::size_t>(other.number)];
}

} // namespace

void check_writer(const warp& w, const word& x, int lane, int column, const char* who)
{
    if (x.writers != 0 || x.storing)
        report(who, lane, column,
               std::string("which ") + (x.storing ? "a tcgen05.st without its wait" : "a tcgen05.mma or cp") +
                   " is still writing");
    if (x.stored == &w || x.written == 0)
        return;
    if (x.stored != nullptr && w.clock.tensor[static_cast<std::size_t>(x.stored->number)] < x.written_clock)
        report_race(who, lane, column, "another warp", "stored");
    if (x.core != nullptr && known_of_core(w, *x.core) < x.written_clock)
        report_race(who, lane, column, "a tcgen05.mma or cp", "wrote");
    if (!w.in().reports(level::pedantic))
        return;
    if (x.stored != nullptr && x.stored->tensor_before < x.written)
        report(who, lane, column, "behind a tcgen05.st without fence::before_thread_sync");
    if (w.tensor_after < x.written)
        report(who, lane, column, "which others wrote, without fence::after_thread_sync");
}

void check_reader(const warp& w, block& of, int lane, int column, const char* who, bool ordered)
{
    tensor_memory& t = of.tensors;
    const word& x = t.at(lane, column);
    const bool in_order = ordered && x.multiplied == &w;
    if (x.loads != 0 || (x.operands != 0 && !in_order))
        report(who, lane, column, "which is still being read");
    if (x.multiplied != nullptr && !in_order && known_of_core(w, *x.multiplied) < x.core_read_clock)
        report_race(who, lane, column, "a tcgen05.mma", "read");
    const std::uint32_t* const loads = t.loads_of(lane, column);
    for (int i = 0, warp = lane / 32; i < t.warps_of_a_lane; ++i, warp += 4) {
        const int number = of.rank * static_cast<int>(of.warps.size()) + warp;
        if (number != w.number && loads[i] > w.clock.tensor[static_cast<std::size_t>(number)])
            report_race(who, lane, column, "another warp", "loaded");
    }
    if (!w.in().reports(level::pedantic))
        return;
    if (x.multiplied != nullptr && !in_order && w.tensor_after < x.core_read)
        report(who, lane, column, "which a tcgen05.mma read, without fence::after_thread_sync");
    if (x.loaded == nullptr || x.loaded == &w)
        return;
    if (x.loaded->tensor_before < x.read)
        report(who, lane, column, "behind a tcgen05.ld without fence::before_thread_sync");
    if (w.tensor_after < x.read)
        report(who, lane, column, "which others loaded, without fence::after_thread_sync");
}

void check_allocated(tensor_memory& t, int column, int count, const char* who)
{
    if (!t.holds(column, count))
        throw fault(std::string(who) + " of tensor memory columns " + std::to_string(column) + " to " +
                    std::to_string(column + count - 1) + ", which are not allocated");
}

void issue(warp& w, int lane, tensor_pipe::operation o)
{
    tensor_pipe& pipe = pipe_of(w, lane);
    pipe.operations.push_back(std::move(o));
    if (w.in().when == completion::early)
        while (w.in().work_tensor_core(pipe)) {
        }
}

matrix_place read_place(std::uint64_t x)
{
    static constexpr int modes[8] = {0, wide_pieces, 1, -1, 2, -1, 3, -1}; // none; 128, 64, 32 bytes
    const int mode = modes[x >> 61];
    if ((x >> 46 & 7) != 1 || mode < 0 || (x >> 49 & 15) != 0)
        throw fault("a shared memory descriptor " + hex(x) + " that is not in the machine");
    return {(x & 0x3fff) << 4, (x >> 16 & 0x3fff) << 4, (x >> 32 & 0x3fff) << 4, mode};
}

void claim_written(const warp& w, const words_of_group& words, const char* who, bool ordered)
{
    for (block* b : words.blocks)
        check_allocated(b->tensors, words.column, words.count, who);
    words.each([&](block& b, int lane, int c) {
        word& x = b.tensors.at(lane, c);
        if (!ordered || (x.writers == 0 && x.core != &w)) // products of a thread are in order
            check_writer(w, x, lane, c, who);
        check_reader(w, b, lane, c, who, ordered);
        ++x.writers;
    });
}

namespace {

action fence(decoder& d)
{
    const bool before = d.take("fence::before_thread_sync");
    if (!before)
        d.take("fence::after_thread_sync");
    return [=](warp& w, lane_mask) {
        (before ? w.tensor_before : w.tensor_after) = w.in().time;
        return outcome::next;
    };
}

// Products, copies, commits

action copy(decoder& d)
{
    const int group = take_group(d);
    const std::string shape = d.take_one({"32x128b", "128x128b", "128x256b"});
    if (shape.empty() || (shape == "32x128b") != d.take("warpx4"))
        throw fault(d.what().text() + ": this shape is not in the machine");
    const address to = d.memory(0, "");
    const source from = d.from(1);
    const int rows = shape == "32x128b" ? 32 : 128, columns = shape == "128x256b" ? 8 : 4;
    return [=](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) {
            const std::vector<block*> blocks = blocks_of(w, group);
            const matrix_place place = read_place(from.checked(w, lane, "a matrix descriptor"));
            const tensor_place at = place_of(to.of(w, lane));
            if (at.lane != 0)
                throw fault("tcgen05.cp to tensor memory from lane " + std::to_string(at.lane) + " on");
            const auto source_of = [=](block& b) { return locate_matrix(b, place, rows, columns * 4, 8, true); };
            for (block* b : blocks)
                check_arrived(w, source_of(*b), "tcgen05.cp");
            const words_of_group words{blocks, at.column, columns, ~tensor_lanes{}};
            claim_written(w, words, "tcgen05.cp", false);
            issue(w, lane,
                  {[=, &w] {
                       for (block* b : blocks) {
                           const shared_matrix x = source_of(*b);
                           for (int l = 0; l < tensor_memory::lanes; ++l)
                               for (int c = 0; c < columns; ++c) {
                                   const std::uint32_t chunk =
                                       x.find(l % rows, c * 4).first + static_cast<std::uint32_t>(c % 4 * 4);
                                   note_read(w, {x.memory, chunk}, 4);
                                   word& y = b->tensors.at(l, at.column + c);
                                   y.value = 0;
                                   y.valid = true;
                                   y.written = w.in().time;
                                   y.written_clock = w.core_clock;
                                   y.stored = nullptr;
                                   y.core = &w;
                                   for (std::uint32_t i = 0; i < 4; ++i) {
                                       y.value |= std::uint32_t{x.memory->bytes[chunk + i]} << 8 * i;
                                       if (x.memory->states[chunk + i] == byte_state::in_flight)
                                           throw fault("tcgen05.cp reads byte " + std::to_string(chunk + i) +
                                                       " of shared memory, " + describe(byte_state::in_flight));
                                       y.valid = y.valid && x.memory->states[chunk + i] == byte_state::valid;
                                   }
                                   --y.writers;
                               }
                       }
                   },
                   true, false});
        });
        return outcome::next;
    };
}

action commit(decoder& d)
{
    const int group = take_group(d);
    d.take("mbarrier::arrive::one");
    const std::string space = d.take_space("");
    const bool multicast = d.take("multicast::cluster");
    d.take("b64");
    const address at = d.memory(0, space);
    const source set = multicast ? d.from(1, 16) : source{};
    return [=](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) {
            blocks_of(w, group);
            const mbarrier_place own = find_mbarrier(w, lane, at);
            std::vector<mbarrier_place> to{own};
            if (multicast) {
                to.clear();
                const std::uint64_t blocks = set.checked(w, lane, "the blocks of a commit") & 0xffff;
                for (std::size_t b = 0; b < 16; ++b)
                    if (blocks >> b & 1) {
                        if (b >= w.of->of->blocks.size())
                            throw fault("tcgen05.commit to block " + std::to_string(b) + " of a cluster of " +
                                        std::to_string(w.of->of->blocks.size()));
                        to.push_back({w.of->of->blocks[b].get(), own.offset});
                    }
            }
            issue(w, lane,
                  {[to, &w] {
                       for (const mbarrier_place& p : to) {
                           if (p.of->running == 0)
                               throw fault("tcgen05.commit to block " + std::to_string(p.of->rank) +
                                           " of the cluster, which has ended");
                           hand_over_core(w, p.object().arriving);
                           arrive(w, p, 1);
                       }
                   },
                   false, true});
        });
        return outcome::next;
    };
}

action tensor_core(decoder& d)
{
    if (d.what().modifiers.empty())
        throw fault("the machine does not know " + d.what().text());
    const std::string what = d.what().modifiers.front();
    if (what.starts_with("fence"))
        return fence(d);
    if (what.starts_with("wait"))
        return wait_for_tensor_memory(d);
    d.take(what);
    if (what == "alloc")
        return allocate(d);
    if (what == "dealloc")
        return deallocate(d);
    if (what == "relinquish_alloc_permit")
        return relinquish(d);
    if (what == "ld")
        return load_tensor_memory(d);
    if (what == "st")
        return store_tensor_memory(d);
    if (what == "mma")
        return decode_tensor_product(d);
    if (what == "cp")
        return copy(d);
    if (what == "commit")
        return commit(d);
    throw fault("the machine does not know " + d.what().text());
}

} // namespace

bool machine::work_tensor_core(tensor_pipe& pipe)
{
    if (pipe.operations.empty())
        return false;
    std::size_t chosen = 0;
    if (when == completion::random && pick(2) == 0) // a copy before products that nothing orders before it
        for (std::size_t i = 0; i < pipe.operations.size() && !pipe.operations[i].commits; ++i)
            if (pipe.operations[i].copies) {
                chosen = i;
                break;
            }
    const tensor_pipe::operation o = std::move(pipe.operations[chosen]);
    pipe.operations.erase(pipe.operations.begin() + static_cast<std::ptrdiff_t>(chosen));
    o.run();
    ++progress;
    return true;
}

void add_tensor_core(decoder_table& table) { table["tcgen05"] = tensor_core; }

} // namespace ptx
