#pragma once

/// Kernels whose clusters share the k of tiles, on the emulator, in a workspace full of NaN.

#include "test/kernel/gemm/warp_specialized/warp_specialized.hpp"

#include <cstring>

namespace tegula::test {

template <class Kernel>
class shared_run
{
public:
    using data_type = gemm_data<typename Kernel::a_type, typename Kernel::c_type>;

    shared_run(const gemm_case& what, int multiprocessors, index_t splits)
        : data_(what), multiprocessors_(multiprocessors), splits_(splits)
    {
        const auto plan = make_work_plan<Kernel>(data_.arguments(), multiprocessors, splits);
        bytes_ = split_k_reduction<Kernel>::workspace_bytes(plan);
        workspace_.assign(static_cast<std::size_t>(bytes_ / 4 + 64), ~std::uint32_t{0});
    }

    void run(int cpu_threads)
    {
        emulator::run_config config;
        config.cpu_threads = cpu_threads;
        const auto at = (reinterpret_cast<std::uintptr_t>(workspace_.data()) + 127) / 128 * 128;
        const gemm_workspace workspace{reinterpret_cast<void*>(at), bytes_};
        emulated_device device{std::move(config), {}, multiprocessors_};
        device.overlaps_launches = cpu_threads > 1; // the sums are added by blocks that start before the last is there
        static_cast<void>(launch(device, Kernel{}, arguments_for(Kernel{}, data_.arguments(), splits_, workspace)));
        const auto& result = device.result;
        INFO(result.report << result.status.message());
        REQUIRE(result.status.ok());
        CHECK(result.counters.shared_load_conflicts == 0);
        CHECK(result.counters.shared_store_conflicts == 0);
        CHECK(data_.verify().passed);
        CHECK(data_.c.surroundings_untouched());
    }
    data_type& data() { return data_; }

private:
    data_type data_;
    int multiprocessors_;
    index_t splits_;
    long_index_t bytes_ = 0;
    std::vector<std::uint32_t> workspace_;
};

inline gemm_case case_of(long m, long n, long k, long batch)
{
    gemm_case what;
    what.m = m;
    what.n = n;
    what.k = k;
    what.batch = batch;
    what.b = memory_order::column_major;
    what.rows = padding::vectors;
    what.alpha = 0.5f;
    what.bias = true;
    return what;
}

template <class Kernel>
void check_shared(int multiprocessors, index_t splits)
{
    // Two clusters take two and a half of five tiles each. A consumer that has stored a tile goes on to a partial sum.
    for (const gemm_case& any :
         {case_of(130, 130, 512, 1), case_of(300, 70, 264, 2), case_of(16, 8, 1000, 1), case_of(1200, 70, 264, 1)}) {
        const gemm_case what = suited_case<Kernel>(any);
        INFO(what.text() << ", " << multiprocessors << " multiprocessors, " << splits << " splits");
        shared_run<Kernel> first(what, multiprocessors, splits), again(what, multiprocessors, splits);
        first.run(1);
        again.run(2);
        const auto& one = first.data().c.values;
        const auto& other = again.data().c.values;
        CHECK(std::memcmp(one.data(), other.data(), one.size() * sizeof(one[0])) == 0);
    }
}

} // namespace tegula::test
