#pragma once

#include <tegula/emulator/clash_text.hpp>
#include <tegula/emulator/mbarrier.hpp>

#include <string>
#include <vector>

namespace tegula::emulator::detail {

/// Checks the accesses to the shared memory of one block. A verdict is null when all is well.
class shared_checker : private fault_holder
{
public:
    void begin_launch(const clash_words& words)
    {
        words_ = words;
        shadow_.widen();
    }
    void begin_block(const block_state& block)
    {
        block_ = &block;
        sets_.clear();
        shadow_.begin(block.shared_bytes, sets_, false, memory_shadow::state::never_written);
    }

    mbarrier_table& barriers() { return barriers_; }
    long offset_of(const void* address) const { return static_cast<const std::byte*>(address) - block_->shared; }

    /// An ordinary load or store of a lane, also of another block of the cluster.
    [[gnu::always_inline]] const fault* access(const lane_state& me, const observer& seen, bool store,
                                               const void* address, int bytes)
    {
        const char* action = store ? "shared store" : "shared load";
        if (const fault* f = check_place(address, bytes, action))
            return f;
        const shadow_verdict verdict =
            store ? shadow_.write(offset_of(address), bytes, seen) : shadow_.read(offset_of(address), bytes, seen);
        return explain(me, verdict, action, bytes);
    }

    /// An atomic operation of a lane of the block: in any order with others, in order with loads and stores.
    const fault* atomic(const lane_state& me, const observer& seen, const void* address, int bytes, const char* action,
                        bool tells = false)
    {
        if (const fault* f = check_place(address, bytes, action))
            return f;
        return explain(me, shadow_.add(offset_of(address), bytes, seen, tells), action, bytes);
    }

    /// Checks an exchange, which may be the first access of the place; `held`: it was not.
    const fault* exchange(const lane_state& me, const observer& seen, const void* address, int bytes, bool tells,
                          bool& held)
    {
        if (const fault* f = check_place(address, bytes, "shared atomic"))
            return f;
        held = shadow_.holds_something(offset_of(address), bytes);
        return explain(me, shadow_.exchange(offset_of(address), bytes, seen, tells), "shared atomic", bytes);
    }

    /// An asynchronous copy of one lane takes the bytes, and has written them by end_copy().
    const fault* begin_copy(const lane_state& me, const observer& seen, const void* address, int bytes)
    {
        if (const fault* f = check_place(address, bytes, "async copy"))
            return f;
        return explain(me, shadow_.begin_copy(offset_of(address), bytes, seen, false), "async copy", bytes);
    }
    void end_copy(const observer& seen, const void* address, int bytes)
    {
        shadow_.end_copy(offset_of(address), bytes, seen);
    }

    // The asynchronous proxy. `action` names the operation, such as "bulk load"; `bytes` is a multiple of 16.

    /// Checks bounds and alignment of its reads and writes.
    const fault* check_bulk_place(const void* address, int bytes, int alignment, const char* action)
    {
        const auto at = static_cast<const std::byte*>(address) - block_->shared;
        if (at < 0 || at + bytes > block_->shared_bytes)
            return blame_outside(at, bytes, action, "launch with more shared memory", fault_kind::plain);
        if (at % alignment != 0)
            return blame(size_text(action, bytes) + " at shared memory byte " + std::to_string(at) +
                             ", misaligned: it needs a multiple of " + std::to_string(alignment),
                         "align the tile, to eight lines of its swizzle or 128 bytes without");
        return nullptr;
    }

    /// It starts to read: the bytes must have been written, ordinary stores must be followed by a proxy fence, and no
    /// byte may change until end_async_read().
    const fault* begin_async_read(const lane_state& me, const observer& seen, const void* address, int bytes,
                                  const char* action)
    {
        if (const fault* f = check_bulk_place(address, bytes, 16, action))
            return f;
        return explain(me, shadow_.begin_async_read(offset_of(address), bytes, seen, true), action, bytes);
    }
    void end_async_read(const observer& seen, const void* address, int bytes)
    {
        shadow_.end_async_read(offset_of(address), bytes, seen);
    }

    /// It takes the bytes and will write them by end_async_write(). `alignment`: bytes, required of the place.
    const fault* begin_async_write(const lane_state& me, const observer& seen, const void* address, int bytes,
                                   int alignment, const char* action)
    {
        if (const fault* f = check_bulk_place(address, bytes, alignment, action))
            return f;
        const shadow_verdict verdict = shadow_.begin_copy(offset_of(address), bytes, seen, true);
        return explain(me, verdict, action, bytes);
    }
    void end_async_write(const observer& arrived, const void* address, int bytes)
    {
        shadow_.end_async_copy(offset_of(address), bytes, arrived);
    }

