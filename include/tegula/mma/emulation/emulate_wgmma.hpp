#pragma once

#include <tegula/emulator/async_matrix.hpp>
#include <tegula/mma/emulation/emulate.hpp>
#include <tegula/mma/emulation/shared_matrix.hpp>
#include <tegula/mma/wgmma_operand.hpp>

/// wgmma on the CPU, a quarter of the product for each warp. Operands in shared memory are found from the bits of their
/// descriptors alone, as the hardware finds them, so that a wrong descriptor gives a wrong product. Host only.

namespace tegula::emulation {

/// One lane's arguments of a wgmma; either a_shared or a_registers is used.
template <class Atom>
struct wgmma_arguments
{
    typename Atom::accumulators* c;
    std::uint64_t a_shared;
    const typename Atom::a_registers* a_registers;
    std::uint64_t b_shared;
    bool accumulate;
};

/// The part of one wgmma that one of its warps executes.
template <class Atom, bool AInShared>
class wgmma_of_warp
{
public:
    using arguments = wgmma_arguments<Atom>;
    using a_type = typename Atom::a_type;
    using c_type = typename Atom::c_type;
    static constexpr int rows = 16; // rows per warp
    static constexpr int result_bytes =
        emulator::async_matrix::lanes * static_cast<int>(sizeof(typename Atom::accumulators));

    void describe(arguments* const* lanes, emulator::async_matrix& operation)
    {
        for (int lane = 0; lane < emulator::async_matrix::lanes; ++lane) {
            const arguments& mine = *lanes[lane];
            if (mine.b_shared != lanes[0]->b_shared || mine.a_shared != lanes[0]->a_shared ||
                mine.accumulate != lanes[0]->accumulate)
                emulator::fail("the lanes of a warp give a wgmma different descriptors or predicates",
                               "compute them from what is the same in all lanes");
            operation.accumulators[lane] = mine.c;
            operation.inputs[lane] = mine.a_registers;
        }
        operation.accumulator_bytes = static_cast<int>(sizeof(typename Atom::accumulators));
        operation.integers = std::is_integral_v<typename Atom::c_type>;
        operation.input_bytes = AInShared ? 0 : static_cast<int>(sizeof(typename Atom::a_registers));
        operation.fingerprint = lanes[0]->b_shared ^ lanes[0]->a_shared << 7 ^ (lanes[0]->accumulate ? 1u : 0u);
        list_chunks(*lanes[0], operation);
    }

    void compute(arguments* const* lanes, const emulator::async_matrix& operation, std::byte* results) const
    {
        alignas(16) float a[rows * Atom::k];
        alignas(16) float b[Atom::k * Atom::n];
        alignas(16) float product[rows * Atom::n];
        const std::byte* shared = emulator::shared_memory();
        if constexpr (AInShared)
            a_part(*lanes[0]).template gather<false>(a, shared);
        else
            gather<typename Atom::a_warp_encoding, false>(a,
                                                          [&](int lane) { return lanes[lane]->a_registers->values; });
        b_part(*lanes[0]).template gather<true>(b, shared);
        multiply<rows, Atom::n, Atom::k>(product, a, b);
        for (int lane = 0; lane < emulator::async_matrix::lanes; ++lane) {
            typename Atom::accumulators c{};
            if (lanes[lane]->accumulate)
                std::memcpy(&c, operation.current[lane], sizeof(c));
            add(c, product + map_of<typename Atom::c_warp_encoding, false>.lane[lane]);
            std::memcpy(results + lane * static_cast<int>(sizeof(c)), &c, sizeof(c));
        }
    }

private:
    using a_matrix = shared_matrix<a_type, Atom::order_a, rows>;
    using b_matrix = shared_matrix<typename Atom::b_type, Atom::order_b, Atom::n>;

    static a_matrix a_part(const arguments& mine)
    {
        return {matrix_descriptor::unpack(mine.a_shared), emulator::wave_id() % 4 * rows};
    }
    static b_matrix b_part(const arguments& mine) { return {matrix_descriptor::unpack(mine.b_shared), 0}; }

    void list_chunks(const arguments& mine, emulator::async_matrix& operation)
    {
        if (!emulator::checks_enabled())
            return;
        int count = 0;
        if constexpr (AInShared)
            for (int i = 0; i < a_matrix::chunks; ++i)
                chunks_[count++] = a_part(mine).place(i);
        for (int i = 0; i < b_matrix::chunks; ++i)
            chunks_[count++] = b_part(mine).place(i);
        operation.chunks = chunks_;
        operation.chunk_count = count;
    }

    /// c += the lane's part of the product. f16 is added in f32 and rounded once; int32 wraps.
    static void add(typename Atom::accumulators& c, const float* product)
    {
        static_for<Atom::c_count>([&](auto i) {
            const float x = product[map_of<typename Atom::c_warp_encoding, false>.element[i]];
            if constexpr (std::is_same_v<c_type, std::int32_t>)
                c[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(c[i]) +
                                                 static_cast<std::uint32_t>(static_cast<std::int32_t>(x)));
            else
                c[i] = static_cast<c_type>(static_cast<float>(c[i]) + x);
        });
    }

    std::uint32_t chunks_[a_matrix::chunks + b_matrix::chunks];
};

} // namespace tegula::emulation
