#pragma once

#include "host_tile.hpp"
#include "test/conversion/conversion_pairs.hpp"

#include <algorithm>
#include <cmath>

/// Operations on tiles of random distributions against plain loops over the tile.

template <class Target, int Seed>
struct random_tile
{
    struct source
    {
        static constexpr encoding_value raw = conversion_pairs::generator(Seed, 3).pair(Target::wave_size).source;
    };
    using distribution = tile_distribution<encoding_from<source>>;

    /// Another one of a tile of these lengths.
    struct destination
    {
        static constexpr encoding_value raw = conversion_pairs::generator(Seed, 3).pair(Target::wave_size).destination;
    };
    using other_distribution = tile_distribution<encoding_from<destination>>;
};

/// Sums and products of floats with infinities, NaN and zeros of either sign; sums over the outer dimensions of three; rows of
/// a mask as words.
template <class Target, class Distribution, int Seed>
void check_more_reductions()
{
    using distribution = Distribution;
    constexpr index_t dim = Seed % distribution::num_x, last = distribution::num_x - 1;
    constexpr bool has_words = distribution::x_length(dim) <= 64;
    using reduced = reduced_distribution<distribution, dim>;
    using word = detail::ballot_word<distribution, dim>;
    using outer = std::conditional_t<(last > 1), reduced_distribution<distribution, 0, last>, reduced>;
    INFO("seed " << Seed);
    const auto flags = [](long flat) { return mixed(flat + 9) % 3 == 0; };
    constexpr int threads =
        distribution::partition_size > Target::wave_size ? distribution::partition_size : Target::wave_size;
    constexpr index_t scratch = std::max({reduce_scratch_bytes<Target, std::uint64_t, distribution, dim>,
                                          reduce_scratch_bytes<Target, float, distribution, 0, last>});
    result_of<Target, float, reduced> sums(threads), products(threads);
    result_of<Target, float, outer> outer_sums(threads);
    result_of<Target, word, reduced> words(threads);
    run_on<Target>(threads, scratch, {}, [&] {
        std::byte* const memory = Target::shared_memory();
        const auto added = tile_of<Target, distribution, float>(number_to_add);
        sums.keep(reduce<Target, dim>(added, plus{}, memory));
        products.keep(
            reduce<Target, dim>(tile_of<Target, distribution, float>(number_to_multiply), multiplies{}, memory));
        if constexpr (last > 1)
            outer_sums.keep(reduce<Target, 0, last>(added, plus{}, memory));
        if constexpr (has_words)
            words.keep(ballot<Target, dim>(tile_of<Target, distribution, bool>(flags), memory));
    });
    const auto plain_sum = [](float a, float b) { return a + b; };
    const auto added = host_of<distribution, float>(number_to_add);
    CHECK(sums.wrong(host_reduce(added, dim, plain_sum)) == 0);
    CHECK(products.wrong(host_reduce(host_of<distribution, float>(number_to_multiply), dim,
                                     [](float a, float b) { return a * b; })) == 0);
    if constexpr (last > 1)
        CHECK(outer_sums.wrong(host_reduce(host_reduce(added, last, plain_sum), 0, plain_sum)) == 0);
    if constexpr (has_words) {
        const auto mask = host_of<distribution, int>(flags);
        std::vector<long> lengths = mask.lengths;
        lengths.erase(lengths.begin() + dim);
        host_tile<word> expected(lengths);
        std::size_t number = 0;
        for_each_row(mask, dim, [&](const std::vector<int>& row, const auto&) {
            for (std::size_t i = 0; i < row.size(); ++i)
                expected.values[number] |= static_cast<word>(row[i]) << i;
            ++number;
        });
        CHECK(words.wrong(expected) == 0);
    }
}

