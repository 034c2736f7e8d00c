#pragma once

#include <tegula/block/stage_pipeline.hpp>
#include <tegula/block/tensor_operand.hpp>
#include <tegula/kernel/attention/backward/tensor_copy_part.hpp>

namespace tegula {

/// Run by one lane: loads the kept rows, and tile after tile of those that go by; nothing if there are none. If a tile
/// has room for numbers of queries, it also gets those of the queries that go by.
///
///   Tile  a tcgen05_gradient_tile or warp_specialized_gradient_tile
///   Part  a tensor_copy_gradient_part
///   args  a tensor_copy_gradient_arguments
template <class Tile, class Part, class Arguments>
TEGULA_INLINE void copy_gradient_rows(const Arguments& args, const tensor_copy_gradient_maps& maps,
                                      typename Tile::control& shared, const Part& all)
{
    using enum arch::nvidia::l2_hint;
    if (all.steps == 0)
        return; // no role would wait for the kept rows
    constexpr bool keeps_keys = Part::keeps_keys;
    constexpr bool with_numbers = keeps_keys && Tile::number_bytes > 0;
    std::byte* const memory = Tile::target::shared_memory();
    const tensor_map& kept_head = keeps_keys ? maps.k : maps.q;
    const tensor_map& kept_value = keeps_keys ? maps.v : maps.d_o;
    const tensor_map& passing_head = keeps_keys ? maps.q : maps.k;
    const tensor_map& passing_value = keeps_keys ? maps.d_o : maps.v;
    const array<int, 2> of_kept{keeps_keys ? all.kv_head : all.first_head, all.batch};
    arch::nvidia::mbarrier_arrive_expect(&shared.kept, Tile::first_stage_byte);
    using head = typename Tile::kept_head;
    using value = typename Tile::kept_value;
    TEGULA_ROLLED // this lane has few registers
        for (index_t part = 0; part < Tile::rows / head::mn; ++part)
    {
        const index_t row = all.row + part * head::mn;
        tensor_operand<head, 1>::template load<evict_first>(memory + part * head::bytes, kept_head, row, 0, of_kept,
                                                            &shared.kept, 0, 0);
        tensor_operand<value, 1>::template load<evict_first>(memory + Tile::kept_value_byte + part * value::bytes,
                                                             kept_value, row, 0, of_kept, &shared.kept, 0, 0);
    }
    stage_position<Tile::stages> stage;
    attention_place at = all.first_place();
    TEGULA_ROLLED
    for (index_t step = 0; step < all.steps; ++step, stage.advance(), all.advance(at)) {
        const index_t row = keeps_keys ? at.query : at.key;
        const array<int, 2> of_passing{keeps_keys ? at.head : all.kv_head, all.batch};
        std::byte* const to = memory + Tile::first_stage_byte + stage.stage * Tile::stage_bytes;
        constexpr index_t bytes = Tile::stage_bytes + [] {
            if constexpr (with_numbers)
                return 2 * Tile::number_bytes;
            else
                return 0;
        }();
        arch::nvidia::mbarrier* const full = shared.passing.claim(stage, bytes);
        tensor_operand<typename Tile::passing_head, 1>::template load<normal>(to, passing_head, row, 0, of_passing,
                                                                              full, 0, 0);
        tensor_operand<typename Tile::passing_value, 1>::template load<normal>(
            to + Tile::passing_head::bytes, passing_value, row, 0, of_passing, full, 0, 0);
        if constexpr (with_numbers) {
            const long_index_t from = args.workspace.offset(at.batch, args.problem.forward.heads, at.head) + at.query;
            std::byte* const numbers = memory + Tile::number_byte(stage.stage);
            arch::nvidia::bulk_load(numbers, args.workspace.normalizers + from, Tile::number_bytes, full);
            arch::nvidia::bulk_load(numbers + Tile::number_bytes, args.workspace.deltas + from, Tile::number_bytes,
                                    full);
        }
    }
}

} // namespace tegula
