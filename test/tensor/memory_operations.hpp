#pragma once

#include "vectors.hpp"

/// Masked, permuted, broadcast and atomic accesses of tiles of random distributions, on a view that ends before the tile
/// does, against plain loops over the tile.

/// The tile's lengths, one row less if it has several.
template <class Distribution, int... Is>
auto shorter_descriptor(std::integer_sequence<int, Is...>)
{
    return make_packed_descriptor(
        sequence<(Distribution::x_length(Is) - (Is == 0 && Distribution::x_length(0) > 1 ? 1 : 0))...>{});
}
template <class Distribution>
auto shorter_descriptor()
{
    return shorter_descriptor<Distribution>(std::make_integer_sequence<int, Distribution::num_x>{});
}
/// Elements of the view: the first of the tile's, as only the slowest dimension is shorter.
template <class Distribution>
constexpr long view_elements()
{
    constexpr long rows = Distribution::x_length(0), all = detail::stride_of<Distribution>(-1);
    return rows > 1 ? all / rows * (rows - 1) : all;
}
template <class Distribution>
multi_index<Distribution::num_x> zero_origin()
{
    return {};
}

inline bool is_masked_in(long flat) { return mixed(flat + 31) % 4 != 0; }

template <class Target, class Distribution, int Seed>
void check_masks()
{
    using distribution = Distribution;
    constexpr long elements = detail::stride_of<distribution>(-1), inside = view_elements<distribution>();
    constexpr int threads =
        distribution::partition_size > Target::wave_size ? distribution::partition_size : Target::wave_size;
    INFO("seed " << Seed);
    auto from = counted_array<int>(inside);
    guarded_array<int> to(inside, -7), all(inside, -7);
    result_of<Target, int, distribution> loaded(threads);
    emulator::memory_ranges memory;
    memory.read(from.data(), from.size_bytes(), "from");
    memory.write(to.data(), to.size_bytes(), "to").write(all.data(), all.size_bytes(), "all");
    run_on<Target>(threads, 0, memory, [&] {
        const auto window_of = [](auto* data) {
            return make_tile_window<distribution>(
                make_tensor_view<Target, address_space::global>(data, shorter_descriptor<distribution>()),
                zero_origin<distribution>());
        };
        const auto mask = tile_of<Target, distribution, bool>(is_masked_in);
        const auto tile = tile_of<Target, distribution, int>([](long flat) { return static_cast<int>(3 * flat); });
        loaded.keep(masked_load(window_of(static_cast<const int*>(from.data())), mask, -1));
        masked_store(window_of(to.data()), tile, mask);
        masked_store(window_of(all.data()), tile, make_distributed_tensor<bool, distribution>(true));
    });
    CHECK(loaded.wrong(host_of<distribution, int>(
              [](long flat) { return flat < inside && is_masked_in(flat) ? static_cast<int>(flat) : -1; })) == 0);
    int bad = 0;
    for (long i = 0; i < inside; ++i)
        bad += to[i] != (is_masked_in(i) ? static_cast<int>(3 * i) : -7) || all[i] != static_cast<int>(3 * i);
    CHECK(bad == 0);
    CHECK((to.guards_are_intact() && all.guards_are_intact() && elements >= inside));
}

