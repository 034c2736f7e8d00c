// Rows of wgmma for one_hot_wgmma.cpp: e5m2 by both, to f32.

#include "test/mma/emulation/one_hot_wgmma_rows.hpp"

namespace tegula::test {

template void add_wgmma_rows<10>(std::vector<wgmma_row_products>&);
template void add_wgmma_rows<11>(std::vector<wgmma_row_products>&);

} // namespace tegula::test
