#pragma once

#include <tegula/tensor/conversion_exchange.hpp>
#include <tegula/tensor/conversion_gather.hpp>
#include <tegula/tensor/conversion_staging.hpp>

namespace tegula {

namespace detail {

/// Bytes that pass at a time: a whole element, or a word of it if instructions do not move elements of its size.
template <class T>
consteval int conversion_word_bytes()
{
    constexpr int bytes = static_cast<int>(sizeof(T));
    if (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8)
        return bytes;
    return power_of_two_divisor(bytes, 8);
}

template <class Target, class T, class Source, class Destination, bool ForceShared, index_t Limit>
using conversion_of = static_conversion<Target, conversion_word_bytes<T>(), Source, Destination, ForceShared, Limit>;

template <class Conversion, class T, class Result, class Tensor>
TEGULA_INLINE void run_conversion(Result& result, const Tensor& tensor, [[maybe_unused]] std::byte* scratch,
                                  call_site where)
{
    constexpr bool by_gather = Conversion::plan.by_gather;
    if constexpr (Conversion::method() == conversion_method::shared)
        staging_runner<Conversion, T>::run(result, tensor, scratch, where);
    else if constexpr (by_gather)
        gather_runner<Conversion>::run(result, tensor, where);
    else
        exchange_runner<Conversion, T>::run(result, tensor, where);
}

/// Word I of every element.
template <class Word, int I, class T, class Distribution>
TEGULA_INLINE distributed_tensor<Word, Distribution> words_of(const distributed_tensor<T, Distribution>& tensor)
{
    using words = array<Word, static_cast<int>(sizeof(T) / sizeof(Word))>;
    distributed_tensor<Word, Distribution> part;
    static_for<Distribution::num_registers>([&](auto r) {
        const T element = tensor[r];
        const words all = __builtin_bit_cast(words, element);
        part[r] = all[I];
    });
    return part;
}

template <class Conversion, class T, class Destination, class Source>
TEGULA_INLINE void convert_by_words(distributed_tensor<T, Destination>& result,
                                    const distributed_tensor<T, Source>& tensor, std::byte* scratch, call_site where)
{
    using word = typename word_of_bytes<conversion_word_bytes<T>()>::type;
    constexpr int count = static_cast<int>(sizeof(T) / sizeof(word));
    using words = array<word, count>;
    array<words, Destination::num_registers> all{};
    static_for<count>([&](auto i) {
        distributed_tensor<word, Destination> part{};
        const auto from = words_of<word, i>(tensor);
        run_conversion<Conversion, word>(part, from, scratch, where);
        static_for<Destination::num_registers>([&](auto r) { all[r][i] = part[r]; });
    });
    static_for<Destination::num_registers>([&](auto r) {
        const words bits = all[r];
        result[r] = __builtin_bit_cast(T, bits);
    });
}

template <class Target, class Destination, bool ThroughShared, index_t ScratchBytes, class T, class Source>
TEGULA_INLINE distributed_tensor<T, Destination> convert_tile(const distributed_tensor<T, Source>& tensor,
                                                              [[maybe_unused]] std::byte* scratch, call_site where)
{
    using conversion = conversion_of<Target, T, Source, Destination, ThroughShared, ScratchBytes>;
    static_assert(sizeof(encoding_rules::scratch_holds_a_vector < conversion::method() != conversion_method::shared ||
                             ScratchBytes >= 16,
                         ScratchBytes >));
    distributed_tensor<T, Destination> result{};
    if constexpr (sizeof(T) == conversion_word_bytes<T>())
        run_conversion<conversion, T>(result, tensor, scratch, where);
    else
        convert_by_words<conversion>(result, tensor, scratch, where);
    return result;
}

} // namespace detail

/// Bytes of shared memory that the conversion of a tile of T takes if it passes whole; 0 if it stays in the waves.
template <class Target, class T, class Source, class Destination, bool ThroughShared = false>
inline constexpr index_t conversion_scratch_bytes = [] {
    constexpr conversion_plan plan =
        detail::conversion_of<Target, T, distribution_of<Source>, distribution_of<Destination>, ThroughShared,
                              detail::no_limit>::plan;
    return plan.method == conversion_method::shared ? static_cast<index_t>(plan.staging.bytes()) : 0;
}();

/// Whether the change needs no shared memory, however many shuffles it then takes: convert<target, other>(tile).
template <class Target, class T, class Source, class Destination>
inline constexpr bool converts_in_waves =
    detail::conversion_of<Target, T, distribution_of<Source>, distribution_of<Destination>, false, 0>::method() !=
    conversion_method::shared;

/// The tile in another distribution of the same lengths, by the plan of plan_conversion(): registers are renamed, or
/// lanes exchange them by shuffles. If that takes fewer cycles, or shuffles cannot do it, the tile goes through shared
/// memory. One copy of an element is written there, and all are read: convert<target, other>(tile, scratch).
///
///   ScratchBytes  size of the scratch memory, at least 16. If it is less than conversion_scratch_bytes the tile
///                 passes in chunks.
///   scratch       shared memory, aligned to 128 bytes, that no lane is using. It is free again on return.
///
/// For two {lane} distributions the lanes of the wave take part, each wave with scratch memory of its own.
/// Otherwise all threads of the block take part; a {lane} tile is then the same in all waves.
template <class Target, class Destination, index_t ScratchBytes = detail::no_limit, class T, class Source>
TEGULA_INLINE distributed_tensor<T, distribution_of<Destination>>
convert(const distributed_tensor<T, Source>& tensor, std::byte* scratch, call_site where = call_site::here())
{
    return detail::convert_tile<Target, distribution_of<Destination>, false, ScratchBytes>(tensor, scratch, where);
}

/// Converts without shared memory: convert<target, other>(tile). Precondition: converts_in_waves.
template <class Target, class Destination, class T, class Source>
TEGULA_INLINE distributed_tensor<T, distribution_of<Destination>> convert(const distributed_tensor<T, Source>& tensor,
                                                                          call_site where = call_site::here())
{
    static_assert(converts_in_waves<Target, T, Source, Destination>,
                  "tegula: this change of distribution passes through shared memory; give it "
                  "conversion_scratch_bytes of it");
    return detail::convert_tile<Target, distribution_of<Destination>, false, 0>(tensor, nullptr, where);
}

/// Converts through shared memory in any case.
template <class Target, class Destination, index_t ScratchBytes = detail::no_limit, class T, class Source>
TEGULA_INLINE distributed_tensor<T, distribution_of<Destination>>
convert_through_shared(const distributed_tensor<T, Source>& tensor, std::byte* scratch,
                       call_site where = call_site::here())
{
    return detail::convert_tile<Target, distribution_of<Destination>, true, ScratchBytes>(tensor, scratch, where);
}

} // namespace tegula
