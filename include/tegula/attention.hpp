#pragma once

/// Attention, forward and backward: tiles, kernels for them, their variants and arguments, checks, and the changes of
/// scores that users write. sm_90a, sm_100a and sm_103a also have kernels by tensor copies with wgmma or tcgen05.

#include <tegula/core/host_missing.hpp>
#include <tegula/kernel/attention/append/append_and_attend.hpp>
#include <tegula/kernel/attention/append/can_implement.hpp>
#include <tegula/kernel/attention/append/kernel.hpp>
#include <tegula/kernel/attention/arguments.hpp>
#include <tegula/kernel/attention/attention_kernel.hpp>
#include <tegula/kernel/attention/backward/tiles.hpp>
#include <tegula/kernel/attention/can_implement.hpp>
#include <tegula/kernel/attention/choose.hpp>
#include <tegula/kernel/attention/dropout.hpp>
#include <tegula/kernel/attention/sequence.hpp>
#include <tegula/kernel/attention/soft_cap.hpp>
#include <tegula/kernel/attention/split/check.hpp>
#include <tegula/kernel/attention/split/kernel.hpp>
#include <tegula/kernel/attention/tcgen05/backward_kernels.hpp>
#include <tegula/kernel/attention/tcgen05/kernel.hpp>
#include <tegula/kernel/attention/tiles.hpp>
#include <tegula/kernel/attention/variant.hpp>
#include <tegula/kernel/attention/warp_specialized/backward_kernels.hpp>
#include <tegula/kernel/attention/warp_specialized/kernel.hpp>
#include <tegula/kernel/attention/warp_specialized/latent.hpp>
