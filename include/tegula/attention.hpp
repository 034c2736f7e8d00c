#pragma once

/// Attention: the kernel, its tiles, what it is compiled for and given, and checks of what it is given.

#include <tegula/kernel/attention/arguments.hpp>
#include <tegula/kernel/attention/attention_kernel.hpp>
#include <tegula/kernel/attention/can_implement.hpp>
#include <tegula/kernel/attention/dropout.hpp>
#include <tegula/kernel/attention/sequence.hpp>
#include <tegula/kernel/attention/soft_cap.hpp>
#include <tegula/kernel/attention/tiles.hpp>
#include <tegula/kernel/attention/variant.hpp>
