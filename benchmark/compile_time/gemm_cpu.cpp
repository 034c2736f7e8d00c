// One GEMM for CPUs with AVX-512.

#include <tegula/gemm_cpu.hpp>

using namespace tegula;

using arguments = gemm_arguments<float, float, float, epilogue::linear<>>;

status multiply(cpu_device& device, const arguments& args)
{
    return launch(device, cpu_gemm<arch::x86_avx512>{}, args);
}
