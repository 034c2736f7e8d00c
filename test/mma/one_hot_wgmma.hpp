#pragma once

#include "test/mma/one_hot.hpp"

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

/// Appends the form's rows.
template <int Form>
void add_wgmma_rows(std::vector<wgmma_row_products>& rows);

/// Stores the accumulators of a lane, words of these bytes, to C of n columns. Each is compiled once for all forms.
using wgmma_store = void (*)(std::uint8_t* c, const void* accumulators);
wgmma_store wgmma_store_of(int word_bytes, int n);

} // namespace tegula::test
