#pragma once

#include <tegula/arch/amd/column_read.hpp>
#include <tegula/arch/nvidia/matrix_copy.hpp>
#include <tegula/tensor/static_conversion.hpp>
#include <tegula/tensor/tensor_view.hpp>
#include <tegula/tensor/vector_access.hpp>

namespace tegula::detail {

/// The accesses of one side of a shared_staging, with everything known at compile time.
template <class Conversion, bool IsStore>
struct staging_accesses
{
    using target = typename Conversion::target;
    static constexpr shared_staging staging = Conversion::plan.staging;
    static constexpr staging_side side = IsStore ? staging.store : staging.load;
    static constexpr held_tile tile =
        addressing_tile(IsStore ? Conversion::plan.sides.source : Conversion::plan.sides.destination, side);
    static constexpr int matrices = side.matrices; ///< matrices per access; 0: accesses are vectors
    static constexpr bool transposed = side.transposed;
    static constexpr bool reads_columns = side.reads_columns;
    static constexpr int vector = static_cast<int>(side.vector);
    static constexpr int accesses = static_cast<int>(tile.registers) / vector;

private:
    struct table
    {
        index_t offsets[accesses];
        int registers[accesses][vector]; ///< for matrices: both halves of a word, word after word
    };
    static consteval table make()
    {
        table t{};
        int a = 0;
        for (index_t n = 0; n < tile.registers; ++n) {
            if (!starts_vector(staging, tile, side, n))
                continue;
            t.offsets[a] = register_offset(staging, tile, side, n);
            for (int j = 0; j < vector; ++j) {
                const index_t place = matrices > 0    ? matrix_register(side, n, 0, j % (2 * matrices))
                                      : reads_columns ? n + j
                                                      : register_behind(tile, side, n, j);
                const int r = static_cast<int>(place);
                t.registers[a][j] = IsStore ? Conversion::source_register(r) : Conversion::destination_register(r);
            }
            ++a;
        }
        return t;
    }
    static constexpr table planned = make();

    struct thread_moves
    {
        static consteval bit_moves moves()
        {
            bit_moves m;
            for (int i = 0; i < tile.digits.size(); ++i)
                if (tile.digits[i].in_thread && is_power(tile.digits[i].stride))
                    m.add_image(log2_of(tile.digits[i].stride), static_cast<std::uint32_t>(side.offsets[i]));
            return m;
        }
    };
    static consteval bool is_power(index_t n) { return (n & (n - 1)) == 0; }
    static consteval int num_digits() { return tile.digits.size(); }
    static consteval int num_copies() { return tile.copies.size(); }
    static consteval held_digit digit(int i) { return tile.digits[i]; }
    static consteval copy_digit copy(int i) { return tile.copies[i]; }
    static consteval index_t offset_of_digit(int i) { return side.offsets[i]; }

public:
    static consteval int register_of(int a, int j) { return planned.registers[a][j]; }
    static consteval index_t offset(int a) { return planned.offsets[a]; }

    /// Bits of the offset that threads set.
    static consteval std::uint32_t thread_bits()
    {
        std::uint32_t bits = 0;
        for (int i = 0; i < tile.digits.size(); ++i)
            if (tile.digits[i].in_thread)
                bits |= static_cast<std::uint32_t>(side.offsets[i]);
        return bits;
    }

    /// Offset of the calling thread's register 0, in elements.
    static TEGULA_INLINE std::uint32_t thread_offset(std::uint32_t thread)
    {
        std::uint32_t at = 0;
        if constexpr (staging.by_xor)
            at = move_bits<thread_moves>(thread);
        constexpr int digits = num_digits();
        static_for<digits>([&](auto i) {
            constexpr held_digit d = digit(i);
            if constexpr (d.in_thread && !(staging.by_xor && is_power(d.stride))) {
                constexpr auto step = static_cast<std::uint32_t>(offset_of_digit(i));
                const std::uint32_t part = digit_of<d.stride, d.length>(thread) * step;
                at = staging.by_xor ? at ^ part : at + part;
            }
        });
        return at;
    }

    /// Offset of access A. Bits that threads do not touch are added, which instructions do at no cost.
    template <int A>
    static TEGULA_INLINE std::uint32_t access_offset(std::uint32_t thread_part)
    {
        constexpr auto own = static_cast<std::uint32_t>(offset(A));
        if constexpr (!staging.by_xor)
            return thread_part + own;
        constexpr std::uint32_t mixed = own & thread_bits();
        return (thread_part ^ mixed) + (own ^ mixed);
    }

    static TEGULA_INLINE bool is_first_copy(std::uint32_t thread)
    {
        bool first = true;
        constexpr int copies = num_copies();
        static_for<copies>([&](auto i) {
            constexpr copy_digit c = copy(i);
            first = first && digit_of<c.stride, c.length>(thread) == 0;
        });
        return first;
    }
};

/// Runs the shared_staging of a static_conversion.
template <class Conversion, class T>
struct staging_runner
{
    using target = typename Conversion::target;
    using stores = staging_accesses<Conversion, true>;
    using loads = staging_accesses<Conversion, false>;
    static constexpr bool in_chunks = Conversion::plan.staging.chunks() > 1;
    static constexpr bool within_waves = Conversion::plan.staging.within_waves || Conversion::in_one_wave;
    static constexpr auto chunk = static_cast<std::uint32_t>(Conversion::plan.staging.chunk);
    static constexpr auto elements = static_cast<std::uint32_t>(Conversion::plan.staging.elements);

