// Rows of wgmma for one_hot_wgmma.cpp: f16.

#include "test/mma/emulation/one_hot_wgmma_rows.hpp"

namespace tegula::test {

template void add_wgmma_rows<1>(std::vector<wgmma_row_products>&);
template void add_wgmma_rows<2>(std::vector<wgmma_row_products>&);

} // namespace tegula::test
