// Rows of wgmma for one_hot_wgmma.cpp: e4m3 by both, to f32.

#include "test/mma/emulation/one_hot_wgmma_rows.hpp"

namespace tegula::test {

template void add_wgmma_rows<8>(std::vector<wgmma_row_products>&);
template void add_wgmma_rows<9>(std::vector<wgmma_row_products>&);

} // namespace tegula::test
