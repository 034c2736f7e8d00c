#pragma once

#include <tegula/tensor/convert.hpp>
#include <tegula/tensor/sort.hpp>

/// Tiles that one lane sees whole, in shared memory or in its registers, and how the lanes' parts become one and back.

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

} // namespace tegula
