#pragma once

#include <tegula/tensor/elementwise.hpp>
#include <tegula/tensor/reduce.hpp>
#include <tegula/tensor/sweep.hpp>
#include <tegula/tensor/whole_tile.hpp>

/// Code that one lane runs on whole tiles, inside a kernel whose tiles are spread over lanes. A distributed version is
/// compared with it. docs/guide/distributing.md takes a softmax from one to the other.

namespace tegula {

/// The context of a kernel's serial regions: lanes of the target, with shared memory for what passes between them.
///
///   scratch  region_scratch<Target, inputs..., output>::bytes of shared memory, aligned to 16 bytes, that no lane is
///            using; free again after the region
template <class Target>
struct region_context
{
    using target = Target;
    std::byte* scratch = nullptr;
};

/// An operand that a serial region reads, in any distribution: in(tile), or in<D>(tile) to say which.
template <class T, class Distribution>
struct region_input
{
    using distribution = Distribution;
    distributed_tensor<T, Distribution> tile;
};
template <class T, class Distribution>
TEGULA_INLINE region_input<T, Distribution> in(const distributed_tensor<T, Distribution>& tile)
{
    return {tile};
}

template <class Named, class T, class Distribution>
TEGULA_INLINE region_input<T, Distribution> in(const distributed_tensor<T, Distribution>& tile)
{
    static_assert(
        same_distribution<Named, Distribution>,
        "tegula: in<D>(tile) names another distribution than the tile's; convert() the tile, or say in(tile)");
    return {tile};
}

/// Stands for the element type of the first input.
struct type_of_input
{};

/// The result of a serial region: a tile of T in distribution Distribution, which every lane gets its part of.
/// out<Distribution>() has the element type of the first input.
template <class T, class Distribution>
struct region_output
{};
template <class T, class Distribution>
TEGULA_INLINE region_output<T, Distribution> out()
{
    return {};
}
template <class Distribution>
TEGULA_INLINE region_output<type_of_input, Distribution> out()
{
    return {};
}

namespace detail {

template <class... Operands>
struct first_input
{
    static_assert(sizeof...(Operands) > 0,
                  "tegula: out<D>() has the element type of the first input, and there is none; "
                  "say out<T, D>()");
};
template <class Other, class... Rest>
struct first_input<Other, Rest...> : first_input<Rest...>
{};
template <class T, class Distribution, class... Rest>
struct first_input<region_input<T, Distribution>, Rest...>
{
    using type = T;
};

/// The output with its element type known.
template <class T, class Distribution, class... Operands>
TEGULA_INLINE auto with_element_type(region_output<T, Distribution>, const Operands&...)
{
    if constexpr (std::is_same_v<T, type_of_input>)
        return region_output<typename first_input<Operands...>::type, Distribution>{};
    else
        return region_output<T, Distribution>{};
}

template <class Target, class Operand, class... All>
struct operand_scratch;
template <class Target, class T, class Distribution, class... All>
struct operand_scratch<Target, region_input<T, Distribution>, All...>
{
    static constexpr index_t bytes = is_held_whole<Distribution> ? 0 : whole_tile_bytes<Target, T, Distribution>;
};
template <class Target, class T, class Distribution, class... All>
struct operand_scratch<Target, region_output<T, Distribution>, All...>
{
    static constexpr index_t bytes = whole_tile_bytes<Target, T, Distribution>;
};
template <class Target, class Distribution, class... All>
struct operand_scratch<Target, region_output<type_of_input, Distribution>, All...>
{
    static constexpr index_t bytes = whole_tile_bytes<Target, typename first_input<All...>::type, Distribution>;
};

/// Calls body(output, f, inputs...). The operands of a region are the inputs, the output and f, in this order.
TEGULA_CALLS_BACK
template <class Body, class T, class Distribution, class F, class... Inputs>
TEGULA_INLINE auto with_output_first(const Body& body, region_output<T, Distribution> output, const F& f,
                                     const Inputs&... inputs)
{
    return body(with_element_type(output, inputs...), f, inputs...);
}
TEGULA_CALLS_BACK
template <class Body, class T, class Distribution, class... Rest>
TEGULA_INLINE auto with_output_first(const Body& body, const region_input<T, Distribution>& first, const Rest&... rest)
{
    return with_output_first(body, rest..., first);
}

} // namespace detail

/// Bytes of shared memory that on_lane0 needs for its operands, region_inputs and a region_output: the sum over whole
/// tiles, except inputs that every lane holds whole.
template <class Target, class... Operands>
struct region_scratch
{
    static constexpr index_t bytes = (detail::operand_scratch<Target, Operands, Operands...>::bytes + ...);
};

namespace detail {

/// f() after everything is whole.
TEGULA_CALLS_BACK
template <class Target, partition_scope Scope, class F>
TEGULA_INLINE void with_whole_inputs(const F& f, std::byte*)
{
    meet_in<Target, Scope>();
    f();
}
/// Makes the first input whole and continues with the others; f is called with all of them.
TEGULA_CALLS_BACK
template <class Target, partition_scope Scope, class F, class T, class Distribution, class... Rest>
TEGULA_INLINE void with_whole_inputs(const F& f, std::byte* shared, const region_input<T, Distribution>& first,
                                     const Rest&... rest)
{
    constexpr bool here = is_held_whole<Distribution>;
    distributed_tensor<T, Distribution> tile = first.tile;
    if constexpr (!here)
        write_whole<Target, Scope>(tile, reinterpret_cast<T*>(shared));
    const auto whole = whole_of<Target, here>(tile, shared);
    with_whole_inputs<Target, Scope>([&](const auto&... others) { f(whole, others...); },
                                     shared + (here ? 0 : whole_tile_bytes<Target, T, Distribution>), rest...);
}

/// on_lane0 with the output as f's first argument.
TEGULA_CALLS_BACK
template <class Target, class T, class Distribution, class F, class... Inputs>
TEGULA_INLINE distributed_tensor<T, Distribution>
on_lane0_output_first(std::byte* scratch, region_output<T, Distribution>, const F& f, const Inputs&... inputs)
{
    constexpr partition_scope scope = widest_scope<Target, Distribution, typename Inputs::distribution...>;
    constexpr bool in_registers = scope_of<Target, Distribution> == partition_scope::lane;
    static_assert(scope == partition_scope::lane || !in_registers,
                  "tegula: the output of a serial region that several lanes enter must be held by them all; give it "
                  "replication over the wave");
    distributed_tensor<T, Distribution> result;
    const auto output = whole_of<Target, in_registers>(result, scratch);
    with_whole_inputs<Target, scope>(
        [&](const auto&... whole) {
            if (works_alone<Target, scope>())
                f(output, whole...);
        },
        scratch + whole_tile_bytes<Target, T, Distribution>, inputs...);
    if constexpr (!in_registers) {
        meet_in<Target, scope>();
        result = read_whole<Target, T, Distribution>(output.data);
        meet_in<Target, scope>();
    }
    return result;
}

} // namespace detail

/// Runs f(whole inputs..., whole output) once, on one lane of those that hold the tiles, and gives every lane its part
/// of the output. The call is on_lane0(context, in(a), in(b), out<D>(), f), with any number of inputs.
///
///   context  the region_context<target>. If each lane has all the tiles for itself, every lane runs f for itself, and
///            nothing passes through memory
///   f        reads whole_tile operands by whole(x...) and sets every element of the output by whole.set(value, x...);
///            an element that it does not set is an uninitialised read in the emulator
///
/// All lanes of the wave take part, each wave with scratch memory of its own; if one of the tiles is held by a block,
/// all threads of the block. f runs on lane 0 of the wave, or on thread 0.
TEGULA_CALLS_BACK
template <class Target, class... Operands>
TEGULA_INLINE auto on_lane0(const region_context<Target>& context, const Operands&... operands)
{
    return detail::with_output_first(
        [&](auto output, const auto& f, const auto&... inputs) {
            // f takes the output last, after all inputs.
            return detail::on_lane0_output_first<Target>(
                context.scratch, output, [&](const auto& to, const auto&... whole) { f(whole..., to); }, inputs...);
        },
        operands...);
}

/// Tile operations by all lanes, under the names that serial_operations has. distributed() passes them to a function
/// that is written once for both.
template <class Target>
struct distributed_operations
{
    std::byte* scratch;

