// Encodings written for CK Tile compile as they stand, under its spelling of sequence and tuple.
#include "test/static/encoding_words.hpp"

namespace {

using specification::element;
using specification::holds;
using specification::list;
using tegula::Sequence;
using tegula::tile_distribution_encoding;
using tegula::Tuple;

constexpr int NWarp = 2;
constexpr int MIter = 3;
constexpr int MWarp = 4;
constexpr int KIter = 5;

// The A operand of a block GEMM: rows over the waves of M, the same for every wave of N.
using a_block_encoding =
    tile_distribution_encoding<Sequence<NWarp>, Tuple<Sequence<MIter, MWarp>, Sequence<KIter>>, Tuple<Sequence<1, 0>>,
                               Tuple<Sequence<1, 0>>, Sequence<1, 2>, Sequence<0, 0>>;

static_assert(specification::x_lengths<a_block_encoding> == list(MIter * MWarp, KIter));
static_assert(specification::p_lengths<a_block_encoding> == list(MWarp * NWarp));
static_assert(specification::y_lengths<a_block_encoding> == list(MIter, KIter));
static_assert(specification::replication<a_block_encoding> == NWarp);
// wave = m_warp * NWarp + n_warp
static_assert(element<a_block_encoding>(list(3 * NWarp + 0), list(2, 1)) == list(2 * MWarp + 3, 1));
static_assert(holds<a_block_encoding>(list(3 * NWarp + 0), list(2, 1), list(11, 1), 0));
static_assert(holds<a_block_encoding>(list(3 * NWarp + 1), list(2, 1), list(11, 1), 1));

// Everything in the registers of one lane.
using two_by_two =
    tile_distribution_encoding<Sequence<>, Tuple<Sequence<2>, Sequence<2>>, Tuple<Sequence<>, Sequence<>>,
                               Tuple<Sequence<>, Sequence<>>, Sequence<1, 2>, Sequence<0, 0>>;

static_assert(specification::x_lengths<two_by_two> == list(2, 2));
static_assert(specification::p_lengths<two_by_two> == list(1, 1));
static_assert(specification::registers<two_by_two> == 4);
static_assert(element<two_by_two>(list(0, 0), list(1, 0)) == list(1, 0));

// Both spellings are one type.
static_assert(specification::same<Sequence<1, 2>, tegula::sequence<1, 2>>);
static_assert(specification::same<Tuple<Sequence<>, int>, tegula::tuple<tegula::sequence<>, int>>);

} // namespace
