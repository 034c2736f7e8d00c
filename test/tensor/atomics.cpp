// Atomic operations on shared memory that return what was there.
#include "host_tile.hpp"

#include <algorithm>

TEMPLATE_TEST_CASE("atomic operations return the value before", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr int threads = 2 * TestType::wave_size;
    std::vector<int> tickets(threads), winners(threads), chain(threads);
    std::vector<int> last(4);
    std::vector<float> sums(threads);
    run_on<TestType>(threads, 64, {}, [&] {
        const int t = TestType::thread_id();
        auto* const words = reinterpret_cast<int*>(TestType::shared_memory()); // ticket, min, max, chain, winner, float
        auto* const sum = reinterpret_cast<float*>(words + 5);
        if (t < 6)
            TestType::store_shared(reinterpret_cast<raw_vector<4>*>(words + t), raw_vector<4>{});
        TestType::block_barrier();
        const auto at = static_cast<std::size_t>(t);
        tickets[at] = TestType::template shared_atomic<atomic_op::add>(words, 1);
        TestType::template shared_atomic<atomic_op::min>(words + 1, -t);
        TestType::template shared_atomic<atomic_op::max>(words + 2, t * 3);
        chain[at] = TestType::template shared_atomic<atomic_op::exchange>(words + 3, t + 1);
        winners[at] = TestType::shared_compare_exchange(words + 4, 0, t + 1);
        sums[at] = TestType::template shared_atomic<atomic_op::add>(sum, 0.5f);
        TestType::block_barrier();
        if (t == 0)
            for (int i = 1; i < 5; ++i)
                last[static_cast<std::size_t>(i - 1)] =
                    static_cast<int>(TestType::load_shared(reinterpret_cast<const raw_vector<4>*>(words + i)).words[0]);
    });
    const auto is_permutation = [](auto values, auto number) {
        std::sort(values.begin(), values.end());
        for (std::size_t i = 0; i < values.size(); ++i)
            if (values[i] != number(static_cast<int>(i)))
                return false;
        return true;
    };
    CHECK(is_permutation(tickets, [](int i) { return i; }));
    CHECK(is_permutation(sums, [](int i) { return static_cast<float>(i) * 0.5f; }));
    // Everybody's value was taken by the next one, but for the last.
    chain.push_back(last[2]);
    CHECK(is_permutation(chain, [](int i) { return i; }));
    CHECK(last[0] == 1 - threads);
    CHECK(last[1] == 3 * (threads - 1));
    // One found 0; the others found that one.
    CHECK(std::count(winners.begin(), winners.end(), 0) == 1);
    CHECK(std::count(winners.begin(), winners.end(), last[3]) == threads - 1);
}

TEST_CASE("atomic operations are in order with loads and stores behind a barrier only", "[tensor]")
{
    using target = arch::sm_80;
    const auto run = [](bool before, bool after, bool written) {
        return launch_on<target>(64, 16, {}, [=] {
            auto* const word = reinterpret_cast<int*>(target::shared_memory());
            auto* const place = reinterpret_cast<raw_vector<4>*>(word);
            if (target::thread_id() == 0 && written)
                target::store_shared(place, raw_vector<4>{});
            if (before)
                target::block_barrier();
            target::shared_atomic<atomic_op::add>(word, 1);
            if (after)
                target::block_barrier();
            target::load_shared(place);
        });
    };
    CHECK(run(true, true, true).status.ok());
    const auto early = run(false, true, true), late = run(true, false, true), unwritten = run(true, true, false);
    CHECK(contains(early.report, "races with the write"));
    CHECK(contains(late.report, "shared atomic of 4 bytes"));
    CHECK(contains(late.report, "races with the read"));
    CHECK(contains(unwritten.report, "shared atomic"));
    CHECK(contains(unwritten.report, "nobody wrote"));
}

TEMPLATE_TEST_CASE("a histogram of a tile in shared memory", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    using distribution = row_vectors<w, 3, 16, 4>;
    const auto bin_of = [](long flat) { return static_cast<int>(mixed(flat) % 9); }; // 8 is outside
    std::vector<int> bins(8);
    run_on<TestType>(2 * w, 32, {}, [&] {
        auto* const words = reinterpret_cast<int*>(TestType::shared_memory());
        if (TestType::thread_id() < 8)
            TestType::store_shared(reinterpret_cast<raw_vector<4>*>(words + TestType::thread_id()), raw_vector<4>{});
        TestType::block_barrier();
        const auto view =
            make_tensor_view<TestType, address_space::shared>(words, make_packed_descriptor(sequence<8>{}), "bins");
        scatter_add(view, make_distributed_tensor<int, distribution>(1), tile_of<TestType, distribution, int>(bin_of));
        TestType::block_barrier();
        if (TestType::thread_id() < 8)
            bins[static_cast<std::size_t>(TestType::thread_id())] = static_cast<int>(
                TestType::load_shared(reinterpret_cast<const raw_vector<4>*>(words + TestType::thread_id())).words[0]);
    });
    std::vector<int> expected(9);
    for (long i = 0; i < detail::stride_of<distribution>(-1); ++i)
        ++expected[static_cast<std::size_t>(bin_of(i))];
    expected.pop_back();
    CHECK(bins == expected);
}
