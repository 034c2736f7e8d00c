// Every row of the instruction table compiled for the architectures that list it: the instruction, once.
//
// targets: gfx942 sm_80
// full targets: gfx908 gfx90a gfx950 gfx1100 gfx1200 gfx1201 gfx1250 sm_75 sm_89 sm_120a gfx1100-wave64 gfx1200-wave64 gfx1201-wave64 sm_90
// expect rows: issue_row

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

#include <tegula/arch/nvidia/matrix_copy.hpp>
#include <tegula/core/static_for.hpp>
#include <tegula/mma/device/issue.hpp>
#include <tegula/mma/table/instruction_table.hpp>

namespace tegula {

#if defined(TEGULA_TEST_WAVE)
constexpr int wave = TEGULA_TEST_WAVE;
#else
constexpr int wave = is_amd(gpu_arch::TEGULA_TEST_TARGET) && gpu_arch::TEGULA_TEST_TARGET < gpu_arch::gfx1100 ? 64 : 32;
#endif

/// Row number `place` of those that this unit compiles, as its number in the table; -1 past the last.
consteval int index_of(int place)
{
    for (int index = 0; index < detail::num_instructions; ++index) {
        const instruction& i = detail::instructions[index];
        if (i.archs.contains(gpu_arch::TEGULA_TEST_TARGET) && i.wave == wave && place-- == 0)
            return index;
    }
    return -1;
}

consteval int count_rows()
{
    int count = 0;
    while (index_of(count) >= 0)
        ++count;
    return count;
}

template <int Bytes>
struct registers
{
    array<std::uint32_t, Bytes / 4> words;
};

template <class Row>
TEGULA_INLINE void multiply(void* c, const void* a, const void* b)
{
    using c_registers = registers<operand_bytes<Row, operand::c>>;
    const int lane = static_cast<int>(threadIdx.x);
    auto* to = static_cast<c_registers*>(c) + lane;
    c_registers sum = *to;
    issue_instruction<Row>(sum, static_cast<const registers<operand_bytes<Row, operand::a>>*>(a)[lane],
                           static_cast<const registers<operand_bytes<Row, operand::b>>*>(b)[lane]);
    *to = sum;
}

/// Both directions touch the same registers and the shared memory at the address in `b`.
template <class Row>
TEGULA_INLINE void copy(void* c, const void* b)
{
#if defined(__CUDA_ARCH__)
    using c_registers = array<std::uint32_t, Row::value.m / 8>;
    auto* to = static_cast<c_registers*>(c) + threadIdx.x;
    c_registers matrices = *to;
    arch::nvidia::copy_matrices<Row::value.name[0] == 'l', Row::value.m / 8, Row::value.transposes>(
        matrices, static_cast<const std::uint32_t*>(b)[threadIdx.x]);
    *to = matrices;
#endif
}

template <int Index>
__global__ void issue_row(void* c, const void* a, const void* b)
{
#if TEGULA_DEVICE_PASS
    using row = table_row<Index>;
    if constexpr (row::value.family == instruction_family::matrix_copy)
        copy<row>(c, b);
    else
        multiply<row>(c, a, b);
#endif
}

void keep_all(const void** kept)
{
    static_for<count_rows()>(
        [&](auto place) { kept[place] = reinterpret_cast<const void*>(issue_row<index_of(decltype(place)::value)>); });
}

} // namespace tegula
