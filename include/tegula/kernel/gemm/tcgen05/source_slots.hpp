#pragma once

#include <tegula/block/stage_pipeline.hpp>
#include <tegula/core/math.hpp>
#include <tegula/kernel/gemm/tcgen05/output.hpp>
#include <tegula/kernel/gemm/warp_specialized/mapped_product.hpp>

namespace tegula {

/// The slots of shared memory by which chunks of C0 come to the epilogue of a tcgen05_gemm and chunks of C leave. One
/// lane of the block copies C0 chunk after chunk, as slots get free, tile after tile. A thread of the epilogue reads its
/// row of C0 and writes its row of C over it, or behind C0's chunk if the elements have other sizes. A tensor copy takes
/// the chunk out. When it has read the slot, the slot is free for C0.
///
///   Output  the tcgen05_output of C, PartOutput that of partial sums
///   Source  element type of C0
///   Slots   chunks on their way; the lane that copies C0 is at most as many ahead of the epilogue
template <class Output, class PartOutput, class Source, int Slots, bool HasPartials>
struct source_slots
{
    using chunk = typename Output::template chunk_of<Source>;
    using barriers = stage_barriers<Slots>;
    using position = stage_position<Slots>;

    static constexpr bool fit = true;

private:
    using target = typename Output::target;
    static constexpr index_t c_at = chunk::bytes == Output::slot_bytes ? 0 : chunk::bytes;
    static constexpr index_t slot_bytes =
        max(c_at + Output::slot_bytes, HasPartials ? PartOutput::slot_bytes : index_t{0});

public:
    static constexpr index_t bytes = Slots * slot_bytes; ///< aligned to 1024 bytes

    /// Called by one lane of the block; a barrier of the block follows.
    static TEGULA_INLINE void initialize(barriers& slots) { slots.initialize(1); }
    /// Whether the epilogue of a product adds C0.
    template <class Mapped>
    static TEGULA_INLINE bool adds(const Mapped& one)
    {
        return !one.product.epilogue.template prefetch_consumer<epilogue::prefetched_source>().leaves_unchanged();
    }

    /// Called by the lane that copies C0: hands out a slot for each chunk of a piece of work. If the piece is a tile of C,
    /// at (row, column) of matrix `batch`, and the epilogue adds C0, the slot comes with C0.
    template <class Mapped>
    static TEGULA_INLINE void bring(const Mapped& one, index_t row, index_t column, long_index_t batch, bool is_part,
                                    std::byte* memory, barriers& slots, position& at)
    {
        const auto& part = one.product.epilogue.template prefetch_consumer<epilogue::prefetched_source>();
        const bool brings = !is_part && adds(one);
        const index_t matrix = batch_coordinate(part.source, batch);
        TEGULA_ROLLED
        for (int i = 0; i < (is_part ? PartOutput::chunks : Output::chunks); ++i, at.advance()) {
            auto* const full = slots.claim(at, brings ? static_cast<int>(chunk::bytes) : 0);
            if (brings)
                load_staged<chunk>(reinterpret_cast<Source*>(memory + at.stage * slot_bytes), one.source, row,
                                   column + i * Output::chunk, matrix, full);
        }
    }

