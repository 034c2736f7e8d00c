#pragma once

#include <tegula/block/tensor_core_ring.hpp>
#include <tegula/kernel/attention/tcgen05/gradient_tile.hpp>
#include <tegula/kernel/attention/tcgen05/passing_descriptors.hpp>

namespace tegula {

/// Run by one lane: computes the scores of a step and then, while a warpgroup makes P and dS of them, the gradients of
/// the step before. Offsets are opaque in each round, as in tcgen05_attention: on sm_103a ptxas would hold those of all
/// slices in registers across the loop, more than the warp has.
///
///   Tile        a tcgen05_gradient_tile
///   KeepsKeys   whether keys are kept, and dV is one of the gradients
///   address     address of the block's tensor memory
template <class Tile, bool KeepsKeys>
TEGULA_INLINE void multiply_gradient_tiles(typename Tile::control& shared, index_t steps, std::uint32_t address)
{
    using namespace arch::nvidia;
    using target = typename Tile::target;
    using element = typename Tile::element;
    using head_chain = typename Tile::head_chain;
    using value_chain = typename Tile::value_chain;
    using places = typename Tile::template places<KeepsKeys>;
    if (steps == 0)
        return;
    const std::byte* const memory = target::shared_memory();
    const auto element_at = [&](index_t byte) { return reinterpret_cast<const element*>(memory + byte); };
    constexpr index_t stage_units = Tile::stage_bytes / 16;
    const auto kept_head = Tile::kept_head::descriptor(element_at(0));
    const auto kept_value = Tile::kept_value::descriptor(element_at(Tile::kept_value_byte));
    const auto [head_along, value_along, head_across, value_across] =
        tegula::internal::passing_descriptors<Tile>::of(memory);
    [[maybe_unused]] std::uint64_t sum_keys = 0, sum_scores = 0;
    if constexpr (Tile::adds_dq) {
        sum_keys = Tile::dq_sums::keys::descriptor(element_at(0));
        sum_scores = Tile::dq_sums::scores::descriptor(element_at(Tile::scores_byte));
    }

    mbarrier_wait(&shared.kept, 0);
    if constexpr (places::stores_head || places::stores_value) {
        mbarrier_wait(&shared.stored, 0);
        tensor_fence_after();
    }
    stage_position<Tile::stages> front, back;
    TEGULA_ROLLED
    for (index_t step = 0; step <= steps; ++step) {
        if (step < steps) {
            const int c = step % 2;
            shared.passing.wait(front);
            index_t kept = 0, opaque = static_cast<index_t>(address);
            target::make_opaque(kept);
            target::make_opaque(opaque);
            const auto own = static_cast<std::uint32_t>(opaque);
            const auto multiply_heads = [&] {
                if (step >= 2) { // scores of the tile before still lie there, or P and dS, or dQ
                    mbarrier* const free = places::has_place_of_ds ? shared.read
                                           : Tile::adds_dq         ? shared.dq_read
                                                                   : shared.gradients;
                    mbarrier_wait(&free[c], (step / 2 - 1) & 1);
                    tensor_fence_after();
                }
                const auto head = Tile::passing_head::moved(head_along, front.stage * stage_units);
                if constexpr (places::stores_head)
                    head_chain::multiply_stored(own + places::scores(c), own + places::kept_head, head);
                else
                    head_chain::multiply(own + places::scores(c), Tile::kept_head::moved(kept_head, kept), head);
            };
            const auto multiply_values = [&] {
                if constexpr (places::shares_d_weights) { // dO V^T of the other's tile lies there
                    if (step > 0) {
                        mbarrier_wait(&shared.read[1 - c], (step - 1) / 2 & 1);
                        tensor_fence_after();
                    }
                }
                const auto value = Tile::passing_value::moved(value_along, front.stage * stage_units);
                if constexpr (places::stores_value)
                    value_chain::multiply_stored(own + places::d_weights(c), own + places::kept_value, value);
                else
                    value_chain::multiply(own + places::d_weights(c), Tile::kept_value::moved(kept_value, kept), value);
            };
            // Where P and dS lie in the place of Q K^T, it waits for their products: until then dO V^T is computed.
            if constexpr (places::has_place_of_ds) {
                multiply_heads();
                multiply_values();
            } else {
                multiply_values();
                multiply_heads();
            }
            tensor_commit<1>(&shared.scores[c]);
            front.advance();
        }
        if (step > 0) {
            const index_t before = step - 1;
            const int c = before % 2;
            const std::uint32_t weights = address + places::scores(c);
            mbarrier_wait(&shared.weights[c], before / 2 & 1);
            tensor_fence_after();
            if constexpr (KeepsKeys) // dV += P^T dO
                value_chain::template accumulate<Tile::chunk>(
                    address + places::value, weights, Tile::value_across::moved(value_across, back.stage * stage_units),
                    before > 0);
            head_chain::template accumulate<places::ds_chunk>( // dS^T Q or dS K
                address + places::head, address + places::ds(c),
                Tile::head_across::moved(head_across, back.stage * stage_units), before > 0);
            // No stage is released in the last step: then only commits that a role waits for are issued, `done` and that of
            // dQ. The products of releases before end before those of `done`.
            if (step + 1 < steps)
                shared.passing.release(back);
            if (!places::has_place_of_ds && (Tile::adds_dq || step + 1 < steps))
                tensor_commit<1>(&shared.gradients[c]);
            if constexpr (Tile::adds_dq) { // over P and dS
                mbarrier_wait(&shared.gradients[c], before / 2 & 1);
                tensor_fence_after();
                constexpr std::uint32_t units = Tile::dq_sums::scores::bytes / 16;
                Tile::dq_sums::multiply(weights, sum_keys, Tile::dq_sums::scores::moved(sum_scores, c * units));
                tensor_commit<1>(&shared.dq[c]);
            }
            back.advance();
        }
    }
    tensor_commit<1>(&shared.done);
}

} // namespace tegula