    /// The tile reduced along Dim.
    TEGULA_CALLS_BACK
    template <index_t Dim, class T, class Distribution, class Op>
    TEGULA_INLINE auto reduce(const distributed_tensor<T, Distribution>& tile, const Op& op) const
    {
        return tegula::reduce<Target, Dim>(tile, op, scratch);
    }
    /// f of the elements of tiles of one distribution.
    TEGULA_CALLS_BACK
    template <class F, class... Tiles>
    TEGULA_INLINE auto elementwise(const F& f, const Tiles&... tiles) const
    {
        return tegula::elementwise(f, tiles...);
    }
    /// f of each element and of the result of its row along Dim.
    TEGULA_CALLS_BACK
    template <index_t Dim, class T, class Distribution, class Reduced, class F>
    TEGULA_INLINE auto with_reduced(const distributed_tensor<T, Distribution>& tile, const Reduced& reduced,
                                    const F& f) const
    {
        distributed_tensor<T, Distribution> result = tile;
        transform_with_reduced<Dim>(result, reduced, f);
        return result;
    }
};

/// The operations as plain loops of one lane over whole tiles. Results take their place in shared memory one after the
/// other, whole_tile_bytes each, from `next` on.
template <class Target>
struct serial_operations
{
    mutable std::byte* next;

