#pragma once

#include <tegula/block/operand_loader.hpp>

namespace tegula {

/// An operand [rows, k] whose elements are computed when they are needed, from as many tensors as Maker reads.
///
/// Maker has   template <class Target, int N>
///             array<Element, N> make(index_t row, index_t k, long_index_t batch) const;
/// marked TEGULA_INLINE: the N elements of a row from k on; all of them exist. N is the number of elements in 16 bytes,
/// with k a multiple of it, or 1.
template <class Maker>
struct made_source
{
    Maker maker;
    index_t rows = 0;
    index_t k = 0;       ///< the k [first_k, first_k + k) are multiplied
    index_t first_k = 0; ///< a multiple of 16 bytes
    long_index_t batch = 0;
    const char* name = "operand";

    /// N elements of a row from k0 on, counted from k = 0; elements outside the operand are zero.
    template <class Target, class Element, int N>
    TEGULA_INLINE array<Element, N> make(index_t row, index_t k0) const
    {
        const index_t end = first_k + k;
        array<Element, N> values{};
        if (row < rows && k0 + N <= end)
            values = maker.template make<Target, N>(row, k0, batch);
        else if (row < rows)
            static_for<N>([&](auto j) {
                if (k0 + j < end)
                    values[j] = maker.template make<Target, 1>(row, k0 + j, batch)[0];
            });
        return values;
    }
};

/// A loader of a made_source. Elements are computed in registers while the block multiplies earlier tiles, once for
/// each block that multiplies them, and written to shared memory as operand_loader writes them.
template <class Target, class Maker, class Element, index_t Rows, index_t K, int Waves, class ReadDistribution,
          int InstructionRows>
struct making_loader
    : operand_loader<Target, Element, Rows, K, Waves, operand_order::any, ReadDistribution, InstructionRows>
{
    using base = operand_loader<Target, Element, Rows, K, Waves, operand_order::any, ReadDistribution, InstructionRows>;
    using load_distribution = typename base::load_distribution;
    /// A lane's runs of neighbours along k are the accesses of the window that writes them to shared memory.
    using plan = typename base::write_window::plan;
    static constexpr int run = plan::vector;

    made_source<Maker> source;
    multi_index<2> first;  ///< the lane's row in the operand and its k in a tile
    index_t next_step = 0; ///< next step for load_stage()
    distributed_tensor<Element, load_distribution> made;

    TEGULA_INLINE making_loader(const made_source<Maker>& s, index_t row, Element* first_tile)
        : base(operand_source<Element>{nullptr, 0, 0, 0, 0, s.name}, 0, first_tile), source(s),
          first(load_distribution::origin(partition_index<Target, load_distribution>()))
    {
        first[0] += row;
    }

    static constexpr TEGULA_HOST_DEVICE bool has_whole_tiles() { return true; }

    TEGULA_INLINE void load_stage(int slot) { load_edge_stage(slot, next_step++); }

    TEGULA_INLINE void load_edge_stage(int, index_t step)
    {
        const index_t k0 = source.first_k + step * K + first[1];
        static_for<plan::accesses>([&](auto a) {
            constexpr multi_index<2> x = plan::step(a);
            internal::scatter_registers<typename base::write_window, a>(
                made, source.template make<Target, Element, run>(first[0] + x[0], k0 + x[1]));
        });
    }

    TEGULA_INLINE void store_stage(int slot) const
    {
        auto to = this->writer;
        to.view.data = this->ring + slot * base::tile_elements;
        store<bounds::unchecked>(to, made);
    }
};

} // namespace tegula
