#pragma once

#include <tegula/kernel/attention/tile.hpp>
#include <tegula/kernel/attention/tile_table.hpp>

namespace tegula {

/// The members that tiles of attention by tensor copies share: operands in shared memory, [queries of a consumer,
/// head_dim], [keys, head_dim] and [value_dim, keys], and their places.
///
///   CopiedValues   V as tensor copies bring it: ValueOperand, or what warps of the block make ValueOperand from
///   ClusterBlocks  blocks of a cluster that share each tile of keys and values, and have a tile of queries each
template <class Target, class QueryOperand, class KeyOperand, class ValueOperand, int Consumers, int Stages,
          class CopiedValues = ValueOperand, int ClusterBlocks = 1>
struct tensor_copy_attention_tile
{
    using target = Target;
    using element = typename QueryOperand::element_type;
    static constexpr int consumers = Consumers;
    static constexpr int stages = Stages; ///< stages of keys, and of values
    static constexpr int cluster_blocks = ClusterBlocks;
    static constexpr index_t consumer_queries = QueryOperand::mn;
    static constexpr index_t queries = consumer_queries * Consumers;
    static constexpr index_t keys = KeyOperand::mn;
    static constexpr index_t head_dim = KeyOperand::k;
    static constexpr index_t value_dim = ValueOperand::mn;
    static constexpr int block_threads = 128 * (Consumers + 1);
    static constexpr index_t page_keys = tensor_copy_page_keys;
    static_assert(keys % page_keys == 0);

    static constexpr key_value_place key_values = key_value_place::apart;
    using query_loader = loads_at_any_distance;
    using key_loader = loads_at_any_distance;
    using value_loader = loads_at_any_distance;

    // In shared memory: queries of each consumer, then the stages of keys, then those of values and of copied values, then
    // the control.
    using query_operand = QueryOperand;
    using key_operand = KeyOperand;
    using value_operand = ValueOperand;
    using copied_values = CopiedValues;
    static constexpr bool makes_values = !std::is_same_v<CopiedValues, ValueOperand>;
    static constexpr index_t first_key_byte = Consumers * query_operand::bytes;
    static constexpr index_t first_value_byte = first_key_byte + Stages * key_operand::bytes;
    static constexpr index_t first_copied_byte = first_value_byte + (makes_values ? Stages * value_operand::bytes : 0);
    static constexpr index_t control_at = first_copied_byte + Stages * copied_values::bytes;
};

namespace detail {

/// The sizes of the table's tile for kernels by tensor copies.
template <class Target, class T, index_t HeadDim, index_t ValueDim, attention_changes Changes, index_t ScaleRows = 0>
consteval attention_tile_size tensor_copy_size_of()
{
    constexpr attention_tile_size size =
        find_attention_tile(Target::chip(), attention_form::warp_specialized, static_cast<int>(sizeof(T)), HeadDim,
                            ValueDim, Changes, ScaleRows);
    static_assert(
        size.keys > 0,
        "tegula: the table of attention's tiles (tile_table.hpp) has none by tensor copies for this target, "
        "element type, number of columns, mask, bias, functor, dropout and rows of a scale; take an attention_kernel");
    return size;
}

/// Whether a kernel with these changes does not spill with the tile. If the table has fewer keys for them than for
/// scores that nothing changes, the tile must have no more keys than the table's.
template <class Tile, attention_changes Changes>
consteval bool keeps_to_registers()
{
    const auto keys = [](const attention_changes& x) {
        return find_attention_tile(Tile::target::chip(), attention_form::warp_specialized,
                                   static_cast<int>(sizeof(typename Tile::element)), Tile::head_dim, Tile::value_dim, x)
            .keys;
    };
    return keys(Changes) == keys({}) || Tile::keys <= keys(Changes);
}

} // namespace detail

} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::tensor_copy_size_of;
} // namespace tegula::internal
