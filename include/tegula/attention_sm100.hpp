#pragma once

/// Attention on sm_100a and sm_103a by tensor copies and tcgen05, forward and backward, beside what attention.hpp has for every target.

#include <tegula/attention.hpp>
#include <tegula/kernel/attention/tcgen05/backward_kernels.hpp>
#include <tegula/kernel/attention/tcgen05/kernel.hpp>
