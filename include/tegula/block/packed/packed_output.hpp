#pragma once

#include <tegula/block/output_stage.hpp>
#include <tegula/block/packed/packed_loop.hpp>

namespace tegula {

/// A row of Columns neighbours of C, all in the one lane.
template <index_t Columns>
struct row_of_lane
{
    static constexpr encoding_value raw = [] {
        encoding_value e;
        e.hs = {encoding_value::lengths_type{1}, encoding_value::lengths_type{Columns}};
        e.ps = {encoding_value::digits_type{}, encoding_value::digits_type{}};
        e.ys = {rh_digit{1, 0}, rh_digit{2, 0}};
        return e;
    }();
    static constexpr const encoding_value& value = raw;
};

/// The accumulators of a block of a CPU on their way to C, a row of a register tile at a time, through the epilogue.
///
/// Operations: native_panels or strict_panels.
template <class Operations>
struct packed_output
{
    /// The columns that go through the epilogue at a time.
    static constexpr index_t columns = Operations::instruction::tile_columns;
    using pass_distribution = tile_distribution<row_of_lane<columns>>;
    template <class, bool>
    using distribution_for = pass_distribution; ///< as output_stage has it

    /// As output_stage::store_through; `memory` is not needed.
    template <class Window, class EpilogueOf, class Accumulators>
    static TEGULA_INLINE void store_through(const EpilogueOf& epilogue_of, const Accumulators& acc, const Window& to,
                                            long_index_t batch, std::byte*)
    {
        // Named by the epilogue alone: tiles of an instruction share the function.
        using epilogue_type = std::remove_cvref_t<decltype(epilogue_of())>;
        const epilogue_type& epilogue = epilogue_of();
        if (internal::leaves_unchanged(epilogue) && copied_rows(acc.view(), to))
            return;
        finish_rows(acc.view(), to, through_epilogue<epilogue_type>{epilogue, batch});
    }
    /// The rows and columns of a tile that pass through registers at a time: part of a row.
    static constexpr index_t pass_rows = 1, pass_columns = columns;
    static constexpr bool passes_whole_rows = false;

    /// Writes such a part through the epilogue, as output_stage::store_pass.
    template <class Epilogue, class PassTile, class Window>
    static TEGULA_INLINE void store_pass(const Epilogue& epilogue, PassTile& tile, const Window& to, long_index_t batch)
    {
        store(to, finish_tile<typename Window::value_type>(epilogue, tile, to, batch));
    }
    /// Writes the accumulators as they are.
    template <class Accumulators, class Window>
    static TEGULA_INLINE void store_rows(const Accumulators& acc, const Window& to)
    {
        finish_rows(acc, to, [](auto& row, const Window&) { return cast<typename Window::value_type>(row); });
    }

private:
    template <class Epilogue>
    struct through_epilogue
    {
        const Epilogue& epilogue;
        long_index_t batch;

        template <class Row, class Window>
        TEGULA_INLINE auto operator()(Row& row, const Window& window) const
        {
            return finish_tile<typename Window::value_type>(epilogue, row, window, batch);
        }
    };

    /// Copies the accumulators to C, if that is of their type and its columns are neighbours. Columns of a window are
    /// the same distance apart everywhere.
    template <class Accumulators, class Window>
    static bool copied_rows(const Accumulators& acc, const Window& to)
    {
        if constexpr (Operations::template copies<typename Window::value_type>) {
            if (acc.is_zero)
                return false;
            Window window = to;
            if constexpr (Window::plan::vector == 1) {
                window.move({0, 1});
                if (acc.columns > 1 && window.coordinate.offset() - to.coordinate.offset() != 1)
                    return false;
                window.move({0, -1});
            }
            for (index_t i = 0; i < acc.rows; ++i, window.move({1, 0}))
                if (window.contains(window.coordinate)) // a row found by index may not exist
                    Operations::copy(window.view.data + window.coordinate.offset(), acc, i);
            return true;
        }
        return false;
    }

    /// finish(row, window) gives the elements of C. Functions inlined here are compiled for the instruction set, the
    /// epilogue too.
    template <class Accumulators, class Window, class Finish>
    static void finish_rows(const Accumulators& acc, const Window& to, const Finish& finish)
    {
        Operations::call([&] {
            for (index_t i = 0; i < acc.rows; ++i) {
                Window window = to;
                window.move({i, 0});
                for (index_t j = 0; j < acc.columns; j += columns) {
                    distributed_tensor<typename Accumulators::value_type, pass_distribution> row;
                    Operations::read(row.registers, acc, i, j);
                    const auto finished = finish(row, window);
                    // A row found by index may not exist.
                    if (acc.columns - j >= columns && window.contains(window.coordinate))
                        store<bounds::unchecked>(window, finished);
                    else
                        store(window, finished);
                    window.move({0, columns});
                }
            }
        });
    }
};

} // namespace tegula
