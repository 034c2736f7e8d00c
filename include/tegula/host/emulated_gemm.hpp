#pragma once

#include <tegula/arch/target.hpp>
#include <tegula/emulator/launch.hpp>
#include <tegula/kernel/gemm/can_implement.hpp>
#include <tegula/kernel/gemm/epilogue.hpp>
#include <tegula/kernel/gemm/normalize.hpp>

namespace tegula {

namespace detail {

/// Makes the matrices of a batch readable and, where their elements are not const, writable.
template <class T>
void add_matrix(emulator::memory_ranges& memory, const matrix_argument<T>& x, long_index_t rows, long_index_t columns,
                long_index_t batch, const char* name)
{
    const gemm_checks::element_range r = gemm_checks::range_of(x, rows, columns, batch);
    if (x.data != nullptr)
        memory.add(x.data + r.first, static_cast<std::size_t>(r.count) * sizeof(T), name, !std::is_const_v<T>);
}

/// What a part of an epilogue reads besides the accumulator; a part of one's own that reads memory gets its own
/// overload, found by its namespace.
template <class Part, class Arguments>
void add_memory(emulator::memory_ranges&, const Part&, const Arguments&)
{}

template <class Source, class Arguments>
void add_memory(emulator::memory_ranges& memory, const epilogue::add_source<Source>& part, const Arguments& args)
{
    if (part.beta != 0)
        add_matrix(memory, part.source, args.m, args.n, args.batch, "C0");
}

template <class Bias, class Arguments>
void add_memory(emulator::memory_ranges& memory, const epilogue::add_bias<Bias>& part, const Arguments& args)
{
    memory.read(part.bias, static_cast<std::size_t>(args.n) * sizeof(Bias), "bias");
}

template <class... Parts, class Arguments>
void add_memory(emulator::memory_ranges& memory, const epilogue::chain<Parts...>& chain, const Arguments& args)
{
    static_for<sizeof...(Parts)>([&](auto i) { add_memory(memory, get<i>(chain.parts), args); });
}

} // namespace detail

/// The matrices that a kernel with these arguments reads and writes; the arguments of other forms have their own.
template <class A, class B, class C, class Epilogue>
void add_matrices(emulator::memory_ranges& memory, const gemm_arguments<A, B, C, Epilogue>& args)
{
    detail::add_matrix(memory, args.a, args.m, args.k, args.batch, "A");
    detail::add_matrix(memory, args.b, args.k, args.n, args.batch, "B");
    detail::add_matrix(memory, args.c, args.m, args.n, args.batch, "C");
}

/// Runs a GEMM kernel on the emulator, all addresses in `args` being the host's. The kernel may read A, B and what the
/// epilogue reads, and write C; everything else is out of bounds. `config` gives what the kernel does not say itself:
/// checks, CPU threads, further memory.
///
/// Errors: those of can_implement, check_epilogue and emulator::launch; nothing ran, or C is as it was at the misuse.
template <class Kernel>
emulator::launch_result emulate_gemm(Kernel kernel, const typename Kernel::arguments& args,
                                     emulator::launch_config config = {})
{
    emulator::launch_result result;
    result.status = can_implement(args);
    if (result.status)
        result.status = check_epilogue(args);
    if (result.status && Kernel::blocks(args) > INT32_MAX)
        result.status = status(status_code::unsupported, "the product takes ")
                        << Kernel::blocks(args) << " blocks; the limit is " << INT32_MAX << ", use a larger tile";
    if (!result.status)
        return result;
    config.chip = &chip_of<typename Kernel::target>;
    config.kernel_name = "gemm";
    config.grid = {static_cast<int>(Kernel::blocks(args)), 1, 1};
    config.block_threads = Kernel::block_threads;
    config.shared_bytes = Kernel::shared_bytes;
    add_matrices(config.memory, args);
    using detail::add_memory;
    add_memory(config.memory, args.epilogue, args);
    return emulator::launch(config, [&kernel, normal = normalize(args)] { kernel(normal); });
}

} // namespace tegula