/// Tiles read from and written to memory whose dimensions are in the other order, with a gap behind the slowest; what is
/// read is the same along one dimension. One row of the tile is outside.
template <class Target, class Distribution, int Seed, int... Is>
void check_transfers(std::integer_sequence<int, Is...>)
{
    using distribution = Distribution;
    constexpr index_t repeated = Seed % distribution::num_x;
    constexpr int threads =
        distribution::partition_size > Target::wave_size ? distribution::partition_size : Target::wave_size;
    INFO("seed " << Seed);
    const std::vector<long> lengths = lengths_of<distribution>();
    long strides[distribution::num_x], size = 1;
    for (int d = 0; d < distribution::num_x; ++d) {
        strides[d] = size;
        size *= lengths[static_cast<std::size_t>(d)];
    }
    strides[distribution::num_x - 1] += 5;
    size += 5 * lengths.back();
    const auto place_of = [&](long flat, bool spread) { // -1 outside
        long place = 0;
        for (int d = distribution::num_x - 1; d >= 0; --d) {
            const long n = lengths[static_cast<std::size_t>(d)], x = flat % n;
            flat /= n;
            if (d == 0 && n > 1 && x == n - 1)
                return -1L;
            place += spread && d == repeated ? 0 : x * strides[d];
        }
        return place;
    };
    auto from = counted_array<int>(size);
    guarded_array<int> to(size, -7);
    result_of<Target, int, distribution> loaded(threads);
    emulator::memory_ranges memory;
    memory.read(from.data(), from.size_bytes(), "from").write(to.data(), to.size_bytes(), "to");
    run_on<Target>(threads, 0, memory, [&] {
        const auto window_of = [&](auto* data, bool spread) {
            return make_tile_window<distribution>(
                make_tensor_view<Target, address_space::global>(
                    data, make_strided_descriptor(
                              make_tuple((distribution::x_length(Is) - (Is == 0 && distribution::x_length(0) > 1))...),
                              make_tuple((spread && Is == repeated ? long_index_t{0} : long_index_t{strides[Is]})...))),
                zero_origin<distribution>());
        };
        loaded.keep(load(window_of(static_cast<const int*>(from.data()), true), -1));
        store(window_of(to.data(), false),
              tile_of<Target, distribution, int>([](long flat) { return static_cast<int>(flat) + 1; }));
    });
    CHECK(loaded.wrong(host_of<distribution, int>([&](long flat) {
        const long place = place_of(flat, true);
        return place < 0 ? -1 : static_cast<int>(place);
    })) == 0);
    std::vector<int> expected(static_cast<std::size_t>(size), -7);
    for (long i = 0; i < detail::stride_of<distribution>(-1); ++i)
        if (const long place = place_of(i, false); place >= 0)
            expected[static_cast<std::size_t>(place)] = static_cast<int>(i) + 1;
    int bad = 0;
    for (long i = 0; i < size; ++i)
        bad += to[i] != expected[static_cast<std::size_t>(i)];
    CHECK(bad == 0);
    CHECK(to.guards_are_intact());
}

/// The steps of an element: every atomic operation in turn.
template <class T>
struct atomic_steps
{
    static T start(long flat) { return number(flat); }
    static T addend(long flat) { return static_cast<T>(mixed(flat + 5) % 1000); }
    static T limit(long flat) { return special(flat + 6); }
    static T swapped(long flat) { return static_cast<T>(flat * 7 - 3); }
    static T least(long flat) { return special(flat + 8); }
    /// Right for two elements of three, if they are numbers.
    static T guess(long flat)
    {
        const T held = largest(swapped(flat), least(flat));
        return flat % 3 == 0 || held != held ? T{12345} : held;
    }

    /// By the sentences of IEEE 754-2019: NaN if one is NaN, and -0 is below 0.
    static T smallest(T a, T b) { return a != a || b != b ? static_cast<T>(a + b) : is_below(b, a) ? b : a; }
    static T largest(T a, T b) { return a != a || b != b ? static_cast<T>(a + b) : is_below(a, b) ? b : a; }

private:
    static bool is_below(T a, T b)
    {
        if constexpr (std::is_floating_point_v<T>)
            return a < b || (a == b && std::signbit(a) && !std::signbit(b));
        else
            return a < b;
    }
    /// Zeros of both signs and infinities among floating-point numbers; and NaN.
    static T special(long flat)
    {
        if constexpr (std::is_floating_point_v<T>)
            return static_cast<T>(special_number(flat));
        else
            return static_cast<T>(mixed(flat));
    }
    static T number(long flat)
    {
        const T x = special(flat);
        return x == x ? x : T{3};
    }
};

/// The values before each operation and the last one, by plain statements.
template <class T>
std::array<T, 6> atomic_history(long flat)
{
    using steps = atomic_steps<T>;
    std::array<T, 6> h{};
    h[0] = steps::start(flat);
    if constexpr (std::is_integral_v<T>)
        h[1] = static_cast<T>(static_cast<std::make_unsigned_t<T>>(h[0]) +
                              static_cast<std::make_unsigned_t<T>>(steps::addend(flat)));
    else
        h[1] = h[0] + steps::addend(flat);
    h[2] = steps::smallest(h[1], steps::limit(flat));
    h[3] = steps::swapped(flat); // exchanged
    h[4] = steps::largest(h[3], steps::least(flat));
    h[5] = same_bits(h[4], steps::guess(flat)) ? steps::addend(flat) : h[4];
    return h;
}

