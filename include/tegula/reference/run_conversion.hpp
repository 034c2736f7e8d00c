#pragma once

#include <tegula/conversion/conversion_plan.hpp>

#include <vector>

namespace tegula {

/// The elements of a tile that every thread holds: [thread][register]. -1 is an unset register.
using held_elements = std::vector<std::vector<long_index_t>>;

/// The number (row-major over the tile) of the element in every register of one side.
inline held_elements elements_of(const held_tile& tile, const std::vector<long_index_t>& x_lengths)
{
    held_elements held(static_cast<std::size_t>(tile.threads),
                       std::vector<long_index_t>(static_cast<std::size_t>(tile.registers)));
    std::vector<long_index_t> x_scale(x_lengths.size(), 1);
    for (std::size_t i = x_lengths.size(); i-- > 1;)
        x_scale[i - 1] = x_scale[i] * x_lengths[i];
    for (index_t t = 0; t < tile.threads; ++t)
        for (index_t n = 0; n < tile.registers; ++n) {
            long_index_t element = 0;
            for (const held_digit& d : tile.digits)
                element += static_cast<long_index_t>(d.value_of(d.in_thread ? t : n)) * d.x_stride *
                           x_scale[static_cast<std::size_t>(d.x_dim)];
            held[static_cast<std::size_t>(t)][static_cast<std::size_t>(n)] = element;
        }
    return held;
}

namespace detail {

/// Copies the registers whose digit is `digit` to those whose digit is 0; it has `length` values, `stride` apart.
inline void pick_digit(index_t digit, std::vector<long_index_t>& registers, index_t stride, index_t length)
{
    const auto n = static_cast<index_t>(registers.size());
    for (index_t i = 0; i < n; ++i)
        if (i / stride % length == 0)
            registers[static_cast<std::size_t>(i)] = registers[static_cast<std::size_t>(i + digit * stride)];
}

inline void exchange_if(bool condition, std::vector<long_index_t>& registers, index_t bit)
{
    const auto n = static_cast<index_t>(registers.size());
    for (index_t i = 0; condition && i < n; ++i)
        if ((i / bit & 1) == 0)
            std::swap(registers[static_cast<std::size_t>(i)], registers[static_cast<std::size_t>(i + bit)]);
}

inline held_elements run_exchange(const conversion_plan& plan, held_elements from)
{
    const lane_exchange& e = plan.exchange;
    held_elements to(from.size(),
                     std::vector<long_index_t>(static_cast<std::size_t>(plan.sides.destination.registers), -1));
    for (std::size_t t = 0; t < from.size(); ++t) {
        const auto thread = static_cast<index_t>(t);
        for (const auto& p : e.picks)
            pick_digit(thread / p.thread % p.length, from[t], p.source_register, p.length);
        for (const auto& s : e.swaps)
            exchange_if((thread / s.source_lane & 1) != 0, from[t], s.source_register);
    }
    for (std::size_t t = 0; t < to.size(); ++t) {
        const auto thread = static_cast<index_t>(t);
        const index_t lane = thread % plan.wave_size;
        for (index_t n = 0; n < plan.sides.destination.registers; ++n) {
            const index_t other = e.is_shuffled(n) ? e.source_lane(thread) ^ e.lane_mask(n) : lane;
            index_t half = 0;
            for (int i = 0; i < e.choices.size(); ++i)
                half |= (lane / e.choices[i].destination_lane & 1) << i;
            to[t][static_cast<std::size_t>(n)] =
                from[t + static_cast<std::size_t>(other) - static_cast<std::size_t>(lane)]
                    [static_cast<std::size_t>(e.source_register(n) + e.choice_offset(half))];
        }
        for (const auto& s : e.swaps)
            exchange_if((lane / s.destination_lane & 1) != 0, to[t], s.destination_register);
    }
    return to;
}

inline held_elements run_gather(const conversion_plan& plan, const held_elements& from)
{
    held_elements to(from.size(),
                     std::vector<long_index_t>(static_cast<std::size_t>(plan.sides.destination.registers), -1));
    for (std::size_t t = 0; t < to.size(); ++t) {
        const auto thread = static_cast<index_t>(t);
        const index_t lane = thread % plan.wave_size;
        for (index_t n = 0; n < plan.sides.destination.registers; ++n) {
            const lane_register there = find_in_wave(plan.sides, plan.gather, plan.wave_size, thread, n);
            to[t][static_cast<std::size_t>(n)] =
                from[t + static_cast<std::size_t>(there.lane) - static_cast<std::size_t>(lane)]
                    [static_cast<std::size_t>(there.number)];
        }
    }
    return to;
}

/// One element of a side: its thread and register, and its place in memory.
struct passing_element
{
    std::size_t thread;
    std::size_t number;
    std::size_t at;
};

/// The elements of one side, by the chunk that each passes in; places count from the start of the chunk.
inline std::vector<std::vector<passing_element>> elements_by_chunk(const shared_staging& p, const held_tile& held,
                                                                   const staging_side& side)
{
    std::vector<std::vector<passing_element>> chunks(static_cast<std::size_t>(p.chunks()));
    const held_tile tile = addressing_tile(held, side);
    for (index_t t = 0; t < tile.threads; ++t)
        for (index_t n = 0; n < tile.registers; ++n) {
            if (!starts_vector(p, tile, side, n))
                continue;
            const index_t offset = p.combine(thread_offset(p, tile, side, t), register_offset(p, tile, side, n));
            const index_t at = offset % p.chunk;
            auto& chunk = chunks.at(static_cast<std::size_t>(offset / p.chunk));
            const auto add = [&](index_t thread, index_t number, index_t behind) {
                chunk.push_back({static_cast<std::size_t>(thread), static_cast<std::size_t>(number),
                                 static_cast<std::size_t>(at + behind)});
            };
            for (index_t j = 0; side.matrices > 0 && t % 32 < 8 * side.matrices && j < 8; ++j) {
                const index_t row = t % 8;
                const index_t lane = side.transposed ? 4 * j + row / 2 : 4 * row + j / 2;
                const index_t half = side.transposed ? row % 2 : j % 2;
                add(t / 32 * 32 + lane, matrix_register(side, n, t % 32 / 8, half), j);
            }
            for (index_t j = 0; side.reads_columns && j < 4; ++j)
                add(t / 16 * 16 + t % 4 * 4 + j, n + t % 16 / 4, j);
            for (index_t j = 0; side.matrices == 0 && !side.reads_columns && j < side.vector; ++j)
                add(t, register_behind(tile, side, n, j), j);
        }
    return chunks;
}

inline held_elements run_staging(const conversion_plan& plan, const held_elements& from)
{
    const shared_staging& p = plan.staging;
    held_elements to(from.size(),
                     std::vector<long_index_t>(static_cast<std::size_t>(plan.sides.destination.registers), -1));
    const auto wave_of = [&](std::size_t thread) { return static_cast<index_t>(thread) / plan.wave_size; };
    const auto written = elements_by_chunk(p, plan.sides.source, p.store);
    const auto read = elements_by_chunk(p, plan.sides.destination, p.load);
    for (std::size_t c = 0; c < written.size(); ++c) {
        std::vector<long_index_t> memory(static_cast<std::size_t>(p.chunk), -1);
        std::vector<index_t> writer(static_cast<std::size_t>(p.chunk), -1);
        for (const passing_element& e : written[c])
            if (is_first_copy(plan.sides.source, static_cast<index_t>(e.thread))) {
                memory.at(e.at) = from[e.thread].at(e.number);
                writer.at(e.at) = wave_of(e.thread);
            }
        for (const passing_element& e : read[c]) {
            const bool visible = !p.within_waves || writer.at(e.at) == wave_of(e.thread);
            to[e.thread].at(e.number) = visible ? memory.at(e.at) : -1;
        }
    }
    return to;
}

} // namespace detail

/// Runs the plan on the threads' elements, step by step as on a GPU; returns their elements afterwards.
inline held_elements run_conversion(const conversion_plan& plan, const held_elements& source)
{
    if (plan.method == conversion_method::shared)
        return detail::run_staging(plan, source);
    if (plan.by_gather)
        return detail::run_gather(plan, source);
    return detail::run_exchange(plan, source);
}

/// The number of the destination's registers that hold a wrong element after the plan has run on the whole tile.
inline long_index_t count_wrong_elements(const conversion_plan& plan, const std::vector<long_index_t>& x_lengths)
{
    const held_elements expected = elements_of(plan.sides.destination, x_lengths);
    const held_elements found = run_conversion(plan, elements_of(plan.sides.source, x_lengths));
    long_index_t wrong = 0;
    for (std::size_t t = 0; t < expected.size(); ++t)
        for (std::size_t n = 0; n < expected[t].size(); ++n)
            wrong += found.at(t).at(n) != expected[t][n];
    return wrong;
}

} // namespace tegula
