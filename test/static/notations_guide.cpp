// The examples of docs/guide/notations.md.

#include <tegula/notations.hpp>

namespace {

using namespace tegula;

constexpr auto fragment = parse_strided_layout("((4,8),(2,2)):((32,1),(16,8))");
static_assert(fragment.ok() && offset(fragment.value, 5, 1) == 49); // thread 5, value 1: row 1, column 3 of 16 x 8

constexpr auto encoding = to_encoding(fragment.value, {16, 8});
static_assert(encoding.ok() && registers_per_lane(encoding.value) == 4);

constexpr auto bases = to_linear(encoding.value);
static_assert(bases.ok() && is_invertible(bases.value));

constexpr auto rows = parse_strided_layout("(8,64):(64,1)");
constexpr auto two_by_four = parse_strided_layout("(2,4):(1,2)");
constexpr auto part = composition(rows.value, two_by_four.value);
static_assert(part.ok() && offset(part.value, 3) == offset(rows.value, offset(two_by_four.value, 3)));

constexpr auto source = parse_linear_layout("register[(1)] lane[(2) (4)] -> x0[8]");
constexpr auto target = parse_linear_layout("register[(4)] lane[(1) (2)] -> x0[8]");
constexpr auto move = invert_and_compose(source.value, target.value); // where the target keeps what the source has
static_assert(move.ok() && apply(move.value, {1, 0}) == linear_indices{0, 1});

static_assert(!to_encoding(parse_linear_layout("lane[(1) (3)] -> x0[4]").value).ok()); // an XOR

} // namespace
