#pragma once

#include <tegula/tensor/convert.hpp>

/// Former forms of convert(); the next version is without them.

namespace tegula {

template <class Distribution, bool ThroughShared = false>
struct conversion_destination
{
    using distribution = Distribution;
    static constexpr bool through_shared_memory = ThroughShared;
};

template <class Distribution>
[[deprecated("tegula: use convert<target, other>(tile)")]]
inline constexpr conversion_destination<Distribution>
    to{};
template <class Distribution>
[[deprecated("tegula: use convert_through_shared<target, other>(tile, scratch)")]]
inline constexpr conversion_destination<Distribution, true>
    through_shared{};

template <class Target, index_t ScratchBytes = detail::no_limit, class T, class Source, class Destination,
          bool ThroughShared>
[[deprecated("tegula: use convert<target, other>(tile, scratch)")]]
TEGULA_INLINE distributed_tensor<T, Destination> convert(const distributed_tensor<T, Source>& tensor,
                                                         conversion_destination<Destination, ThroughShared>,
                                                         std::byte* scratch)
{
    return detail::convert_tile<Target, Destination, ThroughShared, ScratchBytes>(tensor, scratch);
}

template <class Target, class T, class Source, class Destination>
[[deprecated("tegula: use convert<target, other>(tile)")]]
TEGULA_INLINE distributed_tensor<T, Destination> convert(const distributed_tensor<T, Source>& tensor,
                                                         conversion_destination<Destination>)
{
    return convert<Target, Destination>(tensor);
}

} // namespace tegula
