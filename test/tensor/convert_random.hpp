#pragma once

#include "support.hpp"
#include "test/conversion/conversion_pairs.hpp"

#include <type_traits>

/// Conversions of random pairs of distributions in kernels: every element is compared, and the plan's conflicts with
/// those that the emulator counts.

template <class Target, int Seed>
struct random_pair
{
    static constexpr conversion_pairs::encoding_pair both =
        conversion_pairs::generator(Seed, 4).pair(Target::wave_size);
    struct source_raw
    {
        static constexpr encoding_value raw = both.source;
    };
    struct destination_raw
    {
        static constexpr encoding_value raw = both.destination;
    };
    using source = tile_distribution<encoding_from<source_raw>>;
    using destination = tile_distribution<encoding_from<destination_raw>>;
};

/// Elements of 1, 2, 4 and 8 bytes by turns.
template <int Seed>
using random_element = std::conditional_t<
    Seed % 4 == 0, std::uint16_t,
    std::conditional_t<Seed % 4 == 1, float, std::conditional_t<Seed % 4 == 2, std::uint8_t, double>>>;

template <class T, int N>
T number_of(const multi_index<N>& x)
{
    int number = 1;
    for (int i = 0; i < N; ++i)
        number = number * 37 + x[i];
    return static_cast<T>(number % 251);
}

template <class Target, class T, class source, class destination, bool ThroughShared>
void check_pair()
{
    using conversion = detail::conversion_of<Target, T, source, destination, ThroughShared, detail::no_limit>;
    constexpr int threads = static_cast<int>(conversion::plan.sides.source.threads);
    constexpr int n = destination::num_registers;
    std::vector<T> got(static_cast<std::size_t>(threads * n));
    constexpr long bytes = conversion_scratch_bytes<Target, T, source, destination, ThroughShared>;
    const auto counted = run_on<Target>(threads, bytes, {}, [&] {
        distributed_tensor<T, source> tile;
        sweep<Target>(tile, [](T& e, const auto& x) { e = number_of<T>(x); });
        const auto changed = [&] {
            if constexpr (ThroughShared)
                return convert_through_shared<Target, destination>(tile, Target::shared_memory());
            else
                return convert<Target, destination>(tile, Target::shared_memory());
        }();
        for (int r = 0; r < n; ++r)
            got[static_cast<std::size_t>(Target::thread_id() * n + r)] = changed[r];
    });
    int wrong = 0;
    for (int t = 0; t < threads; ++t)
        for (int r = 0; r < n; ++r)
            wrong += got[static_cast<std::size_t>(t * n + r)] != number_of<T>(element_held<Target, destination>(t, r));
    INFO(name_of(conversion::method()) << (ThroughShared ? " as asked" : ""));
    CHECK(wrong == 0);
    if (conversion::method() == conversion_method::shared) {
        CHECK(counted.shared_store_conflicts == conversion::plan.staging.store.conflicts);
        CHECK(counted.shared_load_conflicts == conversion::plan.staging.load.conflicts);
        CHECK(counted.shuffles == 0);
    } else {
        CHECK(counted.shared_stores == 0);
        CHECK(counted.shuffles * static_cast<int>((sizeof(T) + 3) / 4) ==
              conversion::plan.shuffles * (threads / Target::wave_size));
    }
}

template <class Target, int Seed, bool ThroughShared>
void check_random_pair()
{
    using pair = random_pair<Target, Seed>;
    INFO("seed " << Seed);
    check_pair<Target, random_element<Seed>, typename pair::source, typename pair::destination, ThroughShared>();
}

template <class Target, int First, int... Is>
void check_random_pairs(std::integer_sequence<int, Is...>)
{
    (check_random_pair<Target, First + Is, (Is % 5 == 4)>(), ...);
}
