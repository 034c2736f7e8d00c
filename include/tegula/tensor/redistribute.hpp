#pragma once

#include <tegula/layout/descriptor.hpp>
#include <tegula/layout/shared_layout.hpp>
#include <tegula/tensor/access.hpp>
#include <tegula/tensor/same_lanes.hpp>

namespace tegula {

namespace encoding_rules {
template <bool Ok, int Needed, int Given>
struct scratch_holds_one_row
{
    static_assert(Ok, "tegula: the scratch memory does not hold one position of the tile's first dimension; give more "
                      "(the template arguments are the bytes needed and given)");
};
} // namespace encoding_rules

namespace detail {

consteval index_t longest(index_t a, index_t b) { return a > b ? a : b; }

/// How a tile of T passes through at most Limit bytes of shared memory: whole, or in strips of its first dimension.
template <class Target, class T, class Source, class Destination, index_t Limit>
struct staging
{
    static constexpr int num_x = Source::num_x;
    static constexpr index_t element_bytes = static_cast<index_t>(sizeof(T));
    static constexpr index_t chunk = element_bytes < 16 ? 16 / element_bytes : 1;
    static constexpr index_t rows = Source::x_length(0);
    static constexpr index_t row_elements = [] {
        index_t n = 1;
        for (int i = 1; i < num_x; ++i)
            n *= static_cast<index_t>(x_length(Source::value, i));
        return n;
    }();

    /// Whether the layout in shared memory is chosen by the banks: what the analysis is for.
    static constexpr bool by_banks =
        num_x == 2 && 16 % element_bytes == 0 && row_elements % chunk == 0 &&
        access_plan<Source, num_x - 1, chunk>::accesses <= wave_accesses::max_accesses &&
        access_plan<Destination, num_x - 1, chunk>::accesses <= wave_accesses::max_accesses;
    /// Positions of the first dimension in a strip. Vectors are not cut, those of a one-dimensional tile neither.
    static constexpr index_t strip = [] {
        constexpr index_t unit = row_elements == 1 ? longest(access_plan<Source, 0, chunk>::vector,
                                                             access_plan<Destination, 0, chunk>::vector)
                                                   : 1;
        constexpr index_t line = by_banks ? 128 : 1;
        const index_t fit = Limit / line * line / (row_elements * element_bytes) / unit * unit;
        return fit < rows ? fit : rows;
    }();
    static_assert(sizeof(encoding_rules::scratch_holds_one_row<(strip > 0), row_elements * element_bytes, Limit>));
    static constexpr index_t strips = strip > 0 ? (rows + strip - 1) / strip : 1;

    static constexpr shared_layout_value layout = [] {
        shared_layout_value plain{strip, row_elements, row_elements, static_cast<int>(element_bytes * 8)};
        if constexpr (by_banks) {
            const shared_layout_value chosen = choose_shared_layout(
                Target::chip(), strip, row_elements, static_cast<int>(element_bytes * 8),
                make_wave_accesses<Source, static_cast<int>(chunk)>(Target::chip(), access_kind::store),
                make_wave_accesses<Destination, static_cast<int>(chunk)>(Target::chip(), access_kind::load));
            if (static_cast<long_index_t>(chosen.element_space()) * element_bytes <= Limit)
                return chosen;
        }
        return plain;
    }();
    static constexpr index_t bytes =
        by_banks ? layout.element_space() * element_bytes : strip * row_elements * element_bytes;

    template <int... Is>
    static auto step_back(std::integer_sequence<int, Is...>) -> sequence<-strip, 0 * Is...>;
    using back_one_strip = decltype(step_back(std::make_integer_sequence<int, num_x - 1>{}));

    template <int... Is>
    static auto packed_lengths(std::integer_sequence<int, Is...>) -> sequence<strip, Source::x_length(Is + 1)...>;

