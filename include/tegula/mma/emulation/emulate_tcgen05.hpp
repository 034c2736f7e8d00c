#pragma once

#include <tegula/emulator/tensor_memory.hpp>
#include <tegula/mma/emulation/emulate.hpp>
#include <tegula/mma/emulation/shared_matrix.hpp>
#include <tegula/mma/tcgen05_operand.hpp>

#include <vector>

/// tcgen05.mma and tcgen05.cp on the CPU. Operands are found from the bits of their descriptors alone, as the hardware
/// finds them, so that a wrong descriptor gives a wrong product. Host only.

namespace tegula::emulation {

inline matrix_descriptor unpack_tcgen05(std::uint64_t bits)
{
    bool known = false;
    const tcgen05_descriptor d = tcgen05_descriptor::unpack(bits, known);
    if (!known)
        emulator::fail("a shared-memory descriptor that tcgen05 does not have",
                       "make it with tcgen05_operand::descriptor()");
    return d.matrix;
}

/// One product of Atom, of all blocks of its group.
template <class Atom>
class product_of_tcgen05
{
    using a_matrix = shared_matrix<typename Atom::a_type, Atom::order_a, Atom::block_m>;
    using b_matrix = shared_matrix<typename Atom::b_type, Atom::order_b, Atom::block_n>;
    using c_type = typename Atom::c_type;

public:
    product_of_tcgen05(std::uint32_t c, std::uint64_t a, std::uint64_t b, bool accumulate)
        : a_(unpack_tcgen05(a), 0), b_(unpack_tcgen05(b), 0), accumulate_(accumulate)
    {
        operation_.name = "tcgen05.mma";
        operation_.blocks = Atom::blocks;
        operation_.written = {place_of(c), tensor_memory_lanes, Atom::columns, Atom::block_m == 64 && Atom::blocks == 1};
        operation_.reads_written = accumulate;
        operation_.shape = Atom::descriptor >> 17 | c << 16;
        if (place_of(c).lane != 0)
            emulator::fail("a tcgen05.mma whose accumulators do not start in lane 0",
                           "give the address of the allocation and a column");
        if (emulator::checks_enabled())
            list_chunks();
    }

    void run(const call_site& where)
    {
        emulator::issue_tensor_operation(
            operation_, [this](const emulator::tensor_operation& op) { compute(op); }, where);
    }

private:
    void list_chunks()
    {
        chunks_.reserve(a_matrix::chunks + b_matrix::chunks);
        for (int i = 0; i < a_matrix::chunks; ++i)
            chunks_.push_back(a_.place(i));
        for (int i = 0; i < b_matrix::chunks; ++i)
            chunks_.push_back(b_.place(i));
        for (int block = 0; block < Atom::blocks; ++block)
            operation_.operands[block] = {chunks_.data(), static_cast<int>(chunks_.size())};
    }

    void compute(const emulator::tensor_operation& op) const
    {
        std::vector<float> a(Atom::m * Atom::k), b(Atom::k * Atom::n), part(Atom::k * Atom::block_n),
            product(Atom::m * Atom::n);
        for (int block = 0; block < Atom::blocks; ++block) {
            a_.template gather<false>(a.data() + block * Atom::block_m * Atom::k, op.shared[block]);
            b_.template gather<true>(part.data(), op.shared[block]);
            for (int k = 0; k < Atom::k; ++k)
                std::memcpy(b.data() + k * Atom::n + block * Atom::block_n, part.data() + k * Atom::block_n,
                            Atom::block_n * sizeof(float));
        }
        multiply<Atom::m, Atom::n, Atom::k>(product.data(), a.data(), b.data());
        const int first = op.written.first.column;
        for (int row = 0; row < Atom::m; ++row) {
            std::uint32_t* const words = op.words[row / Atom::block_m];
            for (int column = 0; column < Atom::n; ++column) {
                const tensor_memory_place at = Atom::shape.place(row, column);
                std::uint32_t& word = words[at.lane * emulator::tensor_operation::pitch + first + at.column];
                word = add(word, product[static_cast<std::size_t>(row * Atom::n + column)]);
            }
        }
    }

    /// f16 is added in f32 and rounded once; int32 wraps.
    std::uint32_t add(std::uint32_t word, float x) const
    {
        if constexpr (std::is_same_v<c_type, std::int32_t>) {
            return (accumulate_ ? word : 0) + static_cast<std::uint32_t>(static_cast<std::int32_t>(x));
        } else if constexpr (std::is_same_v<c_type, float>) {
            const float before = accumulate_ ? __builtin_bit_cast(float, word) : 0.0f;
            return __builtin_bit_cast(std::uint32_t, before + x);
        } else {
            const auto before = __builtin_bit_cast(c_type, static_cast<std::uint16_t>(word));
            const auto sum = static_cast<c_type>((accumulate_ ? static_cast<float>(before) : 0.0f) + x);
            return __builtin_bit_cast(std::uint16_t, sum);
        }
    }

    a_matrix a_;
    b_matrix b_;
    bool accumulate_;
    emulator::tensor_operation operation_;
    std::vector<std::uint32_t> chunks_;
};

template <class Atom>
void multiply_tcgen05(std::uint32_t c, std::uint64_t a, std::uint64_t b, bool accumulate, const call_site& where)
{
    product_of_tcgen05<Atom>(c, a, b, accumulate).run(where);
}

} // namespace tegula::emulation
