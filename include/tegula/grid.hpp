#pragma once

/// Which blocks do which work: orders of the tiles of a product, and items of a grid dealt to workers.

#include <tegula/block/raster.hpp>
#include <tegula/block/work_distribution.hpp>
