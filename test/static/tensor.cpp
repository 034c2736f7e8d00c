// Facts of tensors at compile time: equal distributions, the vectors of a window, the memory that operations take.
#include <tegula/tensor.hpp>

namespace tegula {
namespace {

using target = arch::gfx942;

// [16, 64] over two waves of 64 lanes: a wave takes 4 rows at a time, a lane 4 neighbours.
using rows =
    tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<2, 2, 4>, sequence<16, 4>>,
                                                 tuple<sequence<1>, sequence<1, 2>>, tuple<sequence<1>, sequence<2, 0>>,
                                                 sequence<1, 2>, sequence<0, 1>>>;
// `rows` with the two Y exchanged, and `rows` with the digit of 16 lanes written as 2 * 8.
using exchanged =
    tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<2, 2, 4>, sequence<16, 4>>,
                                                 tuple<sequence<1>, sequence<1, 2>>, tuple<sequence<1>, sequence<2, 0>>,
                                                 sequence<2, 1>, sequence<1, 0>>>;
using split = tile_distribution<tile_distribution_encoding<
    sequence<>, tuple<sequence<2, 2, 4>, sequence<2, 8, 4>>, tuple<sequence<1>, sequence<1, 2, 2>>,
    tuple<sequence<1>, sequence<2, 0, 1>>, sequence<1, 2>, sequence<0, 2>>>;
// As one list of threads.
using threads = tile_distribution<
    tile_distribution_encoding<sequence<>, tuple<sequence<2, 8>, sequence<16, 4>>, tuple<sequence<1, 2>>,
                               tuple<sequence<1, 0>>, sequence<1, 2>, sequence<0, 1>>>;
// Lanes down the columns.
using columns = tile_distribution<
    tile_distribution_encoding<sequence<>, tuple<sequence<16>, sequence<2, 4, 8>>, tuple<sequence<2>, sequence<1, 2>>,
                               tuple<sequence<0>, sequence<0, 1>>, sequence<2>, sequence<2>>>;
using strided_registers = tile_distribution<rows::encoding, sequence<1, 2>>;

static_assert(same_distribution<rows, rows>);
static_assert(!same_distribution<rows, exchanged>);
static_assert(!same_distribution<rows, strided_registers>); // the same encoding, registers in another order

// Every lane holds the same elements: nothing, or renamed registers.
template <class Source, class Destination>
constexpr conversion_method method = plan_conversion(target::chip(), Source::value, Destination::value, 32).method;
static_assert(method<rows, split> == conversion_method::none);
static_assert(method<rows, threads> == conversion_method::none);
static_assert(method<rows, exchanged> == conversion_method::registers);
static_assert(method<rows, columns> == conversion_method::shared);

static_assert(scope_of<target, rows> == partition_scope::block);
static_assert(scope_of<arch::gfx1100, reduced_distribution<rows, 0, 1>> == partition_scope::block);

// Reduced over columns the lanes that shared a row have copies; over rows the waves have them too.
static_assert(reduced_distribution<rows, 1>::num_x == 1);
static_assert(reduced_distribution<rows, 1>::x_length(0) == 16);
static_assert(reduced_distribution<rows, 1>::replication == 16);
static_assert(reduced_distribution<rows, 0>::replication == 8);
static_assert(reduced_distribution<rows, 0, 1>::num_registers == 1);

static_assert(reduce_scratch_bytes<target, float, rows, 1> == 0);
static_assert(reduce_scratch_bytes<target, float, rows, 0> == 2 * 64 * 4);    // two waves, 64 columns
static_assert(reduce_scratch_bytes<target, float, threads, 0> == 2 * 64 * 4); // 8 threads of rows: 4 in a wave
static_assert(reduce_scratch_bytes<target, double, rows, 0, 1> == 2 * 8);

static_assert(conversion_scratch_bytes<target, float, rows, split> == 0);
static_assert(conversion_scratch_bytes<target, float, rows, columns> >= 16 * 64 * 4);

template <class T, class Descriptor, class Distribution>
using window = tile_window<tensor_view<target, address_space::global, T, Descriptor>, Distribution>;
using aligned = decltype(make_strided_descriptor(make_tuple(1, 1), make_tuple(1, constant<1>{}), constant<16>{}));
using unaligned = decltype(make_strided_descriptor(make_tuple(1, 1), make_tuple(1, constant<1>{})));
using column_major = decltype(make_strided_descriptor(sequence<16, 64>{}, sequence<1, 16>{}));

static_assert(window<float, aligned, rows>::plan::vector == 4);
static_assert(window<std::uint16_t, aligned, rows>::plan::vector == 4); // all that a lane has
static_assert(window<double, aligned, rows>::plan::vector == 2);        // 16 bytes
static_assert(window<array<double, 4>, aligned, rows>::plan::vector == 1);
static_assert(window<float, unaligned, rows>::plan::vector == 1);
static_assert(window<float, column_major, rows>::vector_dim == 0);
static_assert(window<float, column_major, rows>::plan::vector == 1);

// One instruction moves what is aligned to its own size.
static_assert(detail::piece_bytes<float, 4> == 16);
static_assert(detail::piece_bytes<float, 1> == 4);
static_assert(detail::piece_bytes<array<float, 2>, 1> == 4); // 8 bytes, aligned to 4
static_assert(detail::piece_bytes<array<std::uint8_t, 3>, 4> == 4);
static_assert(detail::piece_bytes<array<double, 4>, 1> == 8);

} // namespace
} // namespace tegula
