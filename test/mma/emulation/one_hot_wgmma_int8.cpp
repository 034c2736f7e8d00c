// Rows of wgmma for one_hot_wgmma.cpp: 8-bit integers.

#include "test/mma/emulation/one_hot_wgmma_rows.hpp"

namespace tegula::test {

template void add_wgmma_rows<12>(std::vector<wgmma_row_products>&);
template void add_wgmma_rows<13>(std::vector<wgmma_row_products>&);
template void add_wgmma_rows<14>(std::vector<wgmma_row_products>&);
template void add_wgmma_rows<15>(std::vector<wgmma_row_products>&);

} // namespace tegula::test
