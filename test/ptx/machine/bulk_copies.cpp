// PTX ISA: "Data Movement and Conversion Instructions: Bulk copy", "Tensor copy", "Completion Mechanisms for
// Asynchronous Copy Operations". A tensor map is a record of the parameters of cuTensorMapEncodeTiled or
// cuTensorMapEncodeIm2col (CUDA driver API), because its bytes are not documented; 16 bytes in its place name the record.
// Which bytes of a tensor a copy moves is in tensor_boxes.cpp.

#include "tensor_boxes.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

namespace ptx {

namespace {

const tensor_map_record& find_map(warp& w, int lane, std::uint64_t generic)
{
    if (generic % 64 != 0)
        throw fault("a tensor map at " + hex(generic) + ", which is no multiple of 64");
    const place at = w.in().resolve(w, lane, state_space::generic, generic, 128);
    std::uint64_t words[2];
    std::memcpy(words, at.where->bytes.data() + at.offset, 16);
    if (words[0] != tensor_map_mark || words[1] >= w.in().tensor_maps.size())
        throw fault("no tensor map at " + hex(generic));
    // Tensor copies see what the host copied there only behind a fence of their block ("membar, fence").
    if (at.where != w.in().parameters.get() && !w.of->acquired_maps.contains(generic))
        throw fault("a copy by a tensor map in global memory without fence.proxy.tensormap::generic.acquire");
    if (w.in().unreleased_maps.contains(generic))
        throw fault("a copy by a tensor map that was changed without fence.proxy.tensormap::generic.release");
    tensor_map_record& map = w.in().tensor_maps[words[1]];
    if (std::exchange(map.changed, false))
        check_tensor_map(map);
    return map;
}

region& shared_bytes(block& b, std::uint64_t offset, std::uint64_t size)
{
    region& r = *b.shared;
    if (offset < r.base || !r.holds(offset - r.base, size))
        throw fault("a bulk copy of " + std::to_string(size) + " bytes at " + hex(offset) +
                    " is not in shared memory, which ends at " + hex(r.base + r.bytes.size()));
    return r;
}

void load_segment(machine& m, block& b, const segment& s, const std::vector<std::uint8_t>& fill)
{
    region& r = shared_bytes(b, s.shared, static_cast<std::uint64_t>(s.size));
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(s.size));
    std::vector<byte_state> states(bytes.size(), byte_state::valid);
    for (std::size_t i = 0; i < bytes.size() && !fill.empty(); ++i)
        bytes[i] = fill[i % fill.size()];
    if (s.begin < s.end) {
        const auto size = static_cast<std::uint64_t>(s.end - s.begin);
        const std::uint64_t from = s.global + static_cast<std::uint64_t>(s.begin);
        const region& g = m.memory.find(from, size);
        std::copy_n(g.bytes.begin() + static_cast<std::ptrdiff_t>(from - g.base), size, bytes.begin() + s.begin);
        std::copy_n(g.states.begin() + static_cast<std::ptrdiff_t>(from - g.base), size, states.begin() + s.begin);
    }
    if (s.used != 0)
        std::fill(states.begin() + s.used, states.end(), byte_state::unwritten);
    write_async({&r, s.shared - r.base}, bytes.size(), bytes.data(), states.data());
}

void mark_in_flight(warp& w, block& b, const transfer& t)
{
    for (const segment& s : t.segments) {
        region& r = shared_bytes(b, s.shared, static_cast<std::uint64_t>(s.size));
        note_write(w, {&r, s.shared - r.base}, static_cast<std::uint64_t>(s.size));
        for (std::uint64_t o = s.shared - r.base; o < s.shared - r.base + static_cast<std::uint64_t>(s.size); ++o) {
            if (r.states[o] == byte_state::in_flight || r.states[o] == byte_state::barrier)
                throw fault("a bulk copy to byte " + std::to_string(o) + " of shared memory, " + describe(r.states[o]));
            r.states[o] = byte_state::in_flight;
        }
    }
}

/// A load into each block of the mask, in one or two pieces, each of which reports its bytes to the block's own
/// mbarrier.
void start_load(warp& w, int lane, const transfer& t, const mbarrier_place& barrier, const std::vector<block*>& to,
                bool paired)
{
    machine& m = w.in();
    for (block* b : to) {
        if (b->running == 0)
            throw fault("a copy into block " + std::to_string(b->rank) + " of the cluster, which has ended");
        // .cta_group::2: of the pair of each destination the block whose rank has the mbarrier's parity.
        const int rank = paired ? (b->rank & ~1) | (barrier.of->rank & 1) : b->rank;
        const mbarrier_place reports{b->of->blocks.at(static_cast<std::size_t>(rank)).get(), barrier.offset};
        check_initialised(w, reports);
        mark_in_flight(w, *b, t);
        const std::size_t pieces = m.when == completion::random && t.segments.size() > 1 ? 2 : 1;
        for (std::size_t piece = 0; piece < pieces; ++piece) {
            const std::size_t begin = t.segments.size() * piece / pieces,
                              end = t.segments.size() * (piece + 1) / pieces;
            bulk_operation o;
            o.issued_by = b; // whose shared memory must stay
            o.thread = w.thread(lane);
            o.write = [&m, own = &w, b, reports, fill = t.fill,
                       part = std::vector(t.segments.begin() + static_cast<std::ptrdiff_t>(begin),
                                          t.segments.begin() + static_cast<std::ptrdiff_t>(end))] {
                std::int64_t bytes = 0;
                for (const segment& s : part) {
                    load_segment(m, *b, s, fill);
                    bytes += s.size;
                }
                complete_transactions(*own, reports, bytes);
            };
            m.bulk.push_back(std::move(o));
            if (m.when == completion::early)
                m.finish_bulk(m.bulk.size() - 1);
        }
    }
}

template <class T>
void reduce_elements(const std::string& op, std::uint8_t* to, const std::uint8_t* from, int size,
                     const std::string& type)
{
    const auto apply = [&op](auto x, auto y) -> decltype(x) {
        if (op == "add")
            return static_cast<decltype(x)>(x + y);
        if (op == "min")
            return y < x ? y : x;
        if (op == "max")
            return x < y ? y : x;
        throw fault("cp.reduce with ." + op + " is not in the machine for this type");
    };
    for (int i = 0; i < size; i += static_cast<int>(sizeof(T))) {
        T x, y;
        std::memcpy(&x, to + i, sizeof(T));
        std::memcpy(&y, from + i, sizeof(T));
        if constexpr (sizeof(T) == 2) {
            const float_format f = type == "f16" ? format_f16 : format_bf16;
            x = static_cast<T>(encode_float(apply(decode_float(x, f), decode_float(y, f)), f));
        } else if constexpr (std::is_integral_v<T>) {
            x = op == "and" ? (x & y) : op == "or" ? (x | y) : op == "xor" ? (x ^ y) : apply(x, y);
        } else {
            x = apply(x, y);
        }
        std::memcpy(to + i, &x, sizeof(T));
    }
}

void reduce_bytes(const std::string& op, const std::string& type, std::uint8_t* to, const std::uint8_t* from, int size)
{
    if (type == "f16" || type == "bf16")
        return reduce_elements<std::uint16_t>(op, to, from, size, type);
    if (type == "f32")
        return reduce_elements<float>(op, to, from, size, type);
    if (type == "f64")
        return reduce_elements<double>(op, to, from, size, type);
    if (type == "u32" || type == "b32")
        return reduce_elements<std::uint32_t>(op, to, from, size, type);
    if (type == "s32")
        return reduce_elements<std::int32_t>(op, to, from, size, type);
    if (type == "u64" || type == "b64")
        return reduce_elements<std::uint64_t>(op, to, from, size, type);
    if (type == "s64")
        return reduce_elements<std::int64_t>(op, to, from, size, type);
    throw fault("cp.reduce of ." + type + " is not in the machine");
}

void store_bytes(machine& m, const segment& s, const std::vector<std::uint8_t>& bytes, const std::string& op,
                 const std::string& type)
{
    const auto size = static_cast<std::uint64_t>(s.end - s.begin);
    if (size == 0)
        return;
    const std::uint64_t to = s.global + static_cast<std::uint64_t>(s.begin);
    region& g = m.memory.find(to, size);
    const std::uint64_t at = to - g.base;
    check_writable({&g, at});
    if (op.empty()) {
        std::copy_n(bytes.begin() + s.begin, size, g.bytes.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
        for (std::uint64_t i = 0; i < size; ++i)
            if (g.states[at + i] != byte_state::valid)
                throw fault("cp.reduce into byte " + std::to_string(at + i) + " of " + g.name + ", " +
                            describe(g.states[at + i]));
        reduce_bytes(op, type, g.bytes.data() + at, bytes.data() + s.begin, static_cast<int>(size));
    }
    std::fill_n(g.states.begin() + static_cast<std::ptrdiff_t>(at), size, byte_state::valid);
    ++m.progress;
}

/// A store or reduction from shared memory: it reads some time, and writes some time after.
void start_store(warp& w, int lane, const transfer& t, const std::string& op)
{
    machine& m = w.in();
    block* b = w.of;
    for (const segment& s : t.segments) {
        if (s.used != 0)
            throw fault("stores of packed elements are not in the machine");
        region& r = shared_bytes(*b, s.shared, static_cast<std::uint64_t>(s.size));
        if (s.begin < s.end)
            check_proxy(*b, s.shared - r.base + static_cast<std::uint64_t>(s.begin),
                        static_cast<std::uint64_t>(s.end - s.begin), "a bulk copy");
    }
    const auto data = std::make_shared<std::vector<std::vector<std::uint8_t>>>();
    bulk_operation o;
    o.issued_by = b;
    o.thread = w.thread(lane);
    o.group = uncommitted_group;
    const auto segments = std::make_shared<std::vector<segment>>(t.segments);
    o.read = [own = &w, b, data, segments] {
        for (const segment& s : *segments) {
            region& r = shared_bytes(*b, s.shared, static_cast<std::uint64_t>(s.size));
            const std::uint64_t at = s.shared - r.base;
            note_read(*own, {&r, at + static_cast<std::uint64_t>(s.begin)},
                      static_cast<std::uint64_t>(s.end - s.begin));
            for (int i = s.begin; i < s.end; ++i) {
                const std::size_t k = at + static_cast<std::size_t>(i);
                if (r.states[k] != byte_state::valid)
                    throw fault("a bulk copy reads byte " + std::to_string(k) + " of shared memory, " +
                                describe(r.states[k]));
            }
            data->emplace_back(r.bytes.begin() + static_cast<std::ptrdiff_t>(at),
                               r.bytes.begin() + static_cast<std::ptrdiff_t>(at) + s.size);
        }
    };
    o.write = [&m, data, segments, op, type = t.type] {
        for (std::size_t i = 0; i < segments->size(); ++i)
            store_bytes(m, (*segments)[i], (*data)[i], op, type);
    };
    m.bulk.push_back(std::move(o));
    if (m.when == completion::early)
        m.finish_bulk(m.bulk.size() - 1);
}

struct operands
{
    bool loads = false, tensor = false, im2col = false, multicast = false, paired = false;
    address shared, global, barrier;
    std::vector<source> corner, offsets;
    source bytes, blocks;
    std::string op, type;
};

transfer transfer_of(const operands& o, warp& w, int lane, std::uint64_t shared)
{
    if (o.tensor) {
        std::vector<std::int64_t> corner;
        for (const source& c : o.corner)
            corner.push_back(static_cast<std::int32_t>(c.checked(w, lane, "a coordinate")));
        const tensor_map_record& map = find_map(w, lane, o.global.of(w, lane));
        if (o.im2col != (map.pixels != 0))
            throw fault(std::string("a copy in ") + (o.im2col ? "im2col" : "tiled") + " mode by a tensor map of " +
                        (o.im2col ? "tiled" : "im2col") + " mode");
        if (!o.loads)
            check_tensor_store(map, corner);
        std::vector<std::int64_t> offsets;
        for (const source& x : o.offsets)
            offsets.push_back(static_cast<std::uint16_t>(x.checked(w, lane, "an im2col offset")));
        if (o.im2col && !o.loads)
            offsets.assign(corner.size() - 2, 0);
        transfer t = o.im2col ? column_of(map, corner, offsets, shared) : tile_of(map, corner, shared);
        if (!o.loads)
            store_whole_chunks(t);
        return t;
    }
    const auto size = o.bytes.checked(w, lane, "the size of a copy") & 0xffffffff;
    const std::uint64_t global = o.global.of(w, lane);
    check_alignment(global, 16);
    check_alignment(shared, 16);
    if (size % 16 != 0)
        throw fault("a bulk copy of " + std::to_string(size) + " bytes, which is no multiple of 16");
    transfer t;
    t.type = o.type;
    t.bytes = static_cast<std::int64_t>(size);
    if (size > 0)
        t.segments.push_back({shared, global, static_cast<int>(size), 0, static_cast<int>(size)});
    return t;
}

} // namespace

void start_response(warp& w, int lane, std::uint64_t to, const std::vector<std::uint8_t>& bytes,
                    const mbarrier_place& barrier, const std::vector<block*>& blocks)
{
    transfer t;
    t.fill = bytes;
    t.segments.push_back({to, 0, static_cast<int>(bytes.size()), 0, 0});
    t.bytes = static_cast<std::int64_t>(bytes.size());
    start_load(w, lane, t, barrier, blocks, false);
}

/// "st.async": the lanes' bytes arrive together, as those of a copy do, and count at each lane's mbarrier. It has one in
/// the block of its place.
action decode_store_async(decoder& d)
{
    d.take("weak");
    d.take("cluster");
    const std::string space = d.take_space("");
    if (space != "shared::cluster" || !d.take("mbarrier::complete_tx::bytes"))
        throw fault("st.async without .shared::cluster.mbarrier::complete_tx::bytes");
    const std::string vector = d.take_one({"v2", "v4"});
    const register_type type = parse_type(d.take_type());
    const address to = d.memory(0, space), barrier = d.memory(2, space);
    const std::vector<source> from = d.list_from(1, type.bits);
    if (from.size() != (vector.empty() ? 1u : static_cast<unsigned>(vector[1] - '0')) || type.bits % 32 != 0)
        throw fault("st.async of " + std::to_string(from.size()) + " registers of " + std::to_string(type.bits) +
                    " bits");
    const auto size = static_cast<std::size_t>(type.bits / 8);
    return [=](warp& w, lane_mask mask) {
        struct sent
        {
            place to;
            std::vector<std::uint8_t> bytes;
            mbarrier_place reports;
        };
        std::map<block*, std::vector<sent>> by_block;
        machine& m = w.in();
        each_lane(mask, [&](int lane) {
            const std::uint64_t at = to.of(w, lane), bytes = size * from.size();
            check_alignment(at, bytes);
            const mbarrier_place reports = find_mbarrier(w, lane, barrier);
            block& own = m.block_of_rank(w, (at & 0xffffffff) >> window::rank_bit);
            if (&own != reports.of)
                throw fault("st.async whose mbarrier is in another block than its place");
            check_initialised(w, reports);
            transfer t;
            t.segments.push_back({at & ((1u << window::rank_bit) - 1), 0, static_cast<int>(bytes), 0, 0});
            mark_in_flight(w, own, t);
            sent one{to.resolve(w, lane, bytes), std::vector<std::uint8_t>(bytes), reports};
            for (std::size_t i = 0; i < from.size(); ++i) {
                const std::uint64_t value = from[i].checked(w, lane, "a value of st.async");
                std::memcpy(one.bytes.data() + i * size, &value, size);
            }
            by_block[&own].push_back(std::move(one));
        });
        for (auto& [own, lanes] : by_block) {
            bulk_operation o;
            o.issued_by = own; // whose shared memory must stay
            o.write = [by = &w, lanes = std::move(lanes)] {
                for (const sent& one : lanes) {
                    const std::vector<byte_state> states(one.bytes.size(), byte_state::valid);
                    write_async(one.to, one.bytes.size(), one.bytes.data(), states.data());
                    complete_transactions(*by, one.reports, static_cast<std::int64_t>(one.bytes.size()));
                }
            };
            m.bulk.push_back(std::move(o));
            if (m.when == completion::early)
                m.finish_bulk(m.bulk.size() - 1);
        }
        return outcome::next;
    };
}

action decode_bulk_copy(decoder& d, bool reduce)
{
    if (d.take("prefetch"))
        throw fault("cp.async.bulk.prefetch is not in the machine");
    operands o;
    o.tensor = d.take("tensor");
    if (o.tensor)
        d.take_one({"1d", "2d", "3d", "4d", "5d"});
    const bool to_global = d.what().modifiers.end() == std::find(d.what().modifiers.begin(), d.what().modifiers.end(),
                                                                 "mbarrier::complete_tx::bytes");
    o.loads = !to_global;
    o.paired = d.take("cta_group::2");
    const std::string mode = d.take_one({"tile", "im2col", "im2col_no_offs"}, "tile");
    o.im2col = mode != "tile";
    if (mode == (o.loads ? "im2col_no_offs" : "im2col"))
        throw fault(d.what().text() + ": loads have .im2col, stores and reductions .im2col_no_offs");
    d.take("global");
    const std::string space = d.take_space("");
    if (d.take("shared::cta"))
        throw fault("a bulk copy from shared memory to shared memory is not in the machine");
    d.take("mbarrier::complete_tx::bytes");
    d.take("bulk_group");
    o.multicast = d.take("multicast::cluster");
    d.take("L2::cache_hint");
    if (reduce) {
        o.op = d.take_one({"add", "min", "max", "inc", "dec", "and", "or", "xor"});
        d.take("noftz");
        o.type = o.tensor ? "" : d.take_type();
    }
    const std::size_t shared = o.loads ? 0 : 1, global = o.loads ? 1 : 0;
    o.shared = d.memory(shared, space);
    o.global = d.memory(global, o.tensor ? "" : "global");
    if (o.tensor)
        for (const operand& c : d.at(global).elements.at(0).elements)
            o.corner.push_back(d.from(c, 32));
    std::size_t i = 2;
    if (!o.tensor)
        o.bytes = d.from(i++, 32);
    if (!o.loads)
        return [o](warp& w, lane_mask mask) {
            each_lane(mask, [&](int lane) {
                const std::uint64_t from = o.shared.of(w, lane);
                if (&w.in().block_of_rank(w, (from & 0xffffffff) >> window::rank_bit) != w.of)
                    throw fault("a bulk copy from the shared memory of another block");
                start_store(w, lane, transfer_of(o, w, lane, from & ((1u << window::rank_bit) - 1)), o.op);
            });
            return outcome::next;
        };
    o.barrier = d.memory(i++, space);
    if (o.im2col)
        o.offsets = d.list_from(i++, 16);
    if (o.multicast)
        o.blocks = d.from(i++, 16);
    return [o](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) {
            const mbarrier_place barrier = find_mbarrier(w, lane, o.barrier);
            const std::uint64_t to = o.shared.of(w, lane);
            block& own = w.in().block_of_rank(w, (to & 0xffffffff) >> window::rank_bit);
            // .cta_group::2: the mbarrier may be in the peer of the destination (9.7.9.25.5.2).
            if (&own != barrier.of && !(o.paired && own.rank / 2 == barrier.of->rank / 2))
                throw fault("a bulk copy whose mbarrier is in another block than its destination");
            const transfer t = transfer_of(o, w, lane, to & ((1u << window::rank_bit) - 1));
            std::vector<block*> blocks{&own};
            if (o.multicast) {
                blocks.clear();
                const std::uint64_t set = o.blocks.checked(w, lane, "the blocks of a multicast") & 0xffff;
                for (std::size_t b = 0; b < 16; ++b)
                    if (set >> b & 1) {
                        if (b >= w.of->of->blocks.size())
                            throw fault("a multicast to block " + std::to_string(b) + " of a cluster of " +
                                        std::to_string(w.of->of->blocks.size()));
                        blocks.push_back(w.of->of->blocks[b].get());
                    }
            }
            start_load(w, lane, t, barrier, blocks, o.paired);
        });
        return outcome::next;
    };
}

