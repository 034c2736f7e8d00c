/// The conflicts that the layout search counts for a tile in shared memory are those the emulator sees when a kernel
/// writes and reads it.

#include <tegula/block/mma_tile.hpp>
#include <tegula/block/operand_loader.hpp>
#include <tegula/emulator/launch.hpp>
#include <tegula/mma/choose.hpp>

#include "test/catch.hpp"

using namespace tegula;

namespace {

/// The layout of Chosen without swizzle and padding.
template <class Chosen>
struct plain_layout
{
    static constexpr shared_layout_value layout{Chosen::layout.rows, Chosen::layout.columns, Chosen::layout.columns,
                                                Chosen::layout.element_bits};
};

template <class Target, class Element, index_t Rows, index_t K, operand_order Order>
struct shared_tile
{
    using mma = mma_tile<Target, default_atom<Target, Element>, Rows, Rows, 2, 2>;
    using write_distribution = tile_distribution<operand_load_source<Target, Element, Rows, K, mma::waves, Order>>;
    using read_distribution = typename mma::a_distribution;
    using chosen = operand_shared_layout<Target, Element, Rows, K, write_distribution, read_distribution>;

    /// Writes the tile and reads its first slice of k once; every wave does the same as wave 0, shifted.
    template <class Layout>
    static emulator::launch_result run()
    {
        using view = tensor_view<Target, address_space::shared, Element, shared_descriptor<Layout>>;
        emulator::run_config config;
        config.chip = &chip_of<Target>;
        config.kernel_name = "shared_tile";
        config.grid = {1, 1, 1};
        config.block_threads = mma::block_threads;
        config.shared_bytes = shared_descriptor<Layout>::element_space_size() * static_cast<long>(sizeof(Element));
        return emulator::launch(config, [] {
            const view tile{reinterpret_cast<Element*>(Target::shared_memory()), {}, "tile"};
            store(make_tile_window<write_distribution>(tile, {0, 0}),
                  make_distributed_tensor<Element, write_distribution>(Element{}));
            Target::block_barrier();
            [[maybe_unused]] const auto slice = load(make_tile_window<read_distribution>(tile, {0, 0}));
        });
    }

    template <class Layout>
    static void check(bool expect_free)
    {
        static_assert(replication(write_distribution::value) == 1, "every wave writes");
        const emulator::launch_result result = run<Layout>();
        INFO(result.report << Target::chip().name << ", " << Rows << " x " << K << " of " << sizeof(Element)
                           << " bytes, order " << static_cast<int>(Order));
        REQUIRE(result.status.ok());
        const int writes = count_conflicts(Target::chip(), Layout::layout, chosen::writes());
        const int reads = count_conflicts(Target::chip(), Layout::layout, chosen::reads());
        CHECK(result.counters.shared_store_conflicts == mma::waves * writes);
        CHECK(result.counters.shared_load_conflicts == mma::waves * reads);
        CHECK(result.counters.shared_loads == mma::waves * chosen::reads().accesses);
        if (expect_free)
            CHECK(writes + reads == 0);
    }
};

/// Conflicts of the plain layouts met so far: the comparison must not be one of zeros only.
int plain_conflicts = 0;

template <class Target, class Element, index_t Rows, index_t K, operand_order Order>
void check_tile()
{
    using tile = shared_tile<Target, Element, Rows, K, Order>;
    using plain = plain_layout<typename tile::chosen>;
    tile::template check<typename tile::chosen>(true);
    tile::template check<plain>(false);
    plain_conflicts += count_conflicts(Target::chip(), plain::layout, tile::chosen::writes()) +
                       count_conflicts(Target::chip(), plain::layout, tile::chosen::reads());
}

template <class Target>
void check_target()
{
    using enum operand_order;
    plain_conflicts = 0;
    check_tile<Target, bfloat16, 64, 32, k_contiguous>();
    check_tile<Target, bfloat16, 64, 64, row_contiguous>();
    check_tile<Target, std::int8_t, 128, 64, k_contiguous>();
    check_tile<Target, float, 64, 16, row_contiguous>();
    CHECK(plain_conflicts > 0);
}

} // namespace

TEST_CASE("counted conflicts are the emulator's, and none with the chosen layout: gfx942")
{
    check_target<arch::gfx942>();
}
TEST_CASE("counted conflicts are the emulator's, and none with the chosen layout: gfx1201")
{
    check_target<arch::gfx1201>();
}
TEST_CASE("counted conflicts are the emulator's, and none with the chosen layout: sm_80")
{
    check_target<arch::sm_80>();
}

TEST_CASE("a layout repeats after its period, on the same banks", "[block]")
{
    for (int bits : {8, 16, 32})
        for (int mask = 0; mask < 8; ++mask)
            for (int a = -2; a < 4; ++a)
                for (int b = a; b < 4; ++b) {
                    const shared_layout_value layout{64, 40, 40, bits, a, b, mask};
                    for (int banks : {32, 64}) {
                        const index_t period = layout.period(banks);
                        CAPTURE(bits, mask, a, b, period);
                        REQUIRE(period * bits / 8 % (banks * 4) == 0);
                        bool repeats = true;
                        for (index_t x = 0; x < 3000; x += 7)
                            repeats = repeats && layout.offset(0, x + period) == layout.offset(0, x) + period;
                        REQUIRE(repeats);
                    }
                }
}
