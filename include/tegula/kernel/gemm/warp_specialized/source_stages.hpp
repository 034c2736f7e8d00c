#pragma once

#include <tegula/block/stage_pipeline.hpp>
#include <tegula/core/math.hpp>
#include <tegula/kernel/gemm/warp_specialized/output.hpp>

namespace tegula {

/// C0 on its way to the epilogue of a warp_specialized_gemm. The producer brings it through the ring of the operands'
/// stages, behind a tile's last step of k: it is there when the products are, and takes no shared memory of its own.
///
///   Tile        a warp_specialized_tile; Output its warpgroup_output
///   Source      element type of C0
///   StageBytes  of the ring
template <class Tile, class Output, class Source, index_t StageBytes>
struct source_stages
{
    using chunk = typename Output::template chunk_of<Source>;

private:
    /// Consumers that read one stage, each its own chunks.
    static constexpr int sharers = Tile::sharers_of_stage;
    static constexpr int pieces = Tile::iterations * Output::chunks; ///< of a consumer's tile
    static constexpr int fitting = static_cast<int>(StageBytes / (sharers * chunk::bytes));

public:
    /// Whether stages hold chunks, at places that their swizzle takes.
    static constexpr bool fit = fitting > 0 && chunk::bytes % 1024 == 0;
    /// Stages of a tile's C0, as evenly filled as can be.
    static constexpr int count = fit ? static_cast<int>(ceil_div(pieces, max(fitting, 1))) : 0;

private:
    static constexpr int of_stage = fit ? static_cast<int>(ceil_div(pieces, max(count, 1))) : 1;

public:
    /// Called by the producer: copies C0 of the tile at (row, column) of C by the map.
    template <class Barriers, class Position>
    static TEGULA_INLINE void bring(const tensor_map& map, index_t row, index_t column, index_t batch,
                                    std::byte* memory, Barriers& stages, Position& at)
    {
        TEGULA_ROLLED
        for (int first = 0; first < pieces; first += of_stage, at.advance()) {
            const int chunks = sharers * min(of_stage, pieces - first);
            arch::nvidia::mbarrier* const full = stages.claim(at, chunks * static_cast<int>(chunk::bytes));
            TEGULA_ROLLED
            for (int i = 0; i < chunks; ++i) {
                const int piece = first + i / sharers;
                const auto place = Output::place(i % sharers, piece / Output::chunks, piece % Output::chunks);
                auto* const to = reinterpret_cast<Source*>(memory + at.stage * StageBytes + i * chunk::bytes);
                constexpr tma_swizzled_layout_value layout = chunk::layout;
                static_for<layout.panels()>([&](auto p) {
                    arch::nvidia::tensor_load(
                        to + p * layout.rows * layout.panel_columns(), map,
                        array<int, 3>{column + place[1] + p * layout.panel_columns(), row + place[0], batch}, full);
                });
            }
        }
    }
    /// Called by a consumer, for its chunks in order: the window of chunk `piece` of C, beside that of C0.
    template <class Window, class Barriers, class Position>
    static TEGULA_INLINE auto beside(const Window& window, std::byte* memory, Barriers& stages, const Position& at,
                                     int consumer, int piece)
    {
        const auto read = [memory, &stages, &at, consumer, piece] {
            const int number = piece % of_stage;
            if (number == 0)
                stages.wait(at);
            const int i = number * sharers + (sharers > 1 ? consumer : 0);
            return chunk::read(reinterpret_cast<Source*>(memory + at.stage * StageBytes + i * chunk::bytes));
        };
        return epilogue::window_beside_source<Window, decltype(read)>{{window}, read};
    }
    /// Whether chunk `piece` is the last that a consumer reads of its stage.
    static TEGULA_INLINE bool ends_stage(int piece) { return (piece + 1) % of_stage == 0 || piece + 1 == pieces; }
};

/// In the place of source_stages where C0 is read by the epilogue itself.
struct no_source_stages
{
    static constexpr bool fit = false;
    static constexpr int count = 0;
    template <class Window, class... Where>
    static TEGULA_INLINE const Window& beside(const Window& window, const Where&...)
    {
        return window;
    }
};

} // namespace tegula
