#pragma once

#include <tegula/emulator/vector_clock.hpp>

#include <vector>

namespace tegula::emulator::detail {

/// What is wrong with an access, and the earlier access it clashes with.
enum class shadow_clash {
    none,
    unwritten,
    in_flight,
    mbarrier,
    read_after_write,
    write_after_read,
    write_after_write,
    async_reader, ///< the asynchronous proxy has not finished reading
    no_proxy_fence
};
struct shadow_verdict
{
    shadow_clash clash = shadow_clash::none;
    long offset = 0; ///< first byte concerned
    access_stamp other{};
    bool other_is_many = false; ///< several lanes of that wave
};

/// For every granule of shared memory: the last write, and each timeline's last read. An access is in order when every
/// clashing one before it is the same lane's, or lies before something that synchronised the two.
///
/// A granule is 16 bytes to begin with; the first access that is narrower halves granules until it fits, copying what
/// is known, so that the answer is always exact to the byte.
class shared_shadow
{
public:
    /// `readers`: timelines that read, the first ones.
    void begin_block(long bytes, int readers)
    {
        readers_ = readers;
        bytes_ = bytes;
        const auto granules = static_cast<std::size_t>((bytes + (1L << shift_) - 1) >> shift_);
        writes_.assign(granules, {});
        reads_.assign(granules * static_cast<std::size_t>(readers), {});
    }
    /// Granules start wide again.
    void begin_launch() { shift_ = widest; }

    shadow_verdict read(long offset, int bytes, access_stamp me, const vector_clock& clock)
    {
        refine(bytes);
        for (long g = offset >> shift_; g << shift_ < offset + bytes; ++g) {
            const write_entry& w = writes_[static_cast<std::size_t>(g)];
            if (w.state < written || !in_order(w.stamp(), me, clock))
                return {clash_of(w.state), g << shift_, w.stamp()};
            note_read(g, me, clock);
        }
        return {};
    }

    shadow_verdict write(long offset, int bytes, access_stamp me, const vector_clock& clock)
    {
        return put(offset, bytes, me, clock, written, nullptr);
    }

    /// An asynchronous copy takes the bytes: nobody may touch them until end_copy(). The copies of the asynchronous
    /// proxy give what is `fenced`.
    shadow_verdict begin_copy(long offset, int bytes, access_stamp me, const vector_clock& clock,
                              const vector_clock* fenced = nullptr)
    {
        return put(offset, bytes, me, clock, in_flight, fenced);
    }
    void end_copy(long offset, int bytes, access_stamp me) { mark(offset, bytes, me, written); }
    void end_async_copy(long offset, int bytes, access_stamp me) { mark(offset, bytes, me, written_by_async_proxy); }

    /// The asynchronous proxy starts to read: nobody may write until end_async_read().
    shadow_verdict begin_async_read(long offset, int bytes, access_stamp me, const knowledge& known)
    {
        refine(bytes);
        for (long g = offset >> shift_; g << shift_ < offset + bytes; ++g) {
            const write_entry& w = writes_[static_cast<std::size_t>(g)];
            if (w.state < written || !in_order(w.stamp(), me, known.happened))
                return {clash_of(w.state), g << shift_, w.stamp()};
            if (w.state == written && !known.fenced.knows(w.stamp()))
                return {shadow_clash::no_proxy_fence, g << shift_, w.stamp()};
        }
        for (long g = offset >> shift_; g << shift_ < offset + bytes; ++g)
            ++writes_[static_cast<std::size_t>(g)].async_readers;
        return {};
    }
    void end_async_read(long offset, int bytes, access_stamp me, const vector_clock& clock)
    {
        for (long g = offset >> shift_; g << shift_ < offset + bytes; ++g) {
            --writes_[static_cast<std::size_t>(g)].async_readers;
            note_read(g, me, clock);
        }
    }

    /// The 8 bytes become, or no longer are, an mbarrier, which only its own operations touch.
    shadow_verdict begin_mbarrier(long offset, access_stamp me, const vector_clock& clock)
    {
        return put(offset, 8, me, clock, holds_mbarrier, nullptr);
    }
    void end_mbarrier(long offset) { mark(offset, 8, {}, never_written); }

private:
    static constexpr int widest = 4; // 16 bytes
    static constexpr std::uint32_t many_lanes = 0xff;

