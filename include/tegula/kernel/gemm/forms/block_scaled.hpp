#pragma once

#include <tegula/arch/reload_arguments.hpp>
#include <tegula/block/block_scaled_accumulators.hpp>
#include <tegula/kernel/gemm/dispatch.hpp>
#include <tegula/kernel/gemm/forms/block_scaled_arguments.hpp>
#include <tegula/kernel/gemm/pair_atom.hpp>
#include <tegula/kernel/gemm/tiles.hpp>

namespace tegula {

/// GEMM of inputs in blocks with a scale each, on the multistage schedule. The matrix instructions sum each 128 of k;
/// the sum is scaled and added to a total in float. Parameters as for gemm_kernel; block_n and block_k of the tile
/// divide 128. A lane needs twice the tile's accumulators.
template <class Tile, operand_order OrderA, operand_order OrderB, class C, class Epilogue, output_access Access>
struct block_scaled_gemm
    : product_protocol<block_scaled_arguments<typename Tile::a_type, typename Tile::b_type, C, Epilogue>>
{
    using plain = gemm_kernel<Tile, OrderA, OrderB, C, Epilogue, Access>;
    using target = typename Tile::target;
    using arguments = block_scaled_arguments<typename Tile::a_type, typename Tile::b_type, C, Epilogue>;
    static_assert(block_scale_length % Tile::block_n == 0,
                  "tegula: block_n must divide the 128 columns of B that share a scale; use a narrower tile");

    static constexpr operand_order order_a = OrderA;
    static constexpr operand_order order_b = OrderB;
    static constexpr int block_threads = plain::block_threads;
    static constexpr index_t shared_bytes = plain::shared_bytes;

    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args) { return plain::blocks(args); }

    /// Errors: those of can_implement and check_epilogue; unsupported for operands or a C that do not lie in memory as
    /// the kernel takes them.
    static status check(const arguments& args)
    {
        const status s = check_arguments(args);
        return s ? internal::check_orders<plain>(args, args.k) : s;
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        internal::check_reload(args, [](const arguments& a) { return a.c.data; });
        const tile_position at = plain::position(args, target::block_id()[0]);
        const auto scales_at = [&] { return scales(internal::reload_arguments(args), at); };
        block_scaled_accumulators<typename Tile::mma, Tile::block_k, block_scale_length, decltype(scales_at)> acc(
            scales_at); // [block_m, block_n]
        multistage_loop<Tile, OrderA, OrderB>::run(acc, plain::a_source(args, at.batch),
                                                   plain::b_source(args, at.batch), at.m * Tile::block_m,
                                                   at.n * Tile::block_n, target::shared_memory());
        acc.finish();
        plain::finish(acc.total, internal::reload_arguments(args), at);
    }

private:
    static TEGULA_INLINE block_scale_source scales(const arguments& args, const tile_position& at)
    {
        return block_scales_at(args, at.batch, at.m * Tile::block_m, at.n * Tile::block_n);
    }
};

/// Tiles for block_scaled_gemm: those of gemm_tiles with more waves, as a lane holds two sets of accumulators.
template <class Target, class A, class B = A>
struct block_scaled_tiles
{
    static_assert(internal::is_a_target<Target>::ok);

    using atom = pair_atom<Target, A, B>;
    static constexpr index_t row = max(64 / static_cast<index_t>(sizeof(A)), static_cast<index_t>(atom::k));
    static constexpr int stages = gemm_tiles<Target, A>::stages;
    // On NVIDIA the registers for 128 columns do not fit: a thread has 255 with 8 waves, 128 with 16.
    static constexpr bool has_t128x128 = !Target::has_async_copy;

    using t128x128 = gemm_tile<Target, atom, 128, 128, row, Target::wave_size == 32 ? 4 : 2, 4, stages>;
    using t128x64 = gemm_tile<Target, atom, 128, 64, row, 2, 4, stages>;
    using t64x64 = gemm_tile<Target, atom, 64, 64, row, 2, Target::wave_size == 32 ? 4 : 2, stages>;
    using t32x128 = gemm_tile<Target, atom, 32, 128, row, 1, 4, stages>;
};

/// The kernels of one tile; as gemm_kernels.
template <class Tile, class C, class Epilogue, class... Orders>
struct block_scaled_kernels
    : kernel_picker<block_scaled_kernels<Tile, C, Epilogue, Orders...>,
                    block_scaled_arguments<typename Tile::a_type, typename Tile::b_type, C, Epilogue>>
{
    using arguments = block_scaled_arguments<typename Tile::a_type, typename Tile::b_type, C, Epilogue>;
    using orders = order_list<Orders...>;

    template <operand_order A, operand_order B>
    using aligned = block_scaled_gemm<Tile, A, B, C, Epilogue, output_access::vectors>;
    /// A tile with 64 columns if operands are widened: a register on its way to shared memory holds one byte.
    using element_wise_tile =
        std::conditional_t<(Tile::atom::widens_operands && Tile::block_n > 64),
                           gemm_tile<typename Tile::target, typename Tile::atom, Tile::block_m, 64, Tile::block_k,
                                     Tile::waves_m, Tile::waves_n, Tile::stages>,
                           Tile>;
    using element_wise = block_scaled_gemm<element_wise_tile, operand_order::any, operand_order::any, C, Epilogue,
                                           output_access::elements>;

    template <class Launch>
    static auto dispatch(const arguments& args, Launch&& launch)
    {
        return dispatch_by_order<block_scaled_kernels>(args, args.k, launch);
    }
};

} // namespace tegula
