#pragma once

#include <tegula/mma/device/device_amd.hpp>
#include <tegula/mma/device/device_nvidia.hpp>
#include <tegula/mma/table/operand_layout.hpp>

#if !TEGULA_DEVICE_PASS
#include <tegula/mma/emulation/emulate.hpp>
#include <tegula/mma/emulation/emulate_instruction.hpp>
#endif

/// Issues the instruction of any row of the table; its operands are the registers of a lane.

namespace tegula {

/// Bytes of an operand in the registers of one lane.
template <class Row, operand Which>
inline constexpr int operand_bytes = 4 * make_operand_layout(Row::value, Which).registers;

#if !TEGULA_DEVICE_PASS
namespace emulation {

/// One lane's arguments of an instruction: its registers.
struct register_arguments
{
    void* c;
    const void* a;
    const void* b;
};

/// Slot `slot` of a lane's registers; slots are 4, 6, 8, 16, 32 or 64 bits wide, or one.
inline std::uint64_t read_slot(const void* registers, int bytes, int slot, int bits)
{
    const int first = slot * bits;
    const int at = first / 8;
    std::uint64_t window = 0;
    __builtin_memcpy(&window, static_cast<const unsigned char*>(registers) + at, bytes - at < 8 ? bytes - at : 8);
    return bits == 64 ? window : window >> first % 8 & ((std::uint64_t{1} << bits) - 1);
}

/// Writes a slot of accumulators, whose slots are whole bytes.
inline void write_slot(void* registers, int slot, int bits, std::uint64_t value)
{
    __builtin_memcpy(static_cast<unsigned char*>(registers) + slot * bits / 8, &value, bits / 8);
}

/// A row's layouts and the emulator that multiplies by them.
class register_emulator
{
public:
    explicit register_emulator(const instruction& i)
        : machine_(i), a_(make_operand_layout(i, operand::a)), b_(make_operand_layout(i, operand::b)),
          c_(make_operand_layout(i, operand::c))
    {}

    /// issue_instruction() for all lanes at once.
    [[gnu::noinline]] void multiply(register_arguments* const* lanes, const instruction_options& options) const
    {
        constexpr int most = instruction_emulator::max_elements;
        std::uint64_t a[most], b[most], c[most];
        gather(a, a_, [&](int lane) { return lanes[lane]->a; });
        gather(b, b_, [&](int lane) { return lanes[lane]->b; });
        gather(c, c_, [&](int lane) { return lanes[lane]->c; });
        if (emulator::checks_enabled() && !(copies_agree(a, a_) && copies_agree(b, b_)))
            fail_unequal_copies();
        machine_.multiply(a, b, c, options);
        for (int s = 0; s < c_.lanes * c_.slots; ++s)
            write_slot(lanes[s / c_.slots]->c, s % c_.slots, c_.slot_bits, c[s]);
    }

private:
    /// The slots of all lanes, lane-major.
    template <class Registers>
    static void gather(std::uint64_t* slots, const operand_layout& layout, Registers&& registers)
    {
        for (int s = 0; s < layout.lanes * layout.slots; ++s)
            slots[s] = read_slot(registers(s / layout.slots), 4 * layout.registers, s % layout.slots, layout.slot_bits);
    }

    /// Whether lanes that hold the same elements hold the same slots; copies are the most significant digit of the
    /// lane.
    static bool copies_agree(const std::uint64_t* slots, const operand_layout& layout)
    {
        const int distinct = layout.lanes * layout.slots / layout.copies;
        for (int s = distinct; s < layout.lanes * layout.slots; ++s)
            if (slots[s] != slots[s % distinct])
                return false;
        return true;
    }

    instruction_emulator machine_;
    operand_layout a_, b_, c_;
};

template <class Row>
inline const register_emulator& emulator_of()
{
    static const register_emulator machine(Row::value);
    return machine;
}

/// The options that the emulated chip adds to the row.
inline instruction_options options_of(const instruction& i, bool a_signed, bool b_signed)
{
    gpu_arch arch{};
    instruction_options options;
    if (find_arch(emulator::current_chip().name, arch))
        options = default_options(i, arch);
    options.a_signed = a_signed;
    options.b_signed = b_signed;
    return options;
}

} // namespace emulation
#endif

/// c += a b by the instruction of Row, which multiplies in registers. All lanes of the wave take part.
///
/// Row               anything with a static constexpr instruction `value`: table_row<Index>, mma_atom::row
/// ASigned, BSigned  whether iu8 and iu4 are signed; other types have a fixed sign
/// c, a, b           a lane's registers, of any type of operand_bytes<Row, ...> bytes, with elements placed by
///                   operand_layout. The emulator follows the layouts, as instruction_emulator states.
///
/// A device pass needs the architecture of the row, and its wave size.
template <class Row, bool ASigned = true, bool BSigned = true, class C, class A, class B>
TEGULA_INLINE void issue_instruction(C& c, const A& a, const B& b, [[maybe_unused]] call_site where = call_site::here())
{
    static_assert(sizeof(C) == operand_bytes<Row, operand::c> && sizeof(A) == operand_bytes<Row, operand::a> &&
                      sizeof(B) == operand_bytes<Row, operand::b>,
                  "tegula: the operands of an instruction must fill the registers that its row says");
#if defined(__HIP_DEVICE_COMPILE__)
    detail::issue_on_amd<Row, ASigned, BSigned>(c, a, b);
#elif defined(__CUDA_ARCH__)
    detail::issue_on_nvidia<Row>(c, a, b);
#else
    emulation::register_arguments mine{&c, &a, &b};
    emulator::wave_operation(
        Row::value.name, emulator::operation_kind::matrix, mine,
        [](emulation::register_arguments* const* lanes, int) {
            const auto options = emulation::options_of(Row::value, ASigned, BSigned);
            emulation::emulator_of<Row>().multiply(lanes, options);
        },
        where);
#endif
}

} // namespace tegula
