#pragma once

#include <tegula/host/emulated_gemm.hpp>

/// What the parts of an epilogue read and write besides C, for emulate_gemm().
namespace tegula::epilogue {

template <class Source, class Arguments>
void add_memory(emulator::memory_ranges& memory, const add_residual<Source>& part, const Arguments& args)
{
    memory.read(part.source.data, tegula::detail::bytes_of(part.source, args.m, args.n, args.batch), "residual");
}

template <scaling Use, class Arguments>
void add_memory(emulator::memory_ranges& memory, const scale_tensor<Use>& part, const Arguments& args)
{
    memory.read(part.scale, static_cast<std::size_t>((args.batch - 1) * part.batch_stride + 1) * sizeof(float),
                "scale");
}

template <scaling Use, class Arguments>
void add_memory(emulator::memory_ranges& memory, const scale_rows<Use>& part, const Arguments& args)
{
    memory.read(part.scale, static_cast<std::size_t>((args.batch - 1) * part.batch_stride + args.m) * sizeof(float),
                "row scales");
}

template <scaling Use, class Arguments>
void add_memory(emulator::memory_ranges& memory, const scale_columns<Use>& part, const Arguments& args)
{
    memory.read(part.scale, static_cast<std::size_t>((args.batch - 1) * part.batch_stride + args.n) * sizeof(float),
                "column scales");
}

template <class D, class... Parts, class Arguments>
void add_memory(emulator::memory_ranges& memory, const store_copy<D, Parts...>& part, const Arguments& args)
{
    memory.write(part.d.data, tegula::detail::bytes_of(part.d, args.m, args.n, args.batch), "D");
    add_memory(memory, part.parts, args);
}

template <class... Parts, class Arguments>
void add_memory(emulator::memory_ranges& memory, const as_float<Parts...>& part, const Arguments& args)
{
    add_memory(memory, part.parts, args);
}

// chain<> of these parts, wherever it is called from.
using tegula::detail::add_memory;

} // namespace tegula::epilogue
