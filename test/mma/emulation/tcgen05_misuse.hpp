#pragma once

/// Helpers for tests of misuse of tensor memory and tcgen05: the steps of their kernels, and the comparison of a wrong
/// kernel with the right one.

#include "test/mma/emulation/tcgen05.hpp"

#include <functional>
#include <string>

namespace tegula::test::tcgen05_misuse {

using target = arch::sm_100a;
using atom = tcgen05_atom<target, half, half, float, 128, 32>;
using a_tile = tcgen05_operand<half, 128, 64>;
using b_tile = tcgen05_operand<half, 32, 64>;
constexpr int control_at = a_tile::bytes + b_tile::bytes;
constexpr auto row_a_lane = tensor_access::lanes_32x32b;
using words = array<std::uint32_t, 32>;

inline nv::mbarrier* barrier(int i = 0)
{
    return reinterpret_cast<nv::mbarrier*>(target::shared_memory() + control_at) + i;
}
inline std::uint32_t* slot() { return reinterpret_cast<std::uint32_t*>(barrier(8)); }
inline half* tile() { return reinterpret_cast<half*>(target::shared_memory()); }

/// Tiles of ones, two mbarriers for one arrival and two for four, as all kernels here begin; a barrier follows.
inline void begin(bool fenced = true)
{
    for (int i = target::thread_id(); i < control_at / 2; i += 128)
        target::store_shared(tile() + i, half(1.0f));
    if (fenced)
        nv::fence_proxy_async();
    if (target::thread_id() == 0) {
        for (int i = 0; i < 4; ++i)
            nv::mbarrier_init(barrier(i), i < 2 ? 1 : 4);
        nv::fence_mbarrier_init();
    }
}
inline void multiply(std::uint32_t c, bool accumulate = false)
{
    atom::multiply(c, a_tile::descriptor(tile()), b_tile::descriptor(tile() + a_tile::elements), accumulate);
}
/// By thread 0: a product and its commit.
inline void multiply_and_commit(std::uint32_t c, int to = 0)
{
    if (target::thread_id() != 0)
        return;
    multiply(c);
    nv::tensor_commit<1>(barrier(to));
}
using scope = nv::tensor_memory_scope<target, 64>;
inline std::uint32_t own(const scope& s, int column = 0) { return s.address(column, 32 * target::wave_id()); }
inline words load(std::uint32_t address)
{
    words w;
    nv::tensor_load<row_a_lane, 32>(w, address);
    nv::tensor_wait_loads(w);
    return w;
}
inline void wait(int which = 0)
{
    nv::mbarrier_wait(barrier(which), 0);
    nv::tensor_fence_after();
    target::wave_barrier();
}

inline emulator::launch_result run(const std::function<void(bool)>& kernel, bool right, int blocks, int order)
{
    emulator::run_config config;
    config.chip = &chip::sm_100a;
    config.kernel_name = "misuse";
    config.block_threads = 128;
    config.shared_bytes = control_at + 128;
    config.grid = config.cluster = {blocks, 1, 1};
    config.cpu_threads = 1;
    config.order = order;
    return emulator::launch(config, [&] { kernel(right); });
}

/// kernel(false) is reported with `part`, kernel(true) is fine.
inline void expect(const std::string& part, const std::function<void(bool)>& kernel, int blocks = 1)
{
    for (const int order : {0, -1, 1}) {
        const auto wrong = run(kernel, false, blocks, order);
        INFO(wrong.report << "expected: " << part << ", order " << order);
        CHECK(wrong.status.code() == status_code::device_error);
        CHECK(wrong.report.find(part) != std::string::npos);
        const auto fine = run(kernel, true, blocks, order);
        INFO(fine.report << fine.status.message());
        CHECK(fine.status.ok());
    }
}

} // namespace tegula::test::tcgen05_misuse
