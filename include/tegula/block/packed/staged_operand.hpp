#pragma once

#include <tegula/block/located_loader.hpp>
#include <tegula/block/making_loader.hpp>
#include <tegula/core/math.hpp>
#include <tegula/tensor/vector_access.hpp>

namespace tegula {

/// An operand whose elements were found or computed a strip at a time and lie in the block's shared memory, where the
/// panels' operations read them as those of any other.
template <class Element>
struct staged_operand : operand_source<Element>
{
    static constexpr bool is_staged = true;
};

/// Whether an operand lies in global memory by two strides, so that it needs no stage.
template <class Source>
inline constexpr bool has_two_strides =
    !located_source<Source> && requires(const Source& s) { s.row_stride + s.k_stride; };

/// Rows [row, row + rows) of a located_source, elements k to k + length counted from its first, written to `to`.
/// Missing elements are zero. Neighbours in memory are rows: what is known of a k is worked out once for all of them.
template <class Target, class Element, index_t Rows, located_source Source>
inline staged_operand<Element> stage_rows(Element* to, const Source& s, index_t row, index_t k, index_t length)
{
    decltype(s.row(row)) rows[Rows];
    for (index_t i = 0; i < Rows; ++i)
        rows[i] = s.row(row + i);
    for (index_t j = 0; j < length; ++j) {
        const auto column = s.column(s.first_k + k + j);
        for (index_t i = 0; i < Rows; ++i) {
            const located_element<Element> at = s.find(rows[i], column);
            const Element x = internal::read_scalar<Target>(at.pointer, at.there);
            internal::write_scalar<Target, address_space::shared>(to + j * Rows + i, x);
        }
    }
    return {{to, Rows, length, 1, Rows, s.name}};
}

/// Stages rows of a made_source, one after the other, vectors of 16 bytes made as one.
template <class Target, class Element, index_t Rows, class Maker>
inline staged_operand<Element> stage_rows(Element* to, const made_source<Maker>& s, index_t row, index_t k,
                                          index_t length)
{
    constexpr index_t vector = 16 / static_cast<index_t>(sizeof(Element));
    const index_t end = min(length, s.k - k), rows = min(Rows, s.rows - row);
    for (index_t i = 0; i < Rows; ++i) {
        index_t j = 0;
        if (i < rows) {
            for (; j + vector <= end; j += vector) {
                const auto made = s.maker.template make<Target, vector>(row + i, s.first_k + k + j, s.batch);
                for (index_t e = 0; e < vector; ++e)
                    internal::write_scalar<Target, address_space::shared>(to + i * length + j + e, made[e]);
            }
            for (; j < end; ++j)
                internal::write_scalar<Target, address_space::shared>(
                    to + i * length + j, s.maker.template make<Target, 1>(row + i, s.first_k + k + j, s.batch)[0]);
        }
        for (; j < length; ++j)
            internal::write_scalar<Target, address_space::shared>(to + i * length + j, Element{});
    }
    return {{to, Rows, length, length, 1, s.name}};
}

} // namespace tegula
