#pragma once

#include <tegula/core/math.hpp>
#include <tegula/kernel/gemm/warp_specialized/output.hpp>

namespace tegula {

/// Prefetches the bias of a tile's columns for the epilogue of a warpgroup: loads it before the products, then
/// keeps it in shared memory, from which every chunk reads its columns.
///
///   Tile  a warp_specialized_tile or tcgen05_tile; Bias: element type
template <class Tile, class Bias>
struct staged_bias
{
    using value_type = Bias;
    static constexpr index_t bytes = ceil_div(Tile::block_n * static_cast<index_t>(sizeof(Bias)), index_t{16}) * 16;

private:
    using target = warpgroup<typename Tile::target>;
    static constexpr int count = static_cast<int>(ceil_div(Tile::block_n, index_t{target::threads}));

public:
    /// A lane's share of the bias of the tile's columns, which begin at `first`.
    using values = array<Bias, count>;
    template <class Product>
    static TEGULA_INLINE values fetch(const Product& p, index_t first)
    {
        const Bias* const bias = p.epilogue.template prefetch_consumer<epilogue::prefetched_bias>().bias;
        values own{};
        if (bias != nullptr)
            static_for<count>([&](auto i) {
                const index_t column = i * target::threads + own_lane();
                own[i] = internal::read_vector<target, address_space::global, 1>(
                    bias + first + column, column < Tile::block_n && first + column < p.n)[0];
            });
        return own;
    }
    /// Called by the whole warpgroup, after it has read the bias of the tile before.
    static TEGULA_INLINE void stage(Bias* staged, const values& own)
    {
        static_for<count>([&](auto i) {
            const index_t column = i * target::threads + own_lane();
            internal::write_vector<target, address_space::shared, 1>(staged + column, array<Bias, 1>{own[i]},
                                                                     column < Tile::block_n);
        });
        target::block_barrier();
    }
    /// A function that reads the bias of Output's chunk at column `column` of the block's tile.
    template <class Output>
    static TEGULA_INLINE auto reader(Bias* staged, index_t column)
    {
        return [staged, column] {
            // Every row is the same.
            const auto view = make_tensor_view<target, address_space::shared>(
                staged,
                make_strided_descriptor(make_tuple(constant<Output::rows>{}, constant<Tile::block_n>{}),
                                        make_tuple(constant<0>{}, constant<1>{}),
                                        constant<16 / static_cast<index_t>(sizeof(Bias))>{}),
                "staged bias");
            return load<bounds::unchecked>(Output::window(view, 0, column));
        };
    }

private:
    static TEGULA_INLINE int own_lane() { return target::wave_id() * target::wave_size + target::lane_id(); }
};

/// In the place of staged_bias if the epilogue loads the bias itself.
struct no_staged_bias
{
    using value_type = std::byte;
    static constexpr index_t bytes = 0;
    template <class Product>
    static TEGULA_INLINE epilogue::not_prefetched fetch(const Product&, index_t)
    {
        return {};
    }
    static TEGULA_INLINE void stage(std::byte*, epilogue::not_prefetched) {}
    template <class Output, class... Where>
    static TEGULA_INLINE epilogue::not_prefetched reader(const Where&...)
    {
        return {};
    }
};

/// How consumers keep the bias of an epilogue; Prefetches: whether the kernel loads it early at all.
template <class Tile, class Epilogue, bool Prefetches>
auto find_staged_bias()
{
    using what = epilogue::prefetched_bias;
    if constexpr (Prefetches && epilogue::prefetch_consumers_of<Epilogue, what> == 1)
        return staged_bias<Tile, typename epilogue::prefetch_consumer_of<Epilogue, what>::value_type>{};
    else
        return no_staged_bias{};
}

} // namespace tegula
