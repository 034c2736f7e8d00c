#pragma once

#include <tegula/tensor/choose.hpp>
#include <tegula/tensor/static_conversion.hpp>

namespace tegula::detail {

/// Runs the lane_gather of a static_conversion: digits that do not refine each other are computed lane by lane.
template <class Conversion>
struct gather_runner
{
    using target = typename Conversion::target;
    static constexpr conversion_digits sides = Conversion::plan.sides;
    static constexpr int num_x = Conversion::source::num_x;

    static consteval std::uint64_t needed(int n) { return registers_needed(sides, target::wave_size, n); }
    static consteval bool stays() { return Conversion::plan.gather.stays; }
    static consteval int source_digits() { return sides.source.digits.size(); }
    static consteval int destination_digits() { return sides.destination.digits.size(); }
    static consteval int source_copies() { return sides.source.copies.size(); }
    static consteval held_digit source_digit(int i) { return sides.source.digits[i]; }
    static consteval held_digit destination_digit(int i) { return sides.destination.digits[i]; }
    static consteval copy_digit source_copy(int i) { return sides.source.copies[i]; }

    /// What the lane, or register N, adds to the index of its elements.
    static TEGULA_INLINE array<std::uint32_t, num_x> index_of(std::uint32_t lane)
    {
        array<std::uint32_t, num_x> x{};
        constexpr int digits = destination_digits();
        static_for<digits>([&](auto i) {
            constexpr held_digit d = destination_digit(i);
            if constexpr (d.in_thread && d.stride < target::wave_size)
                x[d.x_dim] += digit_of<d.stride, d.length>(lane) * static_cast<std::uint32_t>(d.x_stride);
        });
        return x;
    }
    static consteval multi_index<num_x> step(int n)
    {
        multi_index<num_x> x{};
        for (const held_digit& d : sides.destination.digits)
            if (!d.in_thread)
                x[d.x_dim] += d.value_of(n) * d.x_stride;
        return x;
    }

    struct place
    {
        std::uint32_t lane;
        std::uint32_t number;
    };
    static TEGULA_INLINE place find(const array<std::uint32_t, num_x>& x, std::uint32_t lane)
    {
        place p{0, 0};
        constexpr int digits = source_digits();
        static_for<digits>([&](auto i) {
            constexpr held_digit d = source_digit(i);
            constexpr auto stride = static_cast<std::uint32_t>(d.stride);
            const std::uint32_t value = digit_of<d.x_stride, d.length>(x[d.x_dim]);
            if constexpr (!d.in_thread)
                p.number += value * stride;
            else if constexpr (d.stride < target::wave_size)
                p.lane += value * stride;
        });
        constexpr int copies = source_copies();
        static_for<copies>([&](auto i) {
            constexpr copy_digit c = source_copy(i);
            if constexpr (c.stride < target::wave_size)
                p.lane += digit_of<c.stride, c.length>(lane) * static_cast<std::uint32_t>(c.stride);
        });
        return p;
    }

    template <class Result, class Tensor>
    static TEGULA_INLINE void run(Result& result, const Tensor& tensor)
    {
        const auto lane = static_cast<std::uint32_t>(target::lane_id());
        const array<std::uint32_t, num_x> origin = index_of(lane);
        static_for<Conversion::destinations>([&](auto n) {
            constexpr multi_index<num_x> away = step(n);
            array<std::uint32_t, num_x> x = origin;
            static_for<num_x>([&](auto i) {
                constexpr index_t more = away[i];
                x[i] += static_cast<std::uint32_t>(more);
            });
            const place from = find(x, lane);
            constexpr int to = Conversion::destination_register(n);
            static_for<Conversion::sources>([&](auto q) {
                if constexpr ((needed(n) >> q & 1) != 0) {
                    constexpr int r = Conversion::source_register(q);
                    auto value = tensor[r];
                    if constexpr (!stays())
                        value = target::shuffle(value, static_cast<int>(from.lane));
                    constexpr bool first = (needed(n) & ((std::uint64_t{1} << q) - 1)) == 0;
                    if constexpr (first)
                        result[to] = value;
                    else
                        result[to] = choose(from.number == static_cast<std::uint32_t>(q.value), value, result[to]);
                }
            });
        });
    }
};

} // namespace tegula::detail
