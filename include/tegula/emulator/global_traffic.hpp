#pragma once

#include <tegula/chip/tensor_map.hpp>
#include <tegula/core/bfloat16.hpp>
#include <tegula/core/half.hpp>
#include <tegula/emulator/memory_ranges.hpp>
#include <tegula/emulator/report.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

namespace tegula::emulator::detail {

enum class traffic_kind : std::uint8_t { read, write, atomic };

/// Bytes of one group of ranges that one block touched.
struct traffic_span
{
    std::size_t begin = 0;
    std::size_t end = 0;
    int group = 0;
    traffic_kind kind{};
    std::uint8_t width = 0; ///< bytes of a lane's atomic operation; else 0
    std::uint32_t block = 0;
    std::uint32_t cluster = 0;
    std::uint32_t order = 0; ///< one number for clusters whose order is checked elsewhere; one of its own for any other

    /// Spans of one class do not conflict with each other, except writes.
    static constexpr int classes = 8;
    int traffic_class() const
    {
        return static_cast<int>(kind) +
               (kind == traffic_kind::atomic && width != 0 ? std::countr_zero(width) + 1U : 0U);
    }
    static bool conflict(int a, int b)
    {
        constexpr int writes = static_cast<int>(traffic_kind::write);
        constexpr int engine_adds = static_cast<int>(traffic_kind::atomic); // of any width
        return a == b ? a == writes : std::min(a, b) != engine_adds;
    }

    bool before(const traffic_span& other) const
    {
        return group != other.group ? group < other.group : begin < other.begin;
    }
};

/// An addition that waits for the end of the launch.
struct deferred_add
{
    void* to = nullptr;
    tensor_element type{};
    std::uint32_t previous = 0; ///< 1 + the previous addition to the same chunk of memory; see global_checker
    unsigned char value[8]{};

    void apply() const
    {
        if (to == nullptr) // it was applied before
            return;
        switch (type) {
        case tensor_element::f32:
            return add_as<float>();
        case tensor_element::f64:
            return add_as<double>();
        case tensor_element::f16:
            return add_small<half>();
        case tensor_element::bf16:
            return add_small<bfloat16>();
        case tensor_element::u64:
        case tensor_element::i64:
            return add_as<std::uint64_t>();
        default:
            return add_as<std::uint32_t>();
        }
    }

private:
    template <class T>
    void add_as() const
    {
        T sum, addend;
        std::memcpy(&sum, to, sizeof(T));
        std::memcpy(&addend, value, sizeof(T));
        sum += addend;
        std::memcpy(to, &sum, sizeof(T));
    }
    template <class T>
    void add_small() const
    {
        T sum, addend;
        std::memcpy(&sum, to, sizeof(T));
        std::memcpy(&addend, value, sizeof(T));
        sum = T(static_cast<float>(sum) + static_cast<float>(addend));
        std::memcpy(to, &sum, sizeof(T));
    }
};

inline deferred_add make_deferred_add(tensor_element type, void* to, const void* value)
{
    deferred_add addition{to, type, 0, {}};
    std::memcpy(addition.value, value, static_cast<std::size_t>(bytes_of(type)));
    return addition;
}

/// Whether the copy engine adds elements of the type (PTX ISA, cp.reduce.async.bulk.tensor).
inline bool can_be_added(tensor_element type)
{
    return type == tensor_element::u32 || type == tensor_element::i32 || type == tensor_element::u64 ||
           type == tensor_element::f16 || type == tensor_element::bf16 || type == tensor_element::f32;
}

/// The accesses of one block to global memory, to be compared with those of other blocks of the launch.
struct block_traffic
{
    std::vector<traffic_span> spans;
    std::size_t compact_at = 4096;

    void clear()
    {
        spans.clear();
        compact_at = 4096;
    }

    void touch(traffic_kind kind, int group, std::size_t begin, std::size_t bytes, std::uint8_t width = 0)
    {
        if (!spans.empty()) {
            traffic_span& last = spans.back();
            if (last.kind == kind && last.width == width && last.group == group && last.end == begin) {
                last.end += bytes;
                return;
            }
        }
        spans.push_back({begin, begin + bytes, group, kind, width, 0, 0, 0});
        if (spans.size() >= compact_at) {
            compact();
            compact_at = std::max<std::size_t>(4096, 2 * spans.size());
        }
    }

    /// Joins spans of one kind that touch or overlap.
    void compact()
    {
        std::sort(spans.begin(), spans.end(), [](const traffic_span& a, const traffic_span& b) {
            const int left = a.traffic_class(), right = b.traffic_class();
            return left != right ? left < right : a.before(b);
        });
        std::size_t kept = 0;
        for (const traffic_span& s : spans) {
            traffic_span* last = kept > 0 ? &spans[kept - 1] : nullptr;
            if (last != nullptr && last->traffic_class() == s.traffic_class() && last->group == s.group &&
                s.begin <= last->end)
                last->end = std::max(last->end, s.end);
            else
                spans[kept++] = s;
        }
        spans.resize(kept);
    }
};

/// Two blocks at the same bytes, at least one of them writing; block < 0 when there is none.
struct traffic_conflict
{
    traffic_span first{};
    traffic_span second{};
    bool found = false;
};

/// Searches the spans of all blocks for a conflict; of several, the one of the lowest blocks. Blocks of one group have
/// none: their order is checked while they run.
inline traffic_conflict find_conflict(std::vector<traffic_span>& spans)
{
    std::sort(spans.begin(), spans.end(), [](const traffic_span& a, const traffic_span& b) {
        return a.before(b) ||
               (!b.before(a) && (a.block != b.block ? a.block < b.block : a.traffic_class() < b.traffic_class()));
    });
    // By class, the two spans reaching furthest among those so far, of different blocks.
    traffic_span furthest[traffic_span::classes][2];
    bool known[traffic_span::classes][2]{};
    int group = -1;
    traffic_conflict result;
    for (const traffic_span& s : spans) {
        if (s.group != group) {
            group = s.group;
            for (auto& of_class : known)
                of_class[0] = of_class[1] = false;
        }
        for (int other_class = 0; other_class < traffic_span::classes; ++other_class) {
            if (!traffic_span::conflict(s.traffic_class(), other_class))
                continue;
            for (int i = 0; i < 2; ++i) {
                const traffic_span& other = furthest[other_class][i];
                if (!known[other_class][i] || other.order == s.order || other.end <= s.begin)
                    continue;
                const long low = std::min(s.block, other.block);
                const long high = std::max(s.block, other.block);
                const long best_high = std::max(result.first.block, result.second.block);
                const long best_low = std::min(result.first.block, result.second.block);
                if (!result.found || high < best_high || (high == best_high && low < best_low))
                    result =
                        s.block < other.block ? traffic_conflict{s, other, true} : traffic_conflict{other, s, true};
            }
        }
        traffic_span* reach = furthest[s.traffic_class()];
        bool* has = known[s.traffic_class()];
        if (has[0] && reach[0].order == s.order) {
            if (s.end > reach[0].end)
                reach[0] = s;
        } else if (!has[0] || s.end > reach[0].end) {
            reach[1] = reach[0];
            has[1] = has[0];
            reach[0] = s;
            has[0] = true;
        } else if (!has[1] || s.end > reach[1].end) {
            reach[1] = s;
            has[1] = true;
        }
    }
    return result;
}

} // namespace tegula::emulator::detail
