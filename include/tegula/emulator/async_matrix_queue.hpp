#pragma once

#include <tegula/emulator/async_matrix.hpp>
#include <tegula/emulator/report.hpp>
#include <tegula/emulator/vector_clock.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tegula::emulator::detail {

/// The wgmma of one wave in flight: accumulators whose values are held back, and the shared memory that is read.
class async_matrix_queue : private fault_holder
{
public:
    void fence()
    {
        fenced_ = true;
        inputs_.clear();
        used_.clear();
        std::swap(fenced_registers_, noted_registers_);
        noted_registers_.clear();
    }
    /// Records the lane's registers as they are at the fence.
    void note_fenced(int lane, const void* registers, int bytes)
    {
        const auto* from = static_cast<const std::byte*>(registers);
        noted_registers_.push_back({lane, from, {from, from + bytes}});
    }
    void commit() { ++group_; }

    /// Checks the registers and fills in what the accumulators hold; null when all is well.
    const fault* begin(async_matrix& operation)
    {
        if (accumulator* a = find(operation)) {
            if (a->registers[0] != operation.accumulators[0] || a->bytes != operation.accumulator_bytes)
                return blame(std::string(operation.name) + " takes a part of accumulators that are in flight",
                             "wait for the product before an instruction of another shape uses its registers");
            if (const fault* f = check_untouched(*a))
                return f;
            for (int lane = 0; lane < async_matrix::lanes; ++lane)
                operation.current[lane] = a->values.data() + lane * a->bytes;
        } else if (!fenced_ || was_used(operation)) {
            return blame_unfenced(operation);
        } else if (const fault* f = check_fenced(operation)) {
            return f;
        }
        return check_inputs(operation);
    }

    /// Holds the results back and poisons the registers.
    void end(const async_matrix& operation, const std::byte* results)
    {
        accumulator* a = find(operation);
        if (a == nullptr) {
            a = &accumulators_.emplace_back();
            used_.push_back({static_cast<const std::byte*>(operation.accumulators[0]), operation.accumulator_bytes});
        }
        a->bytes = operation.accumulator_bytes;
        a->poison = operation.integers ? current_lane->poison->in_flight_integer : current_lane->poison->in_flight;
        a->newest_group = group_;
        a->values.assign(results, results + async_matrix::lanes * operation.accumulator_bytes);
        for (int lane = 0; lane < async_matrix::lanes; ++lane) {
            a->registers[lane] = operation.accumulators[lane];
            for (int i = 0; i < a->bytes; i += 4)
                std::memcpy(static_cast<std::byte*>(a->registers[lane]) + i, &a->poison, 4);
        }
        if (operation.input_bytes != 0) {
            input& mine = inputs_in_flight_.emplace_back(inputs_.back());
            mine.group = group_;
        }
        reads_.push_back({group_, {operation.chunks, operation.chunks + operation.chunk_count}});
        fingerprints_.push_back(operation.fingerprint);
    }

    int committed() const { return group_; }

    /// Gives back the shared memory that the first `done` groups have read, by `release(chunks)`.
    template <class Release>
    void release_reads(int done, const Release& release)
    {
        for (const read& r : reads_)
            if (r.group < done)
                release(r.chunks);
        std::erase_if(reads_, [done](const read& r) { return r.group < done; });
    }

    /// Completes all but the newest `groups` groups. Null when all is well.
    const fault* wait(int groups)
    {
        const int done = group_ - groups;
        for (accumulator& a : accumulators_)
            if (a.newest_group < done) {
                if (const fault* f = check_untouched(a))
                    return f;
                for (int lane = 0; lane < async_matrix::lanes; ++lane)
                    std::memcpy(a.registers[lane], a.values.data() + lane * a.bytes, static_cast<std::size_t>(a.bytes));
                // A fence without registers did not cover accumulators that were in flight then.
                fenced_ = fenced_ && !fenced_registers_.empty();
            }
        for (const input& in : inputs_in_flight_)
            if (const int lane = in.group < done ? in.changed_lane() : -1; lane >= 0)
                return blame("the registers of a wgmma's operand A were written while it was in flight, in lane " +
                                 std::to_string(lane),
                             "keep them as they are until its group was waited for");
        std::erase_if(inputs_in_flight_, [done](const input& in) { return in.group < done; });
        std::erase_if(accumulators_, [done](const accumulator& a) { return a.newest_group < done; });
        return nullptr;
    }

    /// Called when the wave has returned from the kernel.
    const fault* finish()
    {
        return accumulators_.empty() ? nullptr
                                     : blame("the wave returned from the kernel with a wgmma in flight",
                                             "commit it and wait for its group");
    }

