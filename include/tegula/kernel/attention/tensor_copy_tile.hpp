#pragma once

#include <tegula/kernel/attention/tile.hpp>

namespace tegula {

/// What tiles of attention by tensor copies share: operands in shared memory, [queries of a consumer, head_dim],
/// [keys, head_dim] and [value_dim, keys], and where they lie.
template <class Target, class QueryOperand, class KeyOperand, class ValueOperand, int Consumers, int Stages>
struct tensor_copy_attention_tile
{
    using target = Target;
    using element = typename QueryOperand::element_type;
    static constexpr int consumers = Consumers;
    static constexpr int stages = Stages; ///< of keys, and of values
    static constexpr index_t consumer_queries = QueryOperand::mn;
    static constexpr index_t queries = consumer_queries * Consumers;
    static constexpr index_t keys = KeyOperand::mn;
    static constexpr index_t head_dim = KeyOperand::k;
    static constexpr index_t value_dim = ValueOperand::mn;
    static constexpr int block_threads = 128 * (Consumers + 1);

    // What suits_tile asks of a tile: tensor copies bring rows of any distance.
    static constexpr key_value_place key_values = key_value_place::apart;
    struct tensor_copies
    {
        static constexpr bool buffered = false;
    };
    using query_loader = tensor_copies;
    using key_loader = tensor_copies;
    using value_loader = tensor_copies;

    // In shared memory: queries of each consumer, then the stages of keys, then those of values, then the control.
    using query_operand = QueryOperand;
    using key_operand = KeyOperand;
    using value_operand = ValueOperand;
    static constexpr index_t first_key_byte = Consumers * query_operand::bytes;
    static constexpr index_t first_value_byte = first_key_byte + Stages * key_operand::bytes;
    static constexpr index_t control_at = first_value_byte + Stages * value_operand::bytes;
};

} // namespace tegula
