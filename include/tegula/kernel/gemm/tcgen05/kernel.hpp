#pragma once

#include <tegula/arch/nvidia/dependent_launch.hpp>
#include <tegula/block/canceled_launches.hpp>
#include <tegula/block/operand_maker.hpp>
#include <tegula/block/tensor_core_ring.hpp>
#include <tegula/core/math.hpp>
#include <tegula/kernel/gemm/tcgen05/output.hpp>
#include <tegula/kernel/gemm/tcgen05/source_slots.hpp>
#include <tegula/kernel/gemm/warp_specialized/output_store.hpp>
#include <tegula/kernel/gemm/warp_specialized/persistent_gemm.hpp>
#include <tegula/kernel/gemm/warp_specialized/producer.hpp>
#include <tegula/kernel/gemm/warp_specialized/staged_bias.hpp>

namespace tegula {

/// GEMM on sm_100a and sm_103a by persistent blocks, or pairs of blocks, whose warps have different tasks. One lane
/// copies the operands to shared memory by tensor copies, and one lane has the tensor core multiply what has arrived. A
/// warpgroup finishes tiles out of tensor memory while the next ones are multiplied into the other set of accumulators.
///
///   Tile            a tcgen05_tile
///   OrderA, OrderB  which dimension of the operands is contiguous in memory
///   C               element type of the result
///   Epilogue        what happens between the accumulator and C
///   Store           how C is written
///   Sharing         tiles: as many blocks as the GPU runs take tiles in turn. launch_control: a launch of a block, or
///                   pair, for each tile; running blocks take over launches that have not started. Free blocks then get
///                   the tiles if other kernels share the multiprocessors or tiles take unequal time. split_k, stream:
///                   partial sums go to a workspace; a reduce_partials of split_k_reduction follows. list: like tiles,
///                   for many products in the GPU's memory, each with its own sizes and maps.
///
/// operator() is the body of one block; grid size, block size and shared memory are below.
template <class Tile, operand_order OrderA, operand_order OrderB, class C, class Epilogue, output_store Store,
          work_partition Sharing = work_partition::tiles>
struct tcgen05_gemm : persistent_gemm<tcgen05_gemm<Tile, OrderA, OrderB, C, Epilogue, Store, Sharing>>
{
    using base = persistent_gemm<tcgen05_gemm>;
    using tile = Tile;
    using target = typename Tile::target;
    using a_type = typename Tile::a_type;
    using b_type = typename Tile::b_type;
    using c_type = C;
    using epilogue_type = Epilogue;
    using product_type = typename Tile::template product_type<C, Epilogue>;
    using operands = typename Tile::template operands<OrderA, OrderB>;
    using atom = typename operands::atom;

    static constexpr bool tensor_c = Store == output_store::tensor_copies;
    using output = tcgen05_output<Tile, C, tensor_c>;
    static constexpr bool waits_for_previous = true;
    static constexpr work_partition sharing = Sharing;
    static constexpr bool takes_over_launches = Sharing == work_partition::launch_control;
    static constexpr bool has_partials = shares_k(Sharing);
    using part_output = tcgen05_output<Tile, typename Tile::accumulator_type>;

    static constexpr bool takes_lists = Sharing == work_partition::list;
    static_assert(Sharing != work_partition::experts,
                  "tegula: persistent clusters for experts take a warp_specialized_tile");
    /// Whether there may be tiles without steps of k, whose accumulators are zeros.
    static constexpr bool takes_no_k = Tile::block_scaled || takes_lists;