    /// Whether the warps of a warpgroup have issued the same instructions so far as both have come.
    bool agrees_with(const async_matrix_queue& other) const
    {
        const std::size_t both = std::min(fingerprints_.size(), other.fingerprints_.size());
        return both == 0 || fingerprints_[both - 1] == other.fingerprints_[both - 1];
    }
    std::size_t issued() const { return fingerprints_.size(); }

private:
    struct accumulator
    {
        void* registers[async_matrix::lanes]{};
        int bytes = 0;
        std::uint32_t poison = 0; // what its registers hold
        int newest_group = 0;
        std::vector<std::byte> values;
    };
    struct read
    {
        int group;
        std::vector<std::uint32_t> chunks;
    };
    /// A in registers, as an instruction saw it: lane after lane.
    struct input
    {
        const void* registers[async_matrix::lanes];
        std::vector<std::byte> bytes;
        int group = 0;

        /// The first lane that changed, or -1. Without sanitizers: the kernel may have left the scope of the registers,
        /// but the instruction still reads them.
        [[gnu::no_sanitize_address]] int changed_lane() const
        {
            const std::size_t size = bytes.size() / async_matrix::lanes;
            for (int lane = 0; lane < async_matrix::lanes; ++lane)
                for (std::size_t i = 0; i < size; ++i)
                    if (static_cast<const std::byte*>(registers[lane])[i] !=
                        bytes.data()[static_cast<std::size_t>(lane) * size + i])
                        return lane;
            return -1;
        }
    };
    /// Lane 0's accumulators of a product.
    struct used
    {
        const std::byte* registers;
        int bytes;
    };
    /// Registers that a fence covers, with their contents at the fence.
    struct fenced
    {
        int lane;
        const std::byte* registers;
        std::vector<std::byte> bytes;
    };

    /// The accumulators in flight that share registers with those of the instruction.
    accumulator* find(const async_matrix& operation)
    {
        const auto* first = static_cast<const std::byte*>(operation.accumulators[0]);
        for (accumulator& a : accumulators_) {
            const auto* begin = static_cast<const std::byte*>(a.registers[0]);
            if (first < begin + a.bytes && begin < first + operation.accumulator_bytes)
                return &a;
        }
        return nullptr;
    }

    const fault* check_untouched(const accumulator& a)
    {
        for (int lane = 0; lane < async_matrix::lanes; ++lane)
            for (int i = 0; i < a.bytes; i += 4)
                if (std::memcmp(static_cast<const std::byte*>(a.registers[lane]) + i, &a.poison, 4) != 0)
                    return blame("the accumulators of a wgmma were written while it was in flight, in lane " +
                                     std::to_string(lane) + " at byte " + std::to_string(i),
                                 "wait for its group before touching them");
        return nullptr;
    }

    /// Whether a product since the last fence has had some of these registers.
    bool was_used(const async_matrix& operation) const
    {
        const auto* first = static_cast<const std::byte*>(operation.accumulators[0]);
        return std::any_of(used_.begin(), used_.end(), [&](const used& u) {
            return first < u.registers + u.bytes && u.registers < first + operation.accumulator_bytes;
        });
    }
    /// Checks that the fence covers these accumulators, if it names any, and that they have not changed since.
    const fault* check_fenced(const async_matrix& operation)
    {
        std::uint32_t lanes = 0;
        for (const fenced& f : fenced_registers_) {
            const auto* first = static_cast<const std::byte*>(operation.accumulators[f.lane]);
            const std::ptrdiff_t at = first - f.registers;
            if (at < 0 || at + operation.accumulator_bytes > static_cast<std::ptrdiff_t>(f.bytes.size()))
                continue;
            lanes |= 1U << f.lane;
            if (std::memcmp(first, f.bytes.data() + at, static_cast<std::size_t>(operation.accumulator_bytes)) != 0)
                return blame("the accumulators of " + std::string(operation.name) +
                                 " were written between the wgmma fence and it, in lane " + std::to_string(f.lane),
                             "call the fence after the last access to the registers");
        }
        return fenced_registers_.empty() || lanes == ~0U ? nullptr : blame_unfenced(operation);
    }
    const fault* blame_unfenced(const async_matrix& operation)
    {
        return blame(std::string(operation.name) + " without a wgmma fence since its accumulators were in reach",
                     "call the fence, with these accumulators, after the last access to them and before the product");
    }

    const fault* check_inputs(const async_matrix& operation)
    {
        if (operation.input_bytes == 0)
            return nullptr;
        const auto size = static_cast<std::size_t>(operation.input_bytes);
        for (const input& seen : inputs_)
            if (seen.registers[0] == operation.inputs[0] && seen.bytes.size() == async_matrix::lanes * size &&
                seen.changed_lane() >= 0)
                return blame(std::string(operation.name) + ": its operand A was written since the last wgmma fence",
                             "call the fence between writing the registers of A and the product");
        input& mine = inputs_.emplace_back();
        for (int lane = 0; lane < async_matrix::lanes; ++lane) {
            const auto* bytes = static_cast<const std::byte*>(operation.inputs[lane]);
            mine.registers[lane] = bytes;
            mine.bytes.insert(mine.bytes.end(), bytes, bytes + size);
        }
        return nullptr;
    }

