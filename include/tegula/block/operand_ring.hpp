#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/block/operand_pipeline.hpp>"

#include <tegula/block/deprecated.hpp>
#include <tegula/block/operand_pipeline.hpp>