/// cp.async.bulk.commit_group, cp.async.bulk.wait_group{.read}.
action decode_bulk_group(decoder& d)
{
    const bool waits = d.operands() > 0;
    const bool reads = d.take("read");
    const auto left = waits ? static_cast<int>(d.constant(0)) : 0;
    return [=](warp& w, lane_mask mask) {
        machine& m = w.in();
        each_lane(mask, [&](int lane) {
            thread_order& t = w.of->threads[static_cast<std::size_t>(w.thread(lane))];
            if (!waits) {
                for (bulk_operation& o : m.bulk)
                    if (o.issued_by == w.of && o.thread == w.thread(lane) && o.group == uncommitted_group)
                        o.group = t.bulk_groups;
                ++t.bulk_groups;
                return;
            }
            for (std::size_t i = 0; i < m.bulk.size();) {
                bulk_operation& o = m.bulk[i];
                const bool due =
                    o.issued_by == w.of && o.thread == w.thread(lane) && o.group >= 0 && o.group < t.bulk_groups - left;
                if (due && reads && o.read)
                    std::exchange(o.read, nullptr)();
                if (due && !reads)
                    m.finish_bulk(i);
                else
                    ++i;
            }
        });
        return outcome::next;
    };
}

void machine::finish_bulk(std::size_t index)
{
    const bulk_operation o = std::move(bulk[index]);
    bulk.erase(bulk.begin() + static_cast<std::ptrdiff_t>(index));
    if (o.read)
        o.read();
    o.write();
    ++progress;
}

bool machine::complete_bulk(bool idle)
{
    std::vector<tensor_pipe*> busy;
    for (tensor_pipe& pipe : pipes)
        if (!pipe.operations.empty())
            busy.push_back(&pipe);
    const std::size_t choices = bulk.size() + busy.size();
    if (choices == 0 || (!idle && (when == completion::late || pick(3) != 0)))
        return false;
    const std::size_t chosen = pick(choices);
    if (chosen >= bulk.size())
        return work_tensor_core(*busy[chosen - bulk.size()]);
    finish_bulk(chosen);
    return true;
}

} // namespace ptx
