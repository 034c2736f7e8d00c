#pragma once

// Kernels that run on the CPU itself. Each type's are compiled in a file of their own.

#include "launch_plan.hpp"

#include <tegula/host/cpu_gemm.hpp>

#include <algorithm>
#include <chrono>

namespace gemm_example {

/// Runs multiply(device), which returns a status, and tells how long it took.
template <class Multiply>
run_result run_on_cpu(const Multiply& multiply)
{
    run_result result;
    tegula::cpu_device device;
    // The first run starts threads and touches memory; quick products are run once more, and that time counts.
    for (int i = 0; i < 2; ++i) {
        const auto start = std::chrono::steady_clock::now();
        result.status = multiply(device);
        result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (!result.status || result.seconds > 1)
            break;
    }
    return result;
}

/// The entry of a tile, without what runs it.
template <class Target, class Tile>
kernel_entry describe_cpu_tile(const char* type, const char* name)
{
    using input = typename Tile::a_type;
    tegula::tile_description tile;
    tile.name = name;
    tile.block_m = Tile::block_m;
    tile.block_n = Tile::block_n;
    tile.block_k = Tile::block_k;
    tile.input_bytes = sizeof(input);
    kernel_entry e{Target::chip().name, type, device::cpu, tegula::kind_of_type<input>(), tile, nullptr, nullptr};
    e.estimate = [](const problem& p) {
        return tegula::estimate_cycles<Tile>(p.m, p.n, p.k, p.batch, tegula::thread_pool::threads_of_machine());
    };
    return e;
}

/// One tile of one instruction.
template <class Target, class Input, class Instruction, class Tile>
struct on_cpu
{
    using kernels =
        tegula::cpu_gemm_kernels<Target, Input, Instruction, tegula::accumulator_of<Input>, epilogue_of<Input>>;

    static run_result run(const problem& p, const run_options&)
    {
        const auto args = make_arguments<Input>(p);
        return run_on_cpu([&](tegula::cpu_device& device) {
            if (const tegula::status s = tegula::can_implement(args); !s)
                return s;
            return kernels::template dispatch_tile<Tile>(
                args, [&](auto kernel) { return tegula::launch(device, kernel, args); });
        });
    }

    static kernel_entry entry(const char* type, const char* name)
    {
        kernel_entry e = describe_cpu_tile<Target, Tile>(type, name);
        e.run = &run;
        return e;
    }
};

/// Adds the kernels of Target for a type, by the best of its instructions that this machine has.
template <class Target, class Input>
bool add_cpu_kernels(const char* type)
{
    const tegula::status s = tegula::detail::with_instruction(
        typename tegula::cpu_instructions<Target, Input>::type{}, [&](auto instruction) {
            using I = decltype(instruction);
            using tiles = tegula::cpu_gemm_tiles<Target, Input, I>;
            add_kernels({on_cpu<Target, Input, I, typename tiles::t1050x512>::entry(type, "t1050x512"),
                         on_cpu<Target, Input, I, typename tiles::t350x256>::entry(type, "t350x256"),
                         on_cpu<Target, Input, I, typename tiles::t84x256>::entry(type, "t84x256")});
            return tegula::status();
        });
    return s.ok();
}

} // namespace gemm_example
