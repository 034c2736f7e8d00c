#pragma once

/// The algebra of layouts: encodings, distributions, descriptors, transforms, shared-memory layouts. Needs a C++20 host
/// compiler and nothing else.

#include <tegula/layout/access_plan.hpp>
#include <tegula/layout/descriptor/adaptor.hpp>
#include <tegula/layout/descriptor/coordinate.hpp>
#include <tegula/layout/descriptor/descriptor.hpp>
#include <tegula/layout/descriptor/distribution_adaptor.hpp>
#include <tegula/layout/digit_table.hpp>
#include <tegula/layout/distribution.hpp>
#include <tegula/layout/encoding.hpp>
#include <tegula/layout/encoding_algebra.hpp>
#include <tegula/layout/encoding_value.hpp>
#include <tegula/layout/shared/shared_layout.hpp>
#include <tegula/layout/shared/tma_swizzled_layout.hpp>
#include <tegula/layout/transform/transforms.hpp>