    /// Begins the read of the operands of a matrix instruction, in chunks of 16 bytes, given as byte offsets.
    const fault* begin_operands(const lane_state& me, const observer& seen, const std::uint32_t* chunks, int count)
    {
        for (int i = 0; i < count; ++i)
            if (const fault* f = begin_async_read(me, seen, block_->shared + chunks[i], 16, "matrix operand"))
                return f;
        return nullptr;
    }
    void end_operands(const observer& seen, const std::vector<std::uint32_t>& chunks)
    {
        for (const std::uint32_t chunk : chunks)
            end_async_read(seen, block_->shared + chunk, 16);
    }

    /// The 8 bytes become an mbarrier.
    const fault* begin_mbarrier(const lane_state& me, const observer& seen, const void* address)
    {
        if (const fault* f = check_place(address, 8, "mbarrier"))
            return f;
        return explain(me, shadow_.begin_mbarrier(offset_of(address), seen), "mbarrier", 8);
    }
    void end_mbarrier(const void* address) { shadow_.end_mbarrier(offset_of(address)); }

private:
    /// Bounds and alignment of an access to shared memory.
    const fault* check_place(const void* address, int bytes, const char* action)
    {
        const auto at = static_cast<const std::byte*>(address) - block_->shared;
        if (at >= 0 && at + bytes <= block_->shared_bytes && (at & (bytes - 1)) == 0)
            return nullptr;
        return explain_place(at, bytes, action);
    }
    [[gnu::noinline]] const fault* blame_outside(long at, int bytes, const char* action, const char* remedy,
                                                 fault_kind kind)
    {
        const std::byte* const address = block_->shared + at;
        if (distance_from_null(address) < unmapped_bytes)
            return blame(size_text(action, bytes) + null_text(address) + ", where shared memory is meant",
                         "give the operation its scratch, or the view the shared memory it lies in");
        return blame(size_text(action, bytes) + " at shared memory byte " + std::to_string(at) +
                         ", out of bounds: the block has " + std::to_string(block_->shared_bytes) + " bytes",
                     remedy, kind);
    }
    [[gnu::noinline]] const fault* explain_place(long at, int bytes, const char* action)
    {
        if (at < 0 || at + bytes > block_->shared_bytes)
            return blame_outside(at, bytes, action, "mask the access, or launch with more shared memory",
                                 fault_kind::out_of_bounds);
        if (at % bytes != 0)
            return blame(size_text(action, bytes) + " at shared memory byte " + std::to_string(at) + ", misaligned: " +
                             std::to_string(bytes) + "-byte accesses need a multiple of " + std::to_string(bytes),
                         "align the row length and the offset, or use narrower accesses");
        return nullptr;
    }

    const fault* explain(const lane_state& me, const shadow_verdict& verdict, const char* action, int bytes)
    {
        return verdict.clash == shadow_clash::none ? nullptr : explain_clash(me, verdict, action, bytes);
    }
    [[gnu::noinline]] const fault* explain_clash(const lane_state& me, const shadow_verdict& verdict,
                                                 const char* action, int bytes)
    {
        const std::string what = size_text(action, bytes) + " at shared memory byte " + std::to_string(verdict.offset);
        if (verdict.clash == shadow_clash::in_flight)
            return explain_flight(me, what, block_->shared + verdict.offset, words_.other(verdict));
        if (verdict.clash == shadow_clash::async_reader)
            return blame(what + ", which a bulk store or a matrix instruction is still reading",
                         "wait for its group before the bytes are written again");
        fault_ = words_.describe(me, verdict, what, block_->shared + verdict.offset, bytes);
        return &fault_;
    }

    /// Describes an access to bytes that a copy in flight will write.
    const fault* explain_flight(const lane_state& me, const std::string& what, const std::byte* address,
                                const std::string& other)
    {
        const auto found = barriers_.flight_to(address);
        if (found.flight == nullptr)
            return blame(what + ", which an async copy of " + other + " has in flight",
                         "commit and wait for the copy, then put a barrier before "
                         "other lanes touch the bytes");
        const auto thread = static_cast<std::size_t>(me.thread);
        const auto& seen = found.barrier->seen;
        const bool waited = me.block == block_ && thread < seen.size() && seen[thread] != never_waited;
        std::string text = what + ", which a " + found.flight->action + " of " + other + " has in flight until " +
                           phase_text(found.flight->phase) + " of " + found.barrier->name() + " is waited for";
        if (waited)
            text += "; the lane waited in the wrong phase, for " + phase_text(seen[thread]);
        return blame(text, waited ? "flip the parity each time round: the one that "
                                    "waits for data starts with 0"
                                  : "wait at the mbarrier before touching the bytes");
    }

    const block_state* block_ = nullptr;
    clash_words words_;
    access_sets sets_;
    memory_shadow shadow_;
    mbarrier_table barriers_;
};

} // namespace tegula::emulator::detail
