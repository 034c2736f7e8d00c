/// Fragments that ldmatrix brings are those of the instruction table's encodings, which are checked against golden
/// data, for elements of 1, 2 and 4 bytes.

#include <tegula/block/ldmatrix_loader.hpp>
#include <tegula/block/mma_tile.hpp>
#include <tegula/emulator/launch.hpp>
#include <tegula/mma/choose.hpp>

#include "test/catch.hpp"
#include "test/mma/atom_harness.hpp"

#include <cstring>

using namespace tegula;
using namespace tegula::test;

namespace {

using target = arch::sm_89;
constexpr index_t rows = 64;

/// An element that says in its first byte whatever it is to say.
template <class Element>
Element tagged(index_t tag)
{
    unsigned char bytes[sizeof(Element)] = {static_cast<unsigned char>(tag)};
    Element e;
    std::memcpy(&e, bytes, sizeof e);
    return e;
}
template <class Element>
index_t tag_of(const Element& e)
{
    return *reinterpret_cast<const unsigned char*>(&e);
}

/// Where each register lies from a lane's first element.
template <class Distribution>
consteval array<multi_index<2>, Distribution::num_registers> steps_of()
{
    array<multi_index<2>, Distribution::num_registers> steps{};
    for (int r = 0; r < Distribution::num_registers; ++r)
        steps[r] = Distribution::step(r);
    return steps;
}
template <class Distribution>
constexpr auto steps = steps_of<Distribution>();

/// Fills a tile in shared memory with row numbers (dim 0) or k (dim 1), reads the slice at K0, and compares each
/// register of each instruction with the position that the table has for it.
template <class Stream, class Distribution, index_t K0>
void check_slice(const encoding_value& instruction, int pack, int calls, int dim)
{
    using Element = typename Stream::shared_view::value_type;
    const auto where = positions(instruction); // [row, k] of an instruction
    const int slots = static_cast<int>(where[0].size());
    const int k_of_call = static_cast<int>(x_length(instruction, 1));
    int wrong = 0;
    emulator::run_config config;
    config.chip = &chip_of<target>;
    config.kernel_name = "ldmatrix_reads";
    config.block_threads = 4 * 32;
    config.shared_bytes = Stream::tile_elements * static_cast<long>(sizeof(Element));
    const auto result = emulator::launch(config, [&] {
        auto* memory = reinterpret_cast<Element*>(target::shared_memory());
        auto window = make_tile_window<typename Stream::load_distribution>(
            typename Stream::shared_view{memory, {}, "tile"}, {0, 0});
        distributed_tensor<Element, typename Stream::load_distribution> tile;
        const auto first =
            Stream::load_distribution::origin(partition_index<target, typename Stream::load_distribution>());
        for (int r = 0; r < tile.num_registers; ++r)
            tile[r] = tagged<Element>(first[dim] + steps<typename Stream::load_distribution>[r][dim]);
        store(window, tile);
        target::block_barrier();
        const Stream stream(operand_source<Element>{}, 0, memory);
        const auto slice = stream.template read<K0>(0);
        const index_t wave_row = Distribution::origin(multi_index<2>{target::wave_id(), 0})[0];
        const packed_register_map map(instruction, 1, pack);
        for (int i = 0; i < slice.num_registers / (slots * calls); ++i)
            for (int call = 0; call < calls; ++call)
                for (int slot = 0; slot < slots; ++slot) {
                    const int first_of_tile = i * slots * calls;
                    const auto at = where[static_cast<std::size_t>(target::lane_id())][static_cast<std::size_t>(slot)];
                    const index_t expected = dim == 0 ? wave_row + steps<Distribution>[first_of_tile][0] + at.x0
                                                      : K0 + call * k_of_call + at.x1;
                    const int r = first_of_tile + map(call, slot);
                    wrong += tag_of(slice[r]) != expected;
                }
    });
    INFO(result.report << result.status.message() << ", dim " << dim << ", " << sizeof(Element) << " bytes");
    CHECK(result.status.ok());
    CHECK(wrong == 0);
    CHECK(result.counters.shared_load_conflicts == 0);
    CHECK(result.counters.shared_store_conflicts == 0);
    // One ldmatrix brings 16 bytes a lane.
    CHECK(result.counters.shared_loads == 4 * Distribution::num_registers * static_cast<long>(sizeof(Element)) / 16);
}

template <class Element, operand_order Order>
void check_operands()
{
    using atom = default_atom<target, Element>;
    using mma = mma_tile<target, atom, rows, rows, 2, 2>;
    constexpr index_t k = 128 / sizeof(Element);
    using a_loader =
        best_operand_loader<target, Element, rows, k, mma::waves, Order, typename mma::a_distribution, atom::m>;
    using b_loader =
        best_operand_loader<target, Element, rows, k, mma::waves, Order, typename mma::b_distribution, atom::n>;
    static_assert(a_loader::instruction_order && b_loader::instruction_order && !mma::transposed);
    constexpr index_t swapped[] = {1, 0};
    const encoding_value b = transpose(atom::b_encoding::value, swapped);
    for (int dim : {0, 1}) {
        check_slice<a_loader, typename mma::a_distribution, 0>(atom::a_encoding::value, mma::pack, mma::calls, dim);
        check_slice<a_loader, typename mma::a_distribution, mma::slice_k>(atom::a_encoding::value, mma::pack,
                                                                          mma::calls, dim);
        check_slice<b_loader, typename mma::b_distribution, mma::slice_k>(b, mma::pack, mma::calls, dim);
    }
}

} // namespace

TEST_CASE("ldmatrix brings the fragments of 8-bit instructions")
{
    check_operands<std::int8_t, operand_order::k_contiguous>();
    check_operands<float8_e4m3, operand_order::row_contiguous>();
}

TEST_CASE("ldmatrix brings the fragments of 16-bit instructions")
{
    check_operands<bfloat16, operand_order::k_contiguous>();
    check_operands<half, operand_order::any>();
}

TEST_CASE("ldmatrix brings the fragments of tf32 instructions")
{
    check_operands<tfloat32, operand_order::k_contiguous>();
    check_operands<tfloat32, operand_order::row_contiguous>();
}

TEST_CASE("What ldmatrix cannot read is read as before")
{
    // ldmatrix gives a lane 32 bits of a row, half an f64; AMD has no such instruction.
    using f64 = mma_tile<arch::sm_80, default_atom<arch::sm_80, double>, 64, 64, 2, 2>;
    static_assert(!detail::can_read_matrices<arch::sm_80, double, 64, 16, false, f64::a_distribution, 8>());
    using amd = mma_tile<arch::gfx942, default_atom<arch::gfx942, half>, 64, 64, 2, 2>;
    static_assert(!detail::can_read_matrices<arch::gfx942, half, 64, 64, false, amd::a_distribution, 16>());
    // Multiply-adds have other fragments, and transposing moves 16 bits.
    using fma = mma_tile<arch::sm_80, default_atom<arch::sm_80, float>, 64, 64, 2, 2>;
    static_assert(!detail::can_read_matrices<arch::sm_80, float, 64, 16, false, fma::b_distribution, 16>());
    using bytes = mma_tile<arch::sm_80, default_atom<arch::sm_80, std::int8_t>, 64, 64, 2, 2>;
    static_assert(detail::can_read_matrices<arch::sm_80, std::int8_t, 64, 64, false, bytes::a_distribution, 16>());
    static_assert(!detail::can_read_matrices<arch::sm_80, std::int8_t, 64, 64, true, bytes::a_distribution, 16>());
}
