#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/block/ldmatrix_reads.hpp>"

#include <tegula/block/deprecated.hpp>
#include <tegula/block/ldmatrix_reads.hpp>