    /// Where the epilogue is on its way through the slots. The functions below are called by its whole warpgroup.
    struct place
    {
        position at;
        int last = -1; ///< of the lane that copies: the slot it has copied and not left to C0
    };
    /// Called after a tile's last chunk, before the next wait for products: the chunk copied last leaves its slot.
    static TEGULA_INLINE void free_last(barriers& filled, place& to)
    {
        if (to.last >= 0) {
            arch::nvidia::bulk_wait_read<0>();
            arch::nvidia::mbarrier_arrive(&filled.empty[to.last]);
            to.last = -1;
        }
    }
    /// Called before the next chunk is read or copied: waits for its C0, or for the slot alone if there is none.
    static TEGULA_INLINE void wait(barriers& filled, const place& to) { filled.wait(to.at); }
    /// A function that reads the next chunk of C0.
    static TEGULA_INLINE auto reader(std::byte* memory, const place& to)
    {
        return [memory, &to] { return chunk::read(reinterpret_cast<Source*>(memory + to.at.stage * slot_bytes)); };
    }
    /// Copies the next chunk, of C or of a partial sum, to (row, column) of matrix `batch` of the map.
    template <class Staged, class Tensor>
    static TEGULA_INLINE void copy(const Tensor& tile, const tensor_map& map, index_t row, index_t column,
                                   index_t batch, std::byte* memory, barriers& filled, place& to)
    {
        constexpr index_t behind = std::is_same_v<Staged, Output> ? c_at : 0;
        free_last(filled, to);
        auto* const slot = reinterpret_cast<typename Staged::element_type*>(memory + to.at.stage * slot_bytes + behind);
        Staged::staging::write(slot, tile);
        arch::nvidia::fence_proxy_async();
        target::block_barrier();
        if (target::wave_id() == 0 && target::lane_id() == 0) {
            store_staged<typename Staged::staging>(map, row, column, batch, slot);
            to.last = to.at.stage;
        }
        to.at.advance();
    }
};

/// In the place of source_slots if the epilogue reads C0 itself, or none. Slots lie Pitch bytes apart.
template <index_t Bytes, index_t Pitch>
struct no_source_slots
{
    struct barriers
    {};
    using place = int; ///< the number of the next chunk

    static constexpr bool fit = false;
    static constexpr index_t bytes = Bytes;

    static TEGULA_INLINE void initialize(const barriers&) {}
    static TEGULA_INLINE void wait(const barriers&, const place&) {}
    static TEGULA_INLINE void free_last(const barriers&, const place&) {}
    template <class... Where>
    static TEGULA_INLINE epilogue::not_prefetched reader(const Where&...)
    {
        return {};
    }
    template <class Staged, class Tensor>
    static TEGULA_INLINE void copy(const Tensor& tile, const tensor_map& map, index_t row, index_t column,
                                   index_t batch, std::byte* memory, const barriers&, place& number)
    {
        Staged::template copy<Pitch>(tile, map, row, column, batch, memory, number++);
    }
};

/// The slots of a kernel whose operands have stages of StageBytes bytes, of which `room` bytes of shared memory take as
/// many as fit. C0 gets a slot for each chunk of two tiles, but at most 4, and 2 if more would leave less than 4 stages.
/// If not even 3 stages are left, the epilogue reads C0 itself.
///
///   Prefetches  whether the kernel brings C0 at all
template <class Output, class PartOutput, class Epilogue, index_t StageBytes, index_t Room, bool Prefetches,
          bool HasPartials>
auto find_source_slots()
{
    using what = epilogue::prefetched_source;
    constexpr index_t own_bytes =
        max(Output::copied || HasPartials ? Output::bytes : index_t{0}, HasPartials ? PartOutput::bytes : index_t{0});
    using none = no_source_slots<own_bytes, own_bytes / Output::slots>;
    if constexpr (Prefetches && epilogue::prefetch_consumers_of<Epilogue, what> == 1) {
        using source = typename epilogue::prefetch_consumer_of<Epilogue, what>::value_type;
        const auto with = []<int Slots>(constant<Slots>) {
            return source_slots<Output, PartOutput, source, Slots, HasPartials>{};
        };
        constexpr auto stages = [](index_t slots) { return (Room - slots) / StageBytes; };
        constexpr int most = min(2 * Output::chunks, 4);
        using many = decltype(with(constant<max(most, 2)>{}));
        using few = decltype(with(constant<2>{}));
        return std::conditional_t<(stages(many::bytes) >= 4), many,
                                  std::conditional_t<(stages(few::bytes) >= 3), few, none>>{};
    } else {
        return none{};
    }
}

} // namespace tegula
