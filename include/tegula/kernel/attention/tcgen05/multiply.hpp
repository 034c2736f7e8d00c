#pragma once

#include <tegula/kernel/attention/tcgen05/tile.hpp>

namespace tegula {

/// Run by one lane: computes the scores of each consumer. As soon as that has made weights of them, computes their
/// product with the values, and the scores of the next keys.
/// Offsets are opaque in each round: on sm_103a ptxas would hold those of all slices in registers across the loop, more
/// than the warp has.
///
///   Tile     a tcgen05_attention_tile
///   shared   control of the tile
///   tile     the first of key_tiles
///   address  address of the block's tensor memory
template <class Tile, class Keys>
TEGULA_INLINE void multiply_attention_tiles(typename Tile::control& shared, Keys tile, std::uint32_t address)
{
    using namespace arch::nvidia;
    using target = typename Tile::target;
    using element = typename Tile::element;
    using chain = typename Tile::consumer::chain;
    using queries = typename Tile::query_operand;
    using keys = typename Tile::key_operand;
    using values = typename Tile::value_operand;
    if (!tile.inside())
        return;
    const std::byte* const memory = target::shared_memory();
    const auto element_at = [&](index_t byte) { return reinterpret_cast<const element*>(memory + byte); };
    const auto first_q = queries::descriptor(element_at(0));
    const auto first_k = keys::descriptor(element_at(Tile::first_key_byte));
    const auto first_v = values::descriptor(element_at(Tile::first_value_byte));
    const auto score = [&](int c, int stage) {
        index_t own = c * (queries::bytes / 16);
        target::make_opaque(own);
        chain::multiply(address + Tile::score_column(c), queries::moved(first_q, own),
                        keys::moved(first_k, stage * (keys::bytes / 16)));
    };
    stage_position<Tile::stages> key, value;
    shared.keys.wait(key);
    static_for<Tile::consumers>([&](auto c) {
        mbarrier_wait(&shared.queries[c], 0);
        score(c, key.stage);
        tensor_commit<1>(&shared.scores[c]);
    });
    shared.keys.release(key);
    bool first = true;
    int parity = 0;
    TEGULA_ROLLED
    while (tile.inside()) {
        tile.advance();
        const bool more = tile.inside();
        key.advance();
        shared.values.wait(value);
        static_for<Tile::consumers>([&](auto c) {
            mbarrier_wait(&shared.weights[c], parity);
            tensor_fence_after();
            index_t columns = static_cast<index_t>(address);
            target::make_opaque(columns);
            const auto own = static_cast<std::uint32_t>(columns);
            chain::accumulate(own + Tile::output_column(c), own + Tile::score_column(c),
                              values::moved(first_v, value.stage * (values::bytes / 16)), !first);
            tensor_commit<1>(&shared.output[c]);
            if (!more)
                return;
            if (c == 0)
                shared.keys.wait(key);
            // Products of two shapes need not keep their order, and these scores overwrite those weights.
            mbarrier_wait(&shared.output[c], parity);
            tensor_fence_after();
            score(c, key.stage);
            tensor_commit<1>(&shared.scores[c]);
        });
        if (more) { // after the last products nothing may be in flight: no role would wait for it
            shared.values.release(value);
            shared.keys.release(key);
        }
        value.advance();
        parity ^= 1;
        first = false;
    }
}

} // namespace tegula