    /// Whether C0 and bias are brought for the epilogue ahead of time.
    static constexpr bool prefetches = tensor_c && Sharing != work_partition::split_k;
    using bias = decltype(find_staged_bias<Tile, Epilogue, prefetches>());
    static constexpr int control_bytes = 512; ///< at most
    /// Bytes of shared memory for operands, C0 and C.
    static constexpr index_t room = target::chip().shared_bytes - control_bytes - bias::bytes;
    using source = decltype(find_source_slots<output, part_output, Epilogue, operands::stage_bytes, room, prefetches,
                                              has_partials>());
    using mapped_product = tegula::mapped_product<product_type, Tile::block_scaled, source::fit>;
    using listed_product = tegula::listed_product<mapped_product>;
    using arguments =
        std::conditional_t<takes_lists, listed_products<listed_product>, planned_product<mapped_product, has_partials>>;

private:
    static constexpr int blocks_of_group = Tile::cluster_blocks;
    static constexpr index_t stage_bytes = operands::stage_bytes;
    static constexpr bool copies_left = operands::copies_left;
    static constexpr bool copies_right = operands::copies_right;
    static constexpr int sums_columns = Tile::accumulator_sets * atom::columns;
    using accumulators = accumulator_ring<Tile::accumulator_sets, blocks_of_group, 4>;
    using accumulator_position = typename accumulators::position;

public:
    static constexpr int stages = min(static_cast<int>((room - source::bytes) / stage_bytes), Tile::most_stages);

private:
    using stages_type = tensor_core_stages<stages, blocks_of_group, Tile::makes_operands ? 4 : 0>;
    using ring_position = typename stages_type::position;
    using output_place = typename source::place;

    /// Readers: the waves of one warpgroup or two, the lanes that load operands and C0, and the lane that multiplies or
    /// listens.
    using taken_launches = canceled_launches<blocks_of_group, (Tile::makes_operands ? 10 : 6) + (source::fit ? 1 : 0)>;

    struct control : std::conditional_t<takes_over_launches, taken_launches, no_canceled_launches>, source::barriers
    {
        stages_type stages;
        accumulators sums;
        std::uint32_t tensor_address;
    };
    static_assert(sizeof(control) <= control_bytes);

    static constexpr index_t ring_bytes = stages * stage_bytes;
    static constexpr index_t bias_at = ring_bytes + source::bytes;
    static constexpr index_t control_at = bias_at + bias::bytes;

public:
    static constexpr int block_threads = Tile::block_threads;
    static constexpr int cluster_blocks = Tile::cluster_blocks;
    static constexpr bool persistent = !takes_over_launches; ///< from the start
    static constexpr index_t shared_bytes = control_at + static_cast<index_t>(sizeof(control));
    static_assert(Tile::template check<stages>());

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        auto& shared = *reinterpret_cast<control*>(target::shared_memory() + control_at);
        if (target::thread_id() == 0) {
            if constexpr (!takes_lists)
                base::prefetch_maps(args);
            shared.stages.initialize();
            shared.sums.initialize();
            if constexpr (takes_over_launches)
                shared.taken_launches::initialize();
            source::initialize(shared);
            arch::nvidia::fence_mbarrier_init();
        }
        const arch::nvidia::tensor_memory_scope<target, Tile::tensor_columns, blocks_of_group> memory(
            &shared.tensor_address);
        arch::nvidia::wait_for_previous_grid(); // nothing in memory was touched so far
        const int wave = target::uniform(target::wave_id());
        if (wave == 0) {
            if (arch::nvidia::elect_one())
                produce(args, shared);
        } else if (wave == 1) {
            if (leads_group<blocks_of_group>() && arch::nvidia::elect_one())
                multiply(args, shared, memory.address());
        } else if (Tile::makes_operands && wave >= 8) {
            make(args, shared);
        } else if (wave >= 4) {
            finish(args, shared, memory.address());
        } else if (takes_over_launches && wave == 2) {
            if constexpr (takes_over_launches)
                if (arch::nvidia::elect_one())
                    shared.request_all();
        } else if (source::fit && wave == 3) {
            if (arch::nvidia::elect_one())
                bring_source(args, shared);
        }
        target::wave_barrier();
    }

private:
    using cluster = cluster_place<Tile>;

