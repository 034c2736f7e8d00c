#pragma once

#include <tegula/block/dequantizing_loader.hpp>
#include <tegula/block/ldmatrix_loader.hpp>
#include <tegula/block/operand_pipeline.hpp>

/// Former names of what brings operands to a block; the next version is without them.

namespace tegula {

template <class Target, class Element, index_t Rows, index_t K, int Waves, operand_order Order, class ReadDistribution,
          int InstructionRows = 0>
using operand_stream [[deprecated("tegula: use operand_loader")]] =
    operand_loader<Target, Element, Rows, K, Waves, Order, ReadDistribution, InstructionRows>;

template <class Target, class Element, index_t Rows, index_t K, int Waves, operand_order Order, class ReadDistribution,
          int InstructionRows>
using matrix_stream [[deprecated("tegula: use ldmatrix_loader")]] =
    ldmatrix_loader<Target, Element, Rows, K, Waves, Order, ReadDistribution, InstructionRows>;

template <class Target, class Element, index_t Rows, index_t K, int Waves, operand_order Order, class ReadDistribution,
          int InstructionRows>
using best_operand_stream [[deprecated("tegula: use best_operand_loader")]] =
    best_operand_loader<Target, Element, Rows, K, Waves, Order, ReadDistribution, InstructionRows>;

template <class Target, class Wide, class Form, index_t Rows, index_t K, int Waves, operand_order Order,
          class ReadDistribution>
using dequantizing_stream [[deprecated("tegula: use dequantizing_loader")]] =
    dequantizing_loader<Target, Wide, Form, Rows, K, Waves, Order, ReadDistribution>;

template <class Tile, operand_order OrderA, operand_order OrderB>
struct [[deprecated("tegula: use operand_pipeline, its load_stage, store_stage and wait")]] operand_ring
    : operand_pipeline<Tile, OrderA, OrderB>
{
    using base = operand_pipeline<Tile, OrderA, OrderB>;
    using base::base;
    using a_stream = typename base::a_loader;
    using b_stream = typename base::b_loader;

    TEGULA_INLINE void fetch(int slot, index_t step) { base::load_stage(slot, step); }
    TEGULA_INLINE void fetch_whole(int slot) { base::load_whole_stage(slot); }
    TEGULA_INLINE void publish(int slot, index_t step) { base::store_stage(slot, step); }
    TEGULA_INLINE void publish_whole(int slot) { base::store_whole_stage(slot); }
    TEGULA_INLINE void publish_held(int slot, const typename base::held_tiles& tiles) const
    {
        base::store_held_stage(slot, tiles);
    }
    template <int Pending>
    TEGULA_INLINE void arrive()
    {
        base::template wait<Pending>();
    }
    template <class Registers>
    static TEGULA_INLINE void settle(Registers& registers)
    {
        base::make_opaque(registers);
    }
};

} // namespace tegula