    TEGULA_CALLS_BACK
    template <index_t Dim, class T, class Distribution, bool InRegisters, class Op>
    TEGULA_INLINE auto reduce(const whole_tile<Target, T, Distribution, InRegisters>& tile, const Op& op) const
    {
        constexpr index_t length = Distribution::x_length(Dim), stride = detail::stride_of<Distribution>(Dim);
        const auto result = make<T, reduced_distribution<Distribution, Dim>>();
        for (index_t row = 0; row < detail::stride_of<Distribution>(-1) / length; ++row) {
            const index_t first = row / stride * stride * length + row % stride;
            T value = tile.at(first);
            for (index_t j = 1; j < length; ++j)
                value = op(value, tile.at(first + j * stride));
            result.set_at(value, row);
        }
        return result;
    }
    TEGULA_CALLS_BACK
    template <class F, class T, class Distribution, bool InRegisters, class... Others>
    TEGULA_INLINE auto elementwise(const F& f, const whole_tile<Target, T, Distribution, InRegisters>& first,
                                   const Others&... others) const
    {
        const auto result = make<decltype(f(first.at(0), others.at(0)...)), Distribution>();
        for (index_t i = 0; i < detail::stride_of<Distribution>(-1); ++i)
            result.set_at(f(first.at(i), others.at(i)...), i);
        return result;
    }
    TEGULA_CALLS_BACK
    template <index_t Dim, class T, class Distribution, bool InRegisters, class Reduced, class F>
    TEGULA_INLINE auto with_reduced(const whole_tile<Target, T, Distribution, InRegisters>& tile,
                                    const Reduced& reduced, const F& f) const
    {
        constexpr index_t length = Distribution::x_length(Dim), stride = detail::stride_of<Distribution>(Dim);
        const auto result = make<T, Distribution>();
        for (index_t i = 0; i < detail::stride_of<Distribution>(-1); ++i)
            result.set_at(f(tile.at(i), reduced.at(i / (stride * length) * stride + i % stride)), i);
        return result;
    }

private:
    template <class T, class Distribution>
    TEGULA_INLINE whole_tile<Target, T, Distribution> make() const
    {
        static_assert(scope_of<Target, Distribution> != partition_scope::lane,
                      "tegula: serial operations are for tiles that several lanes hold");
        T* const data = reinterpret_cast<T*>(next);
        next += whole_tile_bytes<Target, T, Distribution>;
        return {data};
    }
};

/// f(operations, tiles...) by all lanes: operations.reduce<Dim>, .elementwise, .with_reduced<Dim>. Operands as for
/// on_lane0: distributed(context, in(a), out<D>(), f), where D is the distribution of f's result. Scratch memory: as
/// much as the largest of its reductions needs.
TEGULA_CALLS_BACK
template <class Target, class... Operands>
TEGULA_INLINE auto distributed(const region_context<Target>& context, const Operands&... operands)
{
    return detail::with_output_first(
        [&]<class T, class Distribution>(region_output<T, Distribution>, const auto& f, const auto&... inputs) {
            const auto result = f(distributed_operations<Target>{context.scratch}, inputs.tile...);
            using tile = distributed_tensor<T, Distribution>;
            static_assert(
                std::is_same_v<std::remove_const_t<decltype(result)>, tile>,
                "tegula: the result of the function and the output differ in their element type or distribution");
            return result;
        },
        operands...);
}

/// Runs f on one lane of those that hold the tiles, by plain loops: the reference for distributed(). Results differ if
/// an operation of a reduction depends on the order, as sums of floats do.
///
///   context  its scratch memory is that of on_lane0, then whole_tile_bytes for every result of an operation in f
TEGULA_CALLS_BACK
template <class Target, class... Operands>
TEGULA_INLINE auto serially(const region_context<Target>& context, const Operands&... operands)
{
    return detail::with_output_first(
        [&]<class T, class Distribution, class... Inputs>(region_output<T, Distribution> output, const auto& f,
                                                          const Inputs&... inputs) {
            std::byte* const results =
                context.scratch + region_scratch<Target, region_output<T, Distribution>, Inputs...>::bytes;
            return detail::on_lane0_output_first<Target>(
                context.scratch, output,
                [&](const auto& to, const auto&... whole) {
                    const auto result = f(serial_operations<Target>{results}, whole...);
                    static_assert(detail::same_lengths<typename decltype(result)::distribution, Distribution>(),
                                  "tegula: the result of the function and the output differ in their lengths");
                    for (index_t i = 0; i < detail::stride_of<Distribution>(-1); ++i)
                        to.set_at(result.at(i), i);
                },
                inputs...);
        },
        operands...);
}

} // namespace tegula
