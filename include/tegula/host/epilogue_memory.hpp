#pragma once

#include <tegula/host/emulated_gemm.hpp>

/// What the parts of an epilogue read and write besides C, for emulate_gemm().
namespace tegula::epilogue {

namespace detail {

/// `length` scales for each product of the batch.
template <class Arguments>
void add_scales(emulator::memory_ranges& memory, const float* scale, long_index_t batch_stride, long_index_t length,
                const Arguments& args, const char* name)
{
    tegula::detail::add_matrix(memory, matrix_argument<const float>{scale, 0, 1, batch_stride}, 1, length, args.batch,
                               name);
}

} // namespace detail

template <class Source, class Arguments>
void add_memory(emulator::memory_ranges& memory, const add_residual<Source>& part, const Arguments& args)
{
    tegula::detail::add_matrix(memory, part.source, args.m, args.n, args.batch, "residual");
}

template <scaling Use, class Arguments>
void add_memory(emulator::memory_ranges& memory, const scale_tensor<Use>& part, const Arguments& args)
{
    detail::add_scales(memory, part.scale, part.batch_stride, 1, args, "scale");
}

template <scaling Use, class Arguments>
void add_memory(emulator::memory_ranges& memory, const scale_rows<Use>& part, const Arguments& args)
{
    detail::add_scales(memory, part.scale, part.batch_stride, args.m, args, "row scales");
}

template <scaling Use, class Arguments>
void add_memory(emulator::memory_ranges& memory, const scale_columns<Use>& part, const Arguments& args)
{
    detail::add_scales(memory, part.scale, part.batch_stride, args.n, args, "column scales");
}

template <class D, class... Parts, class Arguments>
void add_memory(emulator::memory_ranges& memory, const store_copy<D, Parts...>& part, const Arguments& args)
{
    tegula::detail::add_matrix(memory, part.d, args.m, args.n, args.batch, "D");
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
