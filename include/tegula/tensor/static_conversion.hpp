#pragma once

#include <tegula/arch/target.hpp>
#include <tegula/conversion/conversion_plan.hpp>
#include <tegula/tensor/distributed_tensor.hpp>
#include <tegula/tensor/partition.hpp>

namespace tegula {

namespace encoding_rules {
template <bool Ok, long Given>
struct scratch_holds_a_vector
{
    static_assert(Ok, "tegula: a conversion passes through shared memory 16 bytes at a time or more; give it that much "
                      "(the template argument is the bytes given)");
};
template <bool Ok, long SourceThreads, long DestinationThreads, int WaveSize>
struct threads_match
{
    static_assert(
        Ok, "tegula: a conversion needs two distributions over the same threads, or one over a single wave, and lanes "
            "of the target's wave size (the template arguments are the threads of both and the wave size)");
};
} // namespace encoding_rules

namespace detail {

template <class A, class B>
consteval bool same_lengths()
{
    if (A::num_x != B::num_x)
        return false;
    for (int i = 0; i < A::num_x; ++i)
        if (A::x_length(i) != B::x_length(i))
            return false;
    return A::num_x > 0;
}

/// Bits of a number that move by one distance.
struct bit_group
{
    std::uint32_t mask = 0;
    int shift = 0; ///< to the left; negative to the right
};

/// A linear map of bits, as the groups that move together.
struct bit_moves
{
    static_vector<bit_group, 32> groups;

    constexpr void add(int from, int to)
    {
        for (bit_group& g : groups)
            if (g.shift == to - from) {
                g.mask ^= 1U << from;
                return;
            }
        groups.push_back({1U << from, to - from});
    }
    /// Adds the map of one bit to all bits of `image`.
    constexpr void add_image(int from, std::uint32_t image)
    {
        for (int to = 0; to < 32; ++to)
            if ((image >> to & 1) != 0)
                add(from, to);
    }
};

/// Applies the map that Moves::moves() returns.
template <class Moves>
TEGULA_INLINE std::uint32_t move_bits(std::uint32_t number)
{
    std::uint32_t moved = 0;
    constexpr int groups = Moves::moves().groups.size();
    static_for<groups>([&](auto i) {
        constexpr bit_group g = Moves::moves().groups[i];
        moved ^= g.shift >= 0 ? (number & g.mask) << (g.shift & 31) : (number & g.mask) >> (-g.shift & 31);
    });
    return moved;
}

/// (n / Stride) % Length of a thread number.
template <index_t Stride, index_t Length>
TEGULA_INLINE std::uint32_t digit_of(std::uint32_t thread)
{
    return thread / static_cast<std::uint32_t>(Stride) % static_cast<std::uint32_t>(Length);
}

/// The plan of one conversion in a kernel, and the numbers of the registers that it names.
///
/// Bytes of an element are 1, 2, 4 or 8; Limit is the shared memory it may take.
template <class Target, int Bytes, class Source, class Destination, bool ForceShared, index_t Limit>
struct static_conversion
{
    using target = Target;
    using source = Source;
    using destination = Destination;

    static constexpr bool of_one_tile = same_lengths<Source, Destination>();
    static_assert(of_one_tile, "tegula: convert needs two distributions of one tile: their tensor lengths differ");
    static constexpr bool threads_fit =
        !of_one_tile || check_conversion_pair(Source::value, Destination::value, Target::wave_size).ok();
    static_assert(
        sizeof(encoding_rules::threads_match<threads_fit, static_cast<long>(Source::partition_size),
                                             static_cast<long>(Destination::partition_size), Target::wave_size>));

    /// The search for the plan, a constant evaluation a part, because compilers limit how long one may be.
    template <int Part>
    static consteval conversion_search find()
    {
        if constexpr (!of_one_tile || !threads_fit)
            return {}; // reported above; a plan would only add errors
        else if constexpr (Part == 0)
            return begin_conversion_search(Target::chip(), Source::value, Destination::value, Bytes * 8,
                                           {ForceShared, Limit});
        else
            return continue_conversion_search(Target::chip(), search<Part - 1>);
    }
    template <int Part>
    static constexpr conversion_search search = find<Part>();
    template <int Part = 0>
    static consteval conversion_plan find_plan()
    {
        if constexpr (search<Part>.is_over())
            return search<Part>.plan;
        else
            return find_plan<Part + 1>();
    }
    static constexpr conversion_plan plan = find_plan();

    static consteval conversion_method method() { return plan.method; }
    static constexpr int sources = Source::num_elements;
    static constexpr int destinations = Destination::num_elements;
    static constexpr bool in_one_wave = plan.sides.source.threads == Target::wave_size;

    static consteval int source_register(int n) { return Source::register_at(Source::step(n)); }
    static consteval int destination_register(int n) { return Destination::register_at(Destination::step(n)); }

    /// Number of the calling thread as the plan counts them.
    static TEGULA_INLINE std::uint32_t thread()
    {
        const auto lane = static_cast<std::uint32_t>(Target::lane_id());
        if constexpr (in_one_wave)
            return lane;
        else
            return static_cast<std::uint32_t>(Target::wave_id()) * Target::wave_size + lane;
    }
};

} // namespace detail
} // namespace tegula
