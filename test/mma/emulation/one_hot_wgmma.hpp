#pragma once

#include "test/mma/emulation/one_hot.hpp"
#include "test/mma/emulation/wgmma_atom_of.hpp"

/// Rows of wgmma with a single 1 in A and in B. The rows are spread over several files, which take long to compile; a
/// form that none of them holds does not link.

namespace tegula::test {

/// A row from memory through load, atom and store, by where A is.
struct wgmma_row_products
{
    instruction row;
    product_of_block a_shared;
    product_of_block a_registers;
};

/// Whether this program has rows of n columns. Widths are multiples of 8 up to 256, and their places follow one rule. A
/// program of test/grid has every fourth width, chosen by TEGULA_WGMMA_WIDTHS. Other programs have the narrowest and the
/// widest, an odd multiple and a power of two.
constexpr bool takes_wgmma_width(int n)
{
#if defined(TEGULA_WGMMA_WIDTHS)
    return n / 8 % 4 == TEGULA_WGMMA_WIDTHS;
#else
    return n == 8 || n == 24 || n == 64 || n == 256;
#endif
}
/// Whether this program has the row.
constexpr bool takes_wgmma_row(int form, int n) { return takes_wgmma_width(n) && has_wgmma_row(form, n); }

/// Appends the form's rows.
template <int Form>
void add_wgmma_rows(std::vector<wgmma_row_products>& rows);

/// Stores the accumulators of a lane, words of these bytes, to C of n columns. Each is compiled once for all forms.
using wgmma_store = void (*)(std::uint8_t* c, const void* accumulators);
wgmma_store wgmma_store_of(int word_bytes, int n);

} // namespace tegula::test
