#pragma once

#include <tegula/kernel/gemm/forms/prologue.hpp>
#include <tegula/kernel/gemm/warp_specialized/experts.hpp>
#include <tegula/kernel/tensor_protocol.hpp>

namespace tegula {

/// Products of each expert's rows with the expert's matrix, in one launch. The host need not know how many rows each
/// expert has: first_row lies in the device's memory, as moe_sort leaves it.
///
///   Kernel  a prologue_gemm, whose A is gathered_rows or strided_rows and whose B is strided_rows or gated_rows
///
/// The arguments hold the product of all rows with the matrix of expert 0. A or its indices, C or its row indices, and
/// the epilogue's values per row are lists over the sorted rows, of which each expert takes its part. The epilogue's
/// `batch` is the expert's first row, so that a scale_rows of batch_stride 1 reads the scales of the sorted rows.
///
/// Expert e starts at tile first_row[e] / block_m + e along m: its rows never need more tiles than lie between its
/// start and the next expert's. A block whose tile has no rows ends at once.
template <class Kernel>
struct expert_gemm
{
    using plain = Kernel;
    using target = typename Kernel::target;
    using product = typename Kernel::arguments;
    using tile = typename Kernel::tile;

    struct arguments
    {
        product all{};                      ///< m: all rows; batch 1
        const index_t* first_row = nullptr; ///< [experts + 1]
        index_t experts = 0;
        long_index_t b_stride = 0; ///< from an expert's matrix to the next one's, in elements
    };

    static constexpr int block_threads = Kernel::block_threads;
    static constexpr index_t shared_bytes = Kernel::shared_bytes;

    /// Tiles along m, those without rows included.
    static constexpr TEGULA_HOST_DEVICE index_t tiles_m(const arguments& args)
    {
        return static_cast<index_t>(expert_tile<tile>::tiles_m(args.all.m, args.experts));
    }
    static constexpr TEGULA_HOST_DEVICE index_t tiles_n(const arguments& args)
    {
        return static_cast<index_t>(ceil_div(args.all.n, tile::block_n));
    }
    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        return args.all.m == 0 ? 0 : static_cast<long_index_t>(tiles_m(args)) * tiles_n(args);
    }

    /// Errors: those of can_implement and check_epilogue; matrices of experts that are wrong; a table that direct loads do
    /// not reach; too many blocks.
    static status check(const arguments& args)
    {
        if (status s = check_experts(args.all, args.first_row, args.experts, args.b_stride); !s)
            return s;
        if (status s = check_reach<Kernel>(args.all); !s)
            return s;
        if (blocks(args) > INT32_MAX)
            return status(status_code::unsupported, "the products of the experts take ")
                   << blocks(args) << " blocks; the limit is " << INT32_MAX << ", use a larger tile";
        return {};
    }

    static constexpr const char* name = "products of experts";
    /// Sets k to 0 if alpha is 0.
    static arguments normalize(arguments args)
    {
        args.all = tegula::normalize(args.all);
        return args;
    }
    template <class Memory>
    static void memory(const arguments& args, Memory& memory)
    {
        add_product(args.all, memory); // with the matrix of expert 0
        auto b = args.all.b;
        b.set_batch_stride(args.b_stride);
        b.memory("B", args.all.n, args.all.k, args.experts, memory);
        add_array(memory, args.first_row, args.experts + long_index_t{1}, "first rows");
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        using expert = expert_tile<tile>;
        const expert of =
            expert::find(args.first_row, args.experts, args.all.m, target::block_id()[0], tiles_n(args)).uniform();
        if (of.is_empty())
            return;
        product p = of.template part_of<Kernel::scatters>(args.all);
        p.b.move(of.expert * args.b_stride);
        Kernel::compute(p, of.at);
    }
};

} // namespace tegula