/// Reductions, arg-max and arg-min, broadcast, votes.
template <class Target, class Distribution, int Seed>
void check_reductions()
{
    using distribution = Distribution;
    constexpr index_t dim = Seed % distribution::num_x;
    using reduced = reduced_distribution<distribution, dim>;
    INFO("seed " << Seed);
    const auto numbers = [](long flat) { return static_cast<int>(mixed(flat)); };
    const auto flags = [](long flat) { return mixed(flat) % 97 == 3; };
    constexpr int threads =
        distribution::partition_size > Target::wave_size ? distribution::partition_size : Target::wave_size;
    constexpr index_t scratch = std::max({reduce_scratch_bytes<Target, int, distribution, dim>,
                                          reduce_scratch_bytes<Target, moments, distribution, dim>,
                                          arg_reduce_scratch_bytes<Target, float, distribution, dim>,
                                          reduce_all_scratch_bytes<Target, int, distribution>});
    result_of<Target, int, reduced> sum(threads), product(threads), least(threads), both(threads), either(threads);
    result_of<Target, moments, reduced> all_moments(threads);
    result_of<Target, float, reduced> lowest(threads), highest(threads);
    result_of<Target, indexed<float>, reduced> first(threads), last(threads);
    result_of<Target, int, distribution> spread(threads);
    std::vector<int> votes(static_cast<std::size_t>(threads));
    run_on<Target>(threads, scratch, {}, [&] {
        std::byte* const memory = Target::shared_memory();
        const auto tile = tile_of<Target, distribution, int>(numbers);
        const auto total = reduce<Target, dim>(tile, plus{}, memory);
        sum.keep(total);
        spread.keep(broadcast<distribution, dim>(total));
        product.keep(reduce<Target, dim>(
            tile, [](int a, int b) { return static_cast<int>(static_cast<unsigned>(a) * static_cast<unsigned>(b)); },
            memory));
        least.keep(reduce<Target, dim>(tile, minimum{}, memory));
        both.keep(reduce<Target, dim>(tile, bit_and{}, memory));
        either.keep(reduce<Target, dim>(tile, bit_or{}, memory));
        all_moments.keep(reduce<Target, dim>(tile_of<Target, distribution, moments>(one_moment), add_moments, memory));
        const auto reals = tile_of<Target, distribution, float>(special_number);
        lowest.keep(reduce<Target, dim>(reals, minimum{}, memory));
        highest.keep(reduce<Target, dim>(reals, maximum{}, memory));
        first.keep(arg_max<Target, dim>(reals, memory));
        last.keep(arg_min<Target, dim>(reals, memory));
        const auto mask = tile_of<Target, distribution, bool>(flags);
        const bool some = any_true<Target>(mask, memory), every = all_true<Target>(mask, memory);
        votes[static_cast<std::size_t>(Target::thread_id())] = count<Target>(mask, memory) * 4 + some * 2 + every;
    });

    const auto tile = host_of<distribution, int>(numbers);
    const auto wrapping = [](auto op) {
        return [op](int a, int b) { return static_cast<int>(op(static_cast<unsigned>(a), static_cast<unsigned>(b))); };
    };
    const auto total = host_reduce(tile, dim, wrapping([](unsigned a, unsigned b) { return a + b; }));
    CHECK(sum.wrong(total) == 0);
    CHECK(product.wrong(host_reduce(tile, dim, wrapping([](unsigned a, unsigned b) { return a * b; }))) == 0);
    CHECK(least.wrong(host_reduce(tile, dim, [](int a, int b) { return std::min(a, b); })) == 0);
    CHECK(both.wrong(host_reduce(tile, dim, wrapping([](unsigned a, unsigned b) { return a & b; }))) == 0);
    CHECK(either.wrong(host_reduce(tile, dim, wrapping([](unsigned a, unsigned b) { return a | b; }))) == 0);
    CHECK(all_moments.wrong(host_reduce(host_of<distribution, moments>(one_moment), dim, add_moments)) == 0);
    host_tile<int> rows = tile;
    std::size_t row_number = 0;
    for_each_row(tile, dim, [&](const auto&, const auto& places) {
        for (std::size_t place : places)
            rows.values[place] = total.values[row_number];
        ++row_number;
    });
    CHECK(spread.wrong(rows) == 0);

    // By the sentences of IEEE 754-2019 and of NumPy, not by the library's own operations.
    const auto reals = host_of<distribution, float>(special_number);
    std::vector<long> lengths = reals.lengths;
    lengths.erase(lengths.begin() + dim);
    host_tile<float> low(lengths), high(lengths);
    host_tile<indexed<float>> arg_high(lengths), arg_low(lengths);
    row_number = 0;
    for_each_row(reals, dim, [&](const std::vector<float>& row, const auto&) {
        const auto nan = std::find_if(row.begin(), row.end(), [](float x) { return std::isnan(x); });
        const auto below = [](float a, float b) { return a < b || (a == b && std::signbit(a) && !std::signbit(b)); };
        const auto lesser = [](float a, float b) { return a < b; };
        auto least_one = std::min_element(row.begin(), row.end(), below), least_arg = least_one;
        auto most_one = std::max_element(row.begin(), row.end(), below), most_arg = most_one;
        if (nan != row.end())
            least_one = most_one = least_arg = most_arg = nan;
        else {
            least_arg = std::min_element(row.begin(), row.end(), lesser);
            most_arg = std::max_element(row.begin(), row.end(), lesser);
        }
        low.values[row_number] = *least_one;
        high.values[row_number] = *most_one;
        arg_low.values[row_number] = {*least_arg, static_cast<index_t>(least_arg - row.begin())};
        arg_high.values[row_number++] = {*most_arg, static_cast<index_t>(most_arg - row.begin())};
    });
    CHECK(lowest.wrong(low) == 0);
    CHECK(highest.wrong(high) == 0);
    CHECK(first.wrong(arg_high) == 0);
    CHECK(last.wrong(arg_low) == 0);

    int set = 0;
    for (long i = 0; i < static_cast<long>(tile.values.size()); ++i)
        set += flags(i);
    for (int vote : votes)
        REQUIRE(vote == set * 4 + (set > 0) * 2 + (set == static_cast<int>(tile.values.size())));
}