template <class Target, class Distribution, class T, class Window>
void run_atomics(const Window& window, std::vector<result_of<Target, T, Distribution>>& before, std::byte* scratch)
{
    using steps = atomic_steps<T>;
    const auto make = [](auto f) { return tile_of<Target, Distribution, T>(f); };
    before[0].keep(atomic_update<atomic_op::add>(window, make(steps::addend), scratch));
    before[1].keep(atomic_update<atomic_op::min>(window, make(steps::limit), scratch));
    before[2].keep(atomic_update<atomic_op::exchange>(window, make(steps::swapped), scratch));
    before[3].keep(atomic_update<atomic_op::max>(window, make(steps::least), scratch));
    before[4].keep(atomic_compare_exchange(window, make(steps::guess), make(steps::addend), scratch));
}

/// All operations on the elements of a tile, in global and in shared memory.
template <class Target, class Distribution, class T, int Seed>
void check_atomics()
{
    using distribution = Distribution;
    constexpr long inside = view_elements<distribution>();
    constexpr int threads =
        distribution::partition_size > Target::wave_size ? distribution::partition_size : Target::wave_size;
    constexpr index_t bytes = static_cast<index_t>((inside * sizeof(T) + 127) / 128 * 128);
    const auto global_window = [](T* data) {
        return make_tile_window<distribution>(
            make_tensor_view<Target, address_space::global>(data, shorter_descriptor<distribution>()),
            zero_origin<distribution>());
    };
    constexpr index_t scratch = atomic_scratch_bytes<decltype(global_window(nullptr))>;
    INFO("seed " << Seed);
    guarded_array<T> global(inside);
    for (long i = 0; i < inside; ++i)
        global[i] = atomic_steps<T>::start(i);
    std::vector<result_of<Target, T, distribution>> of_global(5, result_of<Target, T, distribution>(threads));
    auto of_shared = of_global;
    guarded_array<T> copied(inside);
    emulator::memory_ranges memory;
    memory.write(global.data(), global.size_bytes(), "global").write(copied.data(), copied.size_bytes(), "copied");
    run_on<Target>(threads, bytes + scratch, memory, [&] {
        std::byte* const room = Target::shared_memory();
        run_atomics<Target, distribution, T>(global_window(global.data()), of_global, room + bytes);
    });
    const auto expected = [](int step) {
        return host_of<distribution, T>([step](long flat) {
            return flat < inside ? atomic_history<T>(flat)[static_cast<std::size_t>(step)] : T{};
        });
    };
    int bad = 0;
    for (long i = 0; i < inside; ++i)
        bad += !same_bits(global[i], atomic_history<T>(i)[5]);
    CHECK(bad == 0);
    for (int step = 0; step < 5; ++step)
        CHECK(of_global[static_cast<std::size_t>(step)].wrong(expected(step)) == 0);
    CHECK(global.guards_are_intact());

    // In shared memory the whole tile is there: a window does not look for the end of its view.
    constexpr long whole = detail::stride_of<distribution>(-1);
    constexpr index_t whole_bytes = static_cast<index_t>((whole * sizeof(T) + 127) / 128 * 128);
    run_on<Target>(threads, whole_bytes + scratch, memory, [&] {
        std::byte* const room = Target::shared_memory();
        T* const values = reinterpret_cast<T*>(room);
        const auto window = [&]<int... Is>(std::integer_sequence<int, Is...>) {
            return make_tile_window<distribution>(
                make_tensor_view<Target, address_space::shared>(
                    values, make_packed_descriptor(sequence<distribution::x_length(Is)...>{})),
                zero_origin<distribution>());
        }(std::make_integer_sequence<int, distribution::num_x>{});
        store(window, tile_of<Target, distribution, T>(atomic_steps<T>::start));
        Target::block_barrier();
        run_atomics<Target, distribution, T>(window, of_shared, room + whole_bytes);
    });
    for (int step = 0; step < 5; ++step)
        CHECK(of_shared[static_cast<std::size_t>(step)].wrong(host_of<distribution, T>(
                  [step](long flat) { return atomic_history<T>(flat)[static_cast<std::size_t>(step)]; })) == 0);
}

