#pragma once

#include <tegula/tensor/convert.hpp>
#include <tegula/tensor/serial_region.hpp>

/// Former forms of convert() and of serial regions; the next version is without them.

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

TEGULA_CALLS_BACK
template <class Target, class T, class Distribution, class F, class... Inputs>
[[deprecated("tegula: use on_lane0(region_context<target>{scratch}, in(a), out<T, D>(), f)")]]
TEGULA_INLINE distributed_tensor<T, Distribution> on_lane0(std::byte* scratch, region_output<T, Distribution> output,
                                                           const F& f, const Inputs&... inputs)
{
    return on_lane0(region_context<Target>{scratch}, inputs..., output, f);
}

TEGULA_CALLS_BACK
template <class Target, class T, class Distribution, class F, class... Inputs>
[[deprecated("tegula: use serially(region_context<target>{scratch}, in(a), out<T, D>(), f)")]]
TEGULA_INLINE distributed_tensor<T, Distribution> serially(std::byte* scratch, region_output<T, Distribution> output,
                                                           const F& f, const Inputs&... inputs)
{
    return serially(region_context<Target>{scratch}, inputs..., output, f);
}

TEGULA_CALLS_BACK
template <class Target, class F, class... Tiles>
[[deprecated("tegula: use distributed(region_context<target>{scratch}, in(tile), out<T, D>(), f)")]]
TEGULA_INLINE auto distributed(std::byte* scratch, const F& f, const Tiles&... tiles)
{
    return f(distributed_operations<Target>{scratch}, tiles...);
}

} // namespace tegula