    enum write_state : std::uint8_t { never_written, in_flight, holds_mbarrier, written, written_by_async_proxy };
    struct write_entry
    {
        std::uint32_t time = 0;
        std::uint8_t wave = 0;
        std::uint8_t lane = 0;
        write_state state = never_written;
        std::uint8_t async_readers = 0;

        access_stamp stamp() const { return {time, wave, lane}; }
    };
    struct read_entry
    {
        std::uint32_t time = 0; // 0: never
        std::uint32_t lane = 0;
    };

    static shadow_clash clash_of(write_state state)
    {
        return state == never_written    ? shadow_clash::unwritten
               : state == in_flight      ? shadow_clash::in_flight
               : state == holds_mbarrier ? shadow_clash::mbarrier
                                         : shadow_clash::read_after_write;
    }

    static bool in_order(const access_stamp& before, const access_stamp& me, const vector_clock& clock)
    {
        if (before.wave == me.wave)
            return before.lane == me.lane || before.time < clock.at(me.wave) || clock.knows_lane(before);
        return clock.knows(before);
    }

    void note_read(long g, const access_stamp& me, const vector_clock& clock)
    {
        read_entry& r = reads_[static_cast<std::size_t>(g * readers_ + me.wave)];
        if (r.time == me.time) {
            if (r.lane != me.lane)
                r.lane = many_lanes;
        } else if (r.time < clock.at(me.wave)) {
            r = {me.time, me.lane};
        } else { // since the wave last met
            r.time = r.time < me.time ? me.time : r.time;
            r.lane = r.lane == me.lane ? r.lane : many_lanes;
        }
    }

    shadow_verdict put(long offset, int bytes, access_stamp me, const vector_clock& clock, write_state state,
                       const vector_clock* fenced)
    {
        refine(bytes);
        for (long g = offset >> shift_; g << shift_ < offset + bytes; ++g) {
            write_entry& w = writes_[static_cast<std::size_t>(g)];
            if (w.state == in_flight || w.state == holds_mbarrier)
                return {clash_of(w.state), g << shift_, w.stamp()};
            if (w.state != never_written && !in_order(w.stamp(), me, clock))
                return {shadow_clash::write_after_write, g << shift_, w.stamp()};
            if (w.async_readers != 0)
                return {shadow_clash::async_reader, g << shift_, w.stamp()};
            if (fenced != nullptr && w.state == written && !fenced->knows(w.stamp()))
                return {shadow_clash::no_proxy_fence, g << shift_, w.stamp()};
            const read_entry* reads = &reads_[static_cast<std::size_t>(g * readers_)];
            for (int wave = 0; wave < readers_; ++wave) {
                const read_entry& r = reads[wave];
                if (wave != me.wave ? r.time <= clock.at(wave) : r.time < clock.at(wave) || r.lane == me.lane)
                    continue;
                const access_stamp reader{r.time, static_cast<std::uint8_t>(wave), static_cast<std::uint8_t>(r.lane)};
                if (!in_order(reader, me, clock))
                    return {shadow_clash::write_after_read, g << shift_, reader, r.lane == many_lanes};
            }
            w = {me.time, me.wave, me.lane, state, 0};
        }
        return {};
    }

    void mark(long offset, int bytes, const access_stamp& me, write_state state)
    {
        for (long g = offset >> shift_; g << shift_ < offset + bytes; ++g)
            writes_[static_cast<std::size_t>(g)] = {me.time, me.wave, me.lane, state, 0};
    }

    void refine(int bytes)
    {
        while (1 << shift_ > bytes) {
            --shift_;
            split(writes_, 1);
            split(reads_, static_cast<std::size_t>(readers_));
        }
    }

    /// Each group of `width` entries becomes two equal ones.
    template <class Entry>
    static void split(std::vector<Entry>& entries, std::size_t width)
    {
        const std::size_t groups = entries.size() / width;
        entries.resize(2 * entries.size());
        for (std::size_t g = groups; g-- > 0;)
            for (std::size_t i = width; i-- > 0;) {
                const Entry entry = entries[g * width + i];
                entries[2 * g * width + i] = entry;
                entries[(2 * g + 1) * width + i] = entry;
            }
    }

    int shift_ = widest;
    int readers_ = 1;
    long bytes_ = 0;
    std::vector<write_entry> writes_;
    std::vector<read_entry> reads_;
};

} // namespace tegula::emulator::detail