/// table[index...] read and written element by element, by indices that leave the view, of a line or of rows of 7.
template <class Target, class Distribution, int Seed>
void check_gathers()
{
    using distribution = Distribution;
    constexpr long elements = detail::stride_of<distribution>(-1);
    constexpr int threads =
        distribution::partition_size > Target::wave_size ? distribution::partition_size : Target::wave_size;
    INFO("seed " << Seed);
    constexpr index_t num_rows = (elements + 6) / 7;
    constexpr long room = num_rows * 7;
    using row_count = constant<num_rows>;
    auto table = counted_array<int>(room);
    guarded_array<int> scattered(room, -1);
    const auto shuffled = [](long flat) { return static_cast<int>((flat * 11 + Seed) % (elements + 9)); };
    const auto mirrored = [](long flat) {
        return static_cast<int>(elements - 1 - flat - (flat % 5 == 0 ? elements : 0));
    };
    guarded_array<int> sums(room, 0);
    const auto shared_place = [](long flat) { return static_cast<int>((flat * 7 + Seed) % (elements / 3 + 2)); };
    const auto row_of = [](auto place) { return [=](long flat) { return place(flat) < 0 ? -1 : place(flat) / 7; }; };
    const auto column_of = [](auto place) { return [=](long flat) { return place(flat) < 0 ? 3 : place(flat) % 7; }; };
    result_of<Target, int, distribution> gathered(threads), of_rows(threads);
    emulator::memory_ranges memory;
    memory.read(table.data(), table.size_bytes(), "table").write(scattered.data(), scattered.size_bytes(), "scattered");
    memory.write(sums.data(), sums.size_bytes(), "sums");
    run_on<Target>(threads, 0, memory, [&] {
        const auto line = make_packed_descriptor(sequence<elements>{});
        gathered.keep(
            gather(make_tensor_view<Target, address_space::global>(static_cast<const int*>(table.data()), line), -5,
                   tile_of<Target, distribution, int>(shuffled)));
        // The view of rows has the whole ones and 5 columns.
        const auto rows = [](auto* data, auto width) {
            return make_tensor_view<Target, address_space::global>(
                data,
                make_strided_descriptor(make_tuple(row_count{}, width), make_tuple(constant<7>{}, constant<1>{})));
        };
        const auto tile_from = [](auto make) { return tile_of<Target, distribution, int>(make); };
        of_rows.keep(gather(rows(static_cast<const int*>(table.data()), constant<5>{}), -5, tile_from(row_of(shuffled)),
                            tile_from(column_of(shuffled))));
        scatter(rows(scattered.data(), constant<7>{}), tile_from([](long flat) { return static_cast<int>(flat); }),
                tile_from(row_of(mirrored)), tile_from(column_of(mirrored)));
        scatter_add(rows(sums.data(), constant<5>{}), tile_from([](long flat) { return static_cast<int>(flat) - 2; }),
                    tile_from(row_of(shared_place)), tile_from(column_of(shared_place)));
    });
    CHECK(of_rows.wrong(host_of<distribution, int>([&](long flat) {
        return shuffled(flat) / 7 < (elements + 6) / 7 && shuffled(flat) % 7 < 5 ? shuffled(flat) : -5;
    })) == 0);
    CHECK(gathered.wrong(host_of<distribution, int>(
              [&](long flat) { return shuffled(flat) < elements ? shuffled(flat) : -5; })) == 0);
    int bad = 0;
    for (long i = 0; i < elements; ++i)
        bad += scattered[elements - 1 - i] != (i % 5 == 0 ? -1 : static_cast<int>(i));
    CHECK(bad == 0);
    std::vector<int> expected(static_cast<std::size_t>(room));
    for (long i = 0; i < elements; ++i)
        if (const int at = shared_place(i); at % 7 < 5)
            expected[static_cast<std::size_t>(at)] += static_cast<int>(i) - 2;
    CHECK(std::equal(expected.begin(), expected.end(), sums.data()));
    CHECK(sums.guards_are_intact());
}

/// The random tile with a last digit of two neighbours in a lane.
template <class Target, int Seed>
struct random_tile_of_pairs
{
    struct source
    {
        static constexpr encoding_value raw = [] {
            encoding_value e = random_tile<Target, Seed>::source::raw;
            const int last = e.hs.size() - 1;
            e.hs[last].push_back(2);
            e.ys.push_back({last + 1, e.hs[last].size() - 1});
            return e;
        }();
    };
    using distribution = tile_distribution<encoding_from<source>>;
};

