#pragma once

/// Which block takes which part of a grid: orders of tiles, and work dealt to workers.

#include <tegula/block/raster.hpp>
#include <tegula/block/work_distribution.hpp>
