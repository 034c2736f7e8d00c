// Names of the library that users take in together do not hide each other.

#include <tegula/gemm.hpp>
#include <tegula/tegula.hpp>

using namespace tegula;
using enum operand_order;

static_assert(any != k_contiguous && any != row_contiguous);
