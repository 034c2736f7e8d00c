#pragma once

// Which kernel computes a problem, and what runs it.

#include "examples/common/bad_input.hpp"
#include "examples/common/choose_cpu.hpp"
#include "examples/common/lists.hpp"
#include "examples/common/progress.hpp"
#include "on_demand.hpp"
#include "operations.hpp"

#include <tegula/mma/element_type.hpp>

namespace ops_example {

template <class Problem>
struct selection
{
    const kernel_entry<Problem>* kernel;
    run_options how;
    element rounding; ///< what floating-point inputs are rounded to
};

/// The kernel for --arch, --device and --type on this machine. Throws examples::bad_input where there is none.
template <class Problem>
selection<Problem> select_kernel(const options& o)
{
    const std::vector<kernel_entry<Problem>>& all = tegula::registered<kernel_entry<Problem>>();
    const auto find_type = [&](examples::device where, const std::string& arch,
                               const std::string& type) -> const kernel_entry<Problem>* {
        for (const kernel_entry<Problem>& e : all)
            if (e.where == where && e.arch == arch && e.type == type)
                return &e;
        return nullptr;
    };
    // f32 computes with what is rounded to a type that has no kernels of its own; the emulator has all.
    const auto find = [&](examples::device where, const std::string& arch) {
        const auto* own = find_type(where, arch, o.type);
        return own || where == examples::device::emulator ? own : find_type(where, arch, "f32");
    };
    const element rounding = o.type == "f16" ? element::f16 : o.type == "bf16" ? element::bf16 : element::f32;
    // Only the emulator counts.
    std::optional<examples::gpu> gpu;
    if (o.counters.empty() && !examples::is_cpu(o.arch))
        gpu = examples::choose_gpu({o.device, o.arch, o.type}, [&](const examples::gpu& g) {
            return find(examples::device::gpu, g.arch) != nullptr ||
                   compiles_for(Problem::family, o, g.arch, examples::device::gpu);
        });
    const bool built = find(examples::device::cpu, "x86_avx2") != nullptr;
    const bool on_cpu =
        !gpu && examples::goes_to_cpu({o.device, o.arch, o.type}, !o.counters.empty() || !o.checks, built);
    const examples::device where = gpu      ? examples::device::gpu
                                   : on_cpu ? examples::device::cpu
                                            : examples::device::emulator;
    const std::string arch = gpu ? gpu->arch : on_cpu ? examples::cpu_arch(o.arch) : o.arch.empty() ? "gfx942" : o.arch;
    const std::string of_list = on_cpu && (o.arch.empty() || o.arch == "host") ? "x86_avx2" : arch;
    if (!find_type(where, of_list, o.type) && is_on_demand(Problem::family, o, of_list, where))
        compile_for(Problem::family, o, of_list, where);
    if (const auto* found = find(where, arch))
        return {found, {o.checks, gpu ? gpu->number : 0}, rounding};
    // The program has these kernels for AVX2 alone, to build sooner.
    if (const auto* found = find(where, "x86_avx2"); found != nullptr && on_cpu && (o.arch.empty() || o.arch == "host"))
        return {found, {o.checks, gpu ? gpu->number : 0}, rounding};
    if (compiles_for(Problem::family, o, arch, where)) {
        compile_for(Problem::family, o, arch, where);
        if (const auto* found = find(where, arch))
            return {found, {o.checks, gpu ? gpu->number : 0}, rounding};
    }
    std::string others, types;
    for (const kernel_entry<Problem>& e : all)
        if (e.where == where && e.type == o.type)
            examples::append_item(others, e.arch);
        else if (e.where == where && e.arch == arch)
            examples::append_item(types, e.type);
    throw examples::bad_input("there is no kernel of " + std::string(o.operation->name) + " for " + arch + " and " +
                              o.type + " on the " + examples::name_of(where) + "; " +
                              (!types.empty()   ? "there --type can be " + types
                               : others.empty() ? "there is none for any architecture"
                                                : "--arch can be " + others) +
                              why_not_compiled(o, arch, where));
}

/// Runs the problem by the kernel that was selected and notes what ran; the problem's written arrays have the result.
template <class Problem>
void compute(const selection<Problem>& s, Problem& p, outcome& result)
{
    result.arch = s.kernel->arch;
    result.device = s.kernel->where;
    for (const host_array& array : p.arrays)
        result.bytes += static_cast<double>(array.bytes.size());
    const examples::progress shown("computing");
    result.run = s.kernel->run(p, s.how);
}

} // namespace ops_example
