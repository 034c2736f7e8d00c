#pragma once

#include <tegula/kernel/gemm/choose/choose_tile.hpp>

#include <type_traits>

namespace tegula {

/// Tiles of different types, one of which suits a problem. Functions are given a tile as std::type_identity<Tile>{}.
template <class... Tiles>
struct tile_list
{
    static constexpr int count = static_cast<int>(sizeof...(Tiles));
    static_assert(count > 0);

    /// The list with more tiles at its end, if `There`.
    template <bool There, class... More>
    using and_if = std::conditional_t<There, tile_list<Tiles..., More...>, tile_list>;

    /// The tiles that take a problem, in the list's order.
    struct selection
    {
        tile_description tiles[sizeof...(Tiles)];
        int number[sizeof...(Tiles)]; ///< in the list
        int count = 0;
    };

    /// describe(tile) is its description, takes(tile) whether it takes the problem.
    template <class Describe, class Takes>
    static selection select(const Describe& describe, const Takes& takes)
    {
        selection s{};
        int number = 0;
        const auto add = [&](auto tile) {
            if (takes(tile)) {
                s.tiles[s.count] = describe(tile);
                s.number[s.count++] = number;
            }
            ++number;
        };
        (add(std::type_identity<Tiles>{}), ...);
        return s;
    }

    /// The number of the tile with the least estimate of those that take the problem. Precondition: one takes it.
    template <class Describe, class Takes>
    static int choose(const gemm_size& size, const chip_info& chip, const Describe& describe, const Takes& takes)
    {
        const selection s = select(describe, takes);
        return s.number[choose_tile(size, chip, s.tiles, s.count).index];
    }

    /// use(tile) of the tile with this number. Precondition: 0 <= number < count.
    template <class Use>
    static auto with(int number, const Use& use)
    {
        return use_tile<Use, Tiles...>(number, use);
    }

private:
    template <class Use, class First, class... Rest>
    static auto use_tile(int number, const Use& use) -> decltype(use(std::type_identity<First>{}))
    {
        if constexpr (sizeof...(Rest) > 0)
            if (number > 0)
                return use_tile<Use, Rest...>(number - 1, use);
        return use(std::type_identity<First>{});
    }
};

} // namespace tegula
