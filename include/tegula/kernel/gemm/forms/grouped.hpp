#pragma once

#include <tegula/kernel/gemm/dispatch.hpp>

namespace tegula {

/// Products of different sizes in one launch, each with its own operands, batch and epilogue arguments. Some may be
/// empty; with k = 0 a product still runs its epilogue.
///
///   Kernel  the gemm_kernel that computes each of them
///
/// operator() is the body of one block; block size and shared memory are below, the number of blocks is
/// arguments::blocks.
template <class Kernel>
struct grouped_gemm
{
    using plain = Kernel;
    using tile = typename Kernel::tile;
    using target = typename Kernel::target;
    using product = typename Kernel::arguments;

    /// Arrays in memory that the kernel reads.
    struct arguments
    {
        const product* products = nullptr;    ///< [count], as number_blocks leaves them
        const index_t* first_block = nullptr; ///< [count + 1], from number_blocks
        index_t count = 0;
        index_t blocks = 0; ///< first_block[count]
    };

    static constexpr int block_threads = Kernel::block_threads;
    static constexpr index_t shared_bytes = Kernel::shared_bytes;

    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args) { return args.blocks; }

    /// Checks the products, normalises them and numbers their blocks consecutively: product i gets [first_block[i],
    /// first_block[i + 1]).
    ///
    /// products, first_block  [count] and [count + 1], memory of the host
    ///
    /// Errors, which name the product by its index: those of can_implement and check_epilogue, and operands or a C that
    /// do not lie in memory as the kernel needs them.
    static status number_blocks(product* products, index_t count, index_t* first_block)
    {
        long_index_t total = 0;
        first_block[0] = 0;
        for (index_t i = 0; i < count; ++i) {
            if (status s = Kernel::check(products[i]); !s)
                return status(s.code(), "product ") << i << ": " << s.message();
            products[i] = tegula::normalize(products[i]);
            total += Kernel::blocks(products[i]);
            if (total > INT32_MAX)
                return status(status_code::unsupported, "products 0 to ")
                       << i << " take " << total << " blocks; the limit is " << INT32_MAX << ", use a larger tile";
            first_block[i + 1] = static_cast<index_t>(total);
        }
        return {};
    }

    static constexpr const char* name = "grouped GEMM";
    /// number_blocks has checked the products.
    static status check(const arguments&) { return {}; }
    static arguments normalize(const arguments& args) { return args; }
    template <class Memory>
    static void memory(const arguments& args, Memory& memory)
    {
        for (index_t i = 0; i < args.count; ++i)
            add_product(args.products[i], memory);
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        const index_t block = target::block_id()[0];
        const index_t i = target::uniform(find_product(args, block));
        // On NVIDIA, what the epilogue needs is loaded after the loop and takes no registers in it.
        using kept = std::conditional_t<target::vendor == vendor::nvidia, const product&, const product>;
        kept mine = args.products[i];
        const tile_position at = Kernel::position(mine, block - args.first_block[i]);
        Kernel::compute(mine, at);
    }

private:
    /// The product that block `block` works on: the last one that starts at or before it, which is never empty.
    static constexpr TEGULA_HOST_DEVICE index_t find_product(const arguments& args, index_t block)
    {
        index_t low = 0;
        index_t high = args.count;
        TEGULA_ROLLED
        while (high - low > 1) {
            const index_t middle = low + (high - low) / 2;
            (args.first_block[middle] <= block ? low : high) = middle;
        }
        return low;
    }
};

/// The kernels of one tile for lists of products; Kernels is a gemm_kernels.
template <class Kernels>
struct grouped_kernels
{
    using product = typename Kernels::arguments;

    template <operand_order A, operand_order B>
    using aligned = grouped_gemm<typename Kernels::template aligned<A, B>>;
    using element_wise = grouped_gemm<typename Kernels::element_wise>;

    /// Numbers the blocks, as number_blocks, for the kernel that suits all the products, and calls launch(kernel{})
    /// with it: a kernel of 16-byte vectors if all operands lie in the same orders, else the element-wise one. Returns
    /// the errors of number_blocks, and then launches nothing, or what `launch` returns, a status.
    template <class Launch>
    static status dispatch(product* products, index_t count, index_t* first_block, Launch&& launch)
    {
        using enum operand_order;
        const auto run = [&](auto kernel) {
            const status s = kernel.number_blocks(products, count, first_block);
            return s ? launch(kernel) : s;
        };
        if (suits<k_contiguous, k_contiguous>(products, count))
            return run(chosen<k_contiguous, k_contiguous>{});
        if (suits<k_contiguous, row_contiguous>(products, count))
            return run(chosen<k_contiguous, row_contiguous>{});
        if (suits<row_contiguous, k_contiguous>(products, count))
            return run(chosen<row_contiguous, k_contiguous>{});
        if (suits<row_contiguous, row_contiguous>(products, count))
            return run(chosen<row_contiguous, row_contiguous>{});
        return run(element_wise{});
    }

private:
    template <operand_order A, operand_order B>
    using chosen = grouped_gemm<kernel_for_orders<Kernels, A, B>>;

    template <operand_order A, operand_order B>
    static bool suits(const product* products, index_t count)
    {
        for (index_t i = 0; i < count; ++i)
            if (!aligned<A, B>::plain::check(products[i]))
                return false;
        return true;
    }
};

} // namespace tegula
