#pragma once

#include <tegula/emulator/tensor_memory.hpp>
#include <tegula/emulator/vector_clock.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace tegula::emulator::detail {

/// The last writer of 16 lanes of a column and its readers since, as numbers of the history; -1: none.
struct tensor_cell
{
    int writer = -1;
    std::vector<int> readers;
};

/// Registers that tcgen05.ld fills at its wait.
struct withheld_registers
{
    std::uint32_t* registers = nullptr;
    std::vector<std::uint32_t> values;
    bool integers = false;

    std::uint32_t poison() const
    {
        return integers ? current_lane->poison->in_flight_integer : current_lane->poison->in_flight;
    }
    withheld_registers withhold() const
    {
        std::fill_n(registers, values.size(), poison());
        return *this;
    }
    /// Writes the values to the registers; false if a lane wrote to these meanwhile.
    bool deliver() const
    {
        for (std::size_t i = 0; i < values.size(); ++i)
            if (registers[i] != poison())
                return false;
        std::copy(values.begin(), values.end(), registers);
        return true;
    }
};

/// The tensor memory of one block.
struct tensor_block
{
    static constexpr int halves = tensor_memory_lanes / 16; ///< rows of cells

    struct allocation
    {
        int column = 0;
        int columns = 0;
        access_stamp stamp{};
    };

    std::vector<std::uint32_t> words;
    std::vector<tensor_cell> cells;
    std::vector<allocation> allocations;
    std::vector<std::vector<withheld_registers>> withheld; ///< by wave
    int least = 0;                                         ///< columns of the smallest allocation so far
    int blocks = 0;                                        ///< the .cta_group in use; 0: none yet
    bool relinquished = false;
    bool integers = false; ///< a product of integers wrote to it

    void prepare(int columns, int waves)
    {
        if (!words.empty())
            return;
        words.assign(static_cast<std::size_t>(tensor_memory_lanes * columns), ~0U);
        cells.assign(static_cast<std::size_t>(halves * columns), {});
        withheld.resize(static_cast<std::size_t>(waves));
    }
    std::uint32_t& word(int lane, int column)
    {
        return words[static_cast<std::size_t>(lane * tensor_operation::pitch + column)];
    }
    tensor_cell& cell(int half, int column)
    {
        return cells[static_cast<std::size_t>(half * tensor_operation::pitch + column)];
    }

    const allocation* find(int column) const
    {
        for (const allocation& a : allocations)
            if (column >= a.column && column < a.column + a.columns)
                return &a;
        return nullptr;
    }
    /// The first place, at a multiple of its size, that is free; -1 if there is none.
    int find_room(int columns, int all) const
    {
        for (int at = 0; at + columns <= all; at += columns) {
            bool free = true;
            for (const allocation& a : allocations)
                free = free && (a.column + a.columns <= at || at + columns <= a.column);
            if (free)
                return at;
        }
        return -1;
    }
    void take(int column, int columns, access_stamp stamp)
    {
        allocations.push_back({column, columns, stamp});
        least = least == 0 ? columns : std::min(least, columns);
        for (int lane = 0; lane < tensor_memory_lanes; ++lane)
            std::fill_n(&word(lane, column), columns, ~0U);
        for (int half = 0; half < halves; ++half)
            for (int c = column; c < column + columns; ++c)
                cell(half, c) = {};
    }
    void give_back(int column)
    {
        std::erase_if(allocations, [column](const allocation& a) { return a.column == column; });
    }
};

/// Lanes that issue products and copies: each has a timeline of its own, from the last one down, whose time is the
/// number of its instructions that are over.
inline constexpr std::size_t tensor_pipes = 8;

struct tensor_pipe
{
    /// Shared memory that an instruction reads.
    struct read
    {
        std::uint32_t number;
        int rank;
        std::uint16_t site;
        std::vector<std::uint32_t> chunks;
    };
    const lane_state* issuer = nullptr;
    int number = 0;
    std::uint32_t issued = 0;
    std::vector<read> reads;
};

/// Everything that accessed tensor memory, by number.
class tensor_history
{
public:
    struct entry
    {
        const wave_state* wave = nullptr;
        int pipe = -1; ///< pipe of a product or copy; else -1
        std::uint32_t number = 0;
        std::uint32_t shape = 0;
        bool product = false;
        bool stores = false;
        bool waited = false;
        std::uint16_t site = 0;
        std::uint32_t waited_time = 0;
        std::uint64_t fenced = 0; ///< lanes with fence::before_thread_sync after the wait
        std::array<std::uint32_t, 32> fence_time{};

        bool fenced_by_all() const { return waited && fenced == wave->all; }
        const char* name() const
        {
            return pipe < 0 ? (stores ? "tcgen05.st" : "tcgen05.ld") : product ? "tcgen05.mma" : "tcgen05.cp";
        }
    };

    void begin(std::size_t waves)
    {
        entries_.clear();
        flying_.assign(waves, {});
        unfenced_.assign(waves, {});
    }
    const entry& operator[](int number) const { return entries_[static_cast<std::size_t>(number)]; }

    int add_operation(const lane_state& me, const tensor_operation& operation, const tensor_pipe& pipe,
                      std::uint16_t site)
    {
        entry e;
        e.wave = me.wave;
        e.pipe = pipe.number;
        e.number = pipe.issued;
        e.shape = operation.shape;
        e.product = operation.product;
        e.site = site;
        return add(e);
    }
    int add_transfer(const lane_state& last, bool stores, std::uint16_t site)
    {
        entry e;
        e.wave = last.wave;
        e.stores = stores;
        e.site = site;
        const int number = add(e);
        flying_[static_cast<std::size_t>(last.wave->timeline)].push_back(number);
        return number;
    }

    void wait(const wave_state& wave, bool stores, std::uint32_t time)
    {
        const auto w = static_cast<std::size_t>(wave.timeline);
        for (const int number : flying_[w])
            if (at(number).stores == stores) {
                at(number).waited = true;
                at(number).waited_time = time;
                unfenced_[w].push_back(number);
            }
        std::erase_if(flying_[w], [&](int number) { return at(number).waited; });
    }
    /// fence::before_thread_sync of a lane.
    void release(const lane_state& me, std::uint32_t time)
    {
        auto& mine = unfenced_[static_cast<std::size_t>(me.wave->timeline)];
        for (const int number : mine) {
            entry& e = at(number);
            if ((e.fenced & me.bit()) == 0)
                e.fence_time[static_cast<std::size_t>(me.lane)] = time;
            e.fenced |= me.bit();
        }
        std::erase_if(mine, [&](int number) { return at(number).fenced_by_all(); });
    }

    /// The cell is read; of one pipe, or of one wave's loads, the last reader stands for those before it.
    void note_reader(tensor_cell& cell, int number)
    {
        const entry& now = at(number);
        for (int& reader : cell.readers) {
            const entry& e = at(reader);
            if (e.pipe == now.pipe &&
                (e.pipe >= 0 ? e.product == now.product && e.shape == now.shape : e.wave == now.wave)) {
                reader = number;
                return;
            }
        }
        cell.readers.push_back(number);
    }

private:
    entry& at(int number) { return entries_[static_cast<std::size_t>(number)]; }
    int add(const entry& e)
    {
        entries_.push_back(e);
        return static_cast<int>(entries_.size()) - 1;
    }

    std::vector<entry> entries_;
    std::vector<std::vector<int>> flying_;   // by wave: transfers without a wait after them
    std::vector<std::vector<int>> unfenced_; // by wave: those that not all lanes have fenced
};

} // namespace tegula::emulator::detail
