#pragma once

#include <tegula/emulator/memory_ranges.hpp>
#include <tegula/host/holds_pointer.hpp>
#include <tegula/kernel/gemm/epilogue.hpp>

/// Tells the emulator which memory a product reads and writes: operands, C, and the memory of the parts of an epilogue.

namespace tegula {

template <class A, class Form, class C, class Epilogue>
struct quantized_weights_arguments;
template <class A, class B, class C, class Epilogue>
struct block_scaled_arguments;

namespace detail {

/// Makes the matrices of a batch readable and, if their elements are not const, writable.
template <class T>
void add_matrix(emulator::memory_ranges& memory, const matrix_argument<T>& x, long_index_t rows, long_index_t columns,
                long_index_t batch, const char* name)
{
    const gemm_checks::element_range r = gemm_checks::range_of(x, rows, columns, batch);
    if (x.data != nullptr)
        memory.add(x.data + r.first, static_cast<std::size_t>(r.count) * sizeof(T), name, !std::is_const_v<T>);
}

/// The rule that the emulator knows what memory a part of an epilogue touches.
template <bool Ok, class Part>
struct memory_of_part_is_known
{
    static_assert(Ok, "tegula: this part of an epilogue may hold pointers, and nothing says what memory they lead to; "
                      "write add_memory(emulator::memory_ranges&, const Part&, const Arguments&) in its namespace");
    static constexpr bool ok = Ok;
};

} // namespace detail

/// Tells what a part of an epilogue reads and writes besides the accumulator and C: by the part's own overload of
/// add_memory, which its namespace has. A part that can hold no pointer needs none.
template <class Part, class Arguments>
void add_part_memory(emulator::memory_ranges& memory, const Part& part, const Arguments& args)
{
    if constexpr (requires { add_memory(memory, part, args); })
        add_memory(memory, part, args);
    else
        static_assert(detail::memory_of_part_is_known<holds_no_pointer<Part>(), Part>::ok);
}

namespace epilogue {

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
void add_memory(emulator::memory_ranges& memory, const add_source<Source>& part, const Arguments& args)
{
    if (part.beta != 0)
        tegula::detail::add_matrix(memory, part.source, args.m, args.n, args.batch, "C0");
}

template <class Bias, class Arguments>
void add_memory(emulator::memory_ranges& memory, const add_bias<Bias>& part, const Arguments& args)
{
    memory.read(part.bias, static_cast<std::size_t>(args.n) * sizeof(Bias), "bias");
}

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

template <class... Parts, class Arguments>
void add_memory(emulator::memory_ranges& memory, const chain<Parts...>& chain, const Arguments& args)
{
    static_for<sizeof...(Parts)>([&](auto i) { add_part_memory(memory, get<i>(chain.parts), args); });
}

template <class D, class... Parts, class Arguments>
void add_memory(emulator::memory_ranges& memory, const store_copy<D, Parts...>& part, const Arguments& args)
{
    tegula::detail::add_matrix(memory, part.d, args.m, args.n, args.batch, "D");
    add_part_memory(memory, part.parts, args);
}

template <class... Parts, class Arguments>
void add_memory(emulator::memory_ranges& memory, const as_float<Parts...>& part, const Arguments& args)
{
    add_part_memory(memory, part.parts, args);
}

} // namespace epilogue

/// The matrices that a kernel with these arguments reads and writes; one overload a form of product.
template <class A, class B, class C, class Epilogue>
void add_matrices(emulator::memory_ranges& memory, const gemm_arguments<A, B, C, Epilogue>& args)
{
    detail::add_matrix(memory, args.a, args.m, args.k, args.batch, "A");
    detail::add_matrix(memory, args.b, args.k, args.n, args.batch, "B");
    detail::add_matrix(memory, args.c, args.m, args.n, args.batch, "C");
}

template <class A, class Form, class C, class Epilogue>
void add_matrices(emulator::memory_ranges& memory, const quantized_weights_arguments<A, Form, C, Epilogue>& args)
{
    detail::add_matrix(memory, args.a, args.m, args.k, args.batch, "A");
    detail::add_matrix(memory, args.b, args.packets_k(), args.n, args.batch, "B");
    detail::add_matrix(memory, args.c, args.m, args.n, args.batch, "C");
    detail::add_matrix(memory, args.scales, args.groups(), args.n, args.batch, "scales");
    if constexpr (Form::has_zero_points)
        detail::add_matrix(memory, args.zeros, args.groups(), args.n, args.batch, "zero points");
}

template <class A, class B, class C, class Epilogue>
void add_matrices(emulator::memory_ranges& memory, const block_scaled_arguments<A, B, C, Epilogue>& args)
{
    const gemm_arguments<A, B, C, Epilogue>& plain = args;
    add_matrices(memory, plain);
    detail::add_matrix(memory, args.a_scales, args.m, args.groups_k(), args.batch, "scales of A");
    detail::add_matrix(memory, args.b_scales, args.groups_k(), args.groups_n(), args.batch, "scales of B");
}

/// Everything that a kernel with these arguments may touch.
template <class Arguments>
void add_product(emulator::memory_ranges& memory, const Arguments& args)
{
    add_matrices(memory, args);
    add_part_memory(memory, args.epilogue, args);
}

} // namespace tegula
