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

/// A of a product in shared memory, by its descriptor.
template <class Atom>
class shared_rows
{
    using matrix = shared_matrix<typename Atom::a_type, Atom::order_a, Atom::block_m>;

public:
    static constexpr int chunks = matrix::chunks;
    explicit shared_rows(std::uint64_t bits) : descriptor_(unpack_tcgen05(bits)) {}

    /// The chunks of shared memory that are read.
    int list(std::uint32_t* to, emulator::tensor_operation&) const
    {
        const matrix all(descriptor_, 0);
        for (int i = 0; i < chunks; ++i)
            to[i] = all.place(i);
        return chunks;
    }
    /// `Rows` rows from `first` on, row after row.
    template <int Rows>
    void gather(float* to, int first, const emulator::tensor_operation& op, int block) const
    {
        shared_matrix<typename Atom::a_type, Atom::order_a, Rows>(descriptor_, first)
            .template gather<false>(to, op.shared[block]);
    }

private:
    matrix_descriptor descriptor_;
};

/// A of a product in tensor memory.
template <class Atom>
class rows_in_tensor_memory
{
    using type = typename Atom::a_type;
    static constexpr int in_word = 4 / static_cast<int>(sizeof(type));

public:
    static constexpr int chunks = 0;
    explicit rows_in_tensor_memory(tensor_memory_rows a) : first_(place_of(a.address))
    {
        if (first_.lane != 0)
            emulator::fail("a tcgen05.mma whose A does not start in lane 0 of tensor memory",
                           "give the address of the allocation and a column");
    }

    int list(std::uint32_t*, emulator::tensor_operation& operation) const
    {
        operation.read[operation.reads++] = {first_, tensor_memory_lanes, Atom::k / in_word};
        return 0;
    }
    template <int Rows>
    void gather(float* to, int first, const emulator::tensor_operation& op, int block) const
    {
        for (int row = 0; row < Rows; ++row)
            for (int k = 0; k < Atom::k; ++k) {
                type x;
                std::memcpy(&x,
                            reinterpret_cast<const std::byte*>(
                                op.words[block] + (first + row) * emulator::tensor_operation::pitch + first_.column) +
                                k * static_cast<int>(sizeof(type)),
                            sizeof(type));
                to[row * Atom::k + k] = detail::decode(x);
            }
    }

private:
    tensor_memory_place first_;
};

/// One product of Atom, of all blocks of its group. Rows is shared_rows or rows_in_tensor_memory.
template <class Atom, class Rows>
class product_of_tcgen05
{
    static constexpr int strip_rows = 16;
    using b_matrix = shared_matrix<typename Atom::b_type, Atom::order_b, Atom::block_n>;
    using c_type = typename Atom::c_type;

public:
    product_of_tcgen05(std::uint32_t c, const Rows& a, std::uint64_t b, bool accumulate)
        : a_(a), b_(unpack_tcgen05(b), 0), accumulate_(accumulate)
    {
        operation_.name = "tcgen05.mma";
        operation_.blocks = Atom::blocks;
        operation_.integers = std::is_integral_v<c_type>;
        operation_.written = {place_of(c), tensor_memory_lanes, Atom::columns,
                              Atom::block_m == 64 && Atom::blocks == 1};
        operation_.reads_written = accumulate;
        operation_.shape = Atom::descriptor >> 17 | c << 16;
        if (place_of(c).lane != 0)
            emulator::fail("a tcgen05.mma whose accumulators do not start in lane 0",
                           "give the address of the allocation and a column");
        if (emulator::checks_enabled())
            list_operands();
    }

    void run(const call_site& where)
    {
        emulator::issue_tensor_operation(
            operation_, [this](const emulator::tensor_operation& op) { compute(op); }, where);
    }

private:
    void list_operands()
    {
        int count = a_.list(chunks_, operation_);
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

    /// Multiplies a strip of rows by the columns of one block's B and adds the products.
    void add_strip(const emulator::tensor_operation& op, int first_row, int first_column, const float* b) const
    {
        alignas(16) float a[strip_rows * Atom::k];
        alignas(16) float product[strip_rows * Atom::block_n];
        const int block = first_row / Atom::block_m;
        a_.template gather<strip_rows>(a, first_row % Atom::block_m, op, block);
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

    Rows a_;
    b_matrix b_;
    bool accumulate_;
    emulator::tensor_operation operation_;
    std::uint32_t chunks_[Rows::chunks + b_matrix::chunks];
};

template <class Atom>
void multiply_tcgen05(std::uint32_t c, std::uint64_t a, std::uint64_t b, bool accumulate, const call_site& where)
{
    product_of_tcgen05<Atom, shared_rows<Atom>>(c, shared_rows<Atom>(a), b, accumulate).run(where);
}
template <class Atom>
void multiply_tcgen05(std::uint32_t c, tensor_memory_rows a, std::uint64_t b, bool accumulate, const call_site& where)
{
    using rows = rows_in_tensor_memory<Atom>;
    product_of_tcgen05<Atom, rows>(c, rows(a), b, accumulate).run(where);
}

} // namespace tegula::emulation
