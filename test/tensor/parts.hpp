#pragma once

#include "vectors.hpp"

/// Parts, transposes and elementwise functions of tiles of random distributions against plain loops over the tile.

/// Transposed, joined to another tile and taken out again, put in its place, combined with it.
template <class Target, class Distribution, int Seed, int... Is>
void check_parts(std::integer_sequence<int, Is...>)
{
    using distribution = Distribution;
    constexpr index_t dim = Seed % distribution::num_x, last = distribution::num_x - 1;
    constexpr index_t n = distribution::x_length(dim);
    INFO("seed " << Seed);
    constexpr int threads =
        distribution::partition_size > Target::wave_size ? distribution::partition_size : Target::wave_size;
    using tile_type = distributed_tensor<int, distribution>;
    using origin = sequence<(Is * 0)...>;
    using middle = sequence<(Is == dim ? n : 0)...>;
    using end = sequence<(distribution::x_length(Is) * (Is == dim ? 2 : 1))...>;
    using turned = decltype(transpose<(last - Is)...>(tile_type{}));
    using twice = decltype(concatenate<dim>(tile_type{}, tile_type{}));
    using half = decltype(slice<middle, end>(twice{}));
    result_of<Target, int, typename turned::distribution> transposed(threads);
    result_of<Target, int, typename half::distribution> taken(threads);
    result_of<Target, int, typename twice::distribution> replaced(threads);
    result_of<Target, int, distribution> differences(threads);
    const auto number = [](long flat) { return static_cast<int>(flat); };
    const auto other_number = [](long flat) { return static_cast<int>(mixed(flat)); };
    run_on<Target>(threads, 0, {}, [&] {
        const auto tile = tile_of<Target, distribution, int>(number);
        const auto other = tile_of<Target, distribution, int>(other_number);
        transposed.keep(transpose<(last - Is)...>(tile));
        auto both = concatenate<dim>(tile, other);
        const auto second = slice<middle, end>(both);
        taken.keep(second);
        insert<origin>(both, second);
        replaced.keep(both);
        differences.keep(elementwise([](int a, int b) { return (a ^ b) >> 1; }, tile, other));
    });
    CHECK(taken.wrong(host_of<typename half::distribution, int>(other_number)) == 0);
    CHECK(differences.wrong(
              host_of<distribution, int>([&](long flat) { return (number(flat) ^ other_number(flat)) >> 1; })) == 0);

    const auto tile = host_of<distribution, int>(number), other = host_of<distribution, int>(other_number);
    auto expected = host_of<typename turned::distribution, int>(number);
    for (long i = 0; i < static_cast<long>(tile.values.size()); ++i) {
        long place = 0;
        for (int d = 0; d <= last; ++d)
            place += i / tile.stride(d) % tile.lengths[static_cast<std::size_t>(d)] * expected.stride(last - d);
        expected.values[static_cast<std::size_t>(place)] = static_cast<int>(i);
    }
    CHECK(transposed.wrong(expected) == 0);
    auto joined = host_of<typename twice::distribution, int>(number);
    for (long i = 0; i < static_cast<long>(joined.values.size()); ++i) {
        const long run = tile.stride(dim) * n; // elements of the tile from one of its slower neighbours to the next
        joined.values[static_cast<std::size_t>(i)] =
            other.values[static_cast<std::size_t>(i / (2 * run) * run + i % run)];
    }
    CHECK(replaced.wrong(joined) == 0);
}

/// Elements in the opposite order, by a region of one lane, from one random distribution to another one; the same tile
/// whole and distributed again.
template <class Target, int Seed>
void check_serial_region()
{
    using from = typename random_tile<Target, Seed>::distribution;
    using to = typename random_tile<Target, Seed>::other_distribution;
    constexpr index_t elements = detail::stride_of<from>(-1);
    INFO("seed " << Seed);
    constexpr int threads = std::max({int{from::partition_size}, int{to::partition_size}, int{Target::wave_size}});
    constexpr index_t scratch = std::max(region_scratch<Target, region_input<int, from>, region_output<int, to>>::bytes,
                                         whole_tile_bytes<Target, int, from>);
    result_of<Target, int, to> mirrored(threads), moved(threads);
    run_on<Target>(threads, scratch, {}, [&] {
        auto tile = tile_of<Target, from, int>([](long flat) { return static_cast<int>(mixed(flat)); });
        mirrored.keep(on_lane0(region_context<Target>{Target::shared_memory()}, in<from>(tile), out<to>(),
                               [](const auto& whole, const auto& result) {
                                   for (index_t i = 0; i < elements; ++i)
                                       result.set_at(whole.at(elements - 1 - i), i);
                               }));
        moved.keep(to_distributed<Target, to>(to_whole<Target>(tile, Target::shared_memory())));
    });
    CHECK(mirrored.wrong(host_of<to, int>([](long i) { return static_cast<int>(mixed(elements - 1 - i)); })) == 0);
    CHECK(moved.wrong(host_of<to, int>([](long i) { return static_cast<int>(mixed(i)); })) == 0);
}

template <class Target, int First, int... Is>
void check_random_parts(std::integer_sequence<int, Is...>)
{
    (check_parts<Target, typename random_tile<Target, First + Is>::distribution, First + Is>(
         std::make_integer_sequence<int, random_tile<Target, First + Is>::distribution::num_x>{}),
     ...);
    (check_serial_region<Target, First + Is>(), ...);
    (check_more_reductions<Target, typename random_tile<Target, First + Is>::distribution, First + Is>(), ...);
}
