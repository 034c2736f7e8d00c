#pragma once

/// Every transform; transform/common.hpp says what one is.
#include <tegula/layout/transform/indirect.hpp>
#include <tegula/layout/transform/linear.hpp>
#include <tegula/layout/transform/merge.hpp>
#include <tegula/layout/transform/rank.hpp>
#include <tegula/layout/transform/shift.hpp>
#include <tegula/layout/transform/xor.hpp>
