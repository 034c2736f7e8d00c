#pragma once

#include <tegula/kernel/attention/backward/score_gradients.hpp>
#include <tegula/kernel/attention/tcgen05/gradient_output.hpp>
#include <tegula/kernel/attention/tcgen05/passing_descriptors.hpp>
#include <tegula/kernel/attention/tcgen05/square_gradient_tile.hpp>

namespace tegula {

/// Run by one lane: dK and dQ of a tile, then dV and dO V^T of the next and the scores of the one after. So what waits for
/// a place in tensor memory has another product in front of it, but for dQ, which is written over the dS of dK.
///
///   Tile     a tcgen05_square_gradient_tile
///   address  address of the block's tensor memory
template <class Tile>
TEGULA_INLINE void multiply_square_gradient_tiles(typename Tile::control& shared, index_t steps, std::uint32_t address)
{
    using namespace arch::nvidia;
    using target = typename Tile::target;
    using element = typename Tile::element;
    using head_chain = typename Tile::head_chain;
    using value_chain = typename Tile::value_chain;
    using places = typename Tile::template places<true>;
    if (steps == 0)
        return;
    const std::byte* const memory = target::shared_memory();
    const auto element_at = [&](index_t byte) { return reinterpret_cast<const element*>(memory + byte); };
    constexpr index_t stage_units = Tile::stage_bytes / 16;
    const auto kept_head = Tile::kept_head::descriptor(element_at(0));
    const auto kept_value = Tile::kept_value::descriptor(element_at(Tile::kept_value_byte));
    const auto [head_along, value_along, head_across, value_across] =
        tegula::internal::passing_descriptors<Tile>::of(memory);
    const auto sum_keys = Tile::dq_sums::keys::descriptor(element_at(0));
    const auto sum_scores = Tile::dq_sums::scores::descriptor(element_at(Tile::scores_byte));

    const auto await = [](mbarrier* barrier, index_t step) {
        mbarrier_wait(barrier, step & 1);
        tensor_fence_after();
    };
    mbarrier_wait(&shared.kept, 0);
    // The tiles whose scores are next, whose dO V^T, and whose dK: the last is a step behind.
    stage_position<Tile::stages> front, middle, back;
    TEGULA_ROLLED
    for (index_t step = -1; step <= steps; ++step) {
        index_t kept = 0, opaque = static_cast<index_t>(address);
        target::make_opaque(kept);
        target::make_opaque(opaque);
        const auto own = static_cast<std::uint32_t>(opaque);
        if (step > 0) {
            await(&shared.ds, step - 1);
            head_chain::template accumulate<Tile::chunk>(
                own + places::head, own + places::d_weights,
                Tile::head_across::moved(head_across, back.stage * stage_units), step > 1);
            shared.passing.release(back);
            shared.passing.wait_released(back); // dS has been read
            back.advance();
            Tile::dq_sums::multiply(own + places::d_weights, Tile::dq_sums::keys::moved(sum_keys, kept), sum_scores);
            tensor_commit<1>(&shared.dq);
        }
        if (step >= 0 && step < steps) {
            await(&shared.weights, step);
            shared.passing_values.wait(middle);
            value_chain::template accumulate<Tile::chunk>(
                own + places::value, own + places::scores,
                Tile::value_across::moved(value_across, middle.stage * stage_units), step > 0);
            if (step + 1 < steps)
                tensor_commit<1>(&shared.weights_read);
            if (step > 0)
                await(&shared.dq_read, step - 1);
            value_chain::multiply(own + places::d_weights, Tile::kept_value::moved(kept_value, kept),
                                  Tile::passing_value::moved(value_along, middle.stage * stage_units));
            tensor_commit<1>(&shared.d_weights);
            middle.advance();
        }
        if (step + 1 < steps) {
            shared.passing.wait(front);
            if (step >= 0)
                await(&shared.weights_read, step);
            head_chain::multiply(own + places::scores, Tile::kept_head::moved(kept_head, kept),
                                 Tile::passing_head::moved(head_along, front.stage * stage_units));
            tensor_commit<1>(&shared.scores);
            front.advance();
        }
    }
    tensor_commit<1>(&shared.done);
}

/// The work of a warpgroup on its 64 queries of each tile, and the gradient that it stores in the end.
///
///   Tile     a tcgen05_square_gradient_tile
///   Variant  an attention_variant without boolean mask, bias in memory and dropout
template <class Tile, class Variant, class Score>
struct square_gradient_consumer
{
    static_assert(std::is_same_v<Score, unchanged_score> &&
                      internal::cost_of_changes<Variant, Score>() <= internal::change_cost::low,
                  "tegula: tiles of 128 x 128 scores have a band and slopes alone; take a tcgen05_gradient_tile");

    using target = typename Tile::target;
    using group_target = warpgroup<target>;
    using head_chain = typename Tile::head_chain;
    using places = typename Tile::template places<true>;
    static constexpr index_t chunk = Tile::chunk;
    using distribution = tensor_memory_distribution<chunk>;
    using tile = distributed_tensor<float, distribution>;
    using gradients = attention_score_gradients<group_target, distribution, Variant, Score, true>;

