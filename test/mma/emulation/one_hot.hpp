#pragma once

#include "test/catch.hpp"

#include <tegula/mma/instruction_atom.hpp>
#include <tegula/mma/table/instruction_table.hpp>
#include <tegula/tensor.hpp>

#include <vector>

/// A with a single 1 at (m, k) and B with a single 1 at (k, n) give a single 1 at (m, n): from memory through load,
/// atom and store back to memory, one block of the emulator each.
///
/// In memory A is [block, m, k], B is [block, n, k] and C is [block, m, n], row-major, elements narrower than a byte
/// packed along k from the low bits up.

namespace tegula::test {

/// The places of the two 1s.
struct one_hot
{
    int block, m, n, k;
};

/// The shape of a test of an atom; `row` gives types and how bits are counted.
struct one_hot_shape
{
    instruction row;
    int m, n, k;

    int blocks() const { return row.blocks; }
    int bits_of(operand which) const { return slot_bits(row, which); }
    std::size_t a_bytes() const { return static_cast<std::size_t>(blocks() * m * k * bits_of(operand::a) / 8); }
    std::size_t b_bytes() const { return static_cast<std::size_t>(blocks() * n * k * bits_of(operand::b) / 8); }
    std::size_t c_bytes() const { return static_cast<std::size_t>(blocks() * m * n * bits_of(operand::c) / 8); }
};

/// Every m, every n and every k of every block; every m and n with both halves of k, which are 16 bytes of shared memory
/// each in wgmma.
std::vector<one_hot> all_indices(const one_hot_shape& s);
/// Every pair (m, n), (m, k) and (n, k) of every block: the third index is the sum of the two longer ones.
std::vector<one_hot> all_pairs(const one_hot_shape& s);
std::vector<one_hot> all_triples(const one_hot_shape& s);

/// One block's operands: from memory, multiplied, to memory.
using product_of_block = void (*)(const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* c);

/// The parameters of one block.
struct one_hot_block
{
    int waves = 1;
    int shared_bytes = 0;
    bool checks = true; ///< of the emulator
};

/// Runs the cases, a block each; how many give another C than they should. A launch that fails counts as all of its
/// cases.
std::size_t count_wrong(const one_hot_shape& s, const chip_info& chip, product_of_block product,
                        const std::vector<one_hot>& cases, const one_hot_block& block = {});

template <int Bytes>
using word_of = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::uint16_t, std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

/// The whole matrix as a window of one wave. Fastest is the dimension that is contiguous; those before it and the last
/// one follow.
template <class Target, class Encoding, int Fastest, class Word>
auto whole_matrix(Word* data)
{
    constexpr encoding_value e = Encoding::raw;
    constexpr index_t rows = x_length(e, e.num_x() - 2), columns = x_length(e, e.num_x() - 1);
    using distribution = tile_distribution<Encoding>;
    using strides = std::conditional_t<Fastest == 1, sequence<columns, 1>, sequence<1, rows>>;
    if constexpr (e.num_x() == 2)
        return make_tile_window<distribution>(
            make_tensor_view<Target, address_space::global>(
                data, make_strided_descriptor(sequence<rows, columns>{}, strides{}), "operand"),
            {});
    else
        return make_tile_window<distribution>(
            make_tensor_view<Target, address_space::global>(
                data,
                make_strided_descriptor(sequence<x_length(e, 0), rows, columns>{}, std::conditional_t < Fastest == 1,
                                        sequence<rows * columns, columns, 1>, sequence < rows * columns, 1, rows >> {}),
                "operand"),
            {});
}

// Instantiated once for all atoms of one layout and element size.

template <class Target, class Encoding, int Fastest, class Word>
[[gnu::noinline]] auto load_operand(const std::uint8_t* data)
{
    return load(whole_matrix<Target, Encoding, Fastest>(reinterpret_cast<const Word*>(data))).registers;
}

template <class Target, class Encoding, class Word, int Count>
[[gnu::noinline]] void store_operand(std::uint8_t* data, const array<Word, Count>& registers)
{
    distributed_tensor<Word, tile_distribution<Encoding>> tile;
    tile.registers = registers;
    store(whole_matrix<Target, Encoding, 1>(reinterpret_cast<Word*>(data)), tile);
}

/// A zero C, plus A B, for an atom whose B is [k, n], or [n, k] where BFastest is 1.
template <class Target, class Atom, int BFastest = 0>
void multiply_block(const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* c)
{
    using a_word = word_of<sizeof(typename Atom::a_type)>;
    using b_word = word_of<sizeof(typename Atom::b_type)>;
    using c_word = word_of<sizeof(typename Atom::c_type)>;
    const auto left = load_operand<Target, typename Atom::a_encoding, 1, a_word>(a);
    const auto right = load_operand<Target, typename Atom::b_encoding, BFastest, b_word>(b);
    array<typename Atom::c_type, Atom::c_count> sum{};
    Atom::multiply(sum, __builtin_bit_cast(array<typename Atom::a_type, Atom::a_count>, left),
                   __builtin_bit_cast(array<typename Atom::b_type, Atom::b_count>, right));
    store_operand<Target, typename Atom::c_encoding>(c, __builtin_bit_cast(array<c_word, Atom::c_count>, sum));
}

} // namespace tegula::test
