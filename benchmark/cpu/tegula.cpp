#include "contender.hpp"

#include <tegula/gemm_cpu.hpp>

#include <cstdlib>

namespace cpu_benchmark {

namespace {

using namespace tegula;

template <class T, class C>
std::function<void()> prepare_type(const product& p, matrices& x, int threads)
{
    gemm_arguments<T, T, C, epilogue::none> args;
    args.m = p.m;
    args.n = p.n;
    args.k = p.k;
    args.batch = p.batch;
    args.a = {reinterpret_cast<const T*>(x.a.data()), p.k, 1, p.m * p.k};
    args.b = p.b_transposed ? matrix_argument<const T>{reinterpret_cast<const T*>(x.b.data()), 1, p.k, p.n * p.k}
                            : matrix_argument<const T>{reinterpret_cast<const T*>(x.b.data()), p.n, 1, p.n * p.k};
    args.c = {reinterpret_cast<C*>(x.c.data()), p.n, 1, p.m * p.n};
    return [args, threads, avx2 = p.avx2] {
        cpu_device device;
        device.threads = threads;
        if (!(avx2 ? launch(device, cpu_gemm<arch::x86_avx2>{}, args) : launch(device, cpu_gemm<arch::host>{}, args)))
            std::abort();
    };
}

std::function<void()> prepare_bias_gelu(const product& p, matrices& x, int threads)
{
    using epilogue_type = epilogue::linear<float, float>;
    gemm_arguments<float, float, float, epilogue_type> args;
    const auto* const a = reinterpret_cast<const float*>(x.a.data());
    const auto* const b = reinterpret_cast<const float*>(x.b.data());
    args.m = p.m, args.n = p.n, args.k = p.k, args.batch = 1;
    args.a = {a, p.k, 1, 0};
    args.b = {b, p.b_transposed ? 1 : p.n, p.b_transposed ? p.k : 1, 0};
    args.c = {reinterpret_cast<float*>(x.c.data()), p.n, 1, 0};
    args.epilogue = epilogue::make_linear<float, float>(1, 0, {}, a, activation::gelu);
    return [args, threads, avx2 = p.avx2] {
        cpu_device device;
        device.threads = threads;
        if (!(avx2 ? launch(device, cpu_gemm<arch::x86_avx2>{}, args) : launch(device, cpu_gemm<arch::host>{}, args)))
            std::abort();
    };
}

std::function<void()> prepare(const product& p, matrices& x, int threads)
{
    if (p.operation == "bias_gelu")
        return prepare_bias_gelu(p, x, threads);
    if (!p.multiplies())
        return prepare_operation(p, x, threads);
    return p.type == "f32"    ? prepare_type<float, float>(p, x, threads)
           : p.type == "f64"  ? prepare_type<double, double>(p, x, threads)
           : p.type == "bf16" ? prepare_type<bfloat16, bfloat16>(p, x, threads)
           : p.type == "f16"  ? prepare_type<half, half>(p, x, threads)
                              : prepare_type<std::int8_t, std::int32_t>(p, x, threads);
}

const bool added = add_contender({"tegula", "", &prepare}); // main.cpp knows the name

} // namespace

} // namespace cpu_benchmark

// The peak: the library's instructions on registers, with nothing else in the loop.

TEGULA_X86_BEGIN(TEGULA_X86_AVX2)
namespace tegula::x86::avx2 {
#include "peak.inl"
}
TEGULA_X86_END()
TEGULA_X86_BEGIN(TEGULA_X86_AVX512)
namespace tegula::x86::avx512 {
#include "peak.inl"
}
TEGULA_X86_END()
TEGULA_X86_BEGIN(TEGULA_X86_AVX512_DOT)
namespace tegula::x86::avx512_dot {
#include "peak.inl"
}
TEGULA_X86_END()
TEGULA_X86_BEGIN(TEGULA_X86_AVX_VNNI)
namespace tegula::x86::avx_vnni {
#include "peak.inl"
}
TEGULA_X86_END()
TEGULA_X86_BEGIN(TEGULA_X86_AMX)
namespace tegula::x86::amx {
template <class I>
[[gnu::noinline]] void multiply_registers(I, long rounds)
{
    _tile_loadconfig(&whole_tiles); // clears all tiles
    for (long i = 0; i < rounds; ++i) {
        I::multiply_rows();
        I::multiply_more_rows();
    }
    _tile_release();
}
} // namespace tegula::x86::amx
TEGULA_X86_END()

namespace cpu_benchmark {

namespace {

template <class I>
double peak_of(I instruction, int threads, bool processor_time)
{
    constexpr long rounds = 1000000, words = I::is_tile ? 4 * 16 * 16 * 16 : 10 * I::columns; // in a round
    const double start = now(processor_time);
    thread_pool::instance().run(threads, threads, [&](long_index_t first, long_index_t last) {
        for (long_index_t t = first; t < last; ++t)
            multiply_registers(instruction, rounds);
    });
    const double seconds = now(processor_time) - start;
    return 2.0 * rounds * words * I::per_word * threads / seconds * 1e-9;
}

template <class Element>
double peak_of_type(bool avx2, int threads, bool processor_time)
{
    double peak = 0;
    const auto measure = [&](auto instruction) {
        peak = peak_of(instruction, threads, processor_time);
        return status();
    };
    const bool wide = !avx2 && x86::host_features().contains(x86::feature::avx512);
    const bool tiles = wide && x86::host_features().contains(x86::feature::amx_tile);
    const status s =
        tiles  ? detail::with_instruction(typename cpu_instructions<arch::x86_amx, Element>::type{}, measure)
        : wide ? detail::with_instruction(typename cpu_instructions<arch::x86_avx512, Element>::type{}, measure)
               : detail::with_instruction(typename cpu_instructions<arch::x86_avx2, Element>::type{}, measure);
    return s ? peak : 0;
}

} // namespace

double measure_peak(const product& p, int threads, bool processor_time)
{
    const int all = threads > 0 ? threads : thread_pool::threads_of_machine();
    return p.type == "f32"    ? peak_of_type<float>(p.avx2, all, processor_time)
           : p.type == "f64"  ? peak_of_type<double>(p.avx2, all, processor_time)
           : p.type == "bf16" ? peak_of_type<bfloat16>(p.avx2, all, processor_time)
           : p.type == "f16"  ? peak_of_type<half>(p.avx2, all, processor_time)
                              : peak_of_type<std::int8_t>(p.avx2, all, processor_time);
}

} // namespace cpu_benchmark
