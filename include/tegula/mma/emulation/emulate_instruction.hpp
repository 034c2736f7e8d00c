#pragma once

#include <tegula/core/array.hpp>
#include <tegula/mma/emulation/slot_value.hpp>
#include <tegula/mma/table/operand_layout.hpp>

/// Any row of the instruction table on the CPU, atoms or not. Host only.
///
/// Atoms that kernels use take the faster path of mma/emulation/emulate.hpp; both give the same bits.

namespace tegula {

/// The options that an instruction's modifiers and its chip add to the row.
struct instruction_options
{
    bool a_signed = true;   ///< iu8 and iu4
    bool b_signed = true;   ///< iu8 and iu4
    double least_input = 0; ///< inputs of smaller magnitude count as zero, and with them f32 sums below least_sum
};

/// The default options of a row.
constexpr instruction_options default_options(const instruction& i, gpu_arch arch)
{
    instruction_options options;
    options.least_input = least_input(arch, i.a);
    return options;
}

/// The instruction of a row: D = A B + C, derived from the encodings.
///
/// Operands are lane-major arrays of slots, [lane * slots + slot], a slot's bits in the low bits of a 64-bit word;
/// slots as in operand_layout. Slots that hold no element are neither read nor written. If several lanes hold
/// copies of an input, the last one is read.
///
///   f32, f64    products are added in ascending k, from zero, each product and sum rounded, and the sum is added to C
///   f16, bf16   the sum is made in f32 in that way; C is added in f32 and the result rounded once
///   i32         exact, modulo 2^32
///   b1          counts bits set in A and B (.and.popc), or in just one of them (.xor.popc)
///
/// Block scales are taken as 1.
class instruction_emulator
{
public:
    /// Precondition: kind_of(i) is mma.
    explicit instruction_emulator(const instruction& i)
        : row_(i), a_(make_map(i, operand::a)), b_(make_map(i, operand::b)), c_(make_map(i, operand::c)),
          counts_unequal_(ends_with(i.name, "xor.popc"))
    {}

    constexpr const instruction& row() const { return row_; }

    /// c += a b, c in place.
    [[gnu::noinline]] void multiply(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* c,
                                    const instruction_options& options = {}) const
    {
        if (row_.c == element_kind::f64)
            multiply_as<double>(a, b, c, options);
        else if (row_.c == element_kind::i32)
            multiply_as<std::int64_t>(a, b, c, options);
        else
            multiply_as<float>(a, b, c, options);
    }

    /// The most slots, and the most elements, that an operand of the table has: A of m16n8k256.
    static constexpr int max_elements = 4096;

private:
    struct slot_map
    {
        element_kind kind{};
        int bits = 0;  ///< bits per slot
        int slots = 0; ///< slots of all lanes
        array<int, max_elements> element{};
    };

    static constexpr slot_map make_map(const instruction& i, operand which)
    {
        const operand_layout layout = make_operand_layout(i, which);
        slot_map map;
        map.kind = which == operand::a ? i.a : which == operand::b ? i.b : i.c;
        map.bits = layout.slot_bits;
        map.slots = layout.lanes * layout.slots;
        for (int s = 0; s < map.slots; ++s)
            map.element[s] = layout.element(s / layout.slots, s % layout.slots);
        return map;
    }

    static constexpr bool ends_with(const char* text, const char* end)
    {
        for (; *text != '\0'; ++text)
            if (internal::equal_text(text, end))
                return true;
        return false;
    }

    template <class Number>
    static void gather(Number* matrix, const slot_map& map, const std::uint64_t* slots, bool is_signed, double least)
    {
        for (int s = 0; s < map.slots; ++s)
            if (const int at = map.element[s]; at != operand_layout::unused) {
                const double x = emulation::decode_slot(map.kind, map.bits, slots[s], is_signed);
                matrix[at] = static_cast<Number>(flushed(x, least));
            }
    }

    /// product = left right for one block, row major.
    template <class Number>
    void product(Number* result, const Number* left, const Number* right) const
    {
        for (int m = 0; m < row_.m; ++m) {
            Number* sums = result + m * row_.n;
            for (int n = 0; n < row_.n; ++n)
                sums[n] = Number{};
            for (int k = 0; k < row_.k; ++k) {
                const Number x = left[m * row_.k + k];
                const Number* y = right + k * row_.n;
                if (counts_unequal_)
                    for (int n = 0; n < row_.n; ++n)
                        sums[n] += static_cast<Number>(x != y[n]);
                else
                    for (int n = 0; n < row_.n; ++n)
                        sums[n] += x * y[n];
            }
        }
    }

    /// C's slot with `sum` added.
    template <class Number>
    std::uint64_t add(std::uint64_t slot, Number sum, Number least) const
    {
        if constexpr (std::is_same_v<Number, std::int64_t>) {
            return static_cast<std::uint32_t>(slot + static_cast<std::uint64_t>(sum));
        } else {
            const Number old = static_cast<Number>(emulation::decode_slot(c_.kind, c_.bits, slot));
            const Number result = flushed(static_cast<Number>(flushed(old, least) + sum), least);
            return emulation::encode_slot(c_.kind, c_.bits, static_cast<double>(result));
        }
    }

    template <class Number>
    void multiply_as(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* c,
                     const instruction_options& options) const
    {
        Number left[max_elements];
        Number right[max_elements];
        Number sums[max_elements];
        gather(left, a_, a, options.a_signed, options.least_input);
        gather(right, b_, b, options.b_signed, options.least_input);
        for (int block = 0; block < row_.blocks; ++block)
            product(sums + block * row_.m * row_.n, left + block * row_.m * row_.k, right + block * row_.k * row_.n);
        const auto least = static_cast<Number>(options.least_input > 0 ? least_sum : 0);
        for (int s = 0; s < c_.slots; ++s)
            if (const int at = c_.element[s]; at != operand_layout::unused)
                c[s] = add(c[s], sums[at], least);
    }

    instruction row_;
    slot_map a_, b_, c_;
    bool counts_unequal_;
};

/// One instruction of a wave. Use instruction_emulator if it is issued many times.
inline void emulate_instruction(const instruction& i, const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* c,
                                const instruction_options& options = {})
{
    instruction_emulator(i).multiply(a, b, c, options);
}

} // namespace tegula
