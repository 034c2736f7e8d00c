#pragma once

#include <tegula/block/operand_load.hpp>
#include <tegula/block/operand_loader.hpp>
#include <tegula/core/math.hpp>
#include <tegula/tensor/elementwise.hpp>

namespace tegula {

/// An epilogue part changes a tile of C before it is stored: f(tile, window, batch), which changes the tile or returns
/// another. `window` is where the tile goes in C, `batch` the number of the product.
template <class F, class Tile, class Window>
concept epilogue_part = std::is_invocable_v<const F&, Tile&, const Window&, long_index_t>;

namespace detail {

/// The rule that every member of an epilogue is an epilogue part.
template <bool Ok, class Part>
struct is_an_epilogue_part
{
    static_assert(Ok, "tegula: a part of an epilogue is a function object with 'template <class Accumulator, class "
                      "Window> operator()(Accumulator& tile, const Window& window, long_index_t batch) const', marked "
                      "TEGULA_INLINE (the second template argument is what stands in its place)");
    static constexpr bool ok = Ok;
};

/// Whether a part returns every value unchanged with the numbers that it has. Such a part has a member function
/// `leaves_unchanged`.
template <class Part>
constexpr TEGULA_INLINE bool leaves_unchanged(const Part& part)
{
    if constexpr (requires { part.leaves_unchanged(); })
        return part.leaves_unchanged();
    else
        return false;
}

} // namespace detail

/// The tile after the epilogue, which changes the tile it is given or returns another, as elements of C. `to` is the
/// tile's window in C.
template <class C, class Epilogue, class Tile, class Window>
TEGULA_INLINE auto finish_tile(const Epilogue& epilogue, Tile& tile, const Window& to, long_index_t batch)
{
    static_assert(detail::is_an_epilogue_part<epilogue_part<Epilogue, Tile, Window>, Epilogue>::ok);
    if constexpr (std::is_void_v<decltype(epilogue(tile, to, batch))>) {
        epilogue(tile, to, batch);
        return cast<C>(tile);
    } else {
        return cast<C>(epilogue(tile, to, batch));
    }
}

/// The accumulator of a block on its way to C, a strip of rows at a time through shared memory. The accumulator's lanes
/// write the strip, then whole rows are read back. So global memory is read and written in neighbouring vectors of 16
/// bytes whatever the instruction's layout is, and the epilogue is in a loop.
template <class Mma>
struct output_stage
{
    using target = typename Mma::target;
    using value_type = typename Mma::c_type;

    static constexpr index_t rows = Mma::strip_rows;
    static constexpr index_t columns = Mma::block_n;

    using strip_distribution = typename Mma::strip_distribution;

    /// The rows that go through the epilogue at a time if a lane has 16 contiguous bytes of Element: every lane has one
    /// such vector if the tile is wide enough.
    template <class Element>
    struct pass
    {
        static constexpr int vector = 16 / static_cast<int>(sizeof(Element));
        static constexpr index_t rows = min(Mma::strip_rows, max(Mma::block_threads* vector / columns, 1));
        static_assert(Mma::strip_rows % rows == 0,
                      "tegula: the waves must divide the rows of the block tile; use powers of two");

        using distribution = tile_distribution<
            operand_load_source<target, Element, rows, columns, Mma::waves, operand_order::k_contiguous>>;
        using shared =
            operand_shared_layout<target, value_type, Mma::strip_rows, columns, strip_distribution, distribution>;
        static constexpr index_t bytes =
            shared_descriptor<shared>::element_space_size() * static_cast<index_t>(sizeof(value_type));
    };

