// How addresses become places and what may be done there. PTX ISA: "State Spaces", "Generic Addressing", "Proxies",
// "Parameterized Variables".

#include "decode.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ptx {

block& machine::block_of_rank(warp& w, std::uint64_t rank)
{
    if (rank >= w.of->of->blocks.size())
        throw fault("block " + std::to_string(rank) + " is not in the cluster, which has " +
                    std::to_string(w.of->of->blocks.size()));
    block& b = *w.of->of->blocks[rank];
    if (b.running == 0)
        throw fault("the shared memory of block " + std::to_string(b.rank) +
                    " of the cluster is gone: the block has ended");
    return b;
}

namespace {

place in_shared(block& b, std::uint64_t offset, std::uint64_t size)
{
    region& r = *b.shared;
    if (offset < r.base || !r.holds(offset - r.base, size))
        throw fault(std::to_string(size) + " bytes at " + hex(offset) + " are not in shared memory, which is " +
                    hex(r.base) + " to " + hex(r.base + r.bytes.size()));
    return {&r, offset - r.base};
}

} // namespace

place machine::resolve(warp& w, int lane, state_space space, std::uint64_t address, std::uint64_t size)
{
    const std::uint64_t low = address & ~window::mask;
    if (space == state_space::generic) {
        switch (address & window::mask) {
        case window::shared:
            return resolve(w, lane, state_space::shared_of_cluster, low, size);
        case window::local:
            return resolve(w, lane, state_space::local, low, size);
        case window::parameter:
            return resolve(w, lane, state_space::parameter, low, size);
        default:
            return resolve(w, lane, state_space::global, address, size);
        }
    }
    if (space == state_space::global) {
        region& r = memory.find(address, size);
        return {&r, address - r.base};
    }
    if (space == state_space::shared_of_block || space == state_space::shared_of_cluster) {
        const std::uint64_t rank = (address & 0xffffffff) >> window::rank_bit;
        block& b = block_of_rank(w, rank);
        if (space == state_space::shared_of_block && &b != w.of)
            throw fault(hex(address) +
                        " is in the shared memory of another block; the instruction reaches its own only");
        return in_shared(b, address & ((1u << window::rank_bit) - 1), size);
    }
    region* r = space == state_space::parameter ? parameters.get() : w.local[static_cast<std::size_t>(lane)].get();
    if (!r->holds(low, size))
        throw fault(std::to_string(size) + " bytes at " + std::to_string(low) + " are not in " + r->name + " of " +
                    std::to_string(r->bytes.size()) + " bytes");
    return {r, low};
}

void check_alignment(std::uint64_t address, std::uint64_t size)
{
    // Most sizes are powers of two, for which no division is needed.
    if (size != 0 && (std::has_single_bit(size) ? address & (size - 1) : address % size) != 0)
        throw fault("address " + hex(address) + " is no multiple of the " + std::to_string(size) +
                    " bytes of the access");
}

void check_writable(const place& at)
{
    if (!at.where->writable)
        throw fault("a write to " + at.where->name + ", which is for reading only");
}

std::uint64_t read_bytes(warp& w, const place& at, int size, std::uint8_t& poison)
{
    note_read(w, at, static_cast<std::uint64_t>(size));
    std::uint64_t value = 0, states = 0;
    poison = 0;
    std::memcpy(&states, at.where->states.data() + at.offset, static_cast<std::size_t>(size));
    if (states == 0) { // all are valid
        std::memcpy(&value, at.where->bytes.data() + at.offset, static_cast<std::size_t>(size));
        return value;
    }
    for (int i = 0; i < size; ++i) {
        const std::size_t o = at.offset + static_cast<std::size_t>(i);
        value |= std::uint64_t{at.where->bytes[o]} << 8 * i;
        const byte_state state = at.where->states[o];
        if (state == byte_state::in_flight || state == byte_state::barrier)
            throw fault("a read of byte " + std::to_string(o) + " of " + at.where->name + ", " + describe(state));
        poison |= static_cast<std::uint8_t>((state != byte_state::valid) << i);
    }
    return value;
}

void write_bytes(warp& w, int lane, const place& at, int size, std::uint64_t value, std::uint8_t poison)
{
    region& r = *at.where;
    check_writable(at);
    bool same = poison == 0;
    for (int i = 0; same && i < size; ++i) {
        const std::size_t o = at.offset + static_cast<std::size_t>(i);
        same = r.states[o] == byte_state::valid && r.bytes[o] == static_cast<std::uint8_t>(value >> 8 * i);
    }
    note_write(w, at, static_cast<std::uint64_t>(size), same);
    if (poison != 0 && r.base >= window::global)
        throw fault("a register without a value is stored to byte " + std::to_string(at.offset) + " of " + r.name);
    for (int i = 0; i < size; ++i) {
        const std::size_t o = at.offset + static_cast<std::size_t>(i);
        if (r.states[o] == byte_state::in_flight || r.states[o] == byte_state::barrier)
            throw fault("a write to byte " + std::to_string(o) + " of " + r.name + ", " + describe(r.states[o]));
        r.bytes[o] = static_cast<std::uint8_t>(value >> 8 * i);
        r.states[o] = poison >> i & 1 ? byte_state::poison : byte_state::valid;
        if (!r.generic_time.empty()) {
            r.generic_time[o] = w.in().time;
            // A write into another block's memory has no thread there that could fence it.
            r.generic_thread[o] = static_cast<std::uint16_t>(&r == w.of->shared.get() ? w.thread(lane) : 0xffff);
        }
    }
    ++w.in().progress;
}

void write_async(const place& at, std::uint64_t size, const std::uint8_t* bytes, const byte_state* states)
{
    region& r = *at.where;
    for (std::uint64_t i = 0; i < size; ++i) {
        const std::size_t o = at.offset + i;
        if (r.states[o] == byte_state::barrier)
            throw fault("a copy to byte " + std::to_string(o) + " of " + r.name + ", " + describe(r.states[o]));
        r.bytes[o] = bytes[i];
        r.states[o] = states[i];
        if (!r.generic_time.empty())
            r.generic_time[o] = 0;
    }
}

void check_proxy(const block& b, std::uint64_t offset, std::uint64_t size, const char* reader)
{
    const region& r = *b.shared;
    for (std::uint64_t o = offset; o < offset + size; ++o) {
        const std::uint32_t t = r.generic_time[o];
        if (t == 0 || t < b.cleaned_before)
            continue;
        const std::size_t thread = r.generic_thread[o];
        if (thread < b.threads.size() && b.threads[thread].fenced > t)
            continue;
        throw fault(std::string(reader) + " reads byte " + std::to_string(o) + " of shared memory, which thread " +
                    std::to_string(thread) + " wrote by a plain store without a fence.proxy.async behind it");
    }
}

} // namespace ptx
