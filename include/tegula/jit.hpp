#pragma once

/// Kernels that are compiled when they are asked for, and kept on disk: jit::get_kernel(request). POSIX alone.
/// docs/jit.md is the guide.

#include <tegula/jit/kernel.hpp>
