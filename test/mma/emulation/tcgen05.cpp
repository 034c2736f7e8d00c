// Products of tcgen05.mma on the emulator, which finds operands in shared memory from the bits of their descriptors: one
// block and pairs, every form of accumulators in tensor memory, orders, swizzles and types.
#include "test/mma/emulation/tcgen05.hpp"

namespace tegula::test {
namespace {

using target = arch::sm_100a;
constexpr operand_order k = operand_order::k_contiguous;
constexpr operand_order mn = operand_order::row_contiguous;
using enum swizzle_mode;

template <class A, class B, class C, int M, int N, int Blocks = 1, operand_order OrderA = k, operand_order OrderB = k,
          swizzle_mode SwizzleA = bytes_128, swizzle_mode SwizzleB = bytes_128>
bool agrees()
{
    return tcgen05_product<target, A, B, C, M, N, Blocks, OrderA, OrderB, SwizzleA, SwizzleB>{}.agrees();
}

TEST_CASE("tcgen05 multiplies into every form of accumulators in tensor memory", "[mma][tcgen05]")
{
    CHECK(agrees<bfloat16, bfloat16, float, 128, 64>());
    CHECK(agrees<bfloat16, bfloat16, float, 64, 24>());
    CHECK(agrees<bfloat16, bfloat16, float, 256, 32, 2>());
    CHECK(agrees<bfloat16, bfloat16, float, 128, 64, 2>());
}

TEST_CASE("tcgen05 reads operands of every order and swizzle", "[mma][tcgen05]")
{
    CHECK(agrees<half, half, float, 128, 64, 1, mn, mn>());
    CHECK(agrees<half, half, half, 128, 32, 1, mn, k, bytes_64, bytes_32>());
    CHECK(agrees<half, half, float, 64, 32, 1, k, mn, bytes_32, bytes_64>());
    CHECK(agrees<float8_e4m3, float8_e5m2, half, 256, 256, 2, mn, mn>());
    CHECK(agrees<bfloat16, bfloat16, float, 128, 16, 1, k, k, none, none>());
    CHECK(agrees<bfloat16, bfloat16, float, 128, 16, 1, mn, mn, none, none>());
}

TEST_CASE("tcgen05 multiplies every kind of element", "[mma][tcgen05]")
{
    CHECK(agrees<tfloat32, tfloat32, float, 128, 16>());
    CHECK(agrees<float8_e5m2, float8_e4m3, float, 128, 32>());
    CHECK(agrees<std::int8_t, std::uint8_t, std::int32_t, 128, 32>());
    CHECK(agrees<std::uint8_t, std::int8_t, std::int32_t, 256, 64, 2, mn, k>());
}

TEST_CASE("tcgen05 has the shapes and types of the PTX document", "[mma][tcgen05]")
{
    CHECK((has_tcgen05<target, half, bfloat16, float, 128, 256>));
    CHECK((has_tcgen05<target, half, half, half, 64, 8>));
    CHECK_FALSE((has_tcgen05<target, half, half, float, 128, 8>));
    CHECK_FALSE((has_tcgen05<target, bfloat16, bfloat16, half, 128, 64>));
    CHECK_FALSE((has_tcgen05<target, half, half, float, 32, 64>));
    CHECK_FALSE((has_tcgen05<target, half, half, float, 256, 64, 1>));
    CHECK((has_tcgen05<target, half, half, float, 256, 48, 2>));
    CHECK_FALSE((has_tcgen05<target, half, half, float, 128, 272, 1>));
    CHECK((has_tcgen05<target, std::int8_t, std::uint8_t, std::int32_t, 128, 24>));
    CHECK_FALSE((has_tcgen05<target, std::int8_t, std::int8_t, std::int32_t, 128, 40>));
    CHECK_FALSE((has_tcgen05<target, std::int8_t, std::int8_t, std::int32_t, 256, 48, 2>));
    CHECK_FALSE((has_tcgen05<arch::sm_103a, std::int8_t, std::int8_t, std::int32_t, 128, 64>));
    CHECK((has_tcgen05<arch::sm_103a, float8_e4m3, float8_e5m2, float, 128, 64>));
    CHECK_FALSE((has_tcgen05<target, float8_e4m3, half, float, 128, 64>));
    CHECK_FALSE((has_tcgen05<arch::sm_90a, half, half, float, 128, 64>));
}

/// One store in a shape, then a load in shape 32x32b.
template <tensor_access Shape, int Count, int Second = 0>
void check_transfer()
{
    constexpr int registers = Count * registers_of(Shape);
    constexpr int columns = Shape == tensor_access::lanes_16x32bx2 ? Second + Count : Count * columns_of(Shape);
    emulator::run_config config;
    config.chip = &chip::sm_100a;
    config.block_threads = 128;
    config.shared_bytes = 16;
    std::vector<int> wrong(128);
    const auto launched = emulator::launch(config, [&] {
        const nv::tensor_memory_scope<target, 32> space(reinterpret_cast<std::uint32_t*>(target::shared_memory()));
        const int lane = target::lane_id(), thread = target::thread_id();
        for (const int half : {0, 16}) {
            const std::uint32_t at = space.address(0, 32 * target::wave_id() + half);
            array<std::uint32_t, registers> words;
            for (int i = 0; i < registers; ++i) {
                const tensor_memory_place p = accessed_place(Shape, lane, i, Second);
                words[i] = static_cast<std::uint32_t>(1000 * (32 * target::wave_id() + half + p.lane) + p.column);
            }
            nv::tensor_store<Shape, Count, Second>(at, words);
            nv::tensor_wait_stores();
            array<std::uint32_t, registers> back;
            nv::tensor_load<Shape, Count, Second>(back, at);
            nv::tensor_wait_loads(back);
            wrong[static_cast<std::size_t>(thread)] += back != words;
            if (lanes_of(Shape) == 32)
                break;
        }
        array<std::uint32_t, 1> word;
        for (int c = 0; c < columns; ++c) {
            if (Shape == tensor_access::lanes_16x32bx2 && c >= Count && c < Second)
                continue; // between the halves
            nv::tensor_load<tensor_access::lanes_32x32b, 1>(word, space.address(c, 32 * target::wave_id()));
            nv::tensor_wait_loads(word);
            wrong[static_cast<std::size_t>(thread)] += word[0] != static_cast<std::uint32_t>(1000 * thread + c);
        }
    });
    INFO(launched.report << launched.status.message());
    CHECK(launched.status.ok());
    CHECK(std::all_of(wrong.begin(), wrong.end(), [](int w) { return w == 0; }));
}

TEST_CASE("tensor memory is loaded and stored in every shape", "[mma][tcgen05]")
{
    check_transfer<tensor_access::lanes_32x32b, 16>();
    check_transfer<tensor_access::lanes_16x64b, 8>();
    check_transfer<tensor_access::lanes_16x128b, 4>();
    check_transfer<tensor_access::lanes_16x256b, 2>();
    check_transfer<tensor_access::lanes_16x32bx2, 4, 8>();
}

} // namespace
} // namespace tegula::test
