#pragma once

#include <tegula/mma/emulation/emulate_tcgen05.hpp>

/// Block-scaled tcgen05.mma on the CPU: operands are found by the bits of their descriptors, scales in the words of
/// tensor memory. Host only.

namespace tegula::emulation {

/// 32 bytes of k of the rows of an operand of Format, as doubles.
template <class Format, bool Packed>
struct scaled_slots
{
    static constexpr int k = Packed ? 64 : 32;
    static constexpr int width = Format::element_type::format::width;
    double value[1 << width];

    scaled_slots()
    {
        for (int pattern = 0; pattern < 1 << width; ++pattern)
            value[pattern] = static_cast<double>(
                static_cast<float>(Format::element_type::from_bits(static_cast<std::uint32_t>(pattern))));
    }

    /// to[k][row], elements times scales; scale_of(row, number) is a scale's bits.
    template <int Rows, class ScaleOf>
    void gather(double* to, const shared_matrix<std::uint8_t, operand_order::k_contiguous, Rows>& rows,
                const std::byte* shared, const ScaleOf& scale_of) const
    {
        for (int chunk = 0; chunk < 2 * Rows; ++chunk) {
            std::uint8_t bytes[17]{};
            std::memcpy(bytes, shared + rows.place(chunk), 16);
            const int row = chunk / 2;
            for (int i = 0; i < k / 2; ++i) {
                const int bit = i * width;
                const int pattern = (bytes[bit / 8] | bytes[bit / 8 + 1] << 8) >> bit % 8 & ((1 << width) - 1);
                const int depth = chunk % 2 * (k / 2) + i;
                const auto scale = Format::scale_type::from_bits(scale_of(row, depth / Format::block));
                to[depth * Rows + row] = value[pattern] * static_cast<double>(scale);
            }
        }
    }
};

template <class Atom, int Byte>
class product_of_tcgen05_scaled
{
    template <int Rows>
    using rows_of = shared_matrix<std::uint8_t, operand_order::k_contiguous, Rows>;
    using operation_type = emulator::tensor_operation;

public:
    product_of_tcgen05_scaled(std::uint32_t c, std::uint64_t a, std::uint64_t b, std::uint32_t a_scales,
                              std::uint32_t b_scales, bool accumulate)
        : a_(unpack_tcgen05(a), 0), b_(unpack_tcgen05(b), 0), a_scales_(place_of(a_scales).column),
          b_scales_(place_of(b_scales).column), accumulate_(accumulate)
    {
        operation_.name = "tcgen05.mma";
        operation_.blocks = Atom::blocks;
        operation_.written = {place_of(c), tensor_memory_lanes, Atom::columns};
        operation_.reads_written = accumulate;
        operation_.read[0] = {place_of(a_scales), tensor_memory_lanes, Atom::a_scale_columns};
        operation_.read[1] = {place_of(b_scales), tensor_memory_lanes, Atom::b_scale_columns};
        operation_.reads = 2;
        operation_.shape = Atom::descriptor(0) >> 17 | c << 16;
        for (const std::uint32_t address : {c, a_scales, b_scales})
            if (place_of(address).lane != 0)
                emulator::fail("a tcgen05.mma whose accumulators or scales do not start in lane 0",
                               "give the address of the allocation and a column");
        if (emulator::checks_enabled())
            list_chunks();
    }

    void run(const call_site& where)
    {
        emulator::issue_tensor_operation(operation_, [this](const operation_type& op) { compute(op); }, where);
    }

private:
    void list_chunks()
    {
        int count = 0;
        for (int i = 0; i < rows_of<Atom::block_m>::chunks; ++i)
            chunks_[count++] = a_.place(i);
        for (int i = 0; i < rows_of<Atom::block_n>::chunks; ++i)
            chunks_[count++] = b_.place(i);
        for (int block = 0; block < Atom::blocks; ++block)
            operation_.operands[block] = {chunks_, count};
    }

    /// Scale `number` of a row whose scales start at a column, from the copy in the first warp's lanes, one of four.
    static std::uint32_t scale(const std::uint32_t* words, int column, int row, int number)
    {
        return words[row % 32 * operation_type::pitch + column + row / 32] >> 8 * (Byte + number) & 0xff;
    }

    void compute(const operation_type& op) const
    {
        static const scaled_slots<typename Atom::a_format, Atom::packed> left;
        static const scaled_slots<typename Atom::b_format, Atom::packed> right;
        // Too large for a fiber's stack.
        thread_local double a[Atom::k * Atom::block_m], b[Atom::k * Atom::block_n];
        for (int row_block = 0; row_block < Atom::blocks; ++row_block) {
            const std::uint32_t* const words = op.words[row_block]; // each block's own copies of the scales
            left.gather(a, a_, op.shared[row_block],
                        [&](int row, int number) { return scale(words, a_scales_, row, number); });
            for (int column_block = 0; column_block < Atom::blocks; ++column_block) {
                const int first = column_block * Atom::block_n;
                right.gather(b, b_, op.shared[column_block],
                             [&](int row, int number) { return scale(words, b_scales_, first + row, number); });
                for (int row = 0; row < Atom::block_m; ++row)
                    add_row(op, row_block * Atom::block_m + row, first, a + row, b);
            }
        }
    }

    void add_row(const operation_type& op, int row, int first_column, const double* a, const double* b) const
    {
        double sums[Atom::block_n]{};
        for (int depth = 0; depth < Atom::k; ++depth)
            for (int j = 0; j < Atom::block_n; ++j)
                sums[j] += a[depth * Atom::block_m] * b[depth * Atom::block_n + j];
        for (int j = 0; j < Atom::block_n; ++j) {
            const tensor_memory_place at = Atom::shape.place(row, first_column + j);
            std::uint32_t& word =
                op.words[row / Atom::block_m][at.lane * operation_type::pitch + op.written.first.column + at.column];
            const double before = accumulate_ ? static_cast<double>(__builtin_bit_cast(float, word)) : 0.0;
            word = __builtin_bit_cast(std::uint32_t, static_cast<float>(before + sums[j]));
        }
    }

    rows_of<Atom::block_m> a_;
    rows_of<Atom::block_n> b_;
    int a_scales_, b_scales_;
    bool accumulate_;
    operation_type operation_;
    std::uint32_t chunks_[rows_of<Atom::block_m>::chunks + rows_of<Atom::block_n>::chunks];
};

template <class Atom, int Byte>
void multiply_tcgen05_scaled(std::uint32_t c, std::uint64_t a, std::uint64_t b, std::uint32_t a_scales,
                             std::uint32_t b_scales, bool accumulate, const call_site& where)
{
    product_of_tcgen05_scaled<Atom, Byte>(c, a, b, a_scales, b_scales, accumulate).run(where);
}

} // namespace tegula::emulation
