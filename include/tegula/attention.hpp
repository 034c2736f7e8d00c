#pragma once

/// Attention: tiles, kernels for them, what they are compiled for and given, checks of arguments, what users change of
/// the scores.

#include <tegula/core/host_missing.hpp>
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
#include <tegula/kernel/attention/tiles.hpp>
#include <tegula/kernel/attention/variant.hpp>
#include <tegula/kernel/attention/warp_specialized/backward_kernels.hpp>
#include <tegula/kernel/attention/warp_specialized/maps.hpp>
