#pragma once

#include <tegula/arch/nvidia/narrow_matrix_copy.hpp>
#include <tegula/arch/nvidia/tma.hpp>
#include <tegula/block/ldmatrix_loader.hpp>

namespace tegula {

/// An operand [rows, k] whose tiles come by tensor copies: the map, coordinates of its batch, and the mbarriers of the
/// ring. k counts what the map's first dimension does.
struct copied_source
{
    const tensor_map* map;
    arch::nvidia::mbarrier* arrived; ///< one a stage, for two arrivals: each operand's with its bytes
    index_t rows;
    index_t k;
    index_t batch;
};

namespace detail {

/// ldmatrix_reads of bytes, or of elements of 6 or 4 bits in slots of 16 bytes, widened to bytes; those of 4 bits are
/// then moved to bits 2 to 5, where mma.sync has them.
template <class ReadDistribution, int InstructionRows, tensor_element Type>
struct copied_reads : ldmatrix_reads<ReadDistribution, std::uint8_t, false, InstructionRows>
{
    static TEGULA_INLINE array<std::uint32_t, 4> load(const void* row)
    {
        if constexpr (Type == tensor_element::u8)
            return arch::nvidia::load_matrices<4>(row);
        else if constexpr (Type == tensor_element::u6_align16)
            return arch::nvidia::load_narrow_matrices<6>(row);
        else {
            auto words = arch::nvidia::load_narrow_matrices<4>(row);
            static_for<4>([&](auto i) { words[i] <<= 2; });
            return words;
        }
    }
};

} // namespace detail

/// An operand of mma.sync in bytes along k, whose tiles [Rows, 128] come by tensor copies that one lane of the block
/// starts, in the 128-byte swizzle; past the operand's end they load zeros. A stage has arrived when its mbarrier's
/// phase completes, for both operands.
///   Type            u8, or how elements of 6 or 4 bits come to slots of 16 bytes
///   InstructionRows 16 for the instruction's A, 8 for its B
///   Wave            the block's wave that starts the copies
///   Stages          stages of the ring
template <class Target, tensor_element Type, index_t Rows, class ReadDistribution, int InstructionRows, int Wave,
          int Stages>
struct tensor_copy_loader
{
    static constexpr index_t line = 128;
    using panels = detail::operand_panels<std::uint8_t, Rows, line, false>;
    using reader = detail::matrix_reader<detail::copied_reads<ReadDistribution, InstructionRows, Type>, panels>;
    static_assert(reader::places_divide(line) && Rows <= static_cast<index_t>(tensor_map_rules::max_box));

    struct shared
    {
        static constexpr int conflicts = reader::conflicts(Target::chip(), line);
    };
    struct staged_tile
    {};

    static constexpr index_t tile_elements = Rows * line;
    static constexpr bool asynchronous = false; // lanes start no copies
    static constexpr bool buffered = false;
    static constexpr bool by_tiles = false;
    static constexpr bool by_mbarriers = true;
    static constexpr int copies_of_stage = 0;
    static constexpr bool instruction_order = true;

    copied_source operand;
    index_t first_row;
    index_t next_k = 0;
    int stage = 0, parity = 0; ///< stage and parity of the next wait
    reader slices;
    std::uint8_t* ring;
    staged_tile staged;

    TEGULA_INLINE tensor_copy_loader(const copied_source& s, index_t row, std::uint8_t* first_tile)
        : operand(s), first_row(row), slices(reader::template of_lane<Target>()), ring(first_tile)
    {}

    /// The map of rows of `length` bytes, or elements of 6 or 4 bits. Strides in bytes.
    static constexpr tensor_map_parameters parameters(const void* data, long_index_t rows, long_index_t length,
                                                      long_index_t stride, long_index_t batch,
                                                      long_index_t batch_stride)
    {
        const bool one = batch == 1 || batch_stride == 0;
        // A stride that is not used is replaced by one that the hardware takes: of a row, a multiple of its slots.
        const long_index_t row = rows == 1 ? ceil_div(length, 128) * 128 : stride;
        tensor_map_parameters p;
        p.base = data;
        p.type = Type;
        p.swizzle = swizzle_mode::bytes_128;
        p.set_dimensions<3>({length, rows, one ? 1 : batch}, {1, row, one ? rows * row : batch_stride},
                            {line, Rows, 1});
        return p;
    }

    static constexpr TEGULA_HOST_DEVICE bool has_whole_tiles() { return true; }

    /// Precondition: all waves have read the slot. The barrier after wait_for_stage() of the step before ensures it.
    TEGULA_INLINE void load_stage(int slot)
    {
        if (Target::wave_id() == Wave) {
            if (Target::lane_id() == 0) {
                arch::nvidia::mbarrier* const arrived = operand.arrived + slot;
                arch::nvidia::mbarrier_arrive_expect(arrived, tile_elements);
                arch::nvidia::tensor_load(ring + slot * tile_elements, *operand.map,
                                          array<int, 3>{next_k, first_row, operand.batch}, arrived);
            }
            Target::wave_barrier();
        }
        next_k += line;
    }
    TEGULA_INLINE void load_edge_stage(int slot, index_t) { load_stage(slot); }
    TEGULA_INLINE void store_stage(int) const {}
    TEGULA_INLINE void store_stage(int, const staged_tile&) const {}

    /// Waits for a stage of both operands, stage after stage.
    TEGULA_INLINE void wait_for_stage()
    {
        arch::nvidia::mbarrier_wait(operand.arrived + stage, parity);
        if (++stage == Stages) {
            stage = 0;
            parity ^= 1;
        }
    }

    /// Reads the slice of k that starts at byte K0 of the tile in `slot`, a multiple of 64.
    template <int K0>
    TEGULA_INLINE auto read(int slot) const
    {
        return slices.template read<K0>(ring + slot * tile_elements);
    }
    template <int K0>
    TEGULA_INLINE auto read_words(int slot) const
    {
        return slices.template read_words<K0, 0, 1>(ring + slot * tile_elements);
    }
};

} // namespace tegula
