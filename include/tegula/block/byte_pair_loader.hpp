#pragma once

#include <tegula/block/mma_tile.hpp>
#include <tegula/block/sequence_loader.hpp>
#include <tegula/core/half.hpp>
#include <tegula/mma/choose.hpp>

namespace tegula {

namespace detail {
/// The product of 16-bit elements that are pairs of columns of Mma's 8-bit B: its fragments of B hold those of Mma.
template <class Mma>
using byte_pair_product = mma_tile<typename Mma::target, default_atom<typename Mma::target, half>, Mma::block_m,
                                   Mma::block_n / 2, Mma::waves_m, Mma::waves_n, Mma::copies>;
template <class Mma, index_t K>
using byte_pair_base =
    sequence_loader<typename Mma::target, half, Mma::block_n / 2, K, Mma::waves, operand_order::row_contiguous,
                    typename byte_pair_product<Mma>::b_distribution, byte_pair_product<Mma>::atom::n>;
} // namespace detail

/// A sequence_loader of B [K, columns] of 8 bits whose columns are neighbours, for mma.sync. ldmatrix transposes
/// elements of 16 bits: here each is a pair of columns 2 p and 2 p + 1, so that a lane gets both columns at its keys. A
/// lane picks the bytes from two of its registers.
///
///   Mma  the product, a mma_tile
///
/// Its slices are those of a product with
///   columns  instruction 2 i along the columns has the even columns of [16 i, 16 i + 16), 2 i + 1 the odd ones. If W
///            waves share the columns, wave w has these of [16 (W i + w), 16 (W i + w) + 16)
///   k        place 4 q + j of every 16 has element 8 (j / 2) + 2 q + j % 2: the accumulators of lane q of a product
///            before this one, of two instructions along its columns
template <class Mma, index_t K>
struct byte_pair_loader : private detail::byte_pair_base<Mma, K>
{
    using base = detail::byte_pair_base<Mma, K>;
    using element = typename Mma::b_type;
    static_assert(sizeof(element) == 1 && Mma::iterations_n % 2 == 0 && Mma::slice_k == 64);

    using base::arrive;
    using base::asynchronous;
    using base::buffered;
    using base::bytes;
    using base::instruction_order;
    using base::searched;
    using base::store_rows;
    using typename base::search;
    using typename base::shared;
    static constexpr index_t length = base::length;
    static constexpr index_t contiguous = 2 * base::contiguous;

    /// As in sequence_loader.
    TEGULA_INLINE byte_pair_loader(long_index_t stride, index_t inside, std::byte* memory, const char* name)
        : base(stride / 2, inside / 2, memory, name)
    {}
    TEGULA_INLINE void load(const element* tile, index_t extent)
    {
        base::load(reinterpret_cast<const half*>(tile), extent);
    }
    template <int Found>
    TEGULA_INLINE void load_rows(const element* origin, index_t extent, const array<long_index_t, Found>& offsets)
    {
        array<long_index_t, Found> in_pairs;
        static_for<Found>([&](auto n) { in_pairs[n] = offsets[n] / 2; });
        base::load_rows(reinterpret_cast<const half*>(origin), extent, in_pairs);
    }
    TEGULA_INLINE void store() const { base::store(); }
    TEGULA_INLINE auto stream() const { return pair_stream<decltype(base::stream())>{base::stream()}; }

private:
    template <class Stream>
    struct pair_stream
    {
        Stream pairs;

        /// As in sequence_loader's stream.
        template <int K0, int Part = 0, int Parts = 1>
        TEGULA_INLINE auto read() const
        {
            constexpr int tiles = Mma::iterations_n / 2 / Parts; // tiles of column pairs
            constexpr int half_slice = static_cast<int>(Mma::slice_k) / 2;
            array<std::uint32_t, 8 * tiles> words;
            static_for<2>([&](auto s) {
                constexpr int part_of_slice = decltype(s)::value;
                const auto from = pairs.template read<K0 + part_of_slice * half_slice, Part, Parts>();
                static_for<2 * tiles>([&](auto i) {
                    constexpr int tile = decltype(i)::value / 2, w = decltype(i)::value % 2;
                    const std::uint32_t low = from[4 * tile + 2 * w], high = from[4 * tile + 2 * w + 1];
                    constexpr int to = 8 * tile + 2 * part_of_slice + w;
                    words[to] = Mma::target::template pick_bytes<0x6420>(low, high);
                    words[to + 4] = Mma::target::template pick_bytes<0x7531>(low, high);
                });
            });
            return words;
        }
    };
};

} // namespace tegula
