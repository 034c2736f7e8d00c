#pragma once

#include <tegula/chip/bank_conflicts.hpp>
#include <tegula/chip/chip_speed.hpp>
#include <tegula/core/math.hpp>
#include <tegula/kernel/gemm/choose/tile_description.hpp>

/// Which of several tiles suits a problem: tiles that do not fit the chip are rejected, the rest are ranked by an
/// estimate of the time.
///
/// A block goes through the k loop in steps of block_k. A compute unit is busy with its blocks for
///
///     rounds = ceil(tiles / compute units)                          clusters are counted whole
///     step   = overlap(matrix, cache, shared memory, latency, making) + promotion    cycles of one block's step
///     busy   = rounds * (ceil(k / block_k) * step + epilogue) + prologue
///
/// The matrix part is the longer of all products at the chip's rate, and of one sum, whose instructions wait for each
/// other. The cache part is the longer of one unit's reads from L2, and of L2's reads for all units that have a tile.
/// Promotion is the wait for products that are added outside of the instructions. Making is the issue of the instructions
/// that convert quantised weights, find rows or compute elements. One warpgroup that makes operands for others counts as
/// if it could start an instruction in every cycle. The next tile's loop hides an epilogue if there is one and the tile
/// says so. The chip's memory takes
///
///     memory = bytes of A and B, as often as the caches cannot keep them, and of C / bytes a cycle.
///
/// The estimate is overlap(busy, memory). For a split k there is in addition, with nothing to hide it,
///
///     sums   = a launch + (bytes of the partial sums, which the first launch has written, and of C) / bytes a cycle.
///
/// overlap(x...) is the longest of them plus a share of the others, the chip's `interference`: simultaneous operations
/// slow each other down, and if two tiles have the same bottleneck, the one that does less is better. The model ranks;
/// it does not predict times.