/// Scans of every kind along one dimension.
template <class Target, class Distribution, int Seed>
void check_scans()
{
    using distribution = Distribution;
    constexpr index_t dim = (Seed + 1) % distribution::num_x;
    INFO("seed " << Seed);
    constexpr int threads =
        distribution::partition_size > Target::wave_size ? distribution::partition_size : Target::wave_size;
    constexpr index_t scratch = std::max(scan_scratch_bytes<Target, affine, distribution, dim>,
                                         segmented_scan_scratch_bytes<Target, affine, distribution, dim>);
    result_of<Target, affine, distribution> inclusive(threads), exclusive(threads), segments(threads), before(threads);
    result_of<Target, float, distribution> sums(threads);
    constexpr affine identity{1, 0};
    const auto reals = number_to_add; // -0 shows an identity that is not one
    run_on<Target>(threads, scratch, {}, [&] {
        std::byte* const memory = Target::shared_memory();
        const auto tile = tile_of<Target, distribution, affine>(affine_number);
        const auto starts = tile_of<Target, distribution, bool>(starts_segment);
        inclusive.keep(inclusive_scan<Target, dim>(tile, compose, memory));
        exclusive.keep(exclusive_scan<Target, dim>(tile, compose, identity, memory));
        segments.keep(segmented_inclusive_scan<Target, dim>(tile, starts, compose, memory));
        before.keep(segmented_exclusive_scan<Target, dim>(tile, starts, compose, identity, memory));
        sums.keep(inclusive_scan<Target, dim>(tile_of<Target, distribution, float>(reals), plus{}, memory));
    });
    const auto tile = host_of<distribution, affine>(affine_number);
    host_tile<affine> up_to = tile, until = tile, segment = tile, segment_before = tile;
    for_each_row(tile, dim, [&](const std::vector<affine>& row, const std::vector<std::size_t>& places) {
        affine all = identity, own = identity;
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (starts_segment(static_cast<long>(places[i])))
                own = identity;
            until.values[places[i]] = all;
            segment_before.values[places[i]] = own;
            all = compose(all, row[i]);
            own = compose(own, row[i]);
            up_to.values[places[i]] = all;
            segment.values[places[i]] = own;
        }
    });
    CHECK(inclusive.wrong(up_to) == 0);
    CHECK(exclusive.wrong(until) == 0);
    CHECK(segments.wrong(segment) == 0);
    CHECK(before.wrong(segment_before) == 0);
    const auto numbers = host_of<distribution, float>(reals);
    host_tile<float> summed = numbers;
    for_each_row(numbers, dim, [&](const std::vector<float>& row, const std::vector<std::size_t>& places) {
        float all = row[0];
        for (std::size_t i = 0; i < row.size(); ++i)
            summed.values[places[i]] = all = i == 0 ? all : all + row[i];
    });
    CHECK(sums.wrong(summed) == 0);
}