    static constexpr TEGULA_INLINE auto descriptor()
    {
        if constexpr (by_banks)
            return shared_descriptor<staging>{};
        else
            return make_packed_descriptor(decltype(packed_lengths(std::make_integer_sequence<int, num_x - 1>{})){});
    }
};

inline constexpr index_t no_limit = 0x7fffffff;

template <class A, class B>
consteval bool same_lengths()
{
    if (A::num_x != B::num_x)
        return false;
    for (int i = 0; i < A::num_x; ++i)
        if (A::x_length(i) != B::x_length(i))
            return false;
    return A::num_x > 0;
}

template <class Target, class T, class Source, class Destination>
consteval index_t redistribute_bytes()
{
    if constexpr (same_lanes<Source, Destination>)
        return 0;
    else
        return staging<Target, T, Source, Destination, no_limit>::bytes;
}

/// Of a tile that more lanes hold than its distribution tells apart, the first of them writes it.
template <class Target, class Distribution, partition_scope Scope>
TEGULA_INLINE bool writes_staged_tile()
{
    constexpr partition_scope own = scope_of<Target, Distribution>;
    bool mine = Distribution::is_first_replica(partition_index<Target, Distribution>());
    if constexpr (own == partition_scope::lane)
        mine = mine && Target::lane_id() == 0;
    if constexpr (own != Scope && Scope == partition_scope::block)
        mine = mine && Target::wave_id() == 0;
    return mine;
}

template <class Target, partition_scope Scope>
TEGULA_INLINE void scope_barrier()
{
    if constexpr (Scope == partition_scope::block)
        Target::block_barrier();
    else
        Target::wave_barrier();
}

/// Writes the elements of the tensor that lie in the window's view. Vectors are inside it or outside, never half.
template <bounds Bounds, class Window, class Tensor>
TEGULA_INLINE void write_strip(const Window& window, const Tensor& tensor, bool mine)
{
    for_each_access<Bounds>(window, [&](auto a, const auto& access) {
        access.label();
        write_vector<typename Window::target, address_space::shared, Window::plan::vector>(
            access.pointer(), gather_registers<Window, a>(tensor), access.all && mine);
    });
}

/// Reads the elements of the tensor that lie in the window's view and leaves the others as they are.
template <bounds Bounds, class Window, class Tensor>
TEGULA_INLINE void read_strip(Tensor& tensor, const Window& window)
{
    for_each_access<Bounds>(window, [&](auto a, const auto& access) {
        access.label();
        auto values = read_vector<typename Window::target, address_space::shared, Window::plan::vector>(
            access.pointer(), access.all);
        if constexpr (Bounds == bounds::checked) {
            const auto old = gather_registers<Window, a>(tensor);
            static_for<Window::plan::vector>([&](auto j) { values[j] = choose(access.all, values[j], old[j]); });
        }
        scatter_registers<Window, a>(tensor, values);
    });
}

template <class Target, class Destination, class T, class Source, index_t Limit>
TEGULA_INLINE void redistribute_through(distributed_tensor<T, Destination>& result,
                                        const distributed_tensor<T, Source>& tensor, std::byte* scratch)
{
    using stage = staging<Target, T, Source, Destination, Limit>;
    constexpr partition_scope a = scope_of<Target, Source>;
    constexpr partition_scope b = scope_of<Target, Destination>;
    constexpr partition_scope scope = a > b ? a : b;
    constexpr bounds mode = stage::strips == 1 ? bounds::unchecked : bounds::checked;

    const auto view = make_tensor_view<Target, address_space::shared>(reinterpret_cast<T*>(scratch),
                                                                      stage::descriptor(), "redistributed tile");
    const bool mine = writes_staged_tile<Target, Source, scope>();
    auto writer = make_tile_window<Source>(view, {});
    auto reader = make_tile_window<Destination>(view, {});
    TEGULA_ROLLED
    for (index_t s = 0; s < stage::strips; ++s) {
        write_strip<mode>(writer, tensor, mine);
        scope_barrier<Target, scope>();
        read_strip<mode>(result, reader);
        scope_barrier<Target, scope>();
        writer.move(typename stage::back_one_strip{});
        reader.move(typename stage::back_one_strip{});
    }
}

} // namespace detail

/// Bytes of shared memory through which a tile of T passes whole when its distribution changes from Source to
/// Destination; 0 where every lane has its elements already.
template <class Target, class T, class Source, class Destination>
inline constexpr index_t redistribute_scratch_bytes = detail::redistribute_bytes<Target, T, Source, Destination>();

/// The tile in another distribution of the same lengths.
///
/// Where every lane holds the same elements in both, registers are renamed. Otherwise the tile passes through shared
/// memory: of replicated elements one replica writes, all read. With less than redistribute_scratch_bytes it passes in
/// strips of its first dimension.
///
///   ScratchBytes  size of the scratch memory, at least one position of the first dimension
///   scratch       shared memory, aligned to 128 bytes, that no lane is using. It is free again on return.
///
/// Two {lane} distributions are a matter of the wave: its lanes take part, each wave with scratch memory of its own.
/// Otherwise all threads of the block take part; a {lane} tile is then the same in all waves.
template <class Target, class Destination, index_t ScratchBytes = detail::no_limit, class T, class Source>
TEGULA_INLINE distributed_tensor<T, Destination> redistribute(const distributed_tensor<T, Source>& tensor,
                                                              [[maybe_unused]] std::byte* scratch)
{
    static_assert(detail::same_lengths<Source, Destination>(),
                  "tegula: redistribute needs two distributions of one tile: their tensor lengths differ");
    distributed_tensor<T, Destination> result{};
    if constexpr (same_lanes<Source, Destination>)
        static_for<Source::num_elements>([&](auto n) {
            constexpr int to = Destination::register_at(Source::step(n));
            constexpr int from = Source::register_at(Source::step(n));
            result[to] = tensor[from];
        });
    else
        detail::redistribute_through<Target, Destination, T, Source, ScratchBytes>(result, tensor, scratch);
    return result;
}

/// The same where only registers are renamed.
template <class Target, class Destination, class T, class Source>
TEGULA_INLINE distributed_tensor<T, Destination> redistribute(const distributed_tensor<T, Source>& tensor)
{
    static_assert(redistribute_scratch_bytes<Target, T, Source, Destination> == 0,
                  "tegula: this change of distribution moves elements between lanes; give it "
                  "redistribute_scratch_bytes of shared memory");
    return redistribute<Target, Destination, 0>(tensor, nullptr);
}

} // namespace tegula
