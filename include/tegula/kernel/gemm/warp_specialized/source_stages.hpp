#pragma once

#include <tegula/block/stage_pipeline.hpp>
#include <tegula/core/math.hpp>
#include <tegula/kernel/gemm/warp_specialized/mapped_product.hpp>
#include <tegula/kernel/gemm/warp_specialized/output.hpp>

namespace tegula {

/// Prefetches C0 for the epilogue of a warp_specialized_gemm. The producer copies it through the ring of the operands'
/// stages, after a tile's last step of k: it arrives with the products, and takes no shared memory of its own.
///
///   Tile        a warp_specialized_tile; Output: its warpgroup_output
///   Source      element type of C0
///   StageBytes  bytes per stage of the ring
template <class Tile, class Output, class Source, index_t StageBytes>
struct source_stages
{
    using chunk = typename Output::template chunk_of<Source>;

private:
    /// Consumers that read one stage, each its own chunks.
    static constexpr int readers = Tile::consumers_of_stage;
    static constexpr int pieces = Tile::iterations * Output::chunks; ///< chunks of a consumer's tile
    static constexpr int fitting = static_cast<int>(StageBytes / (readers * chunk::bytes));

public:
    /// Whether a stage holds a chunk for each reader, aligned as the swizzle requires.
    static constexpr bool fit = fitting > 0 && chunk::bytes % 1024 == 0;
    /// Stages per tile for C0, filled as evenly as possible.
    static constexpr int count = fit ? static_cast<int>(ceil_div(pieces, max(fitting, 1))) : 0;

private:
    static constexpr int of_stage = fit ? static_cast<int>(ceil_div(pieces, max(count, 1))) : 1;

public:
    /// Stages per tile for the C0 of product p; 0 if the epilogue adds none.
    template <class Product>
    static TEGULA_INLINE index_t count_of(const Product& p)
    {
        return p.epilogue.template prefetch_consumer<epilogue::prefetched_source>().leaves_unchanged() ? 0 : count;
    }
    /// Called by the producer: copies C0 of the tile at (row, column) of matrix `batch` of C.
    template <class Mapped, class Barriers, class Position>
    static TEGULA_INLINE void prefetch(const Mapped& one, index_t row, index_t column, long_index_t batch,
                                       std::byte* memory, Barriers& stages, Position& at)
    {
        const auto& part = one.product.epilogue.template prefetch_consumer<epilogue::prefetched_source>();
        const index_t matrix = batch_coordinate(part.source, batch);
        TEGULA_ROLLED
        for (int first = 0; first < pieces; first += of_stage, at.advance()) {
            const int chunks = readers * min(of_stage, pieces - first);
            arch::nvidia::mbarrier* const full = stages.claim(at, chunks * static_cast<int>(chunk::bytes));
            TEGULA_ROLLED
            for (int i = 0; i < chunks; ++i) {
                const int piece = first + i / readers;
                const auto place = Output::place(i % readers, piece / Output::chunks, piece % Output::chunks);
                auto* const to = reinterpret_cast<Source*>(memory + at.stage * StageBytes + i * chunk::bytes);
                load_staged<chunk>(to, one.source, row + place[0], column + place[1], matrix, full);
            }
        }
    }
    /// Called by a consumer, for its chunks in order: a function that reads chunk `piece` of C0.
    template <class Barriers, class Position>
    static TEGULA_INLINE auto reader(std::byte* memory, Barriers& stages, const Position& at, int consumer, int piece)
    {
        return [memory, &stages, &at, consumer, piece] {
            const int number = piece % of_stage;
            if (number == 0)
                stages.wait(at);
            const int i = number * readers + (readers > 1 ? consumer : 0);
            return chunk::read(reinterpret_cast<Source*>(memory + at.stage * StageBytes + i * chunk::bytes));
        };
    }
    /// Whether chunk `piece` is the last that a consumer reads of its stage.
    static TEGULA_INLINE bool ends_stage(int piece) { return (piece + 1) % of_stage == 0 || piece + 1 == pieces; }
};

/// In the place of source_stages if the epilogue reads C0 itself.
struct no_source_stages
{
    static constexpr bool fit = false;
    static constexpr int count = 0;
    template <class Product>
    static TEGULA_INLINE index_t count_of(const Product&)
    {
        return 0;
    }
    template <class... Where>
    static TEGULA_INLINE epilogue::not_prefetched reader(const Where&...)
    {
        return {};
    }
};

/// How the producer of a kernel prefetches the C0 of an epilogue; Prefetches: whether it does at all.
template <class Tile, class Output, class Epilogue, index_t StageBytes, bool Prefetches>
auto find_source_stages()
{
    using what = epilogue::prefetched_source;
    if constexpr (Prefetches && epilogue::prefetch_consumers_of<Epilogue, what> == 1) {
        using source = typename epilogue::prefetch_consumer_of<Epilogue, what>::value_type;
        using found = source_stages<Tile, Output, source, StageBytes>;
        return std::conditional_t<found::fit, found, no_source_stages>{};
    } else {
        return no_source_stages{};
    }
}

} // namespace tegula