/// Sort and top-k of each row.
template <class Target, class Distribution, int Seed>
void check_sorts()
{
    using distribution = Distribution;
    constexpr index_t dim = Seed % distribution::num_x;
    constexpr int k = distribution::x_length(dim) < 3 ? distribution::x_length(dim) : 3;
    using reduced = reduced_distribution<distribution, dim>;
    INFO("seed " << Seed);
    constexpr int threads =
        distribution::partition_size > Target::wave_size ? distribution::partition_size : Target::wave_size;
    constexpr index_t scratch = std::max(sort_scratch_bytes<Target, indexed<float>, distribution, dim>,
                                         arg_reduce_scratch_bytes<Target, float, distribution, dim>);
    result_of<Target, indexed<float>, distribution> sorted(threads);
    std::vector<result_of<Target, indexed<float>, reduced>> largest(
        k, result_of<Target, indexed<float>, reduced>(threads));
    run_on<Target>(threads, scratch, {}, [&] {
        std::byte* const memory = Target::shared_memory();
        const auto tile = tile_of<Target, distribution, float>(special_number);
        auto pairs = with_index<Target, dim>(tile);
        sort<Target, dim>(pairs, smallest_first{}, memory);
        sorted.keep(pairs);
        const auto top = top_k<Target, k, dim>(tile, memory);
        for (int i = 0; i < k; ++i)
            largest[static_cast<std::size_t>(i)].keep(top[i]);
    });
    const auto tile = host_of<distribution, float>(special_number);
    host_tile<indexed<float>> ascending(tile.lengths);
    std::vector<long> lengths = tile.lengths;
    lengths.erase(lengths.begin() + dim);
    std::vector<host_tile<indexed<float>>> top(k, host_tile<indexed<float>>(lengths));
    std::size_t number = 0;
    for_each_row(tile, dim, [&](const std::vector<float>& row, const std::vector<std::size_t>& places) {
        std::vector<index_t> order(row.size());
        for (std::size_t i = 0; i < row.size(); ++i)
            order[i] = static_cast<index_t>(i);
        const auto by = [&](auto ahead) {
            std::stable_sort(order.begin(), order.end(), [&](index_t i, index_t j) {
                const float a = row[static_cast<std::size_t>(i)], b = row[static_cast<std::size_t>(j)];
                return std::isnan(a) ? !std::isnan(b) : ahead(a, b);
            });
        };
        by([](float a, float b) { return a < b; });
        for (std::size_t i = 0; i < row.size(); ++i)
            ascending.values[places[i]] = {row[static_cast<std::size_t>(order[i])], order[i]};
        std::sort(order.begin(), order.end());
        by([](float a, float b) { return a > b; });
        for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i)
            top[i].values[number] = {row[static_cast<std::size_t>(order[i])], order[i]};
        ++number;
    });
    CHECK(sorted.wrong(ascending) == 0);
    for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i)
        CHECK(largest[i].wrong(top[i]) == 0);
}