    /// Called before a reader's first copy by the maps of a listed product.
    template <launch_reader Reader>
    static TEGULA_INLINE void acquire_maps(const listed_product& one)
    {
        using arch::nvidia::acquire_tensor_map;
        if constexpr (Reader == launch_reader::wave) {
            if constexpr (tensor_c)
                acquire_tensor_map(one.c);
        } else if constexpr (Reader == launch_reader::source_lane) {
            if (source::adds(one))
                acquire_tensor_map(one.source);
        } else if (Reader == launch_reader::loading_lane && one.steps > 0) {
            acquire_operand_maps<operands>(one);
            if constexpr (Tile::block_scaled) {
                acquire_tensor_map(one.left_scales);
                acquire_tensor_map(one.right_scales);
            }
        }
    }
    /// Calls f(work, product) for every tile of this cluster, as one reader goes through them.
    TEGULA_CALLS_BACK
    template <launch_reader Reader, class F>
    static TEGULA_INLINE void for_each_tile(const arguments& args, control& shared, const F& f)
    {
        if constexpr (takes_over_launches) {
            cluster_work work{cluster::number(), 0, args.plan.steps, -1};
            for (typename taken_launches::position at;; at.advance()) {
                f(work, args);
                const auto launch = shared.template next<target, Reader>(at);
                if (!launch.granted)
                    return;
                work.tile = launch.first_block / cluster_blocks;
            }
        } else {
            work_queue<Sharing> queue(args.plan, cluster::number());
            product_finder<Sharing> products;
            for (cluster_work work; queue.next(args.plan, work);) {
                const auto& one = products.find(args, work);
                if constexpr (takes_lists)
                    if (products.changed())
                        acquire_maps<Reader>(one);
                f(work, one);
            }
        }
    }

    /// The first row of A, and the first column of B, that this block loads for the cluster's tile.
    static TEGULA_INLINE index_t first_row(const tile_position& to)
    {
        return to.m * (Tile::cluster_m * Tile::block_m) + cluster::block() * Tile::block_m;
    }
    static TEGULA_INLINE index_t first_column(const tile_position& to)
    {
        return to.n * Tile::block_n + cluster::block() * static_cast<index_t>(operands::right::mn);
    }

    /// One lane of each block: fills stage after stage with this block's part of the operands.
    static TEGULA_INLINE void produce(const arguments& args, control& shared)
    {
        using arch::nvidia::l2_hint;
        std::byte* const memory = target::shared_memory();
        ring_position at;
        for_each_tile<launch_reader::loading_lane>(args, shared, [&](const cluster_work& work, const auto& one) {
            const tile_position to = base::position(one.product, work.tile);
            const index_t row = first_row(to), column = first_column(to);
            TEGULA_ROLLED
            for (index_t step = work.first; step < work.last; ++step, at.advance()) {
                const auto full = shared.stages.claim(at, operands::copied_bytes);
                std::byte* const stage = memory + at.stage * stage_bytes;
                const index_t k = step * Tile::copied_step;
                if constexpr (copies_left) {
                    const auto from = copied_place::of(one.product.a, k, to.batch);
                    operands::left_loads::template load<l2_hint::normal>(stage, one.left, row, from.k, from.batch, full,
                                                                         0, 0);
                }
                if constexpr (copies_right) {
                    const auto from = copied_place::of(one.product.b, k, to.batch);
                    operands::right_loads::template load<l2_hint::normal>(stage + operands::left::bytes, one.right,
                                                                          column, from.k, from.batch, full, 0, 0);
                }
                if constexpr (Tile::block_scaled)
                    operands::load_scales(stage, one.left_scales, one.right_scales, row, to.n * Tile::block_n, step,
                                          one.product.a_scales_stride == 0 ? 0 : static_cast<index_t>(to.batch),
                                          one.product.b_scales_stride == 0 ? 0 : static_cast<index_t>(to.batch), full);
            }
        });
        arch::nvidia::launch_next_grid(); // its blocks start as this grid's end
        if constexpr (blocks_of_group > 1)
            shared.stages.drain(at);
    }

