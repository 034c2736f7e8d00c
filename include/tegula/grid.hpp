#pragma once

/// The division of work among blocks: orders of the tiles of a product, and items of a grid distributed over workers.

#include <tegula/block/raster.hpp>
#include <tegula/block/work_distribution.hpp>
