#pragma once

/// The algebra of layouts. Needs a C++20 host compiler and nothing else.

#include <tegula/layout/access_plan.hpp>
#include <tegula/layout/adaptor.hpp>
#include <tegula/layout/conversion_plan.hpp>
#include <tegula/layout/coordinate.hpp>
#include <tegula/layout/descriptor.hpp>
#include <tegula/layout/digit_table.hpp>
#include <tegula/layout/distribution.hpp>
#include <tegula/layout/distribution_adaptor.hpp>
#include <tegula/layout/encoding.hpp>
#include <tegula/layout/encoding_algebra.hpp>
#include <tegula/layout/encoding_value.hpp>
#include <tegula/layout/shared_layout.hpp>
#include <tegula/layout/transforms.hpp>
