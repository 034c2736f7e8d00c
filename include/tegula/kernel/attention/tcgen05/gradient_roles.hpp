#pragma once

#include <tegula/kernel/attention/tcgen05/gradient_part.hpp>
#include <tegula/kernel/attention/tcgen05/gradient_tile.hpp>

namespace tegula {

/// One lane: loads the kept rows, and tile after tile of those that go by; nothing if there are none.
///
///   Tile  a tcgen05_gradient_tile
///   Part  a tcgen05_gradient_part
template <class Tile, class Part>
TEGULA_INLINE void copy_gradient_rows(const tcgen05_gradient_maps& maps, typename Tile::control& shared,
                                      const Part& all)
{
    using enum arch::nvidia::l2_hint;
    if (all.steps == 0)
        return; // nobody would wait for the kept rows
    constexpr bool keeps_keys = Part::keeps_keys;
    std::byte* const memory = Tile::target::shared_memory();
    const tensor_map& kept_head = keeps_keys ? maps.k : maps.q;
    const tensor_map& kept_value = keeps_keys ? maps.v : maps.d_o;
    const tensor_map& passing_head = keeps_keys ? maps.q : maps.k;
    const tensor_map& passing_value = keeps_keys ? maps.d_o : maps.v;
    const array<int, 2> of_kept{keeps_keys ? all.kv_head : all.first_head, all.batch};
    arch::nvidia::mbarrier_arrive_expect(&shared.kept, Tile::first_stage_byte);
    tensor_operand<typename Tile::kept_head, 1>::template load<evict_first>(memory, kept_head, all.row, 0, of_kept,
                                                                            &shared.kept, 0, 0);
    tensor_operand<typename Tile::kept_value, 1>::template load<evict_first>(memory + Tile::kept_value_byte, kept_value,
                                                                             all.row, 0, of_kept, &shared.kept, 0, 0);
    stage_position<Tile::stages> stage;
    TEGULA_ROLLED
    for (index_t step = 0; step < all.steps; ++step, stage.advance()) {
        const attention_place at = all.place(step);
        const index_t row = keeps_keys ? at.query : at.key;
        const array<int, 2> of_passing{keeps_keys ? at.head : all.kv_head, all.batch};
        std::byte* const to = memory + Tile::first_stage_byte + stage.stage * Tile::stage_bytes;
        arch::nvidia::mbarrier* const full = shared.passing.claim(stage, Tile::stage_bytes);
        tensor_operand<typename Tile::passing_head, 1>::template load<normal>(to, passing_head, row, 0, of_passing,
                                                                              full, 0, 0);
        tensor_operand<typename Tile::passing_value, 1>::template load<normal>(
            to + Tile::passing_head::bytes, passing_value, row, 0, of_passing, full, 0, 0);
    }
}

/// One lane: the scores of a step, and then, while its warpgroup makes P and dS of them, the gradients that the step
/// before leaves. Places are hidden in each round, as in tcgen05_attention: on sm_103a ptxas would hold those of all
/// slices in registers across the loop, more than the warp has.
///
///   Tile        a tcgen05_gradient_tile
///   WithValues  whether dV is one of them
///   address     of the block's tensor memory
template <class Tile, bool WithValues>
TEGULA_INLINE void multiply_gradient_tiles(typename Tile::control& shared, index_t steps, std::uint32_t address)
{
    using namespace arch::nvidia;
    using target = typename Tile::target;
    using element = typename Tile::element;
    using head_chain = typename Tile::head_chain;
    using value_chain = typename Tile::value_chain;
    if (steps == 0)
        return;
    const std::byte* const memory = target::shared_memory();
    const auto element_at = [&](index_t byte) { return reinterpret_cast<const element*>(memory + byte); };
    constexpr index_t stage_units = Tile::stage_bytes / 16;
    const auto kept_head = Tile::kept_head::descriptor(element_at(0));
    const auto kept_value = Tile::kept_value::descriptor(element_at(Tile::kept_value_byte));
    const element* const first_head = element_at(Tile::first_stage_byte);
    const element* const first_value = element_at(Tile::first_stage_byte + Tile::passing_head::bytes);
    // The same memory, read along the columns and across them.
    const auto head_along = Tile::passing_head::descriptor(first_head);
    const auto value_along = Tile::passing_value::descriptor(first_value);
    const auto head_across = Tile::head_across::descriptor(first_head);
    const auto value_across = Tile::value_across::descriptor(first_value);

    mbarrier_wait(&shared.kept, 0);
    stage_position<Tile::stages> front, back;
    TEGULA_ROLLED
    for (index_t step = 0; step <= steps; ++step) {
        if (step < steps) {
            const int c = step % 2;
            const std::uint32_t scores = address + Tile::score_column(c);
            shared.passing.wait(front);
            if (step >= 2) { // P and dS of the tile before lie there
                mbarrier_wait(&shared.gradients[c], (step / 2 - 1) & 1);
                tensor_fence_after();
            }
            index_t kept = 0;
            target::make_opaque(kept);
            head_chain::multiply(scores, Tile::kept_head::moved(kept_head, kept),
                                 Tile::passing_head::moved(head_along, front.stage * stage_units));
            value_chain::multiply(scores + Tile::d_weight_offset, Tile::kept_value::moved(kept_value, kept),
                                  Tile::passing_value::moved(value_along, front.stage * stage_units));
            tensor_commit<1>(&shared.scores[c]);
            front.advance();
        }
        if (step > 0) {
            const index_t before = step - 1;
            const int c = before % 2;
            const std::uint32_t weights = address + Tile::score_column(c);
            mbarrier_wait(&shared.weights[c], before / 2 & 1);
            tensor_fence_after();
            if constexpr (WithValues) // dV += P^T dO
                value_chain::accumulate(address + Tile::value_column, weights,
                                        Tile::value_across::moved(value_across, back.stage * stage_units), before > 0);
            head_chain::accumulate(address + Tile::head_column, weights + Tile::d_weight_offset, // dS^T Q or dS K
                                   Tile::head_across::moved(head_across, back.stage * stage_units), before > 0);
            // Behind the last products nothing but `done` must be on its way: nobody would wait for it.
            if (step < steps)
                shared.passing.release(back);
            if (step + 1 < steps)
                tensor_commit<1>(&shared.gradients[c]);
            back.advance();
        }
    }
    tensor_commit<1>(&shared.done);
}

} // namespace tegula
