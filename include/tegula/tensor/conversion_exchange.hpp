#pragma once

#include <tegula/core/word.hpp>
#include <tegula/tensor/choose.hpp>
#include <tegula/tensor/static_conversion.hpp>

namespace tegula::detail {

/// Runs the lane_exchange of a static_conversion on words of neighbouring elements.
template <class Conversion, class T>
struct exchange_runner
{
    using target = typename Conversion::target;
    static constexpr lane_exchange exchange = Conversion::plan.exchange;
    static constexpr int together = static_cast<int>(exchange.words_together());
    using word = typename word_of_bytes<static_cast<int>(sizeof(T)) * together>::type;
    using elements = array<T, together>;
    using source_words = array<word, Conversion::sources>;           // those of is_source_word() are used
    using destination_words = array<word, Conversion::destinations>; // those of is_destination_word()

    static consteval bool is_source_word(int n)
    {
        for (int k = 0; k < exchange.packed; ++k)
            if ((n / exchange.kept[k].source & 1) != 0)
                return false;
        return true;
    }
    static consteval bool is_destination_word(int n)
    {
        for (int k = 0; k < exchange.packed; ++k)
            if ((n / exchange.kept[k].destination & 1) != 0)
                return false;
        return true;
    }
    static consteval int word_before(int n) { return exchange.source_register(n); }
    static consteval int lane_mask(int n) { return exchange.lane_mask(n); }
    static consteval bool is_shuffled(int n) { return exchange.is_shuffled(n); }
    static consteval bool lanes_stay() { return exchange.lanes_stay(); }
    /// Register of element j of the word that starts at register n.
    static consteval int source_of(int n, int j)
    {
        for (int k = 0; k < exchange.packed; ++k)
            n += (j >> k & 1) * exchange.kept[k].source;
        return Conversion::source_register(n);
    }
    static consteval int destination_of(int n, int j)
    {
        for (int k = 0; k < exchange.packed; ++k)
            n += (j >> k & 1) * exchange.kept[k].destination;
        return Conversion::destination_register(n);
    }

    struct lane_moves
    {
        static consteval bit_moves moves()
        {
            bit_moves m;
            for (const lane_exchange::moved_bit& b : exchange.moves)
                if (b.destination_thread < target::wave_size)
                    m.add(log2_of(b.destination_thread), log2_of(b.source_lane));
            return m;
        }
    };
    static consteval int num_moves() { return exchange.moves.size(); }
    static consteval lane_exchange::moved_bit move(int i) { return exchange.moves[i]; }

    /// The lane that the calling lane reads, before the register's lane_mask().
    static TEGULA_INLINE int source_lane([[maybe_unused]] std::uint32_t thread, std::uint32_t lane)
    {
        std::uint32_t from = move_bits<lane_moves>(lane);
        constexpr int moves = num_moves();
        static_for<moves>([&](auto i) {
            constexpr lane_exchange::moved_bit m = move(i);
            if constexpr (m.destination_thread >= target::wave_size)
                from |= digit_of<m.destination_thread, 2>(thread) * static_cast<std::uint32_t>(m.source_lane);
        });
        return static_cast<int>(from);
    }

    static consteval int num_halves() { return exchange.halves(); }
    static consteval int num_choices() { return exchange.choices.size(); }
    static consteval int choice_offset(int half) { return exchange.choice_offset(half); }
    static consteval int chosen_lane_bit(int i) { return exchange.choices[i].destination_lane; }
    /// Number of the half that the lane keeps from those it reads.
    static TEGULA_INLINE int half_of([[maybe_unused]] std::uint32_t lane)
    {
        std::uint32_t half = 0;
        constexpr int choices = num_choices();
        static_for<choices>([&](auto i) { half |= digit_of<chosen_lane_bit(i), 2>(lane) << i; });
        return static_cast<int>(half);
    }

    template <class Tensor>
    static TEGULA_INLINE source_words gather(const Tensor& tensor)
    {
        source_words words;
        static_for<Conversion::sources>([&](auto n) {
            if constexpr (is_source_word(n)) {
                elements parts;
                static_for<together>([&](auto j) {
                    constexpr int r = source_of(n, j);
                    parts[j] = tensor[r];
                });
                words[n] = __builtin_bit_cast(word, parts);
            }
        });
        return words;
    }

