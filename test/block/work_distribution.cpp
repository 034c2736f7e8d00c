// Which worker has which items: every item one worker, in the way its name says.
#include <tegula/block/work_distribution.hpp>

#include "test/catch.hpp"

#include <algorithm>
#include <map>
#include <vector>

using namespace tegula;

namespace {

/// The worker of every item of one dimension.
template <class Way>
std::vector<index_t> workers_of(index_t workers, index_t items)
{
    std::vector<index_t> owner(static_cast<std::size_t>(items), -1);
    for (index_t worker = 0; worker < workers; ++worker) {
        index_t last = -1;
        for (index_t i = 0; i < Way::count(worker, workers, items); ++i) {
            const index_t at = Way::item(worker, workers, items, i);
            REQUIRE((at > last && at < items)); // ascending
            REQUIRE(owner[static_cast<std::size_t>(at)] == -1);
            owner[static_cast<std::size_t>(at)] = last = worker;
            last = at;
        }
    }
    REQUIRE(std::count(owner.begin(), owner.end(), -1) == 0);
    return owner;
}

template <class... Ways, int N>
void check_grid(const multi_index<N>& items, const multi_index<N>& workers)
{
    const grid_work<Ways...> work{items, workers};
    long total = 1;
    index_t all_workers = 1;
    for (int d = 0; d < N; ++d) {
        total *= items[d];
        all_workers *= workers[d];
    }
    std::map<std::vector<index_t>, index_t> owner;
    long visits = 0;
    for (index_t worker = 0; worker < all_workers; ++worker)
        work.for_each(worker, [&](const multi_index<N>& at) {
            ++visits;
            for (int d = 0; d < N; ++d)
                REQUIRE((at[d] >= 0 && at[d] < items[d]));
            owner[{at.begin(), at.end()}] = worker;
        });
    CHECK(visits == total);
    CHECK(static_cast<long>(owner.size()) == total);
}

} // namespace

TEST_CASE("items of one dimension are dealt as the name says")
{
    for (index_t workers = 1; workers <= 7; ++workers)
        for (index_t items = 0; items <= 40; ++items) {
            INFO(items << " items, " << workers << " workers");
            const auto together = workers_of<blocked>(workers, items);
            CHECK(std::is_sorted(together.begin(), together.end()));
            for (index_t worker = 0; worker < workers; ++worker) {
                const auto n = std::count(together.begin(), together.end(), worker);
                CHECK((n == items / workers || n == items / workers + 1));
            }
            const auto cyclic = workers_of<block_cyclic<>>(workers, items);
            const auto chunks = workers_of<block_cyclic<3>>(workers, items);
            for (index_t i = 0; i < items; ++i) {
                CHECK(cyclic[static_cast<std::size_t>(i)] == i % workers);
                CHECK(chunks[static_cast<std::size_t>(i)] == i / 3 % workers);
            }
        }
}

TEST_CASE("each item of a grid has one worker")
{
    check_grid<blocked, block_cyclic<>>(multi_index<2>{7, 11}, multi_index<2>{3, 4});
    check_grid<block_cyclic<2>, blocked, block_cyclic<4>>(multi_index<3>{5, 6, 13}, multi_index<3>{2, 1, 3});
    check_grid<blocked, blocked>(multi_index<2>{2, 3}, multi_index<2>{4, 5}); // more workers than items
    check_grid<block_cyclic<>, block_cyclic<8>>(multi_index<2>{0, 9}, multi_index<2>{2, 2});
}
