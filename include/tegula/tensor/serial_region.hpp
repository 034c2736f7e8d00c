#pragma once

#include <tegula/tensor/convert.hpp>
#include <tegula/tensor/elementwise.hpp>
#include <tegula/tensor/sort.hpp>

/// Code that one lane runs on whole tiles, inside a kernel whose tiles are spread over lanes. A distributed version is
/// compared with it. docs/guide/distributing.md takes a softmax from one to the other.

namespace tegula {

/// A whole tile as one lane sees it: whole(x...) is element (x...), whole.set(value, x...) writes it.
///
/// The elements are in shared memory, row-major. They are in the lane's registers if a lane has the tile for itself, or
/// reads a tile of which it holds every element.
template <class Target, class T, class Distribution,
          bool InRegisters = scope_of<Target, Distribution> == partition_scope::lane>
struct whole_tile
{
    using value_type = T;
    using distribution = Distribution;
    static constexpr int num_dims = Distribution::num_x;
    static constexpr bool in_registers = InRegisters;

    T* data;

    /// Elements along dimension Dim.
    template <int Dim>
    static TEGULA_INLINE constexpr index_t length()
    {
        return Distribution::x_length(Dim);
    }

    template <class... Xs>
    TEGULA_INLINE T operator()(Xs... x) const
    {
        return detail::read_scalar<Target, space>(data + place(x...));
    }
    template <class... Xs>
    TEGULA_INLINE void set(const T& value, Xs... x) const
    {
        detail::write_scalar<Target, space>(data + place(x...), value);
    }

    /// The element with the row-major number `flat`.
    TEGULA_INLINE T at(index_t flat) const { return detail::read_scalar<Target, space>(data + place_of_flat(flat)); }
    TEGULA_INLINE void set_at(const T& value, index_t flat) const
    {
        detail::write_scalar<Target, space>(data + place_of_flat(flat), value);
    }

private:
    static constexpr address_space space = in_registers ? address_space::registers : address_space::shared;

