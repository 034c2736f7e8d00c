// Nested layouts: every statement of the published description and what holds here instead, and the translation to
// encodings and back.

#include <tegula/notation/nested_from_encoding.hpp>
#include <tegula/notation/nested_layout.hpp>

using namespace tegula;

namespace {

using lengths = nested_value::lengths_type;

constexpr bool breaks(const nested_value& v, const workgroup_shape& w, nested_rule rule)
{
    const nested_violations found = validate(v, w);
    return found.size() == 1 && found[0].rule == rule;
}

constexpr bool is_valid(const nested_value& v, const workgroup_shape& w) { return validate(v, w).empty(); }

/// One dimension: subgroup tile and stride, thread tile and stride.
constexpr nested_value line(index_t s, index_t s_stride, index_t t, index_t t_stride)
{
    return {{s}, {1}, {1}, {t}, {1}, {s_stride}, {t_stride}};
}

// "x mod num_subgroups" where there are more tiles than hardware subgroups: part of the tensor would have no owner.
static_assert(breaks(line(8, 1, 64, 1), {64, 4}, nested_rule::digits_fit_workgroup));
// The other way round replicates: 4 tiles on 8 subgroups are held twice.
static_assert(is_valid(line(4, 1, 64, 1), {64, 8}));
static_assert(replication(to_encoding(line(4, 1, 64, 1), {64, 8})) == 2);

// The hardware count is a multiple of the product of the tiles: 3 of 8 subgroups is refused, 3 of 6 is not.
static_assert(breaks(line(3, 1, 64, 1), {64, 8}, nested_rule::digits_fit_workgroup));
static_assert(is_valid(line(3, 1, 64, 1), {64, 6}));

// Strides with gaps: T = 4, stride 16. Virtual id 3 belongs to the 16 threads 48..63, one per replica.
constexpr nested_value gaps = line(1, 0, 4, 16);
constexpr encoding_value gaps_encoding = to_encoding(gaps, {64, 1});
static_assert(gaps_encoding.rs == encoding_value::lengths_type{16});
static_assert(gaps_encoding.ps[1] == encoding_value::digits_type{rh_digit{1, 2}, rh_digit{0, 0}});

constexpr bool threads_of_virtual_id_3()
{
    const virtual_ids ids{lengths{0}, lengths{3}};
    for (int r = 0; r < 16; ++r)
        if (find_thread(gaps, {64, 1}, ids, r) != 48 + r || find_virtual_ids(gaps, {64, 1}, 48 + r) != ids)
            return false;
    return true;
}
static_assert(threads_of_virtual_id_3());

// Stride 0 means "not distributed" only for tiles of 1: above that it would leave holes.
static_assert(is_valid(line(1, 0, 64, 1), {64, 1}));
static_assert(breaks(line(1, 0, 64, 0), {64, 1}, nested_rule::tile_has_a_stride));
static_assert(breaks(line(2, 0, 64, 1), {64, 2}, nested_rule::tile_has_a_stride));

// The 64x64 example: vector<2x16> is the unpacked view; the register order is 2x4x1x1x1x4.
constexpr nested_value example{{2, 1}, {2, 4}, {1, 1}, {16, 4}, {1, 4}, {1, 0}, {4, 1}};
static_assert(is_valid(example, {64, 2}));
static_assert(undistributed_shape(example) == long_indices{64, 64});
static_assert(distributed_unpacked_shape(example) == long_indices{2, 16});
static_assert(distributed_shape(example) == packed_lengths{2, 4, 1, 1, 1, 4});
static_assert(undistributed_packed_shape(example) == packed_lengths{2, 1, 2, 4, 1, 1, 16, 4, 1, 4});
static_assert(y_lengths(to_encoding(example, {64, 2})) == long_indices{2, 4, 1, 1, 1, 4});

// subgroup_tile [4,2] with strides [1,4] gives the subgroups 0,4,1,5,2,6,3,7, row-major.
constexpr nested_value subgroup_order{{4, 2}, {1, 1}, {1, 1}, {1, 64}, {1, 1}, {1, 4}, {0, 1}};
constexpr bool subgroups_run_0_4_1_5()
{
    const encoding_value e = to_encoding(subgroup_order, {64, 8});
    const int expected[] = {0, 4, 1, 5, 2, 6, 3, 7};
    for (int i = 0; i < 8; ++i)
        if (find_owner(make_digit_table(e), long_indices{i / 2, i % 2 * 64}, 0).p[0] != expected[i])
            return false;
    return true;
}
static_assert(subgroups_run_0_4_1_5());

// outer_tile [2,1] over thread_tile [2,5] gives 4x5, the 2x5 pattern repeated: outer sits just above thread. Ten
// threads are a partition of a subgroup of 10 or 20, not of 64.
constexpr nested_value outer_over_thread{{1, 1}, {1, 1}, {2, 1}, {2, 5}, {1, 1}, {0, 0}, {5, 1}};
static_assert(undistributed_shape(outer_over_thread) == long_indices{4, 5});
constexpr bool pattern_repeats()
{
    const digit_table t = make_digit_table(to_encoding(outer_over_thread, {10, 1}));
    for (int tid = 0; tid < 10; ++tid)
        for (int o = 0; o < 2; ++o)
            if (calculate_index(t, long_indices{0, tid}, long_indices{0, 0, o, 0, 0, 0}) !=
                long_indices{2 * o + tid / 5, tid % 5})
                return false;
    return true;
}
static_assert(pattern_repeats());
static_assert(is_valid(outer_over_thread, {20, 1}));
static_assert(breaks(outer_over_thread, {64, 1}, nested_rule::digits_fit_workgroup));

// Gaps of the subgroups: S = [4,1], strides [2,0] over 8: P0 is the subgroup digit above a replication of 2.
constexpr encoding_value half_the_subgroups =
    to_encoding({{4, 1}, {1, 1}, {1, 1}, {1, 64}, {1, 1}, {2, 0}, {0, 1}}, {64, 8});
static_assert(half_the_subgroups.rs == encoding_value::lengths_type{2});
static_assert(half_the_subgroups.ps[0] == encoding_value::digits_type{rh_digit{1, 0}, rh_digit{0, 0}});

// Thread digits past a subgroup: one P, the thread id.
constexpr nested_value across = line(1, 0, 256, 1);
static_assert(is_valid(across, {64, 4}));
static_assert(to_encoding(across, {64, 4}).num_p() == 1 && p_length(to_encoding(across, {64, 4}), 0) == 256);

// Digits that overlap are refused.
static_assert(breaks({{1, 1}, {1, 1}, {1, 1}, {8, 8}, {1, 1}, {0, 0}, {4, 1}}, {64, 1},
                     nested_rule::digits_stand_apart));
static_assert(breaks({{1, 1}, {1}, {1, 1}, {8, 8}, {1, 1}, {0, 0}, {8, 1}}, {64, 1}, nested_rule::same_rank));

// A transpose is a register relabel: every thread keeps its elements.
constexpr nested_value transposed = permute(example, lengths{1, 0});
constexpr bool keeps_owners()
{
    const digit_table a = make_digit_table(to_encoding(example, {64, 2}));
    const digit_table b = make_digit_table(to_encoding(transposed, {64, 2}));
    for (int x = 0; x < 64; x += 3)
        for (int y = 0; y < 64; y += 5)
            if (find_owner(a, long_indices{x, y}, 0).p != find_owner(b, long_indices{y, x}, 0).p)
                return false;
    return true;
}
static_assert(keeps_owners());
static_assert(distributed_shape(transposed) == packed_lengths{4, 2, 1, 1, 4, 1});

// Without its columns the threads of a row hold the same elements: strides 4 of 16 leave a gap, replication 4.
constexpr nested_value rows = project(example, make_dim_set(1));
static_assert(rows.rank() == 1 && replication(to_encoding(rows, {64, 2})) == 4);

// Reshapes keep thread and register of every element; what does not divide is refused.
static_assert(reshape(example, long_indices{2, 32, 64}).value ==
              nested_value{{2, 1, 1}, {1, 2, 4}, {1, 1, 1}, {1, 16, 4}, {1, 1, 4}, {1, 0, 0}, {0, 4, 1}});
static_assert(!reshape(example, long_indices{64 * 64}));
static_assert(!reshape(example, long_indices{64, 63}));
static_assert(!reshape(line(1, 0, 64, 1), long_indices{0, 64}));
static_assert(!reshape(line(1, 0, 6, 1), long_indices{4, 3, 1}));
static_assert(reshape(line(1, 0, 6, 1), long_indices{2, 3}).value.thread_strides == lengths{3, 1});
static_assert(reshape(reshape(line(1, 0, 6, 1), long_indices{2, 3}).value, long_indices{6}).value == line(1, 0, 6, 1));

// The operands of a product agree on k; the result takes m from one and n from the other.
constexpr nested_value lhs{{2, 1}, {1, 2}, {1, 1}, {16, 4}, {1, 4}, {1, 0}, {1, 16}};
constexpr nested_value rhs{{1, 2}, {2, 1}, {1, 1}, {4, 16}, {4, 1}, {0, 2}, {16, 1}};
constexpr static_vector<nested_operand, 2> product{nested_operand{lhs, {0, 2}}, nested_operand{rhs, {2, 1}}};
constexpr nested_result of_k = recombine(product, lengths{0, 2});
static_assert(of_k && of_k.value == lhs);
constexpr nested_result of_m_n = recombine(product, lengths{0, 1});
static_assert(of_m_n && of_m_n.value.thread_tile == lengths{16, 16});
constexpr static_vector<nested_operand, 2> conflict{nested_operand{lhs, {0, 2}}, nested_operand{lhs, {2, 1}}};
static_assert(!recombine(conflict, lengths{0, 2}));
static_assert(!recombine(product, lengths{3}));

// As a type, and back from the encoding.
using tiles = nested_layout<subgroup_tile<2, 1>, batch_tile<2, 4>, outer_tile<1, 1>, thread_tile<16, 4>,
                            element_tile<1, 4>, subgroup_strides<1, 0>, thread_strides<4, 1>>;
static_assert(tiles::value == example);
using tiles_encoding = nested_encoding<tiles, 64, 2>;
static_assert(tiles_encoding::value == to_encoding(example, {64, 2}));
struct read_back
{
    static constexpr nested_value value = to_nested(tiles_encoding::value, 64).value;
};
static_assert(std::is_same_v<nested_from<read_back>, tiles>);
// Registers that run the fast element digit first have no such form.
static_assert(!to_nested(encoding_value{{},
                                        {encoding_value::lengths_type{2, 64, 2}},
                                        {encoding_value::digits_type{}, encoding_value::digits_type{rh_digit{1, 1}}},
                                        {rh_digit{1, 2}, rh_digit{1, 0}}},
                         64));

} // namespace
