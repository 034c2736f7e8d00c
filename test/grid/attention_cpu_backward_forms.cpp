// Gradients of attention on CPUs: as the machine's own code and on the strict emulator, against the formula in 64-bit
// arithmetic and the bounds that the GPUs' kernels are held to.

#include <tegula/host/cpu_attention_backward.hpp>

#include "test/kernel/attention/backward/backward.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

/// Small tiles on the strict emulator.
template <class Variant, class Score = unchanged_score>
using strict_kernels = attention_backward_kernels<
    cpu_gradient_tile<arch::strict<arch::x86_avx2>, half, x86::avx2::fma_f32, 12, 32, 64, 64>, Variant, half, Score>;

/// The machine's own kernels.
template <class Variant, index_t Columns = 64, class T = half, class Score = unchanged_score>
struct native_kernels : attention_backward_for<arch::x86_avx2, T, Columns, Columns, Variant, T, Score>
{
    using native_device = cpu_device;
};

/// Those of more than 256 columns.
struct wide_kernels
    : attention_backward_kernels<
          cpu_gradient_tile<arch::x86_avx2, half, tegula::detail::cpu_attention_instruction<arch::x86_avx2>, 84, 64,
                            576, 512>,
          attention_variant<attention_mask::band>, half, unchanged_score>
{
    using native_device = cpu_device;
};

using plain = attention_variant<>;
using band = attention_variant<attention_mask::band>;

} // namespace

TEST_CASE("CPU attention backward: a band, more columns, bfloat16", "[attention][cpu]")
{
    attention_gradient_case c{1, 4, 2, 200, 230, 100, 72};
    c.band.right = 0;
    check_attention_gradients<native_kernels<band, 128, bfloat16>>(c);
}

TEST_CASE("CPU attention backward: more than 256 columns", "[attention][cpu]")
{
    attention_gradient_case c{1, 4, 2, 100, 130, 512, 512};
    c.band.right = 0;
    check_attention_gradients<wide_kernels>(c);
    check_attention_gradients<wide_kernels>({1, 2, 1, 30, 40, 576, 8});
}