    bool fenced_ = false;
    std::vector<used> used_; // since the last fence
    int group_ = 0;          // the open group
    std::vector<accumulator> accumulators_;
    std::vector<read> reads_;
    std::vector<input> inputs_; // since the last fence
    std::vector<input> inputs_in_flight_;
    std::vector<fenced> noted_registers_; // for the next fence
    std::vector<fenced> fenced_registers_;
    std::vector<std::uint64_t> fingerprints_;
};

/// The queues of a block's waves; the four waves of a warpgroup issue the same instructions in the same order, and none
/// has a result before all four have issued it.
class warpgroup_queues
{
public:
    void begin_block(std::size_t waves)
    {
        queues_.assign(waves, {});
        waiting_.assign(waves, nullptr);
        ended_.assign(waves, {});
        finished_.assign(waves, false);
    }

    async_matrix_queue& of(const wave_state& wave) { return queues_[static_cast<std::size_t>(wave.index)]; }

    /// The wave closes a group; waves of its warpgroup that wait for this check again.
    void commit(const wave_state& wave)
    {
        of(wave).commit();
        for_warpgroup(wave, [this](std::size_t w) {
            if (lane_state* lane = std::exchange(waiting_[w], nullptr)) {
                lane->wave->ready |= lane->bit();
                lane->wave->waits_at = nullptr;
            }
        });
    }
    /// Whether the wave has to wait until its warpgroup has committed `done` groups; if so, it is no longer ready.
    bool waits_for_warpgroup(lane_state& last, int done)
    {
        bool all = true;
        for_warpgroup(*last.wave, [&](std::size_t w) { all = all && queues_[w].committed() >= done; });
        if (all)
            return false;
        waiting_[static_cast<std::size_t>(last.wave->index)] = &last;
        last.wave->ready = 0;
        last.wave->waits_at = "wgmma.wait_group";
        last.wave->waits_id = 0;
        return true;
    }
    /// Null when none of the warpgroup has returned from the kernel with fewer than `done` groups.
    const fault* check_present(const wave_state& wave, int done)
    {
        const fault* found = nullptr;
        for_warpgroup(wave, [&](std::size_t w) {
            if (finished_[w] && queues_[w].committed() < done)
                found = blame(both(w, wave) + different_numbers);
        });
        return found;
    }
    /// Ends the reads of the first `done` groups of the whole warpgroup, at the time `now` of the wave. The wave then
    /// also knows of the reads that its neighbours ended.
    template <class Release>
    void release_reads(const wave_state& wave, int done, access_stamp now, vector_clock& known, const Release& release)
    {
        ended_[static_cast<std::size_t>(wave.index)] = now;
        for_warpgroup(wave, [&](std::size_t w) {
            queues_[w].release_reads(done, release);
            known.join_lanes(ended_[w].wave, std::uint64_t{1} << ended_[w].lane, ended_[w].time);
        });
    }

    /// After an instruction of `wave`; null when its warpgroup agrees.
    const fault* check_warpgroup(const wave_state& wave)
    {
        const std::size_t first = first_of(wave);
        if (first + 4 > queues_.size())
            return blame("a wgmma is issued by a warpgroup of fewer than four warps");
        for (std::size_t w = first; w < first + 4; ++w)
            if (!of(wave).agrees_with(queues_[w]))
                return blame(both(w, wave) + " of one warpgroup issue different matrix instructions");
        return nullptr;
    }

    /// Called when `wave`, one of `waves`, has returned from the kernel.
    const fault* finish(const wave_state& wave, const wave_state* waves)
    {
        finished_[static_cast<std::size_t>(wave.index)] = true;
        if (const fault* f = of(wave).finish())
            return f;
        for (std::size_t w = first_of(wave); w < queues_.size() && w < first_of(wave) + 4; ++w) {
            const bool over = waves[w].finished == waves[w].all;
            if (over ? queues_[w].issued() != of(wave).issued() : queues_[w].issued() > of(wave).issued())
                return blame(both(w, wave) + different_numbers);
        }
        return nullptr;
    }

private:
    static constexpr const char* different_numbers = " of one warpgroup issue different numbers of matrix instructions";

    static std::size_t first_of(const wave_state& wave) { return static_cast<std::size_t>(wave.index) / 4 * 4; }
    template <class Look>
    void for_warpgroup(const wave_state& wave, const Look& look)
    {
        for (std::size_t w = first_of(wave); w < queues_.size() && w < first_of(wave) + 4; ++w)
            look(w);
    }
    static std::string both(std::size_t one, const wave_state& other)
    {
        return "waves " + std::to_string(one) + " and " + std::to_string(other.index);
    }
    const fault* blame(std::string what)
    {
        fault_ = {std::move(what), "let all four warps, the first a multiple of 4, reach the same products in the same "
                                   "order"};
        return &fault_;
    }

    std::vector<async_matrix_queue> queues_;
    std::vector<lane_state*> waiting_; // by wave: the lane that goes on when the warpgroup has committed more
    std::vector<access_stamp> ended_;  // by wave: when it last ended reads
    std::vector<bool> finished_;
    fault fault_;
};

} // namespace tegula::emulator::detail
