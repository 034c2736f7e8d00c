#include <tegula/block/operand_load.hpp>

#include "test/block/cover.hpp"
#include "test/catch.hpp"

using namespace tegula;
using tegula::test::covers;

namespace {

/// Calls check(shape) for every load a GEMM tile of powers of two can ask for.
template <class Check>
void for_each_shape(const Check& check)
{
    for (index_t rows : {8, 16, 32, 64, 128, 256})
        for (index_t k : {8, 16, 32, 64, 128})
            for (int bytes : {1, 2, 4, 8})
                for (int waves : {1, 2, 4, 8, 16})
                    for (int wave_size : {32, 64}) {
                        const load_shape s{rows, k, bytes, waves, wave_size};
                        INFO("rows " << rows << ", k " << k << ", bytes " << bytes << ", waves " << waves << " of "
                                     << wave_size);
                        check(s);
                    }
}

void require_cover(const encoding_value& e, const load_shape& s)
{
    REQUIRE(covers(e, s.rows, s.k, replication(e)));
    REQUIRE(e.num_p() == 2);
    REQUIRE(p_length(e, 0) == s.waves);
    REQUIRE(p_length(e, 1) == s.wave_size);
    // No lane loads what another has unless there is too little for all.
    const long_index_t each = static_cast<long_index_t>(s.waves) * s.wave_size * registers_per_lane(e);
    REQUIRE(each == static_cast<long_index_t>(s.rows) * s.k * replication(e));
}

} // namespace

TEST_CASE("loads along k cover the tile with 16 bytes a lane, whole rows first")
{
    for_each_shape([](const load_shape& s) {
        const encoding_value e = k_contiguous_load(s);
        require_cover(e, s);
        const long_index_t vector = std::min<long_index_t>(16 / s.element_bytes, s.k);
        REQUIRE(detail::contiguous_run(e, 1) >= vector);
        // Every wave has elements of its own where there is a vector for every lane.
        if (s.rows * s.k >= vector * s.waves * s.wave_size)
            REQUIRE(replication(e) == 1);
    });
}

TEST_CASE("loads along rows cover the tile and have a patch a lane")
{
    for_each_shape([](const load_shape& s) {
        const encoding_value e = row_contiguous_load(s);
        require_cover(e, s);
        const long_index_t lane_elements = static_cast<long_index_t>(s.rows) * s.k / (s.waves * s.wave_size);
        // As wide along the rows as memory takes, where that leaves at least 4 bytes along k.
        if (lane_elements * s.element_bytes * s.element_bytes >= 64 && s.rows >= 16)
            REQUIRE(detail::contiguous_run(e, 0) >= 16 / s.element_bytes);
        if (lane_elements * s.element_bytes >= 16)
            REQUIRE(detail::contiguous_run(e, 1) * s.element_bytes >= std::min(4, s.element_bytes));
    });
}

TEST_CASE("a wave that reads along k touches whole 64-byte lines of memory")
{
    for_each_shape([](const load_shape& s) {
        if (s.k * s.element_bytes < 64)
            return;
        const encoding_value e = k_contiguous_load(s);
        const digit_table table = make_digit_table(e);
        // Four neighbouring lanes read 64 neighbouring bytes of one row.
        for (long_index_t lane = 0; lane < s.wave_size; lane += 4) {
            const auto first = calculate_index(table, long_indices{0, lane}, long_indices{});
            const auto last = calculate_index(table, long_indices{0, lane + 3}, long_indices{});
            REQUIRE(last[0] == first[0]);
            REQUIRE((last[1] - first[1]) * s.element_bytes == 48);
            REQUIRE(first[1] * s.element_bytes % 64 == 0);
        }
    });
}