    /// The pass of accumulators, whatever C is.
    using own_pass = pass<value_type>;
    using pass_distribution = typename own_pass::distribution;
    using shared = typename own_pass::shared;
    static constexpr index_t pass_rows = own_pass::rows;
    static constexpr bool passes_whole_rows = true;
    static constexpr index_t bytes = own_pass::bytes;

private:
    /// Whether a lane can have 16 bytes of C, which is narrower than the accumulator. The strip must have one such
    /// vector for every lane, and take no more bank conflicts or shared memory than own_pass.
    template <class C>
    static consteval bool has_wide_pass()
    {
        constexpr int vector = 16 / static_cast<int>(sizeof(C));
        if constexpr (sizeof(C) >= sizeof(value_type) || columns % vector != 0 ||
                      rows * columns < Mma::block_threads * vector)
            return false;
        else
            return pass<C>::shared::conflicts <= own_pass::shared::conflicts && pass<C>::bytes <= bytes;
    }
    /// Types of C of the same size share a pass.
    template <class C>
    static auto find_pass()
    {
        using same_size = std::conditional_t<sizeof(C) == 1, std::uint8_t, std::uint16_t>;
        if constexpr (sizeof(C) >= sizeof(value_type))
            return own_pass{};
        else if constexpr (has_wide_pass<same_size>())
            return pass<same_size>{};
        else if constexpr (sizeof(C) == 1 && has_wide_pass<std::uint16_t>())
            return pass<std::uint16_t>{};
        else
            return own_pass{};
    }
    template <class Window>
    static auto pass_of_window()
    {
        if constexpr (std::is_same_v<typename Window::distribution, pass_distribution>)
            return own_pass{};
        else
            return find_pass<typename Window::value_type>();
    }

public:
    /// The distribution in which a pass goes to C: in vectors, of 16 bytes a lane if the tile allows it, or element by
    /// element.
    template <class C, bool Vectors>
    using distribution_for = typename decltype(find_pass<std::conditional_t<Vectors, C, value_type>>())::distribution;

    /// Stores one pass through the epilogue.
    template <class Window, class Epilogue, class PassTile>
    static TEGULA_INLINE void store_pass(const Epilogue& epilogue, PassTile& tile, const Window& to, long_index_t batch)
    {
        store(to, finish_tile<typename Window::value_type>(epilogue, tile, to, batch));
    }

    /// Writes C through the epilogue, which changes the tile it is given or returns another. `to` is the window of the
    /// block's tile in C, distributed by pass_distribution or distribution_for; `memory` is the block's shared memory,
    /// which no lane may still be reading for another purpose after a barrier. `epilogue_of()` gives the epilogue, once
    /// for each pass.
    TEGULA_CALLS_BACK
    template <class Window, class EpilogueOf>
    static TEGULA_INLINE void store_through(const EpilogueOf& epilogue_of, const typename Mma::accumulators& acc,
                                            Window to, long_index_t batch, std::byte* memory)
    {
        using pass = decltype(pass_of_window<Window>());
        using view = tensor_view<target, address_space::shared, value_type, shared_descriptor<typename pass::shared>>;
        const view staged{reinterpret_cast<value_type*>(memory), {}, "staged C"};
        const auto writer = make_tile_window<strip_distribution>(staged, {0, 0});
        const auto reader = make_tile_window<typename pass::distribution>(staged, {0, 0});
        const auto finish_strip = [&](auto&& write) {
            target::block_barrier();
            write();
            target::block_barrier();
            auto from = reader;
            TEGULA_ROLLED
            for (index_t row = 0; row < rows; row += pass::rows) {
                // Conditions of single elements, held across the loop, take two scalar registers each on AMD.
                if constexpr (target::vendor == vendor::amd && target::wave_size == 64)
                    for (index_t& x : to.coordinate.hidden.rest.values)
                        target::make_opaque(x);
                auto tile = load<bounds::unchecked>(from);
                store_pass(epilogue_of(), tile, to, batch);
                from.move({pass::rows, 0});
                to.move({pass::rows, 0});
            }
        };
        if constexpr (target::vendor == vendor::nvidia) {
            // In a loop over the strips nvcc stores vectors element by element.
            static_for<Mma::iterations_m>([&](auto strip) {
                finish_strip([&] { store<bounds::unchecked>(writer, acc.template strip<strip>()); });
            });
        } else {
            TEGULA_ROLLED
            for (int strip = 0; strip < Mma::iterations_m; ++strip)
                finish_strip([&] {
                    static_for<Mma::iterations_m>([&](auto one) {
                        if (one == strip)
                            store<bounds::unchecked>(writer, acc.template strip<one>());
                    });
                });
        }
    }
};

} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::is_an_epilogue_part;
using tegula::detail::leaves_unchanged;
} // namespace tegula::internal
