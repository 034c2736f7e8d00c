#pragma once

#include <tegula/arch/nvidia/dependent_launch.hpp>
#include <tegula/block/stage_pipeline.hpp>
#include <tegula/core/math.hpp>
#include <tegula/kernel/gemm/prologue/gated.hpp>
#include <tegula/kernel/gemm/warp_specialized/cluster_sums.hpp>
#include <tegula/kernel/gemm/warp_specialized/experts.hpp>
#include <tegula/kernel/gemm/warp_specialized/output.hpp>
#include <tegula/kernel/gemm/warp_specialized/output_store.hpp>
#include <tegula/kernel/gemm/warp_specialized/persistent_gemm.hpp>
#include <tegula/kernel/gemm/warp_specialized/producer.hpp>
#include <tegula/kernel/gemm/warp_specialized/promotion.hpp>
#include <tegula/kernel/gemm/warp_specialized/source_stages.hpp>
#include <tegula/kernel/gemm/warp_specialized/stage_descriptors.hpp>
#include <tegula/kernel/gemm/warp_specialized/staged_bias.hpp>
#include <tegula/kernel/gemm/warp_specialized/turn_barriers.hpp>

namespace tegula {

/// GEMM on sm_90a by persistent clusters of blocks whose warpgroups have different tasks: one copies the operands to
/// shared memory by tensor copies, the others multiply what has arrived, by wgmma, and finish their tiles.
///
///   Tile            a warp_specialized_tile, or a warp_specialized_scaled_tile for products with block scales
///   OrderA, OrderB  which dimension of the operands is contiguous in memory
///   C               element type of the result
///   Epilogue        what happens between the accumulator and C
///   Store           how C is written
///   Partition       how clusters share tiles. The products of a list lie in memory; a cluster tile has one product
///
/// operator() is the body of one block; grid size, block size and shared memory are below.
template <class Tile, operand_order OrderA, operand_order OrderB, class C, class Epilogue, output_store Store,
          work_partition Partition = work_partition::tiles>
struct warp_specialized_gemm
    : persistent_gemm<warp_specialized_gemm<Tile, OrderA, OrderB, C, Epilogue, Store, Partition>>
{
    using base = persistent_gemm<warp_specialized_gemm>;
    using tile = Tile;
    using target = typename Tile::target;
    using a_type = typename Tile::a_type;
    using b_type = typename Tile::b_type;
    using c_type = C;
    using epilogue_type = Epilogue;
    using product_type = typename Tile::template product_type<C, Epilogue>;
    using operands = typename Tile::template operands<OrderA, OrderB>;
    using atom = typename operands::atom;
    /// Its accumulators, or half of them if they are those of two weights.
    using output_atom = std::conditional_t<
        Tile::gates,
        wgmma_atom<typename Tile::target, typename Tile::left_type, typename Tile::right_type,
                   typename Tile::accumulator_type, atom::n / (Tile::gates ? 2 : 1), atom::order_a, atom::order_b>,
        atom>;

    static constexpr bool tensor_c = Store == output_store::tensor_copies;
    static constexpr bool has_partials = shares_k(Partition);
    static constexpr work_partition sharing = Partition;
    static_assert(Partition != work_partition::launch_control, "tegula: sm_90a has no cluster launch control");
    static constexpr bool waits_for_previous = true;
    static constexpr bool takes_lists = Partition == work_partition::list;
    static constexpr bool takes_experts = Partition == work_partition::experts;
    static_assert(
        !takes_experts || (!tensor_c && Tile::cluster_blocks == 1 && !Tile::transposed),
        "tegula: rows of experts end within tiles; take output_store::direct, and a tile without a cluster whose "
        "rows are C's");
    static constexpr bool persistent = Tile::k_shares == 1; ///< clusters go through several tiles
    static_assert(persistent || Partition == work_partition::tiles,
                  "tegula: a cluster that shares the k of its tile has one; take work_partition::tiles");
    static constexpr bool makes_operands = Tile::makes_operands;
    static_assert(
        persistent || !(Tile::gates || makes_operands || Tile::scales_sums),
        "tegula: blocks that share the k of a tile have no second weight, block scales or made operands; take a "
        "tile that is no cluster_split_tile");
    static_assert(!makes_operands || Tile::cluster_blocks == 1,
                  "tegula: a block makes operands for itself; take a tile without a cluster");

    static constexpr index_t stage_bytes = operands::stage_bytes;

private:
    static constexpr warpgroup_registers registers = makes_operands ? Tile::making_registers : Tile::registers;
    static_assert(sizeof(warp_specialized_rules::accumulators_fit_a_consumer<
                         Tile::accumulators + 32 <= registers.consumer, Tile::accumulators, registers.consumer>) > 0);

public:
    /// Whether C0 and bias are prefetched for the epilogue, and how the bias is.
    static constexpr bool prefetches = tensor_c && Partition != work_partition::split_k;
    using bias = decltype(find_staged_bias<Tile, Epilogue, prefetches>());

private:
    /// The most bytes in addition to the ring: staged results and bias, mbarriers of stages and turns.
    template <int Slots>
    static consteval index_t bytes_beside(int ring_stages)
    {
        constexpr index_t staged = warpgroup_output<Tile, output_atom, C, Slots>::bytes;
        return Tile::consumers * (staged + bias::bytes) +
               (2 * ring_stages + 2 * Tile::consumers + (persistent ? 0 : 2)) * 8;
    }
    /// A result of fewer than 4 bytes per element leaves room in shared memory for more stages, or else for more
    /// staged chunks.
    static consteval int count_stages()
    {
        int n = Tile::stages;
        if (!has_partials && tensor_c && sizeof(C) < sizeof(typename Tile::accumulator_type))
            while ((n + 1) * stage_bytes + bytes_beside<2>(n + 1) <= target::chip().shared_bytes)
                ++n;
        return n;
    }

public:
    static constexpr int stages = count_stages();
    static constexpr int slots = !has_partials && tensor_c && sizeof(C) < sizeof(typename Tile::accumulator_type) &&
                                         stages * stage_bytes + bytes_beside<4>(stages) <= target::chip().shared_bytes
                                     ? 4
                                     : 2;
    using output = warpgroup_output<Tile, output_atom, C, slots>;
    using part_output = warpgroup_output<Tile, output_atom, typename Tile::accumulator_type, slots>;

    using source = decltype(find_source_stages<Tile, output, Epilogue, stage_bytes,
                                               prefetches && persistent && !makes_operands>());
    using mapped_product = tegula::mapped_product<product_type, Tile::block_scaled, source::fit, Tile::gates>;
    using listed_product = tegula::listed_product<mapped_product>;
    using arguments = std::conditional_t<takes_lists, listed_products<listed_product>,
                                         std::conditional_t<takes_experts, expert_products<mapped_product>,
                                                            planned_product<mapped_product, has_partials>>>;
    using expert = expert_tile<Tile>;
    using sums = std::conditional_t<persistent, no_cluster_sums, cluster_sums<Tile, output>>;

private:
    using barriers_type = stage_barriers<stages>;
    using ring_position = stage_position<stages>;
    using release_type = decltype(cluster_place<Tile>::make_release(std::declval<barriers_type&>()));
    using accumulators = array<typename atom::accumulators, Tile::iterations>;
    using promotion_type = detail::promotion_of<Tile, atom, product_type>;

    static constexpr index_t ring_bytes = stages * stage_bytes;
    static constexpr index_t output_bytes =
        has_partials && part_output::bytes > output::bytes ? part_output::bytes : output::bytes;
    static constexpr index_t bias_at = ring_bytes + Tile::consumers * output_bytes;
    static constexpr index_t barriers_at = bias_at + Tile::consumers * bias::bytes;

    /// Whether consumers skip each other's stages, those of C0 included.
    static constexpr bool skips_sources = source::fit && Tile::mode == consumer_mode::ping_pong;
    static_assert(source::count <= stages,
                  "tegula: a tile's C0 takes more stages than the ring has; take a smaller tile");
    /// The first steps of a tile, whose stages cannot have held C0 of the previous tile in the last round of the ring.
    static constexpr index_t steps_before_sources = stages - source::count;

    static_assert(sums::template fit<ring_bytes>());

    /// The mbarriers of the stages, of ping-pong consumers, and of blocks that share k.
    struct control : sums::barriers
    {
        barriers_type stages;
        turn_barriers<Tile, skips_sources> turns;
    };

public:
    static constexpr int block_threads = Tile::block_threads;
    static constexpr int cluster_blocks = Tile::cluster_blocks;
    static constexpr index_t shared_bytes = barriers_at + static_cast<index_t>(sizeof(control));
    static_assert(Tile::template check<shared_bytes>());

    /// Stages of C0 after the last step of a piece of work.
    static TEGULA_INLINE index_t source_stages_of(const mapped_product& one, const cluster_work& work)
    {
        return work.part >= 0 ? 0 : source::count_of(one.product);
    }

    /// The product of a piece of work; that of an expert is its part.
    static TEGULA_INLINE decltype(auto) product_of(const mapped_product& one, [[maybe_unused]] const expert& of)
    {
        if constexpr (takes_experts)
            return of.template part_of<Tile::scatters>(one.product);
        else
            return (one.product);
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        auto& shared = *reinterpret_cast<control*>(target::shared_memory() + barriers_at);
        const int group = warpgroup<target>::number();
        if (target::thread_id() == 0) {
            if constexpr (!takes_lists)
                base::prefetch_maps(args);
            shared.stages.initialize(4 * Tile::consumers_of_stage * cluster::peers, makes_operands ? 5 : 1);
            shared.turns.initialize();
            sums::initialize(shared);
            arch::nvidia::fence_mbarrier_init();
            sums::expect(shared);
        }
        barrier_of_all_blocks();
        arch::nvidia::wait_for_previous_grid(); // nothing in memory was touched so far
        if (group == 0) {
            if constexpr (Tile::consumers > 1)
                arch::nvidia::decrease_registers<registers.producer>();
            if constexpr (makes_operands) {
                producer::run(args, shared.stages, target::wave_id() == 0 && arch::nvidia::elect_one());
            } else if (target::wave_id() == 0) {
                if (arch::nvidia::elect_one())
                    producer::run(args, shared.stages, true);
                target::wave_barrier();
            }
        } else {
            if constexpr (Tile::consumers > 1)
                arch::nvidia::increase_registers<registers.consumer>();
            consume(args, shared, group - 1);
        }
    }

private:
    using cluster = cluster_place<Tile>;
    using producer = stage_producer<warp_specialized_gemm>;

    static TEGULA_INLINE void barrier_of_all_blocks()
    {
        if constexpr (cluster_blocks > 1) {
            arch::nvidia::cluster_arrive_relaxed();
            arch::nvidia::cluster_wait();
        } else {
            target::block_barrier();
        }
    }
    /// One consumer warpgroup: multiplies and finishes its pieces of work.
    static TEGULA_INLINE void consume(const arguments& args, control& shared, int consumer)
    {
        const release_type release = cluster::make_release(shared.stages);
        ring_position at;
        int turn = -1, copied = 0;
        work_queue<Partition> queue(args.plan, cluster::number());
        product_finder<Partition> products;
        for (cluster_work work; queue.next(args.plan, work);) {
            const auto& one = products.find(args, work);
            sums::take_share(work);
            if constexpr (takes_lists && tensor_c)
                if (products.changed())
                    arch::nvidia::acquire_tensor_map(one.c);
            [[maybe_unused]] expert of;
            if constexpr (takes_experts) {
                of = expert::find(args.first_row, args.experts, args.product.m, work.tile,
                                  base::cluster_tiles_n(args.product))
                         .uniform();
                if (of.is_empty())
                    continue;
            }
            ++turn;
            if constexpr (Tile::mode == consumer_mode::ping_pong)
                if (turn % Tile::consumers != consumer) {
                    at.skip(work.last - work.first + source_stages_of(one, work));
                    continue;
                }
            const auto& product = product_of(one, of);
            const tile_position to = find_tile(product, work, of); // its divisions overlap the products
            accumulators acc TEGULA_UNSET(accumulators);
            const auto columns = bias::fetch(product, to.n * Tile::block_n);
            shared.turns.take_turn(consumer, turn);
            if constexpr (takes_lists)
                clear(acc); // on both paths: clearing on one only costs copies between registers
            if (takes_lists && work.last == 0)
                shared.turns.pass_turn(consumer);
            else
                multiply(acc, product, to, shared, release, at, work, consumer, turn);
            if constexpr (!persistent)
                sums::send(acc, target::shared_memory(), shared, consumer);
            if (work.last - work.first <= steps_before_sources)
                shared.turns.wait_for_sources(consumer, turn);
            bias::stage(own_bias(consumer), columns);
            finish(acc, args, one, product, work, to, shared, release, at, consumer, copied);
        }
        output::drain();
    }

    static TEGULA_INLINE void clear(accumulators& acc)
    {
        static_for<Tile::iterations>([&](auto i) { static_for<atom::c_count>([&](auto r) { acc[i][r] = {}; }); });
    }
    /// acc = the product over the steps of `work`, one at least. A stage is released while the next one is being
    /// multiplied.
    static TEGULA_INLINE void multiply(accumulators& acc, const product_type& product, const tile_position& to,
                                       control& shared, const release_type& release, ring_position& at,
                                       const cluster_work& work, int consumer, int turn)
    {
        if constexpr (Tile::promote_k > 0) {
            const index_t row = to.m * Tile::block_m + (Tile::transposed ? 0 : output::first_row(consumer));
            multiply_promoted(acc, promotion_type(product, to.batch, row, to.n * Tile::block_n, work.first), shared,
                              release, at, work, consumer, turn);
        } else {
            const stage_descriptors<Tile, operands> from(consumer);
            const index_t steps = work.last - work.first;
            int before = 0;
            // If a loop may have no step, ptxas serialises the products of some tiles.
            index_t step = 0;
            TEGULA_ROLLED
            do {
                if (step == steps_before_sources)
                    shared.turns.wait_for_sources(consumer, turn);
                shared.stages.wait(at);
                from.template multiply<0, operands::slices>(acc, at.stage, step > 0);
                arch::nvidia::wgmma_wait<1>(acc);
                if (step > 0)
                    release(before);
                before = at.stage;
                at.advance();
            } while (++step < steps);
            shared.turns.pass_turn(consumer);
            arch::nvidia::wgmma_wait<0>(acc);
            release(before);
        }
    }
    /// Multiplies, and adds sums of promote_k products to acc outside of the tensor core. Meanwhile the tensor core has
    /// the products of the other consumer or of another block.
    template <class Promotion>
    static TEGULA_INLINE void multiply_promoted(accumulators& acc, Promotion promotion, control& shared,
                                                const release_type& release, ring_position& at,
                                                const cluster_work& work, int consumer, int turn)
    {
        constexpr int slices = static_cast<int>(Tile::promote_k / atom::k), parts = operands::slices / slices;
        const stage_descriptors<Tile, operands> from(consumer);
        clear(acc);
        TEGULA_ROLLED
        for (index_t step = work.first; step < work.last; ++step) {
            if (step - work.first == steps_before_sources)
                shared.turns.wait_for_sources(consumer, turn);
            shared.stages.wait(at);
            static_for<parts>([&](auto p) {
                accumulators part TEGULA_UNSET(accumulators);
                from.template multiply<p * slices, slices>(part, at.stage, false);
                const auto factors = promotion.next();
                if (p == parts - 1 && step + 1 == work.last)
                    shared.turns.pass_turn(consumer);
                arch::nvidia::wgmma_wait<0>(part);
                if (p == parts - 1)
                    release(at.stage);
                static_for<Tile::iterations>([&](auto i) { factors.add(acc[i], part[i]); });
            });
            at.advance();
        }
    }

    /// The position of the block's tile of `work`, in uniform registers.
    static TEGULA_INLINE tile_position find_tile(const product_type& p, const cluster_work& work,
                                                 [[maybe_unused]] const expert& of)
    {
        if constexpr (takes_experts)
            return of.at;
        const tile_position at = base::position(p, work.tile, cluster::block());
        return {target::uniform(at.m), target::uniform(at.n), target::uniform(static_cast<index_t>(at.batch))};
    }

    /// Where a consumer keeps the bias of its tile.
    static TEGULA_INLINE auto* own_bias(int consumer)
    {
        return reinterpret_cast<typename bias::value_type*>(target::shared_memory() + bias_at + consumer * bias::bytes);
    }

    using output_sums = array<typename output_atom::accumulators, Tile::iterations>;

    /// The sums of the first weight of a gated product, or of the second; those of other products.
    template <bool Second>
    static TEGULA_INLINE decltype(auto) sums_of(const accumulators& acc)
    {
        if constexpr (Tile::gates) {
            output_sums sums;
            constexpr int half = output_atom::c_count;
            static_for<Tile::iterations>(
                [&](auto i) { static_for<half>([&](auto r) { sums[i][r] = acc[i][(Second ? half : 0) + r]; }); });
            return sums;
        } else {
            return (acc);
        }
    }
    /// gate = f(gate) up, for chunk `piece` of a gated product.
    template <class Chunk>
    static TEGULA_INLINE void gate(Chunk& gate, const output_sums& ups, int piece, activation function)
    {
        const Chunk up = output::find_chunk(ups, piece);
        internal::with_activation<target>(
            function, [&](auto f) { static_for<Chunk::num_registers>([&](auto r) { gate[r] = f(gate[r]) * up[r]; }); });
    }

    /// C = epilogue(acc), or writes the partial sum to its place.
    static TEGULA_INLINE void finish(const accumulators& acc, const arguments& args, const mapped_product& one,
                                     const product_type& product, const cluster_work& work, const tile_position& to,
                                     control& shared, const release_type& release, ring_position& at, int consumer,
                                     int& copied)
    {
        std::byte* const memory = target::shared_memory();
        std::byte* const staged = memory + ring_bytes + consumer * output_bytes;
        shared.turns.pass_sources(shared.stages, at, source_stages_of(one, work), consumer);
        if constexpr (has_partials)
            if (work.part >= 0) {
                const index_t slot = static_cast<index_t>(work.part) * cluster_blocks + cluster::block();
                part_output::for_each_chunk(acc, [&](int iteration, int chunk, auto& tile) {
                    const auto place = part_output::place(consumer, iteration, chunk);
                    part_output::template copy<output_bytes>(tile, args.parts, place[0], place[1], slot, staged,
                                                             copied++);
                });
                return;
            }
        if constexpr (Partition != work_partition::split_k) {
            const auto finish_chunk = [&](int iteration, int chunk, auto& tile) {
                if constexpr (Tile::gates)
                    gate(tile, sums_of<true>(acc), iteration * output::chunks + chunk, product.b.function);
                const auto place = output::place(consumer, iteration, chunk);
                const index_t row = to.m * Tile::block_m + place[0], column = to.n * Tile::block_n + place[1];
                const auto window =
                    output::window(base::template c_view<warpgroup<target>>(product, to.batch), row, column);
                const int piece = iteration * output::chunks + chunk;
                const auto beside =
                    epilogue::make_companion_window(window, source::reader(memory, shared.stages, at, consumer, piece),
                                                    bias::template reader<output>(own_bias(consumer), place[1]));
                const auto result = finish_tile<C>(product.epilogue, tile, beside, to.batch);
                if constexpr (tensor_c)
                    output::template copy<output_bytes>(result, one.c, row, column, static_cast<index_t>(to.batch),
                                                        staged, copied++);
                else
                    store(window, result);
                if constexpr (source::fit)
                    // All lanes have read it: they have met at a barrier since.
                    if (source::ends_stage(piece) && source_stages_of(one, work) > 0) {
                        release(at.stage);
                        at.advance();
                    }
            };
            if constexpr (persistent)
                output::for_each_chunk(sums_of<false>(acc), finish_chunk);
            else
                sums::for_each_chunk(memory, shared, consumer, finish_chunk);
        }
    }
};

} // namespace tegula
