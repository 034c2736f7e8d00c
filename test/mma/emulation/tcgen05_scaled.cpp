// Block-scaled products of tcgen05.mma on the emulator, of operands and scales written byte by byte: one-hot scales by the
// places of the golden records, and what the emulator reports that a GPU would let pass.
#include "test/mma/emulation/tcgen05.hpp"

#include <tegula/mma/tcgen05_scaled.hpp>

#include <functional>
#include <string>

namespace tegula::test {
namespace {

using target = arch::sm_100a;

/// One block's product of operands that are all ones but for scales, by one instruction.
template <class Format>
struct scaled_product
{
    using atom = tcgen05_scaled_atom<target, Format, Format, 128, 128>;
    using a_tile = tcgen05_operand<std::uint8_t, 128, 128>;
    static constexpr index_t scales_at = 2 * a_tile::bytes, control_at = scales_at + 1024;
    static constexpr std::uint8_t one = Format::has_tensor_scale ? 0x38 : 127; ///< 1 as ue4m3 or ue8m0
    static constexpr std::uint8_t two = Format::has_tensor_scale ? 0x40 : 128;

    std::vector<std::uint8_t> scales = std::vector<std::uint8_t>(1024, one); ///< A's atom, B's
    std::vector<float> result = std::vector<float>(128 * 128);
    bool copies_scales = true, copies_b = true, knows_products_over = true, copies_first = true;

    static std::uint8_t element_of_one()
    {
        const unsigned bits = typename Format::element_type(1.0f).bits;
        return static_cast<std::uint8_t>(atom::packed ? bits << 4 | bits : bits);
    }

    template <int Byte>
    emulator::launch_result run(int order = 0)
    {
        emulator::run_config config;
        config.chip = &chip::sm_100a;
        config.block_threads = 128;
        config.shared_bytes = control_at + 64;
        config.order = order;
        config.cpu_threads = 1;
        return emulator::launch(config, [&] { kernel<Byte>(); });
    }

private:
    template <int Byte>
    void kernel()
    {
        std::byte* const memory = target::shared_memory();
        auto* const bytes = reinterpret_cast<std::uint8_t*>(memory);
        auto* const barrier = reinterpret_cast<nv::mbarrier*>(memory + control_at);
        for (int i = target::thread_id(); i < scales_at; i += 128)
            target::store_shared(bytes + i, element_of_one());
        for (int i = target::thread_id(); i < 1024; i += 128)
            target::store_shared(bytes + scales_at + i, scales[static_cast<std::size_t>(i)]);
        nv::fence_proxy_async();
        if (target::thread_id() == 0) {
            nv::mbarrier_init(barrier, 1);
            nv::mbarrier_init(barrier + 1, 1);
            nv::fence_mbarrier_init();
        }
        const nv::tensor_memory_scope<target, 256> space(reinterpret_cast<std::uint32_t*>(barrier + 2));
        if (target::thread_id() == 0)
            multiply<Byte>(space.address(), memory, barrier);
        nv::mbarrier_wait(barrier, 0);
        nv::tensor_fence_after();
        target::wave_barrier();
        array<std::uint32_t, 128> words;
        nv::tensor_load<tensor_access::lanes_32x32b, 128>(words, space.address(0, 32 * target::wave_id()));
        nv::tensor_wait_loads(words);
        for (int i = 0; i < 128; ++i)
            result[static_cast<std::size_t>(128 * target::thread_id() + i)] = __builtin_bit_cast(float, words[i]);
    }

