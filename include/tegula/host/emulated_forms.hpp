#pragma once

#include <tegula/host/emulated_gemm.hpp>
#include <tegula/kernel/gemm/block_scaled.hpp>
#include <tegula/kernel/gemm/mixed.hpp>

/// What GEMM kernels with scaled and mixed inputs read, for emulate_gemm().
namespace tegula {

template <class A, class Form, class C, class Epilogue>
void add_matrices(emulator::memory_ranges& memory, const mixed_gemm_arguments<A, Form, C, Epilogue>& args)
{
    memory.read(args.a.data, detail::bytes_of(args.a, args.m, args.k, args.batch), "A")
        .read(args.b.data, detail::bytes_of(args.b, args.packets_k(), args.n, args.batch), "B")
        .write(args.c.data, detail::bytes_of(args.c, args.m, args.n, args.batch), "C");
    memory.read(args.scales.data, detail::bytes_of(args.scales, args.groups(), args.n, args.batch), "scales");
}

template <class A, class B, class C, class Epilogue>
void add_matrices(emulator::memory_ranges& memory, const block_scaled_arguments<A, B, C, Epilogue>& args)
{
    const gemm_arguments<A, B, C, Epilogue>& plain = args;
    add_matrices(memory, plain);
    memory.read(args.a_scales.data, detail::bytes_of(args.a_scales, args.m, args.groups_k(), args.batch), "scales of A")
        .read(args.b_scales.data, detail::bytes_of(args.b_scales, args.groups_k(), args.groups_n(), args.batch),
              "scales of B");
}

} // namespace tegula