    template <class... Xs>
    static TEGULA_INLINE index_t place(Xs... xs)
    {
        static_assert(sizeof...(Xs) == num_dims, "tegula: an element of a whole tile has one index for each dimension");
        return place_of(multi_index<num_dims>{static_cast<index_t>(xs)...});
    }
    static TEGULA_INLINE index_t place_of_flat(index_t flat)
    {
        if constexpr (in_registers) {
            multi_index<num_dims> x{};
            static_for<num_dims>(
                [&](auto d) { x[d] = flat / detail::stride_of<Distribution>(d) % Distribution::x_length(d); });
            return place_of(x);
        } else {
            return flat;
        }
    }
    static TEGULA_INLINE index_t place_of(const multi_index<num_dims>& x)
    {
        if constexpr (in_registers) {
            // A lane that holds the whole tile counts every digit by a register.
            index_t r = 0;
            static_for<Distribution::num_digits>([&](auto i) {
                constexpr int x_dim = Distribution::digit(i).x_dim, y_dim = Distribution::digit(i).y_dim;
                if constexpr (x_dim >= 0 && y_dim >= 0) {
                    constexpr auto stride = static_cast<index_t>(Distribution::digit(i).x_stride);
                    constexpr index_t length = Distribution::digit(i).length;
                    r += x[x_dim] / stride % length * Distribution::register_stride(y_dim);
                }
            });
            return r;
        } else {
            return detail::flat_index<Distribution>(x);
        }
    }
};

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

/// Whether each thread that has a part of the tile has all of it: for itself, or a copy that others have too.
template <class Distribution>
inline constexpr bool is_held_whole = Distribution::num_elements == detail::stride_of<Distribution>(-1);

/// Bytes of shared memory that a whole tile of T takes; 0 if a lane has it for itself.
template <class Target, class T, class Distribution>
inline constexpr index_t whole_tile_bytes =
    scope_of<Target, Distribution> == partition_scope::lane
        ? 0
        : round_up(detail::stride_of<Distribution>(-1) * static_cast<index_t>(sizeof(T)), index_t{16});

namespace detail {

/// The distribution held by the most threads decides which lanes synchronize, and which lane works alone.
template <class Target, class... Distributions>
inline constexpr partition_scope widest_scope = [] {
    partition_scope widest = partition_scope::lane;
    ((widest = static_cast<int>(scope_of<Target, Distributions>) > static_cast<int>(widest)
                   ? scope_of<Target, Distributions>
                   : widest),
     ...);
    return widest;
}();

template <class Target, partition_scope Scope>
TEGULA_INLINE void meet_in()
{
    if constexpr (Scope == partition_scope::block)
        Target::block_barrier();
    else if constexpr (Scope == partition_scope::wave)
        Target::wave_barrier();
}

template <class Target, partition_scope Scope>
TEGULA_INLINE bool works_alone()
{
    if constexpr (Scope == partition_scope::block)
        return Target::thread_id() == 0;
    else if constexpr (Scope == partition_scope::wave)
        return Target::lane_id() == 0;
    else
        return true;
}

/// Writes the tile's elements to their places in a whole tile, for lanes that synchronize in Scope. One copy of an
/// element is written; a tile of one wave is the same in all waves of a block, and the first wave writes.
template <class Target, partition_scope Scope, class T, class Distribution>
TEGULA_INLINE void write_whole(const distributed_tensor<T, Distribution>& tile, T* to)
{
    const auto p = partition_index<Target, Distribution>();
    bool writes = Distribution::is_first_replica(p);
    if constexpr (Scope == partition_scope::block && scope_of<Target, Distribution> == partition_scope::wave)
        writes = writes && Target::wave_id() == 0;
    sweep(tile, p, [&](const T& element, const auto& x) {
        write_scalar<Target, address_space::shared>(to + flat_index<Distribution>(x), element, writes);
    });
}

template <class Target, class T, class Distribution>
TEGULA_INLINE distributed_tensor<T, Distribution> read_whole(const T* from)
{
    distributed_tensor<T, Distribution> tile;
    sweep<Target>(tile, [&](T& element, const auto& x) {
        element = read_scalar<Target, address_space::shared>(from + flat_index<Distribution>(x));
    });
    return tile;
}

/// The memory of an operand of a region: shared memory, or the registers of `tile`.
template <class Target, bool InRegisters, class T, class Distribution>
TEGULA_INLINE whole_tile<Target, T, Distribution, InRegisters> whole_of(distributed_tensor<T, Distribution>& tile,
                                                                        std::byte* shared)
{
    if constexpr (InRegisters)
        return {tile.registers.values};
    else
        return {reinterpret_cast<T*>(shared)};
}

} // namespace detail

/// The whole tile, in shared memory that every lane sees on return; compilers call this going from SIMT to SIMD. A lane
/// that has the tile for itself sees its registers, and needs no memory.
///
///   memory  whole_tile_bytes of shared memory, aligned to 16 bytes, that no lane is using; it belongs to the whole
///           tile from here on
///
/// The lanes that take part are as for reduce of a tile of that distribution.
template <class Target, class T, class Distribution, class Scratch = detail::no_scratch>
TEGULA_INLINE whole_tile<Target, T, Distribution> to_whole(distributed_tensor<T, Distribution>& tile,
                                                           Scratch memory = nullptr)
{
    static_assert(sizeof(detail::check_scratch < Scratch,
                         scope_of<Target, Distribution> == partition_scope::lane ? 0 : whole_tile_bytes < Target, T,
                         Distribution >>) > 0);
    if constexpr (scope_of<Target, Distribution> != partition_scope::lane) {
        constexpr partition_scope scope = scope_of<Target, Distribution>;
        detail::write_whole<Target, scope>(tile, reinterpret_cast<T*>(memory));
        detail::meet_in<Target, scope>();
    }
    return detail::whole_of < Target, scope_of<Target, Distribution> == partition_scope::lane > (tile, memory);
}

/// The whole tile as a distributed one again, in any distribution of its lengths. The whole tile is in shared memory,
/// which is free on return. Precondition: lanes that wrote elements before are among those that take part.
template <class Target, class Distribution, class T, class From>
TEGULA_INLINE distributed_tensor<T, Distribution> to_distributed(const whole_tile<Target, T, From>& whole)
{
    static_assert(detail::same_lengths<From, Distribution>(),
                  "tegula: to_distributed needs a distribution with the lengths of the whole tile");
    static_assert(!whole_tile<Target, T, From>::in_registers,
                  "tegula: the whole tile is in the registers of one lane; convert() that lane's tile");
    constexpr partition_scope scope = detail::widest_scope<Target, From, Distribution>;
    detail::meet_in<Target, scope>();
    const auto tile = detail::read_whole<Target, T, Distribution>(whole.data);
    detail::meet_in<Target, scope>();
    return tile;
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