    template <int Byte>
    void multiply(std::uint32_t address, std::byte* memory, nv::mbarrier* barrier) const
    {
        const std::uint32_t a_scales = address + 128, b_scales = address + 132;
        const auto copy = [&] {
            if (copies_scales)
                atom::scale_copy::copy(a_scales, atom::scale_copy::descriptor(memory + scales_at));
            if (copies_b)
                atom::scale_copy::copy(b_scales, atom::scale_copy::descriptor(memory + scales_at + 512));
        };
        const auto product = [&] {
            auto* const tile = reinterpret_cast<std::uint8_t*>(memory);
            atom::template multiply<Byte>(address, a_tile::descriptor(tile), a_tile::descriptor(tile + a_tile::bytes),
                                          a_scales, b_scales, false);
        };
        copy(); // in order with the product behind it
        product();
        if (!copies_first) { // over scales that a product may still be reading
            if (knows_products_over) {
                nv::tensor_commit<1>(barrier + 1);
                nv::mbarrier_wait(barrier + 1, 0);
                nv::tensor_fence_after();
            }
            copy();
            product();
        }
        nv::tensor_commit<1>(barrier);
    }
};

/// Each scale of each row doubles its block's part of the row, and no other.
template <class Format, int Byte>
void check_one_hot()
{
    using product = scaled_product<Format>;
    constexpr int k = product::atom::k, count = product::atom::scales, block = Format::block;
    for (const bool of_b : {false, true})
        for (const int row : {0, 1, 31, 32, 77, 127})
            for (int number = 0; number < 4; ++number) {
                product p;
                p.scales[static_cast<std::size_t>((of_b ? 512 : 0) + scale_atom_offset(row, number, 4))] = product::two;
                const auto run = p.template run<Byte>();
                INFO(run.report << "row " << row << ", scale " << number << ", byte " << Byte);
                REQUIRE(run.status.ok());
                const bool used = number >= Byte && number < Byte + count;
                int wrong = 0;
                for (int i = 0; i < 128 * 128; ++i) {
                    const bool doubled = used && (of_b ? i % 128 : i / 128) == row;
                    wrong += p.result[static_cast<std::size_t>(i)] != static_cast<float>(k + (doubled ? block : 0));
                }
                CHECK(wrong == 0);
            }
}

TEST_CASE("block-scaled products take each scale from its place", "[mma][tcgen05][mx]")
{
    check_one_hot<mx_format<float8_e4m3>, 0>();
    check_one_hot<mx_format<float8_e4m3>, 3>();
    check_one_hot<mx_format<float4_e2m1>, 2>();
    check_one_hot<nvfp4_format, 0>();
}

TEST_CASE("scales are copied before the product, and over them once it is over", "[mma][tcgen05][mx]")
{
    using product = scaled_product<nvfp4_format>;
    const auto expect = [](const std::string& part, const auto& change) {
        for (const int order : {0, -1, 1}) {
            product wrong, right;
            change(wrong, false);
            change(right, true);
            const auto bad = wrong.template run<0>(order);
            INFO(bad.report << "expected: " << part);
            CHECK(bad.status.code() == status_code::device_error);
            CHECK(bad.report.find(part) != std::string::npos);
            const auto good = right.template run<0>(order);
            INFO(good.report);
            CHECK(good.status.ok());
        }
    };
    expect("tcgen05.mma reads tensor memory lane 0, column 128, which nobody wrote",
           [](product& p, bool right) { p.copies_scales = right; });
    expect("column 132, which nobody wrote", [](product& p, bool right) { p.copies_b = right; });
    expect("tcgen05.cp at tensor memory lane 0, column 128, which tcgen05.cp of wave 0", [](product& p, bool right) {
        p.copies_first = false;
        p.knows_products_over = right;
    });
}

TEST_CASE("block-scaled products have the shapes and pairs of formats of the PTX document", "[mma][tcgen05][mx]")
{
    using mxfp8 = mx_format<float8_e5m2>;
    using mxfp4 = mx_format<float4_e2m1>;
    CHECK((has_tcgen05_scaled<target, mxfp8, mxfp4, 128, 128>));
    CHECK((has_tcgen05_scaled<arch::sm_103a, nvfp4_format, nvfp4_format, 256, 256, 2>));
    CHECK((has_tcgen05_scaled<target, nvfp4_format, nvfp4_format, 256, 192, 2>));
    CHECK_FALSE((has_tcgen05_scaled<target, nvfp4_format, nvfp4_format, 256, 160, 2>));
    CHECK_FALSE((has_tcgen05_scaled<target, nvfp4_format, mxfp4, 128, 128>));
    CHECK_FALSE((has_tcgen05_scaled<target, mxfp8, mxfp8, 64, 128>));
    CHECK_FALSE((has_tcgen05_scaled<arch::sm_90a, mxfp8, mxfp8, 128, 128>));
}

} // namespace
} // namespace tegula::test