    /// A warpgroup of each block: loads the operands that tensor copies cannot, into registers one step of k ahead.
    static TEGULA_INLINE void make(const arguments& args, control& shared)
    {
        if constexpr (Tile::makes_operands) {
            std::byte* const memory = target::shared_memory();
            ring_position at;
            for_each_tile<launch_reader::wave>(args, shared, [&](const cluster_work& work, const auto& one) {
                const tile_position to = base::position(one.product, work.tile);
                operand_makers makers{operands::template maker<true>(one.product, to.batch, first_row(to)),
                                      operands::template maker<false>(one.product, to.batch, first_column(to))};
                if (work.first < work.last)
                    makers.read(work.first);
                TEGULA_ROLLED
                for (index_t step = work.first; step < work.last; ++step, at.advance()) {
                    shared.stages.claim_made(at);
                    std::byte* const stage = memory + at.stage * stage_bytes;
                    makers.template write<target>(stage, stage + operands::left::bytes, shared.stages, at, step + 1,
                                                  work.last);
                }
            });
        }
    }

    /// One lane of the block or pair: has the tensor core multiply stage after stage, tile after tile.
    static TEGULA_INLINE void multiply(const arguments& args, control& shared, std::uint32_t address)
    {
        using left = typename operands::left;
        using right = typename operands::right;
        static_assert(left::bytes % right::alignment == 0);
        const std::byte* const memory = target::shared_memory();
        const auto first_a = left::descriptor(reinterpret_cast<const typename left::element_type*>(memory));
        const auto first_b =
            right::descriptor(reinterpret_cast<const typename right::element_type*>(memory + left::bytes));
        ring_position at;
        accumulator_position sum;
        tensor_scale_slots<stages, Tile::scale_slots> slots;
        for_each_tile<launch_reader::lane>(
            args, shared, [&](const cluster_work& work, [[maybe_unused]] const auto& one) {
                std::uint32_t b_first = 0;
                if constexpr (Tile::block_scaled && Tile::block_n % 128 != 0)
                    b_first = operands::first_scale(base::position(one.product, work.tile).n * Tile::block_n);
                const std::uint32_t c = address + static_cast<std::uint32_t>(sum.stage * atom::columns);
                shared.sums.claim(sum);
                TEGULA_ROLLED
                for (index_t step = work.first; step < work.last; ++step, at.advance()) {
                    shared.stages.wait(at);
                    const auto stage =
                        static_cast<std::uint32_t>(at.stage) * (stage_bytes / 16); // as descriptors count
                    std::uint32_t scales = 0;
                    if constexpr (Tile::block_scaled) {
                        scales = address + sums_columns +
                                 static_cast<std::uint32_t>(slots.next(shared.stages, at) * operands::scale_columns);
                        operands::copy_scales(scales, left::moved(operands::scale_descriptor(memory), stage));
                    }
                    static_for<operands::slices>([&](auto slice) {
                        constexpr index_t k = slice * left::instruction_k;
                        operands::template multiply<slice>(c, left::moved(first_a, stage + left::template part<0, k>()),
                                                           right::moved(first_b, stage + right::template part<0, k>()),
                                                           scales, b_first, step > work.first || slice > 0);
                    });
                    shared.stages.release(at);
                }
                shared.sums.publish(sum);
                sum.advance();
            });
        if constexpr (blocks_of_group > 1)
            shared.sums.drain(sum);
    }

    /// One lane of each block: brings C0 of tile after tile.
    static TEGULA_INLINE void bring_source(const arguments& args, control& shared)
    {
        if constexpr (source::fit) {
            typename source::position at;
            for_each_tile<launch_reader::source_lane>(args, shared, [&](const cluster_work& work, const auto& one) {
                const tile_position to = base::position(one.product, work.tile, cluster::block());
                source::bring(one, to.m * Tile::block_m, to.n * Tile::block_n, to.batch, work.part >= 0,
                              target::shared_memory() + ring_bytes, shared, at);
            });
        }
    }