/// Elements of 16 bits added twice, in pairs, to global and to shared memory. Whole numbers, which add up exactly.
template <class Target, class T, int Seed>
void check_pair_additions()
{
    using distribution = typename random_tile_of_pairs<Target, Seed>::distribution;
    constexpr long inside = view_elements<distribution>(), whole = detail::stride_of<distribution>(-1);
    constexpr int threads =
        distribution::partition_size > Target::wave_size ? distribution::partition_size : Target::wave_size;
    constexpr bool in_shared = detail::adds_pairs<T>(Target::chip(), true);
    INFO("seed " << Seed);
    const auto start = [](long flat) { return convert<T>(static_cast<float>(mixed(flat) % 9)); };
    const auto addend = [](long flat) { return convert<T>(static_cast<float>(mixed(flat + 3) % 17) - 8.0f); };
    const auto total = [&](long flat) {
        return convert<T>(static_cast<float>(start(flat)) + 2 * static_cast<float>(addend(flat)));
    };
    guarded_array<T> sums(inside + inside % 2); // the other half of a pair belongs to the tensor
    for (long i = 0; i < sums.size(); ++i)
        sums[i] = start(i);
    result_of<Target, T, distribution> shared_sums(threads);
    emulator::memory_ranges memory;
    memory.write(sums.data(), sums.size_bytes(), "sums");
    run_on<Target>(threads, in_shared ? (whole * 2 + 127) / 128 * 128 : 0, memory, [&] {
        const auto window_of = [](const auto& view) {
            return make_tile_window<distribution>(view, zero_origin<distribution>());
        };
        const auto tile = tile_of<Target, distribution, T>(addend);
        const auto to =
            window_of(make_tensor_view<Target, address_space::global>(sums.data(), shorter_descriptor<distribution>()));
        atomic_add(to, tile);
        atomic_add(to, tile);
        if constexpr (in_shared) {
            const auto all = [&]<int... Is>(std::integer_sequence<int, Is...>) {
                return make_packed_descriptor(sequence<distribution::x_length(Is)...>{});
            }(std::make_integer_sequence<int, distribution::num_x>{});
            const auto here = window_of(
                make_tensor_view<Target, address_space::shared>(reinterpret_cast<T*>(Target::shared_memory()), all));
            store(here, tile_of<Target, distribution, T>(start));
            Target::block_barrier();
            atomic_add(here, tile);
            atomic_add(here, tile);
            Target::block_barrier();
            shared_sums.keep(load(here));
        }
    });
    int bad = 0;
    for (long i = 0; i < sums.size(); ++i)
        bad += !same_bits(sums[i], i < inside ? total(i) : start(i));
    CHECK(bad == 0);
    CHECK(sums.guards_are_intact());
    if (in_shared)
        CHECK(shared_sums.wrong(host_of<distribution, T>(total)) == 0);
}

/// T: what atomic operations change.
template <class Target, class T, int Seed>
void check_memory()
{
    using distribution = typename random_tile<Target, Seed>::distribution;
    check_masks<Target, distribution, Seed>();
    check_transfers<Target, distribution, Seed>(std::make_integer_sequence<int, distribution::num_x>{});
    check_gathers<Target, distribution, Seed>();
    check_atomics<Target, distribution, T, Seed>();
    check_atomics<Target, distribution, std::conditional_t<sizeof(T) == 8, double, float>, Seed>();
    // RDNA3 adds no pairs.
    if constexpr (detail::adds_pairs<half>(Target::chip(), false)) {
        constexpr bool bf16 = Seed % 2 == 1 && detail::adds_pairs<bfloat16>(Target::chip(), false);
        check_pair_additions<Target, std::conditional_t<bf16, bfloat16, half>, Seed>();
    }
}
template <class Target, int First, int... Is>
void check_random_memory(std::integer_sequence<int, Is...>)
{
    (check_memory<Target, std::conditional_t<Is % 2 == 0, int, std::uint64_t>, First + Is>(), ...);
}
template <class Target, class T, int First, int... Is>
void check_random_pair_additions(std::integer_sequence<int, Is...>)
{
    (check_pair_additions<Target, T, First + Is>(), ...);
}