    template <class Tensor>
    static TEGULA_INLINE void scatter(Tensor& tensor, const destination_words& words)
    {
        static_for<Conversion::destinations>([&](auto n) {
            if constexpr (is_destination_word(n)) {
                const word w = words[n];
                const elements parts = __builtin_bit_cast(elements, w);
                static_for<together>([&](auto j) {
                    constexpr int r = destination_of(n, j);
                    tensor[r] = parts[j];
                });
            }
        });
    }

    /// Exchanges words whose registers differ by Stride, if `condition`. OfSource: they are registers of the source.
    template <bool OfSource, int Stride, class Words>
    static TEGULA_INLINE void exchange_if(bool condition, Words& words)
    {
        static_for<Words::size()>([&](auto n) {
            constexpr bool lower = (n / Stride & 1) == 0;
            if constexpr (lower && (OfSource ? is_source_word(n) : is_destination_word(n))) {
                const word a = words[n];
                const word b = words[n + Stride];
                words[n] = choose(condition, b, a);
                words[n + Stride] = choose(condition, a, b);
            }
        });
    }

    template <class Result, class Tensor>
    static TEGULA_INLINE void run(Result& result, const Tensor& tensor, [[maybe_unused]] call_site where)
    {
        source_words words = gather(tensor);
        const std::uint32_t thread = Conversion::thread();
        const auto lane = static_cast<std::uint32_t>(target::lane_id());
        before(words, thread, lane);
        destination_words moved;
        const int from = source_lane(thread, lane);
        [[maybe_unused]] const int own_half = half_of(lane);
        static_for<Conversion::destinations>([&](auto n) {
            if constexpr (is_destination_word(n)) {
                constexpr int first = word_before(n);
                constexpr int mask = lane_mask(n);
                constexpr bool crosses = is_shuffled(n);
                constexpr bool in_place = lanes_stay();
                constexpr int halves = num_halves();
                static_for<halves>([&](auto half) {
                    constexpr int r = first + choice_offset(half);
                    word read = words[r];
                    if constexpr (crosses && in_place)
                        read = target::shuffle_xor(read, mask, where);
                    else if constexpr (crosses)
                        read = target::shuffle(read, from ^ mask, where);
                    if constexpr (half == 0)
                        moved[n] = read;
                    else
                        moved[n] = choose(own_half == half, read, moved[n]);
                });
            }
        });
        behind(moved, lane);
        scatter(result, moved);
    }

private:
    static consteval int num_picks() { return exchange.picks.size(); }
    static consteval int num_swaps() { return exchange.swaps.size(); }
    static consteval lane_exchange::picked_digit pick(int i) { return exchange.picks[i]; }
    static consteval lane_exchange::swapped_bits swap(int i) { return exchange.swaps[i]; }

    static TEGULA_INLINE void before(source_words& words, [[maybe_unused]] std::uint32_t thread,
                                     [[maybe_unused]] std::uint32_t lane)
    {
        constexpr int picks = num_picks();
        static_for<picks>([&](auto i) {
            constexpr lane_exchange::picked_digit p = pick(i);
            const std::uint32_t digit = digit_of<p.thread, p.length>(thread);
            static_for<Conversion::sources>([&](auto n) {
                constexpr bool first = n / p.source_register % p.length == 0;
                if constexpr (first && is_source_word(n))
                    static_for<p.length - 1>([&](auto k) {
                        const word a = words[n];
                        const word b = words[n + (k + 1) * p.source_register];
                        words[n] = choose(digit == k + 1U, b, a);
                    });
            });
        });
        constexpr int swaps = num_swaps();
        static_for<swaps>([&](auto i) {
            constexpr lane_exchange::swapped_bits s = swap(i);
            exchange_if<true, s.source_register>(digit_of<s.source_lane, 2>(lane) != 0, words);
        });
    }

    static TEGULA_INLINE void behind(destination_words& words, [[maybe_unused]] std::uint32_t lane)
    {
        constexpr int swaps = num_swaps();
        static_for<swaps>([&](auto i) {
            constexpr lane_exchange::swapped_bits s = swap(i);
            exchange_if<false, s.destination_register>(digit_of<s.destination_lane, 2>(lane) != 0, words);
        });
    }
};

} // namespace tegula::detail