    static TEGULA_INLINE void barrier(call_site where)
    {
        if constexpr (within_waves)
            target::wave_barrier(where);
        else
            target::block_barrier(where);
    }

    static TEGULA_INLINE void label([[maybe_unused]] std::uint32_t offset)
    {
#if !TEGULA_DEVICE_PASS
        if (target::labels_enabled()) {
            const index_t x[1] = {static_cast<index_t>(offset)};
            target::set_element("tile in conversion", x, 1);
        }
#endif
    }

    /// Access A of matrices. A wave takes part if `mine`.
    template <int A, class Tensor>
    static TEGULA_INLINE void write_matrices(T* memory, const Tensor& tensor, std::uint32_t thread_part, bool mine,
                                             [[maybe_unused]] call_site where)
    {
        if constexpr (stores::matrices > 0) {
            array<T, 2 * stores::matrices> values;
            static_for<2 * stores::matrices>([&](auto j) {
                constexpr int r = stores::register_of(A, j);
                values[j] = tensor[r];
            });
            const std::uint32_t at = stores::template access_offset<A>(thread_part);
            label(at);
            using words = array<std::uint32_t, stores::matrices>;
            if (mine)
                arch::nvidia::store_matrices<stores::matrices, stores::transposed>(
                    memory + at, __builtin_bit_cast(words, values), where);
        }
    }

    template <int A, class Result>
    static TEGULA_INLINE void read_matrices(Result& result, const T* memory, std::uint32_t thread_part,
                                            [[maybe_unused]] call_site where)
    {
        if constexpr (loads::matrices > 0) {
            const std::uint32_t at = loads::template access_offset<A>(thread_part);
            label(at);
            const auto words = arch::nvidia::load_matrices<loads::matrices, loads::transposed>(memory + at, where);
            using halves = array<T, 2 * loads::matrices>;
            const halves values = __builtin_bit_cast(halves, words);
            static_for<2 * loads::matrices>([&](auto j) {
                constexpr int r = loads::register_of(A, j);
                result[r] = values[j];
            });
        }
    }

    template <class Tensor>
    static TEGULA_INLINE void write(T* memory, const Tensor& tensor, std::uint32_t thread_part, std::uint32_t first,
                                    bool mine, call_site where)
    {
        static_for<stores::accesses>([&](auto a) {
            if constexpr (stores::matrices > 0) {
                write_matrices<a>(memory, tensor, thread_part, mine, where);
                return;
            }
            array<T, stores::vector> values;
            static_for<stores::vector>([&](auto j) {
                constexpr int r = stores::register_of(a, j);
                values[j] = tensor[r];
            });
            std::uint32_t at = stores::template access_offset<a>(thread_part);
            label(at);
            bool active = mine;
            if constexpr (in_chunks) {
                at -= first;
                active = mine && at < chunk;
            }
            write_vector<target, address_space::shared, stores::vector>(memory + at, values, active, where);
        });
    }

    /// The elements that an access gives the calling lane: those at `from`, or a column of those that its neighbours
    /// address.
    template <int N>
    static TEGULA_INLINE array<T, N> read_lane(T* from, bool active, [[maybe_unused]] call_site where)
    {
        if constexpr (loads::reads_columns) {
            const auto column = arch::amd::read_column(from, where);
            return __builtin_bit_cast(array<T, N>, column);
        } else {
            return read_vector<target, address_space::shared, N>(from, active, where);
        }
    }

    template <class Result>
    static TEGULA_INLINE void read(Result& result, T* memory, std::uint32_t thread_part, std::uint32_t first,
                                   call_site where)
    {
        static_for<loads::accesses>([&](auto a) {
            if constexpr (loads::matrices > 0) {
                read_matrices<a>(result, memory, thread_part, where);
                return;
            }
            std::uint32_t at = loads::template access_offset<a>(thread_part);
            label(at);
            bool active = true;
            if constexpr (in_chunks) {
                at -= first;
                active = at < chunk;
            }
            const auto values = read_lane<loads::vector>(memory + at, active, where);
            static_for<loads::vector>([&](auto j) {
                constexpr int r = loads::register_of(a, j);
                if constexpr (in_chunks)
                    result[r] = choose(active, values[j], result[r]);
                else
                    result[r] = values[j];
            });
        });
    }

    template <class Result, class Tensor>
    static TEGULA_INLINE void run(Result& result, const Tensor& tensor, std::byte* scratch, call_site where)
    {
        T* const memory = reinterpret_cast<T*>(scratch);
        const std::uint32_t thread = Conversion::thread();
        const std::uint32_t to = stores::thread_offset(thread);
        const std::uint32_t from = loads::thread_offset(thread);
        const bool mine = stores::is_first_copy(thread);
        TEGULA_ROLLED
        for (std::uint32_t first = 0; first < elements; first += chunk) {
            write(memory, tensor, to, first, mine, where);
            barrier(where);
            read(result, memory, from, first, where);
            barrier(where);
        }
    }
};

} // namespace tegula::detail
