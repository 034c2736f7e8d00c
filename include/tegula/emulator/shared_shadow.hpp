#pragma once

#include <tegula/emulator/vector_clock.hpp>

#include <vector>

namespace tegula::emulator::detail {

/// Who did something to shared memory, and when by its wave's clock.
struct access_stamp
{
    std::uint32_t time = 0;
    std::uint8_t wave = 0;
    std::uint8_t lane = 0;
};

/// What is wrong with an access, and the earlier access it clashes with.
enum class shadow_clash { none, unwritten, in_flight, read_after_write, write_after_read, write_after_write };
struct shadow_verdict
{
    shadow_clash clash = shadow_clash::none;
    long offset = 0; ///< first byte concerned
    access_stamp other{};
    bool other_is_many = false; ///< several lanes of that wave
};

/// For every granule of shared memory: the last write, and each wave's last read. An access is in order when every
/// clashing one before it is the same lane's, or lies before a barrier that both waves took part in.
///
/// A granule is 16 bytes to begin with; the first access that is narrower halves granules until it fits, copying what
/// is known, so that the answer is always exact to the byte.
class shared_shadow
{
public:
    void begin_block(long bytes, int waves)
    {
        waves_ = waves;
        bytes_ = bytes;
        const auto granules = static_cast<std::size_t>((bytes + (1L << shift_) - 1) >> shift_);
        writes_.assign(granules, {});
        reads_.assign(granules * static_cast<std::size_t>(waves), {});
    }
    /// Granules start wide again.
    void begin_launch() { shift_ = widest; }

    shadow_verdict read(long offset, int bytes, access_stamp me, const vector_clock& clock)
    {
        refine(bytes);
        for (long g = offset >> shift_; g << shift_ < offset + bytes; ++g) {
            const write_entry& w = writes_[static_cast<std::size_t>(g)];
            if (w.state != written || !in_order(w.stamp, me, clock)) {
                const shadow_clash clash = w.state == never_written ? shadow_clash::unwritten
                                           : w.state == in_flight   ? shadow_clash::in_flight
                                                                    : shadow_clash::read_after_write;
                return {clash, g << shift_, w.stamp};
            }
            read_entry& r = reads_[static_cast<std::size_t>(g * waves_ + me.wave)];
            if (r.time != me.time)
                r = {me.time, me.lane};
            else if (r.lane != me.lane)
                r.lane = many_lanes;
        }
        return {};
    }

    shadow_verdict write(long offset, int bytes, access_stamp me, const vector_clock& clock)
    {
        return put(offset, bytes, me, clock, written);
    }

    /// An asynchronous copy takes the bytes: nobody may touch them until end_copy().
    shadow_verdict begin_copy(long offset, int bytes, access_stamp me, const vector_clock& clock)
    {
        return put(offset, bytes, me, clock, in_flight);
    }
    void end_copy(long offset, int bytes, access_stamp me)
    {
        for (long g = offset >> shift_; g << shift_ < offset + bytes; ++g)
            writes_[static_cast<std::size_t>(g)] = {me, written};
    }

private:
    static constexpr int widest = 4; // 16 bytes
    static constexpr std::uint32_t many_lanes = ~0U;

    enum write_state : std::uint8_t { never_written, written, in_flight };
    struct write_entry
    {
        access_stamp stamp;
        write_state state = never_written;
    };
    struct read_entry
    {
        std::uint32_t time = 0; // 0: never
        std::uint32_t lane = 0;
    };

    static bool in_order(const access_stamp& before, const access_stamp& me, const vector_clock& clock)
    {
        if (before.wave == me.wave)
            return before.lane == me.lane || before.time < me.time;
        return before.time <= clock.at(before.wave);
    }

    shadow_verdict put(long offset, int bytes, access_stamp me, const vector_clock& clock, write_state state)
    {
        refine(bytes);
        for (long g = offset >> shift_; g << shift_ < offset + bytes; ++g) {
            write_entry& w = writes_[static_cast<std::size_t>(g)];
            if (w.state == in_flight)
                return {shadow_clash::in_flight, g << shift_, w.stamp};
            if (w.state == written && !in_order(w.stamp, me, clock))
                return {shadow_clash::write_after_write, g << shift_, w.stamp};
            const read_entry* reads = &reads_[static_cast<std::size_t>(g * waves_)];
            for (int wave = 0; wave < waves_; ++wave) {
                const read_entry& r = reads[wave];
                const bool clash = wave == me.wave ? r.time == me.time && r.lane != me.lane : r.time > clock.at(wave);
                if (clash)
                    return {shadow_clash::write_after_read,
                            g << shift_,
                            {r.time, static_cast<std::uint8_t>(wave), static_cast<std::uint8_t>(r.lane)},
                            r.lane == many_lanes};
            }
            w = {me, state};
        }
        return {};
    }

    void refine(int bytes)
    {
        while (1 << shift_ > bytes) {
            --shift_;
            split(writes_, 1);
            split(reads_, static_cast<std::size_t>(waves_));
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
    int waves_ = 1;
    long bytes_ = 0;
    std::vector<write_entry> writes_;
    std::vector<read_entry> reads_;
};

} // namespace tegula::emulator::detail
