#pragma once

#include <tegula/emulator/tensor_memory.hpp>
#include <tegula/mma/emulation/emulate.hpp>
#include <tegula/mma/emulation/shared_matrix.hpp>
#include <tegula/mma/tcgen05_operand.hpp>

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
    static constexpr int strip_rows = 16;
    using a_strip = shared_matrix<typename Atom::a_type, Atom::order_a, strip_rows>;
    using b_matrix = shared_matrix<typename Atom::b_type, Atom::order_b, Atom::block_n>;
    using c_type = typename Atom::c_type;

public:
    product_of_tcgen05(std::uint32_t c, std::uint64_t a, std::uint64_t b, bool accumulate)
        : a_descriptor_(unpack_tcgen05(a)), b_(unpack_tcgen05(b), 0), accumulate_(accumulate)
    {
        operation_.name = "tcgen05.mma";
        operation_.blocks = Atom::blocks;
        operation_.written = {place_of(c), tensor_memory_lanes, Atom::columns,
                              Atom::block_m == 64 && Atom::blocks == 1};
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
        const a_matrix a(a_descriptor_, 0);
        int count = 0;
        for (int i = 0; i < a_matrix::chunks; ++i)
            chunks_[count++] = a.place(i);
        for (int i = 0; i < b_matrix::chunks; ++i)
            chunks_[count++] = b_.place(i);
        for (int block = 0; block < Atom::blocks; ++block)
            operation_.operands[block] = {chunks_, count};
    }

    void compute(const emulator::tensor_operation& op) const
    {
        alignas(16) float b[Atom::blocks][Atom::k * Atom::block_n];
        for (int block = 0; block < Atom::blocks; ++block)
            b_.template gather<true>(b[block], op.shared[block]);
        for (int row = 0; row < Atom::m; row += strip_rows)
            for (int block = 0; block < Atom::blocks; ++block)
                add_strip(op, row, block * Atom::block_n, b[block]);
    }

    /// Some rows by the columns of one block's B.
    void add_strip(const emulator::tensor_operation& op, int first_row, int first_column, const float* b) const
    {
        alignas(16) float a[strip_rows * Atom::k];
        alignas(16) float product[strip_rows * Atom::block_n];
        const int block = first_row / Atom::block_m;
        const a_strip rows(a_descriptor_, first_row % Atom::block_m);
        rows.template gather<false>(a, op.shared[block]);
        multiply<strip_rows, Atom::block_n, Atom::k>(product, a, b);
        for (int i = 0; i < strip_rows; ++i)
            for (int j = 0; j < Atom::block_n; ++j) {
                const tensor_memory_place at = Atom::shape.place(first_row + i, first_column + j);
                std::uint32_t& word =
                    op.words[block][at.lane * emulator::tensor_operation::pitch + op.written.first.column + at.column];
                word = add(word, product[i * Atom::block_n + j]);
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

    matrix_descriptor a_descriptor_;
    b_matrix b_;
    bool accumulate_;
    emulator::tensor_operation operation_;
    std::uint32_t chunks_[a_matrix::chunks + b_matrix::chunks];
};

template <class Atom>
void multiply_tcgen05(std::uint32_t c, std::uint64_t a, std::uint64_t b, bool accumulate, const call_site& where)
{
    product_of_tcgen05<Atom>(c, a, b, accumulate).run(where);
}

} // namespace tegula::emulation
