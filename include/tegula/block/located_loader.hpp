#pragma once

#include <tegula/block/ldmatrix_loader.hpp>

namespace tegula {

/// Where an element of an operand lies, and whether there is one; if not, it counts as zero.
template <class Element>
struct located_element
{
    const Element* pointer;
    bool there;
};

/// An operand [rows, k] whose elements are found by a rule instead of by two strides: rows of a table, pixels under a
/// filter.
///
///   rows, k, first_k   the operand's rows, and the k [first_k, first_k + k) that are multiplied
///   data, name         its memory, and what reports call it
///   row(i), column(j)  what is known of row i and of k j, worked out once for all the elements that share it;
///                      any i, any j from first_k on, past the end too
///   find(row, column)  where the element is. A vector that starts there is whole or not there at all.
template <class Source>
concept located_source = requires(const Source& s, index_t i) {
    { s.rows + s.k + s.first_k };
    { s.data };
    { s.name };
    { s.find(s.row(i), s.column(i)).there || false };
};

namespace detail {

/// The different steps of an access_plan along one dimension, and which of them each access takes.
template <class Plan, int Dim>
struct plan_steps
{
private:
    struct table
    {
        int count = 0;
        index_t steps[Plan::accesses]{};
        int of_access[Plan::accesses]{};
    };
    static consteval table make()
    {
        table t;
        for (int a = 0; a < Plan::accesses; ++a) {
            const index_t step = Plan::step(a)[Dim];
            int i = 0;
            while (i < t.count && t.steps[i] != step)
                ++i;
            if (i == t.count)
                t.steps[t.count++] = step;
            t.of_access[a] = i;
        }
        return t;
    }
    static constexpr table all = computed_once<make()>;

public:
    static constexpr int count = all.count;
    static consteval index_t step(int i) { return all.steps[i]; }
    static consteval int of_access(int a) { return all.of_access[a]; }
};

/// Whether a loader's tiles lie in panels, where a lane's vectors have fixed places relative to its first.
template <class Loader>
inline constexpr bool lies_in_panels = requires { typename Loader::panels; };

} // namespace detail

/// A loader of a located_source, in the place of the operand_loader or ldmatrix_loader that it is made of: the same
/// distribution, the same tiles in shared memory, the same slices. Order says along what vectors of 16 bytes are found
/// whole; with `any` elements are found one by one.
///
/// Facts about a lane's rows stay in registers over the k loop; facts about its k are computed again in each step. That
/// takes a division or two if the vectors lie along k, and some for each k of a lane's patch if they lie along rows.
template <class Target, class Source, class Element, index_t Rows, index_t K, int Waves, operand_order Order,
          class ReadDistribution, int InstructionRows>
struct located_loader : best_operand_loader<Target, Element, Rows, K, Waves, Order, ReadDistribution, InstructionRows>
{
    static_assert(located_source<Source>);
    using base = best_operand_loader<Target, Element, Rows, K, Waves, Order, ReadDistribution, InstructionRows>;
    using load_distribution = typename base::load_distribution;
    using plan = typename base::global_window::plan;
    using row_steps = detail::plan_steps<plan, 0>;
    using k_steps = detail::plan_steps<plan, 1>;
    using row_place = decltype(std::declval<const Source&>().row(0));

    static constexpr bool rows_contiguous = Order == operand_order::row_contiguous;
    static constexpr int copies_of_stage = 0; ///< missing elements are not copied, so that the number varies

    Source source;
    multi_index<2> first; ///< the lane's row in the operand and its k in a tile
    array<row_place, row_steps::count> places;
    index_t next_step = 0; ///< next step for load_stage()

    TEGULA_INLINE located_loader(const Source& s, index_t row, Element* first_tile)
        : base(operand_source<Element>{nullptr, 0, 0, 0, 0, s.name}, 0, first_tile), source(s),
          first(load_distribution::origin(partition_index<Target, load_distribution>()))
    {
        first[0] += row;
        static_for<row_steps::count>([&](auto i) { places[i] = source.row(first[0] + row_steps::step(i)); });
    }

    /// Every element is looked up, so that any tile can be loaded.
    static constexpr TEGULA_HOST_DEVICE bool has_whole_tiles() { return true; }

    TEGULA_INLINE void load_stage(int slot) { load_edge_stage(slot, next_step++); }

    TEGULA_INLINE void load_edge_stage(int slot, index_t step)
    {
        const index_t k0 = source.first_k + step * K + first[1];
        static_for<k_steps::count>([&](auto j) {
            const auto column = source.column(k0 + k_steps::step(j));
            static_for<plan::accesses>([&](auto a) {
                if constexpr (k_steps::of_access(a) == j) {
                    label(plan::step(a), k0);
                    load_access<a>(source.find(places[row_steps::of_access(a)], column), slot);
                }
            });
        });
    }

private:
    template <int A>
    TEGULA_INLINE void load_access(const located_element<Element>& from, int slot)
    {
        if constexpr (base::asynchronous) {
            if (internal::writes_its_elements<typename base::write_window>())
                Target::template async_copy<16>(shared_place<A>(slot), from.there ? from.pointer : source.data,
                                                from.there);
        } else {
            const auto words =
                internal::read_words<Target, address_space::global, plan::vector>(from.pointer, from.there);
            if constexpr (base::stages_vectors)
                this->staged[A] = __builtin_bit_cast(raw_vector<base::bytes>, words);
            else
                internal::scatter_registers<typename base::global_window, A>(this->staged, words.values());
        }
    }

    /// Where access A of the lane goes in the ring.
    template <int A>
    TEGULA_INLINE void* shared_place(int slot) const
    {
        Element* const tile = this->ring + slot * base::tile_elements;
        if constexpr (detail::lies_in_panels<base>) {
            constexpr multi_index<2> step = plan::step(A);
            constexpr index_t place = rows_contiguous ? base::panels::layout.linear_byte(step[1], step[0])
                                                      : base::panels::layout.linear_byte(step[0], step[1]);
            return reinterpret_cast<std::byte*>(tile) + this->write_place + place;
        } else {
            typename base::write_window to = this->writer;
            to.view.data = tile;
            return to.view.data + to.template access_coordinate<A>().offset();
        }
    }

    /// Reports name the first element of a vector.
    TEGULA_INLINE void label([[maybe_unused]] const multi_index<2>& step, [[maybe_unused]] index_t k0) const
    {
        if (Target::labels_enabled()) {
            const index_t x[2] = {first[0] + step[0], k0 + step[1]};
            Target::set_element(source.name, x, 2, source.data);
        }
    }
};

} // namespace tegula
