#pragma once

#include <tegula/core/activation.hpp>
#include <tegula/core/static_for.hpp>
#include <tegula/kernel/gemm/prologue/operands.hpp>

namespace tegula {

/// B of a gated product: two weights, both [n, k]. The product is f(A gate^T) * (A up^T), element by element, before
/// the epilogue: SwiGLU with silu, GEGLU with gelu, ReGLU with relu, a bilinear product with none.
///
/// A block multiplies its rows of A by one weight after the other and keeps both sums in registers. They take twice the
/// registers of a plain product: take a tile that has room. A is read twice, the second time from a cache.
template <class T>
struct gated_rows
{
    using element_type = T;

    strided_rows<T> gate = {};
    strided_rows<T> up = {};
    activation function = activation::silu;

    template <class Target, index_t Rows, index_t K, int Waves, operand_order Order, class ReadDistribution,
              int InstructionRows>
    using loader =
        typename strided_rows<T>::template loader<Target, Rows, K, Waves, Order, ReadDistribution, InstructionRows>;
    template <class Target, index_t Rows, index_t K, int Waves, operand_order Order, class ReadDistribution>
    using direct_loader =
        typename strided_rows<T>::template direct_loader<Target, Rows, K, Waves, Order, ReadDistribution>;
    template <index_t Rows, operand_order Order>
    static constexpr bool loads_directly = strided_rows<T>::template loads_directly<Rows, Order>;

    template <operand_order Order>
    static constexpr bool allows = true;

    /// The order of both, `any` if they differ.
    operand_order order(long_index_t rows, long_index_t k, long_index_t batch) const
    {
        const operand_order of_gate = gate.order(rows, k, batch);
        return of_gate == up.order(rows, k, batch) ? of_gate : operand_order::any;
    }
    template <operand_order Order>
    bool suits(long_index_t rows, long_index_t k, long_index_t batch) const
    {
        return gate.template suits<Order>(rows, k, batch) && up.template suits<Order>(rows, k, batch);
    }
    status check(const char* name, long_index_t rows, long_index_t k, long_index_t batch) const
    {
        if (status s = gate.check(name, rows, k, batch); !s)
            return s;
        return up.check("the second weight", rows, k, batch);
    }
    template <class Memory>
    void memory(const char* name, long_index_t rows, long_index_t k, long_index_t batch, Memory& memory) const
    {
        gate.memory(name, rows, k, batch, memory);
        up.memory("the second weight", rows, k, batch, memory);
    }
    /// Moves to the matrices of another expert, which have no batch.
    TEGULA_INLINE void move(long_index_t elements)
    {
        gate.move(elements);
        up.move(elements);
    }
    void set_batch_stride(long_index_t stride) { gate.batch_stride = up.batch_stride = stride; }
};

template <class B>
inline constexpr bool is_gated = false;
template <class T>
inline constexpr bool is_gated<gated_rows<T>> = true;

namespace detail {

/// Calls combine(f), where f(float) computes the activation.
template <class Target, class Combine>
TEGULA_INLINE void with_activation(activation function, const Combine& combine)
{
    if (function == activation::silu)
        combine([](float x) { return silu<Target>(x); });
    else if (function == activation::gelu)
        combine([](float x) { return gelu<Target>(x); });
    else if (function == activation::relu)
        combine([](float x) { return x < 0 ? 0.0f : x; });
    else
        combine([](float x) { return x; });
}

} // namespace detail

/// A block's sums of the first product, kept in registers while it computes the second.
template <class Tile>
struct gate_sums
{
    using accumulators = typename Tile::mma::accumulators;
    static constexpr index_t bytes = 0; ///< shared memory

    accumulators gate;

    TEGULA_INLINE gate_sums(const accumulators& acc, std::byte*) : gate(acc) {}

    /// up = f(gate) * up
    template <class Target>
    TEGULA_INLINE void multiply(accumulators& up, activation function) const
    {
        detail::with_activation<Target>(function, [&](auto f) {
            static_for<decltype(up.tiles)::size()>([&](auto t) {
                static_for<accumulators::tile::size()>(
                    [&](auto i) { up.tiles[t][i] *= f(static_cast<float>(gate.tiles[t][i])); });
            });
        });
    }
};

/// The sums on a CPU, whose accumulators lie in memory.
template <class Tile>
    requires requires { typename Tile::operations; }
struct gate_sums<Tile>
{
    using accumulators = typename Tile::mma::accumulators;
    using value_type = typename accumulators::value_type;
    static constexpr index_t bytes = Tile::accumulator_bytes;

    value_type* gate;

    TEGULA_INLINE gate_sums(const accumulators& acc, std::byte* memory) : gate(reinterpret_cast<value_type*>(memory))
    {
        for_each(acc, [&](long_index_t at) { gate[at] = acc.is_zero ? value_type{} : acc.data[at]; });
    }

    template <class Target>
    TEGULA_INLINE void multiply(accumulators& up, activation function) const
    {
        if (up.is_zero)
            return;
        detail::with_activation<Target>(function, [&](auto f) {
            for_each(up, [&](long_index_t at) { up.data[at] *= f(static_cast<float>(gate[at])); });
        });
    }

private:
    template <class Body>
    static TEGULA_INLINE void for_each(const accumulators& acc, const Body& body)
    {
        for (index_t i = 0; i < acc.rows; ++i)
            for (index_t j = 0; j < acc.columns; ++j)
                body(static_cast<long_index_t>(i) * acc.pitch + j);
    }
};

} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::with_activation;
} // namespace tegula::internal
