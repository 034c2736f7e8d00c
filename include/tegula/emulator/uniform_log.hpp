#pragma once

#include <tegula/emulator/report.hpp>

#include <vector>

namespace tegula::emulator::detail {

/// Values that are the same in all lanes of a wave, as the program says: the k-th of each lane since the wave last met
/// are compared if they come from the same line. Values that only part of the lanes give are compared among these if
/// they come by equally often. Otherwise, and if one lane's value equals another's of another round, they may be in
/// different rounds of a loop.
class uniform_log
{
public:
    static constexpr char buffer[] = "the base or the length of a buffer";

    void clear() { used_ = 0; }

    /// `whole`: every lane of the wave must come by.
    void note(lane_state& me, std::int64_t value, const char* what, bool whole)
    {
        std::size_t i = static_cast<std::size_t>(me.uniforms);
        while (i < used_ && !(records_[i].where == me.where && records_[i].what == what))
            ++i;
        if (i == used_) {
            if (used_ == records_.size())
                records_.emplace_back();
            records_[used_++] = {me.where, what, value, value, 0, me.lane, me.lane, whole};
        }
        record& r = records_[i];
        r.lanes |= me.bit();
        if (value != r.first_value && r.odd == r.first) {
            r.odd = me.lane;
            r.odd_value = value;
        }
        me.uniforms = static_cast<int>(i + 1);
    }

    struct odd_one
    {
        int lane = -1; ///< none
        call_site where{};
        const char* what = "";
        std::int64_t value = 0;
        int other = 0;
        std::int64_t other_value = 0;
        std::uint64_t alone = 0; ///< lanes that came by without the others; 0: values differ
    };
    /// Compares the values when the wave has met.
    odd_one flush(lane_state* lanes, int count, std::uint64_t all)
    {
        odd_one found;
        for (std::size_t i = 0; i < used_; ++i) {
            const record& r = records_[i];
            if (found.lane < 0 && r.whole && r.lanes != all)
                found = {__builtin_ctzll(r.lanes), r.where, r.what, 0, 0, 0, r.lanes};
            if (found.lane < 0 && r.odd != r.first && in_one_round(i, all))
                found = {r.odd, r.where, r.what, r.odd_value, r.first, r.first_value, 0};
        }
        used_ = 0;
        for (int l = 0; l < count; ++l)
            lanes[l].uniforms = 0;
        return found;
    }

private:
    struct record
    {
        call_site where;
        const char* what;
        std::int64_t first_value, odd_value;
        std::uint64_t lanes;
        int first, odd;
        bool whole;
    };

    /// Whether the lanes of the record were in the same round.
    bool in_one_round(std::size_t i, std::uint64_t all) const
    {
        const record& r = records_[i];
        for (std::size_t j = 0; j < used_; ++j) {
            const record& other = records_[j];
            if (j == i || !(other.where == r.where) || other.what != r.what)
                continue;
            if (other.lanes != r.lanes ||
                (r.lanes != all && (other.first_value == r.odd_value || other.odd_value == r.first_value)))
                return false;
        }
        return true;
    }

    std::vector<record> records_;
    std::size_t used_ = 0;
};

} // namespace tegula::emulator::detail