    /// Where the epilogue keeps the bias of its tile.
    static TEGULA_INLINE auto* staged_bias()
    {
        return reinterpret_cast<typename bias::value_type*>(target::shared_memory() + bias_at);
    }

    /// A warpgroup: C = epilogue(accumulators), tile after tile.
    static TEGULA_INLINE void finish(const arguments& args, control& shared, std::uint32_t address)
    {
        std::byte* const staged = target::shared_memory() + ring_bytes;
        accumulator_position sum;
        output_place copied{};
        const auto finish_one = [&](const cluster_work& work, const auto& one) TEGULA_INLINE_LAMBDA {
            if (bias::bytes > 0 && work.part < 0)
                bias::stage(staged_bias(),
                            bias::fetch(one.product, base::position(one.product, work.tile).n * Tile::block_n));
            shared.sums.wait(sum);
            const std::uint32_t own = address + static_cast<std::uint32_t>(sum.stage * atom::columns);
            const bool empty = takes_no_k && work.first == work.last;
            const auto release = [&] { shared.sums.template release<target>(sum); };
            if (has_partials && work.part >= 0)
                keep_part(args, work, empty, own, shared, staged, copied, release);
            else
                finish_tile_at(one, work, empty, own, shared, staged, copied, release);
            source::free_last(shared, copied);
            sum.advance();
        };
        for_each_tile<launch_reader::wave>(args, shared, finish_one);
        if constexpr (tensor_c || has_partials)
            output::drain();
    }

    /// Writes the tile of `work` to C.
    TEGULA_CALLS_BACK
    template <class Release>
    static TEGULA_INLINE void finish_tile_at(const mapped_product& args, const cluster_work& work, bool empty,
                                             std::uint32_t sums, control& shared, std::byte* staged,
                                             output_place& copied, const Release& release)
    {
        if constexpr (Sharing != work_partition::split_k) {
            const tile_position to = base::position(args.product, work.tile, cluster::block());
            const auto view = base::template c_view<typename output::target>(args.product, to.batch);
            output::for_each_chunk(
                empty, sums,
                [&](index_t offset, auto& tile) {
                    source::wait(shared, copied);
                    scale(args, tile);
                    const index_t row = to.m * Tile::block_m, column = to.n * Tile::block_n + offset;
                    const auto window = output::window(view, row, column);
                    const auto beside = epilogue::make_companion_window(
                        window, source::reader(staged, copied), bias::template reader<output>(staged_bias(), offset));
                    const auto result = finish_tile<C>(args.product.epilogue, tile, beside, to.batch);
                    if constexpr (tensor_c)
                        source::template copy<output>(result, args.c, row, column, static_cast<index_t>(to.batch),
                                                      staged, shared, copied);
                    else
                        store(window, result);
                },
                release);
        }
    }
    /// Writes the partial sums of `work` to their place in the workspace.
    TEGULA_CALLS_BACK
    template <class Release>
    static TEGULA_INLINE void keep_part(const arguments& args, const cluster_work& work, bool empty, std::uint32_t sums,
                                        control& shared, std::byte* staged, output_place& copied,
                                        const Release& release)
    {
        if constexpr (has_partials) {
            const index_t slot = static_cast<index_t>(work.part) * cluster_blocks + cluster::block();
            part_output::for_each_chunk(
                empty, sums,
                [&](index_t offset, auto& tile) {
                    source::wait(shared, copied);
                    scale(args, tile);
                    source::template copy<part_output>(tile, args.parts, 0, offset, slot, staged, shared, copied);
                },
                release);
        }
    }
    template <class Tensor>
    static TEGULA_INLINE void scale(const mapped_product& args, Tensor& tile)
    {
        if constexpr (Tile::has_tensor_scale)
            transform(tile, [scale = args.product.tensor_scale](float x) { return scale * x; });
    }
};

} // namespace tegula