    /// Run by one warpgroup.
    ///
    ///   all      a tensor_copy_gradient_part
    ///   address  address of the block's tensor memory
    template <class Arguments, class Part>
    static TEGULA_INLINE void run(const Arguments& args, typename Tile::control& shared, const Part& all, int number,
                                  std::uint32_t address)
    {
        using namespace arch::nvidia;
        const auto& problem = args.problem;
        const std::uint32_t lanes = address + tensor_memory_address(32 * group_target::wave_id(), 0);
        const index_t first = number * Tile::own_columns;
        const std::uint32_t own = lanes + static_cast<std::uint32_t>(first);
        int parity = 0;
        float* sums = nullptr; // of the queries of the tile before
        attention_place next = all.first_place();
        stage_position<Tile::stages> stage, before;
        TEGULA_ROLLED
        for (index_t step = 0; step < all.steps; ++step, parity ^= 1) {
            attention_place at = next;
            all.advance(next);
            at.query += first;
            const float* const numbers =
                reinterpret_cast<const float*>(target::shared_memory() + Tile::number_byte(stage.stage));
            array<tile, Tile::chunks> p;
            shared.passing.wait(stage);
            mbarrier_wait(&shared.scores, parity);
            tensor_fence_after();
            static_for<Tile::chunks>([&](auto c) {
                constexpr index_t column = c * chunk;
                attention_place here = at;
                here.query += column;
                head_chain::template load<chunk>(p[c], own + places::scores + static_cast<std::uint32_t>(column));
                const auto normalizers = gradients::template load_numbers<address_space::shared>(
                    numbers, Tile::columns, first + column, "normalizers");
                const bool far =
                    gradients::template any_is_far<address_space::shared>(numbers, Tile::columns, first + column);
                tile unused;
                gradients::compute_probabilities(p[c], unused, normalizers, far, args.workspace, problem, all.sequence,
                                                 here);
                head_chain::store_operand(p[c], own + places::scores + static_cast<std::uint32_t>(column));
            });
            tensor_wait_stores();
            arrive_after_tensor_access<group_target>(&shared.weights);
            if (step > 0) {
                add_to_sums(shared, sums, own, number, before, parity ^ 1);
                before.advance();
            }
            sums = args.workspace.dq +
                   (args.workspace.offset(at.batch, problem.forward.heads, at.head) + at.query) * Tile::head_dim;
            shared.passing_values.wait(stage);
            mbarrier_wait(&shared.d_weights, parity);
            tensor_fence_after();
            static_for<Tile::chunks>([&](auto c) {
                constexpr index_t column = c * chunk;
                tile ds;
                head_chain::template load<chunk>(ds, own + places::d_weights + static_cast<std::uint32_t>(column));
                const auto deltas = gradients::template load_numbers<address_space::shared>(
                    numbers + Tile::columns, Tile::columns, first + column, "deltas");
                gradients::differentiate(p[c], ds, deltas);
                head_chain::store_operand(ds, own + places::d_weights + static_cast<std::uint32_t>(column));
                Tile::dq_sums::write_scores(target::shared_memory() + Tile::scores_byte, first + column, ds);
            });
            tensor_wait_stores();
            fence_proxy_async();
            arrive_after_tensor_access<group_target>(&shared.ds);
            stage.advance();
        }
        const bool any = all.steps > 0;
        if (any) {
            add_to_sums(shared, sums, own, number, before, parity ^ 1);
            mbarrier_wait(&shared.done, 0);
            tensor_fence_after();
        }
        store_tensor_memory_gradients<Tile>(problem, all, number, lanes, any);
    }

private:
    /// Adds dQ of a tile to the sums of the warpgroup's queries, and frees the stage of its dO.
    ///
    ///   address  of the warpgroup's queries in the wave's lanes of tensor memory
    static TEGULA_INLINE void add_to_sums(typename Tile::control& shared, float* sums, std::uint32_t address,
                                          int number, const stage_position<Tile::stages>& stage, int parity)
    {
        using namespace arch::nvidia;
        using dq_sums = typename Tile::dq_sums;
        distributed_tensor<float, tensor_memory_distribution<dq_sums::queries>> dq;
        mbarrier_wait(&shared.dq, parity);
        tensor_fence_after();
        head_chain::template load<dq_sums::queries>(dq, address + places::d_weights);
        arrive_after_tensor_access<group_target>(&shared.dq_read);
        std::byte* const memory = target::shared_memory();
        dq_sums::add(dq, sums,
                     {memory + Tile::dq_byte(0, stage.stage, number), memory + Tile::dq_byte(1, stage.stage, number)},
                     false);
        dq_sums::drain(); // while dO V^T is multiplied
        if (group_target::lane_id() == 0)
            mbarrier_arrive(&shared.passing_values.ring.empty[stage.stage]);
    }
};

} // namespace tegula
