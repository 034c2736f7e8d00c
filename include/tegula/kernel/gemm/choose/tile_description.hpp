#pragma once

#include <tegula/block/operand_load.hpp>
#include <tegula/block/promoted_accumulators.hpp>
#include <tegula/chip/chip_speed.hpp>
#include <tegula/core/math.hpp>
#include <tegula/core/status.hpp>
#include <tegula/core/tfloat32.hpp>

namespace tegula {

/// The properties of a tile that the choice knows; describe<Tile>() fills them in.
struct tile_description
{
    const char* name = "";
    index_t block_m = 0;
    index_t block_n = 0;
    index_t block_k = 0;
    int waves_m = 1;
    int waves_n = 1;
    int stages = 2;
    int threads = 0;           ///< threads of a block
    long shared_bytes = 0;     ///< bytes of a block, the most of all operand orders
    int accumulators = 0;      ///< 32-bit registers of a lane
    int operands = 0;          ///< 32-bit registers of a lane for A and B, in addition
    int lane_registers = 0;    ///< registers that the block gives a lane; 0: the chip's for so many threads
    int input_bytes = 2;       ///< bytes of an element of A or B
    int output_bytes = 4;      ///< bytes of an accumulator
    double cost = 1;           ///< cycles of a product, as a multiple of those of 16-bit floats by matrix instructions
    bool uses_matrix = true;   ///< matrix instructions; else multiply-adds
    int cluster_m = 1;         ///< blocks along M that read the columns of B once; see warp_specialized_tile
    int cluster_n = 1;         ///< blocks along N that read the rows of A once
    index_t most_k = 0;        ///< largest k for which accumulators keep their type's precision; 0: any k
    bool hides_output = false; ///< a block's next tile is multiplied while this one is stored
    index_t promote_k = 0;     ///< a warp-specialised tile adds sums outside of its instructions after this k; 0: never
    int consumer_waves = 1;    ///< how many of waves() one consumer of a warp-specialised tile computes
    double weight_bytes = 0;   ///< bytes of an element of a quantised B in memory; 0: B has A's type
    bool packs_weights = false; ///< a quantised B is as long in shared memory; else it is there in A's type
    double b_instructions = 0;  ///< instructions of a lane for each element of a quantised or made B
    double a_instructions = 0;  ///< instructions of a lane for each element of an A that is made

    constexpr int waves() const { return waves_m * waves_n; }
    /// Bytes of an element of B in memory, and in shared memory.
    constexpr double b_bytes() const { return weight_bytes > 0 ? weight_bytes : input_bytes; }
    constexpr double b_shared_bytes() const { return packs_weights ? weight_bytes : input_bytes; }
    /// Whether one warp only loads (warp-specialised tiles).
    constexpr bool loads_ahead() const { return lane_registers > 0; }
    /// Whether sums of k products have the accumulators' precision.
    constexpr bool keeps_precision(long_index_t k) const { return most_k == 0 || k <= most_k; }
};

namespace detail {

/// Rates of matrix instructions against those of f16: half for tf32, an eighth for f32 and f64 (CDNA 3 white paper,
/// A100 white paper); 8-bit inputs are the chip's byte_rate.
template <class Atom>
consteval double matrix_cost()
{
    using type = typename Atom::a_type;
    if (!Atom::is_matrix_instruction)
        return 1;
    return std::is_same_v<type, tfloat32> ? 2 : sizeof(type) >= 4 ? 8 : 1;
}

template <class Tile>
consteval long most_shared_bytes()
{
    using enum operand_order;
    const long bytes[] = {Tile::template shared_bytes<k_contiguous, k_contiguous>(),
                          Tile::template shared_bytes<k_contiguous, row_contiguous>(),
                          Tile::template shared_bytes<row_contiguous, k_contiguous>(),
                          Tile::template shared_bytes<row_contiguous, row_contiguous>()};
    long most = 0;
    for (long b : bytes)
        most = max(most, b);
    return most;
}

} // namespace detail

/// The description of a gemm_tile; users ask for it by `name`.
template <class Tile>
constexpr tile_description describe(const char* name)
{
    using accumulator = typename Tile::accumulator_type;
    tile_description t;
    t.name = name;
    t.block_m = Tile::block_m;
    t.block_n = Tile::block_n;
    t.block_k = Tile::block_k;
    t.waves_m = Tile::waves_m;
    t.waves_n = Tile::waves_n;
    t.stages = Tile::stages;
    t.threads = Tile::block_threads;
    t.shared_bytes = detail::most_shared_bytes<Tile>();
    t.accumulators = Tile::accumulator_registers;
    t.operands = Tile::operand_registers;
    t.input_bytes = sizeof(typename Tile::a_type);
    t.output_bytes = sizeof(accumulator);
    t.cost = detail::matrix_cost<typename Tile::atom>();
    t.uses_matrix = Tile::atom::is_matrix_instruction;
    if constexpr (Tile::atom::truncates_sums)
        t.most_k = Tile::promote_k == 0 ? truncated_sum_k : 0;
    return t;
}

/// Ok, or what does not fit the chip, with the numbers.
constexpr status fits_chip(const tile_description& t, const chip_info& chip)
{
    const auto needs = [&] { return status(status_code::unsupported, "tile ") << t.name << " needs "; };
    constexpr int other_registers = 32; // addresses, operands, loop
    const int registers = t.lane_registers > 0 ? t.lane_registers : lane_registers(chip, t.threads);
    const auto lacks_registers = [&](int needed, const char* for_what, int limit) {
        return needs() << needed << " registers for " << for_what << "; a lane of " << t.threads << " threads on "
                       << chip.name << " has " << limit;
    };
    if (t.shared_bytes > chip.shared_bytes)
        return needs() << t.shared_bytes << " bytes of shared memory; a block of " << chip.name << " has "
                       << chip.shared_bytes;
    if (t.threads > chip.max_threads)
        return needs() << t.threads << " threads; a block of " << chip.name << " has at most " << chip.max_threads;
    if (t.accumulators > registers - other_registers)
        return lacks_registers(t.accumulators, "accumulators", registers - other_registers);
    if (t.accumulators + t.operands > registers)
        return lacks_registers(t.accumulators + t.operands, "accumulators and operands", registers);
    return {};
}

} // namespace tegula
