#pragma once

#include <tegula/conversion/shared_staging.hpp>

/// Former names of conversions; the next version is without them.

namespace tegula {

using passage_side [[deprecated("tegula: use staging_side")]] = staging_side;
using shared_passage [[deprecated("tegula: use shared_staging")]] = shared_staging;

} // namespace tegula
