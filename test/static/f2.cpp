// Linear algebra over F2, on matrices small enough to check by hand.

#include <tegula/core/f2.hpp>

namespace {

using namespace tegula::f2;

constexpr bool same(const vectors& a, const vectors& b) { return a == b; }

// A matrix is its columns: unit vector j goes to column j.
constexpr vectors shear{0b001, 0b011, 0b100};
static_assert(apply(shear, 0b010) == 0b011);
static_assert(apply(shear, 0b111) == 0b110);
static_assert(same(product(shear, shear), identity(3)));
static_assert(same(product(shear, identity(3)), shear));
static_assert(same(transpose(shear, 3), {0b011, 0b010, 0b100}));

static_assert(rank({0b011, 0b101, 0b110}) == 2);
static_assert(rank({0, 0}) == 0);
static_assert(rank({~word{0}, unit(63)}) == 2);
static_assert(same(basis({0b110, 0b011, 0b101}), {0b011, 0b101}));
static_assert(basis({0b110, 0b011}) == basis({0b101, 0b110, 0}));
static_assert(basis({0b110, 0b011}) != basis({0b101, 0b010}));
static_assert(same(independent({0b011, 0, 0b011, 0b101, 0b110, 0b111}), {0b011, 0b101, 0b111}));
static_assert(same(extension({0b011}, {0b001, 0b010, 0b100}), {0b001, 0b100}));
static_assert(same(complement({0b011, 0b110}, 3), {0b001}));
static_assert(same(complement({}, 2), identity(2)));

// The planes x = y and y = z meet in the line x = y = z.
static_assert(same(intersection({0b011, 0b100}, {0b001, 0b110}), {0b111}));
static_assert(intersection({0b001}, {0b010}).empty());
static_assert(same(kernel({0b01, 0b01, 0b10, 0b11}), {0b0011, 0b1101}));

static_assert(is_invertible(shear, 3));
static_assert(!is_invertible({0b01, 0b01}, 2));
static_assert(!is_invertible({0b001, 0b100}, 2));
static_assert(same(inverse({0b001, 0b011, 0b111}), {0b001, 0b011, 0b110}));

// Columns 0 and 1 agree: of the two solutions the lower number is taken.
static_assert(same(pseudo_inverse({0b01, 0b01, 0b10}, 2), {0b001, 0b100}));

} // namespace
