#pragma once

#include <tegula/kernel/attention/tcgen05/tile.hpp>

namespace tegula {

/// Run by one lane: computes the scores of each consumer, and the output of the keys before. The scores of the next keys
/// are begun as soon as those in their place have been read, so that they are there when the softmax of these ends.
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
    stage_position<Tile::stages> key, value;
    TEGULA_ROLLED
    for (index_t round = 0;; ++round) {
        const bool more = tile.inside();
        const int parity = round & 1;
        static_for<Tile::consumers>([&](auto c) {
            if (more) {
                if (c == 0)
                    shared.keys.wait(key);
                if (round == 0)
                    mbarrier_wait(&shared.queries[c], 0);
                // Those read last are of this round or of the one before; the first round finds none.
                constexpr int reader = Tile::reader_before(c);
                mbarrier_wait(&shared.read[reader], reader < c ? parity : parity ^ 1);
                tensor_fence_after();
                index_t own = c * (queries::bytes / 16);
                target::make_opaque(own);
                chain::multiply(address + Tile::score_column(c), queries::moved(first_q, own),
                                keys::moved(first_k, key.stage * (keys::bytes / 16)));
                tensor_commit<1>(&shared.scores[c]);
                if (c == Tile::consumers - 1)
                    shared.keys.release(key);
            }
            if (round > 0) {
                if (c == 0)
                    shared.values.wait(value);
                mbarrier_wait(&shared.weights[c], parity ^ 1);
                tensor_fence_after();
                index_t columns = static_cast<index_t>(address);
                target::make_opaque(columns);
                const auto own = static_cast<std::uint32_t>(columns);
                chain::accumulate(own + Tile::output_column(c), own + Tile::weight_column(c),
                                  values::moved(first_v, value.stage * (values::bytes / 16)), round > 1);
                tensor_commit<1>(&shared.output[c]);
            }
        });
        if (!more) // the last values are not released: no role would wait for that
            return;
        tile.advance();
        key.advance();
        if (round > 0) {
            shared.values.release(value);
            value.advance();
        }
    }
}

} // namespace tegula
