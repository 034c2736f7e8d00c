#pragma once

#include <tegula/host/epilogue_memory.hpp>
#include <tegula/kernel/gemm/forms/block_scaled.hpp>
#include <tegula/kernel/gemm/forms/grouped.hpp>
#include <tegula/kernel/gemm/forms/quantized_weights.hpp>
#include <tegula/kernel/gemm/forms/reduce_partials.hpp>

#include <vector>

/// The forms of GEMM besides the plain one on the emulator. Block-scaled and mixed products run by emulate_gemm().
namespace tegula {

template <class A, class Form, class C, class Epilogue>
void add_matrices(emulator::memory_ranges& memory, const quantized_weights_arguments<A, Form, C, Epilogue>& args)
{
    detail::add_matrix(memory, args.a, args.m, args.k, args.batch, "A");
    detail::add_matrix(memory, args.b, args.packets_k(), args.n, args.batch, "B");
    detail::add_matrix(memory, args.c, args.m, args.n, args.batch, "C");
    detail::add_matrix(memory, args.scales, args.groups(), args.n, args.batch, "scales");
}

template <class A, class B, class C, class Epilogue>
void add_matrices(emulator::memory_ranges& memory, const block_scaled_arguments<A, B, C, Epilogue>& args)
{
    const gemm_arguments<A, B, C, Epilogue>& plain = args;
    add_matrices(memory, plain);
    detail::add_matrix(memory, args.a_scales, args.m, args.groups_k(), args.batch, "scales of A");
    detail::add_matrix(memory, args.b_scales, args.groups_k(), args.groups_n(), args.batch, "scales of B");
}

namespace detail {

/// Adds what kernels with these arguments of a plain product may touch.
template <class Arguments>
void add_product(emulator::memory_ranges& memory, const Arguments& args)
{
    add_matrices(memory, args);
    add_memory(memory, args.epilogue, args);
}

template <class Kernel>
emulator::launch_result launch_form(const char* name, const typename Kernel::arguments& args,
                                    emulator::launch_config config)
{
    config.chip = &chip_of<typename Kernel::plain::target>;
    config.kernel_name = name;
    config.grid = {static_cast<int>(Kernel::blocks(args)), 1, 1};
    config.block_threads = Kernel::block_threads;
    config.shared_bytes = Kernel::shared_bytes;
    return emulator::launch(config, [&args] { Kernel{}(args); });
}

} // namespace detail

/// Runs split_k_gemm or stream_k_gemm, both kernels, on the emulator. Counters are those of both.
///
/// Errors: those of Shared::check and of emulator::launch; with the former nothing ran.
template <class Shared>
emulator::launch_result emulate_split_k(Shared, typename Shared::arguments args, emulator::launch_config config = {})
{
    emulator::launch_result result;
    result.status = Shared::check(args);
    if (!result.status)
        return result;
    args.product = normalize(args.product);
    detail::add_product(config.memory, args.product);
    const auto bytes = static_cast<std::size_t>(Shared::workspace_bytes(args));
    auto summing = config; // which reads the workspace that the first kernel writes
    config.memory.write(args.workspace.data, bytes, "workspace");
    summing.memory.read(args.workspace.data, bytes, "workspace");
    result = detail::launch_form<Shared>("product of parts of k", args, config);
    if (!result.status)
        return result;
    emulator::launch_result sum = detail::launch_form<reduce_partials<Shared>>("reduce_partials", args, summing);
    sum.counters += result.counters;
    return sum;
}

/// Runs grouped_gemm on the emulator; `args` as number_blocks filled them in.
///
/// Errors: those of emulator::launch.
template <class Grouped>
emulator::launch_result emulate_grouped(Grouped, const typename Grouped::arguments& args,
                                        emulator::launch_config config = {})
{
    std::vector<typename Grouped::product> products(args.products, args.products + args.count);
    for (auto& product : products) {
        product = normalize(product);
        detail::add_product(config.memory, product);
    }
    typename Grouped::arguments normal = args;
    normal.products = products.data();
    return detail::launch_form<Grouped>("grouped GEMM", normal, config);
}

} // namespace tegula