namespace tegula {

/// C[batch] = A B with A [m, k] and B [k, n].
struct gemm_size
{
    long_index_t m = 0;
    long_index_t n = 0;
    long_index_t k = 0;
    long_index_t batch = 1;
};

/// An estimate in cycles, and its parts.
struct tile_estimate
{
    double cycles = 0; ///< the estimate
    double busy = 0;   ///< cycles of a compute unit
    double memory = 0; ///< cycles of the chip's memory, while the products are computed
    double sums = 0;   ///< cycles of the launch that adds the partial sums of a split k
    long_index_t tiles = 0;
    long_index_t rounds = 0; ///< blocks that the busiest compute unit works through
};

namespace detail {

/// The longest of several parts that run side by side, and a share of the others; see chip_speed's `interference`.
template <class... Parts>
constexpr double overlap(double share, Parts... parts)
{
    const double all[] = {static_cast<double>(parts)...};
    double longest = 0, sum = 0;
    for (double part : all) {
        sum += part;
        longest = max(longest, part);
    }
    return longest + (sum - longest) * share;
}

/// Blocks of the tile that a compute unit holds at a time, by shared memory and registers. On RDNA it is half of what
/// the two compute units of a work group processor hold together, since a block may lie on both.
constexpr double resident_blocks(const tile_description& t, const chip_info& chip, const chip_speed& speed)
{
    const int units = units_of_block(chip);
    const long by_shared = t.shared_bytes > 0 ? units * chip.shared_bytes / t.shared_bytes : 16;
    const int registers = t.accumulators + t.operands + 32; // 32 for addresses
    const int waves_on_simd = speed.simd_registers / min(registers, chip.registers);
    const long by_registers = static_cast<long>(waves_on_simd) * units * speed.simds / t.waves();
    const double blocks = static_cast<double>(min(by_shared, by_registers)) / units;
    return max(1.0, min(blocks, 8.0));
}

/// Cycles of one block's step through k, with `sharing` blocks on the compute unit and `units` compute units at work.
constexpr double step_cycles(const tile_description& t, const chip_speed& speed, double sharing, long_index_t units)
{
    // Cycles from a load to its data: 500 to 900 on the chips of the list. A warp that only loads hides them.
    const double memory_latency = t.loads_ahead() ? 0 : 800;
    const double products = static_cast<double>(t.block_m) * t.block_n * t.block_k;
    const double matrix_rate =
        speed.multiply_adds * (t.input_bytes == 1 ? speed.byte_rate : 1) / (t.loads_ahead() ? 1 : speed.wave_cost);
    const double rate = t.uses_matrix ? matrix_rate : speed.fma_rate;
    // Instructions that add to the same sum wait for each other; those of the tile's other waves do not.
    const double all_products = products * t.cost / rate;
    const double slices = static_cast<double>(t.block_k) * t.input_bytes / 32; // of one instruction each
    const double one_sum = all_products / t.waves() + slices * speed.chained_cycles;
    const double a_elements = static_cast<double>(t.block_m) * t.block_k;
    const double b_elements = static_cast<double>(t.block_n) * t.block_k;
    // Shared memory is written once; every wave reads its rows of A and columns of B.
    const double tile_bytes = a_elements * t.input_bytes + b_elements * t.b_shared_bytes();
    const double wave_bytes = a_elements * t.waves_n * t.input_bytes + b_elements * t.waves_m * t.b_shared_bytes();
    // Operands that the blocks of a cluster share are loaded once.
    const double cache_bytes = a_elements / t.cluster_n * t.input_bytes + b_elements / t.cluster_m * t.b_bytes();
    const double making = (a_elements * t.a_instructions + b_elements * t.b_instructions) / speed.issued_lanes();
    const double one = cache_bytes / speed.cache_bytes;
    const double all = speed.l2_bytes > 0 ? cache_bytes * static_cast<double>(units) / speed.l2_bytes : 0;
    const double promotions = t.promote_k > 0 ? static_cast<double>(t.block_k) / t.promote_k * t.consumer_waves : 0;
    return overlap(speed.interference, max(all_products, one_sum), max(one, all),
                   (tile_bytes + wave_bytes) / speed.shared_bytes,
                   memory_latency / (static_cast<double>(t.stages - 1) * sharing), making) +
           promotions * speed.promotion_cycles;
}

/// Bytes of a matrix of C's shape with elements of `element` bytes.
constexpr double result_bytes(const gemm_size& size, int element)
{
    return static_cast<double>(size.batch) * static_cast<double>(size.m) * static_cast<double>(size.n) * element;
}

/// Bytes of A and B between memory and the caches. Blocks that run at the same time form a square of tiles; each row of
/// A and column of B in it is read once.
constexpr double operand_bytes(const gemm_size& size, const tile_description& t, long_index_t running)
{
    const long_index_t tiles_m = ceil_div(size.m, t.block_m), tiles_n = ceil_div(size.n, t.block_n);
    long_index_t side = 1;
    while ((side + 1) * (side + 1) <= running)
        ++side;
    const long_index_t rows = min(tiles_m, side);
    const long_index_t columns = min(tiles_n, running / rows);
    const double a =
        static_cast<double>(size.m) * static_cast<double>(size.k) * static_cast<double>(ceil_div(tiles_n, columns));
    const double b =
        static_cast<double>(size.n) * static_cast<double>(size.k) * static_cast<double>(ceil_div(tiles_m, rows));
    return static_cast<double>(size.batch) * (a * t.input_bytes + b * t.b_bytes());
}

} // namespace detail

/// The estimate described above. `splits`: parts of k, each summed by a different block and counted as a tile. Partial
/// sums of 4 bytes are written, and a second launch reads them. Precondition: fits_chip(t, chip) is ok.
constexpr tile_estimate estimate_tile(const gemm_size& size, const tile_description& t, const chip_info& chip,
                                      int splits = 1)
{
    const chip_speed speed = chip::speed_of(chip);
    tile_estimate e;
    const int cluster = t.cluster_m * t.cluster_n;
    const long_index_t clusters =
        ceil_div(size.m, t.block_m * t.cluster_m) * ceil_div(size.n, t.block_n * t.cluster_n) * size.batch * splits;
    e.tiles = clusters * cluster;
    if (e.tiles == 0)
        return e;
    e.rounds = ceil_div(clusters, speed.compute_units / cluster);
    const double resident = detail::resident_blocks(t, chip, speed);
    const double rounds = static_cast<double>(e.rounds);
    const double sharing = min(rounds, resident);
    const double steps = static_cast<double>(ceil_div(ceil_div(size.k, t.block_k), splits));
    const double step = detail::step_cycles(t, speed, sharing, min<long_index_t>(e.tiles, speed.compute_units));
    const double output = static_cast<double>(t.block_m) * t.block_n * t.output_bytes / speed.cache_bytes;
    const double loop = steps * step;
    const double next = t.hides_output ? max(loop, output) : loop + output; // cycles of every tile but the first
    // Loads ahead have all stages in flight at once; their share of the steps is fitted, as chip_speed's sm_90a.
    const double first = (t.stages - 1) * step * (t.loads_ahead() ? 0.32 : 1);
    e.busy = loop + (rounds - 1) * next + output + first;
    const auto at_once = static_cast<long_index_t>(speed.compute_units * sharing);
    const double bytes_a_cycle = speed.memory_gigabytes * 1000. / speed.megahertz;
    // A block's result: its tile of C, or its partial sums, in 4 bytes.
    const double written = splits == 1 ? detail::result_bytes(size, t.output_bytes)
                                       : static_cast<double>(splits) * detail::result_bytes(size, 4);
    e.memory = (detail::operand_bytes(size, t, at_once < e.tiles ? at_once : e.tiles) + written) / bytes_a_cycle;
    if (splits > 1)
        e.sums = speed.launch_cycles + (written + detail::result_bytes(size, t.output_bytes)) / bytes_a_cycle;
    e.cycles = detail::overlap(speed.interference, e.busy, e.memory) + e.sums;
    return e;
}

/// The number of parts in which to split the k of each tile, by the estimate: 1 unless there are too few tiles for the
/// chip and k is long. At most `most` parts, each with at least one step.
constexpr int choose_splits(const gemm_size& size, const tile_description& t, const chip_info& chip, int most = 64)
{
    const long_index_t steps = ceil_div(size.k, t.block_k);
    int best = 1;
    double least = estimate_tile(size, t, chip).cycles;
    for (int splits = 2; splits <= most && splits <= steps; ++splits)
        if (const double cycles = estimate_tile(size, t, chip, splits).cycles; cycles < least) {
            best = splits;
            least = cycles;
        }
    return best;
}

/// A tile by its index in the list, or why there is none.
struct tile_choice
{
    int index = -1;
    status why;
    constexpr explicit operator bool() const { return index >= 0; }
};

/// The tile that fits the chip and has the least estimate; of equal ones the first. Tiles that do not keep the
/// accumulators' precision over k are taken only if no other tile of the list fits.
///
/// tiles, count  the list to choose from
/// name          a tile of that list, taken whatever the estimate; null or "" for the best one
///
/// If there is no tile, `why` says what does not fit, or lists the names.
constexpr tile_choice choose_tile(const gemm_size& size, const chip_info& chip, const tile_description* tiles,
                                  int count, const char* name = nullptr)
{
    const bool by_name = name != nullptr && *name != '\0';
    tile_choice choice;
    choice.why = status(status_code::invalid_argument, by_name ? "there is no tile \"" : "the list of tiles is empty");
    if (by_name)
        choice.why << name << "\"; there are";
    double least = 0;
    bool best_keeps = false;
    for (int i = 0; i < count; ++i) {
        if (by_name && !internal::equal_text(name, tiles[i].name)) {
            if (choice.why.code() == status_code::invalid_argument)
                choice.why << (i == 0 ? " " : ", ") << tiles[i].name;
            continue;
        }
        const status fits = fits_chip(tiles[i], chip);
        if (by_name)
            return fits.ok() ? tile_choice{i, {}} : tile_choice{-1, fits};
        const double cycles = fits.ok() ? estimate_tile(size, tiles[i], chip).cycles : 0;
        const bool keeps = tiles[i].keeps_precision(size.k);
        if (fits.ok() && (choice.index < 0 || (keeps == best_keeps ? cycles < least : keeps))) {
            choice.index = i;
            best_keeps = keeps;
            least = cycles;
        }
        if (choice.index < 0)
            choice.why = fits; // why the last tile does not fit
    }
    if (choice.index >= 0)
        choice.why = {};
    return choice;
}

/// choose_tile for an array.
template <int Count>
constexpr tile_choice choose_tile(const gemm_size& size, const chip_info& chip, const tile_description (&tiles)[Count],
                                  const char* name = nullptr)
{
    return choose_tile(size, chip, tiles, Count, name);
}

} // namespace tegula
