// Rows of wgmma for one_hot_wgmma.cpp: tf32 and bf16.

#include "test/mma/emulation/one_hot_wgmma_rows.hpp"

namespace tegula::test {

template void add_wgmma_rows<0>(std::vector<wgmma_row_products>&);
template void add_wgmma_rows<3>(std::vector<wgmma_row_products>&);

} // namespace tegula::test
