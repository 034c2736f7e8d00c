#pragma once

/// Runs kernels on a CPU that behaves like a strict GPU.
///
///     std::vector<float> x(256), y(256);
///     emulator::run_config config;
///     config.chip = &chip_of<arch::gfx942>;
///     config.block_threads = 256;
///     config.memory.read(x.data(), 1024, "x").write(y.data(), 1024, "y");
///     const emulator::launch_result result = emulator::launch(config, [&] {
///         const int i = arch::gfx942::thread_id();
///         arch::gfx942::store_global(&y[i], 2 * arch::gfx942::load_global(&x[i]));
///     });
///     if (!result.status.ok())
///         std::fputs(result.report.c_str(), stderr);
///
/// A misuse ends the launch. The emulator reports reads of unwritten shared memory, races of lanes, accesses that are
/// out of bounds, misaligned or write a read-only range, and an operation that part of a wave skips. It reports a touch
/// of an asynchronous copy before its wait, a deadlock, and two blocks at the same bytes. On sm_90a the blocks of a
/// cluster run together. There it also reports a missing proxy fence, a wait in the wrong phase of an mbarrier,
/// too many transactions or arrivals, a block that leaves its cluster early, and a misplaced box.

#include <tegula/emulator/async.hpp>
#include <tegula/emulator/interface.hpp>
#include <tegula/emulator/launch.hpp>
