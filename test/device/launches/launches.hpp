#pragma once

#include "recorder.hpp"

namespace tegula {

void record_rows();
void record_shapes();
void record_products();

} // namespace tegula
