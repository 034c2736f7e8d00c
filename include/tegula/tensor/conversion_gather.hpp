#pragma once

#include <tegula/tensor/choose.hpp>
#include <tegula/tensor/static_conversion.hpp>

namespace tegula::detail {

/// Runs the lane_gather of a static_conversion: every lane computes whose registers it reads.
template <class Conversion>
struct gather_runner
{
    using target = typename Conversion::target;
    static constexpr conversion_digits sides = Conversion::plan.sides;
    static constexpr lane_gather gather = Conversion::plan.gather;
    static constexpr int num_x = Conversion::source::num_x;

    struct needed_table
    {
        register_set of[Conversion::destinations];
    };
    static consteval needed_table find_needed()
    {
        needed_table table{};
        for (int n = 0; n < Conversion::destinations; ++n)
            table.of[n] = registers_needed(sides, n);
        return table;
    }
    static constexpr needed_table needed_registers = find_needed();
    static constexpr source_reads reads{sides};

    static consteval bool needs(int n, int source) { return needed_registers.of[n].contains(source); }
    static consteval bool is_first_needed(int n, int source)
    {
        for (int q = 0; q < source; ++q)
            if (needs(n, q))
                return false;
        return true;
    }
    static consteval int times_read(int source) { return reads.times[source]; }
    static consteval bool by_source() { return gather.by_source; }
    static consteval bool stays() { return gather.stays; }
    static consteval index_t inner() { return gather.inner; }
    static consteval int source_digits() { return sides.source.digits.size(); }
    static consteval int destination_digits() { return sides.destination.digits.size(); }
    static consteval int source_copies() { return sides.source.copies.size(); }
    static consteval held_digit source_digit(int i) { return sides.source.digits[i]; }
    static consteval held_digit destination_digit(int i) { return sides.destination.digits[i]; }
    static consteval copy_digit source_copy(int i) { return sides.source.copies[i]; }

    /// The contribution of the thread, or of register N, to the index of its elements.
    static TEGULA_INLINE array<std::uint32_t, num_x> index_of(std::uint32_t thread)
    {
        array<std::uint32_t, num_x> x{};
        constexpr int digits = destination_digits();
        static_for<digits>([&](auto i) {
            constexpr held_digit d = destination_digit(i);
            if constexpr (d.in_thread)
                x[d.x_dim] += digit_of<d.stride, d.length>(thread) * static_cast<std::uint32_t>(d.x_stride);
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
        constexpr auto together = static_cast<std::uint32_t>(inner());
        place p{lane / together * together, 0};
        constexpr int digits = source_digits();
        static_for<digits>([&](auto i) {
            constexpr held_digit d = source_digit(i);
            constexpr auto stride = static_cast<std::uint32_t>(d.stride);
            const std::uint32_t value = digit_of<d.x_stride, d.length>(x[d.x_dim]);
            if constexpr (!d.in_thread)
                p.number += value * stride;
            else if constexpr (d.stride * d.length <= inner())
                p.lane += value * stride;
        });
        constexpr int copies = source_copies();
        static_for<copies>([&](auto i) {
            constexpr copy_digit c = source_copy(i);
            if constexpr (c.stride * c.length <= inner())
                p.lane += digit_of<c.stride, c.length>(lane) * static_cast<std::uint32_t>(c.stride);
        });
        return p;
    }

    template <class Result, class Tensor>
    static TEGULA_INLINE void run(Result& result, const Tensor& tensor, call_site where)
    {
        const auto lane = static_cast<std::uint32_t>(target::lane_id());
        const array<std::uint32_t, num_x> origin = index_of(Conversion::thread());
        array<place, Conversion::destinations> from;
        static_for<Conversion::destinations>([&](auto n) {
            constexpr multi_index<num_x> away = step(n);
            array<std::uint32_t, num_x> x = origin;
            static_for<num_x>([&](auto i) {
                constexpr index_t more = away[i];
                x[i] += static_cast<std::uint32_t>(more);
            });
            from[n] = find(x, lane);
        });
        if constexpr (by_source())
            run_by_source(result, tensor, from, where);
        else
            run_by_destination(result, tensor, from, where);
    }

private:
    using places = array<place, Conversion::destinations>;

    template <class Result, class Tensor>
    static TEGULA_INLINE void run_by_destination(Result& result, const Tensor& tensor, const places& from,
                                                 [[maybe_unused]] call_site where)
    {
        static_for<Conversion::destinations>([&](auto n) {
            constexpr int to = Conversion::destination_register(n);
            static_for<Conversion::sources>([&](auto q) {
                if constexpr (needs(n, q)) {
                    constexpr int r = Conversion::source_register(q);
                    auto value = tensor[r];
                    if constexpr (!stays())
                        value = target::shuffle(value, static_cast<int>(from[n].lane), where);
                    if constexpr (is_first_needed(n, q))
                        result[to] = value;
                    else
                        result[to] = choose(from[n].number == static_cast<std::uint32_t>(q.value), value, result[to]);
                }
            });
        });
    }

    /// In round k of a source register every lane reads it for the k-th of its own registers that needs it.
    template <class Result, class Tensor>
    static TEGULA_INLINE void run_by_source(Result& result, const Tensor& tensor, const places& from,
                                            [[maybe_unused]] call_site where)
    {
        static_for<Conversion::sources>([&](auto q) {
            constexpr int r = Conversion::source_register(q);
            constexpr int turns = times_read(q);
            static_for<turns>([&](auto turn) {
                const auto for_each_reader = [&](auto&& f) { // f(n, whether the lane reads for register n)
                    int readers = 0;
                    static_for<Conversion::destinations>([&](auto n) {
                        if constexpr (needs(n, q)) {
                            const bool reads_it = from[n].number == static_cast<std::uint32_t>(q.value);
                            f(n, reads_it && readers == turn);
                            readers += reads_it ? 1 : 0;
                        }
                    });
                };
                std::uint32_t lane = 0;
                for_each_reader([&](auto n, bool mine) { lane = choose(mine, from[n].lane, lane); });
                const auto value = target::shuffle(tensor[r], static_cast<int>(lane), where);
                for_each_reader([&](auto n, bool mine) {
                    constexpr int to = Conversion::destination_register(n);
                    result[to] = choose(mine, value, result[to]);
                });
            });
        });
    }
};

} // namespace tegula::detail