/// Tiles of indices, masks, transposes and shape casts.
template <class Target, class Distribution, int Seed>
void check_rearrangements()
{
    using distribution = Distribution;
    constexpr index_t dim = Seed % distribution::num_x;
    constexpr index_t elements = detail::stride_of<distribution>(-1);
    const std::vector<long> lengths = lengths_of<distribution>();
    INFO("seed " << Seed);
    constexpr int threads =
        distribution::partition_size > Target::wave_size ? distribution::partition_size : Target::wave_size;
    const auto numbers = [](long flat) { return static_cast<int>(flat); };
    using line = decltype(shape_cast<elements>(distributed_tensor<int, distribution>{}));
    using twice =
        decltype(concatenate<dim>(distributed_tensor<int, distribution>{}, distributed_tensor<int, distribution>{}));
    result_of<Target, int, distribution> indices(threads), masked(threads);
    result_of<Target, int, typename line::distribution> flat(threads);
    result_of<Target, int, typename twice::distribution> joined(threads);
    multi_index<distribution::num_x> limits{};
    for (int i = 0; i < distribution::num_x; ++i)
        limits[i] =
            static_cast<index_t>(mixed(Seed + i) % (static_cast<unsigned>(lengths[static_cast<std::size_t>(i)]) + 1));
    run_on<Target>(threads, 0, {}, [&] {
        const auto tile = tile_of<Target, distribution, int>(numbers);
        indices.keep(step<Target, distribution, dim, int>(5));
        masked.keep(select(create_mask<Target, distribution>(limits), tile, -1));
        flat.keep(shape_cast<elements>(tile));
        const auto other = tile_of<Target, distribution, int>([](long at) { return -static_cast<int>(at); });
        joined.keep(concatenate<dim>(tile, other));
    });
    const auto tile = host_of<distribution, int>(numbers);
    host_tile<int> steps = tile, mask = tile;
    host_tile<int> both = host_of<typename twice::distribution, int>(numbers);
    for (long i = 0; i < elements; ++i) {
        long rest = i, place = 0, scale = 1;
        bool inside = true;
        for (int d = distribution::num_x - 1; d >= 0; --d) {
            const long n = lengths[static_cast<std::size_t>(d)], x = rest % n;
            rest /= n;
            inside &= x < limits[d];
            if (d == dim)
                steps.values[static_cast<std::size_t>(i)] = static_cast<int>(x) + 5;
            place += x * scale;
            scale *= d == dim ? 2 * n : n;
        }
        if (!inside)
            mask.values[static_cast<std::size_t>(i)] = -1;
        both.values[static_cast<std::size_t>(place)] = static_cast<int>(i);
        both.values[static_cast<std::size_t>(place + tile.stride(dim) * lengths[static_cast<std::size_t>(dim)])] =
            -static_cast<int>(i);
    }
    CHECK(indices.wrong(steps) == 0);
    CHECK(masked.wrong(mask) == 0);
    CHECK(flat.wrong(host_of<typename line::distribution, int>(numbers)) == 0);
    CHECK(joined.wrong(both) == 0);
}

template <class Target, class Distribution, int Seed>
void check_vector()
{
    check_reductions<Target, Distribution, Seed>();
    check_scans<Target, Distribution, Seed>();
    if constexpr (Seed % 2 == 0)
        check_sorts<Target, Distribution, Seed>();
    else
        check_rearrangements<Target, Distribution, Seed>();
}

/// Digits of many positions, which the random distributions have none of: lanes along a row, threads of several waves
/// along a row, lanes down the rows.
template <class Target>
void check_long_digits()
{
    constexpr index_t w = Target::wave_size;
    check_vector<Target, row_vectors<w, 3, 16, 4>, 2>(); // scans along the rows
    check_vector<Target,
                 tile_distribution<
                     tile_distribution_encoding<sequence<>, tuple<sequence<2>, sequence<3 * w, 2>>, tuple<sequence<2>>,
                                                tuple<sequence<0>>, sequence<1, 2>, sequence<0, 1>>>,
                 4>();
    check_scans<Target, row_vectors<w, 1, 16, 2>, 3>();
    check_scans<Target, column_vectors<w, 2, 3>, 3>();
}

template <class Target, int First, int... Is>
void check_random_vectors(std::integer_sequence<int, Is...>)
{
    (check_vector<Target, typename random_tile<Target, First + Is>::distribution, First + Is>(), ...);
}
