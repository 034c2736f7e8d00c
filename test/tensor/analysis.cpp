// The analysis of an encoding and the emulator count the same sectors of global accesses and bank conflicts.
#include "support.hpp"

#include <tegula/drawing/analysis.hpp>

namespace {

constexpr index_t pitch = 256; // elements from row to row of the tensor in global memory: whole sectors

template <index_t W>
using thread_rows =
    tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<2, W / 4>, sequence<4, 8>>,
                                                 tuple<sequence<1>, sequence<1, 2>>, tuple<sequence<0>, sequence<1, 0>>,
                                                 sequence<2>, sequence<1>>>;

template <index_t W>
using replicated_rows = tile_distribution<tile_distribution_encoding<
    sequence<2, 2>, tuple<sequence<256 / W, W / 16>, sequence<8, 4>>, tuple<sequence<0>, sequence<1, 0, 2>>,
    tuple<sequence<0>, sequence<1, 1, 0>>, sequence<1, 2>, sequence<0, 1>>>;

/// Five lanes of a row hold three neighbours each: accesses that begin anywhere in a sector.
template <index_t W>
using odd_rows = tile_distribution<
    tile_distribution_encoding<sequence<>, tuple<sequence<2, 2>, sequence<W, 3>>, tuple<sequence<1>, sequence<2>>,
                               tuple<sequence<0>, sequence<0>>, sequence<1, 2>, sequence<1, 1>>>;

/// Copies a tile from global to shared memory, rows `shared_pitch` elements apart, with every access counted.
template <class Target, class T, class Distribution>
emulator::counters count_copy(index_t shared_pitch)
{
    constexpr multi_index<2> lengths{Distribution::x_length(0), Distribution::x_length(1)};
    guarded_array<T> data(lengths[0] * pitch);
    emulator::memory_ranges memory;
    memory.read(data.data(), data.size_bytes(), "data");
    const long shared_bytes = static_cast<long>(lengths[0]) * shared_pitch * static_cast<long>(sizeof(T));
    return run_on<Target>(2 * Target::wave_size, shared_bytes, memory, [&] {
        const auto global = make_strided_descriptor(make_tuple(lengths[0], lengths[1]),
                                                    make_tuple(pitch, constant<1>{}), constant<16>{});
        const auto tile = load(make_tile_window<Distribution>(
            make_tensor_view<Target, address_space::global>(data.data(), global, "data"), {0, 0}));
        const auto shared = make_strided_descriptor(make_tuple(lengths[0], lengths[1]),
                                                    make_tuple(shared_pitch, constant<1>{}), constant<16>{});
        store(make_tile_window<Distribution>(make_tensor_view<Target, address_space::shared>(
                                                 reinterpret_cast<T*>(Target::shared_memory()), shared, "tile"),
                                             {0, 0}),
              tile);
    });
}

template <class Target, class T, class Distribution>
void check(index_t shared_pitch)
{
    constexpr int writing_waves = Distribution::encoding::value.rs.empty() ? 2 : 1; // of replicas the first one stores
    constexpr int bits = 8 * static_cast<int>(sizeof(T));
    const access_question question{Target::wave_size, bits};
    const coalescing_analysis global = analyze_coalescing(Distribution::value, question);
    const bank_analysis banks =
        analyze_banks(Distribution::value, Target::chip(), access_kind::store, question, shared_pitch);
    const emulator::counters counted = count_copy<Target, T, Distribution>(shared_pitch);
    INFO(Target::chip().name << ", " << bits << " bits, pitch " << shared_pitch << ", vector " << global.vector);
    CHECK(counted.global_load_sectors == 2 * global.sectors);
    CHECK(counted.global_loads == 2 * global.accesses);
    CHECK(counted.shared_stores == writing_waves * banks.accesses);
    CHECK(counted.shared_store_conflicts == writing_waves * banks.conflicts);
}

} // namespace

TEMPLATE_TEST_CASE("the emulator counts the sectors and conflicts that the analysis finds", "[tensor]",
                   TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    check<TestType, float, row_vectors<w, 2, 8, 4>>(32);
    check<TestType, float, row_vectors<w, 2, 8, 4>>(36);
    check<TestType, half, row_vectors<w, 1, 4, 8>>(40);
    check<TestType, float, column_vectors<w, 1, 2>>(4);
    check<TestType, float, column_vectors<w, 2, 4>>(8);
    check<TestType, half, thread_rows<w>>(32);
    check<TestType, std::uint8_t, thread_rows<w>>(32);
    check<TestType, double, thread_rows<w>>(34);
    check<TestType, float, replicated_rows<w>>(32);
    check<TestType, float, odd_rows<w>>(3 * w);
    check<TestType, half, odd_rows<w>>(3 * w);
}
