/// Operations on tensors of any shape that cannot be computed are refused by a sentence that names the value and the limit.

#include "test/kernel/shapes.hpp"

#include <tegula/reduction.hpp>

#include <string>

using namespace tegula;

namespace {

alignas(16) float storage[4096];
alignas(16) float results[4096];
alignas(16) long_index_t numbers[1024];

tensor_argument<const float> input(std::initializer_list<long_index_t> lengths)
{
    return make_tensor_argument(static_cast<const float*>(storage), lengths);
}
tensor_argument<float> output(std::initializer_list<long_index_t> lengths)
{
    return make_tensor_argument(results, lengths);
}
bool refused(const status& s, const char* part)
{
    INFO(s.message());
    CHECK_FALSE(s.ok());
    return std::string(s.message()).find(part) != std::string::npos;
}

struct add
{
    TEGULA_HOST_DEVICE float operator()(float x, float y) const { return x + y; }
};

} // namespace

TEST_CASE("Elementwise operations that do not fit are refused")
{
    const auto check = [](const auto& y, const auto& a, const auto& b) {
        return can_implement(make_elementwise_arguments(add{}, y, a, b));
    };
    CHECK(check(output({4, 5}), input({5}), input({4, 1})).ok());
    CHECK(refused(check(output({4, 5}), input({4}), input({5})), "length 4 of dimension 0; the output has 5 there"));
    CHECK(refused(check(output({5}), input({4, 5}), input({5})), "rank 2, and the output has rank 1"));
    const auto here = make_tensor_argument(storage, {4, 5});
    CHECK(check(here, input({4, 5}), input({4, 5})).ok());
    CHECK(refused(check(here, input({5}), input({4, 5})), "overlaps an output's"));
    CHECK(refused(check(make_tensor_argument(results, {4, 5}, {0, 1}), input({5}), input({5})), "overlap"));
}

TEST_CASE("Reductions that do not fit are refused")
{
    using sum = fold_reducer<float, plus>;
    using largest = fold_reducer<float, maximum>;
    const auto check = [](auto reducer, const auto& x, const auto& y, std::initializer_list<int> axes) {
        using output_type = std::remove_pointer_t<decltype(y.data)>;
        return can_implement(reduction_arguments<decltype(reducer), output_type>{reducer, x, y, axes_of(x, axes)});
    };
    CHECK(check(sum{}, input({4, 5}), output({4}), {-1}).ok());
    CHECK(check(sum{}, input({4, 0}), output({4}), {1}).ok());
    CHECK(refused(check(sum{}, input({4, 5}), output({4}), {2}), "not a dimension of the input, whose rank is 2"));
    CHECK(refused(check(sum{}, input({4, 5}), output({5}), {1}), "length 5 of dimension 0"));
    CHECK(refused(check(largest{}, input({4, 0}), output({4}), {1}), "the minimum or maximum of 0 elements"));
    CHECK(refused(check(arg_reducer<float>{}, input({4, 0}), make_tensor_argument(numbers, {4}), {1}),
                  "the largest or smallest of 0 elements"));
    CHECK(refused(check(sum{}, input({4, 5}), make_tensor_argument(storage + 3, {4}), {1}), "overlaps the input's"));
}

TEST_CASE("Sums of long rows take a block each, or a wave each where the rows are many")
{
    const auto layout_of = [](long_index_t rows, long_index_t columns) {
        reduction_arguments<fold_reducer<float, plus>, float> a;
        a.input = input({rows, columns}), a.output = output({rows}), a.axes = 2;
        reduce_layout found{};
        CHECK(dispatch_reduction<arch::sm_90a>(plan_reduction(a), [&](auto kernel, const auto& plan) {
                  found = kernel.layout;
                  CHECK(plan.blocks == (rows + kernel.rows - 1) / kernel.rows);
                  return status{};
              }).ok());
        return found;
    };
    CHECK(layout_of(8191, 4096) == reduce_layout::block);
    CHECK(layout_of(8192, 4096) == reduce_layout::wave);
    CHECK(layout_of(8, 1024) == reduce_layout::wave);
    CHECK(layout_of(8192, 128) == reduce_layout::lanes);
}

TEST_CASE("Scans, top-k, permutations, gathers, rotary embeddings and poolings that do not fit are refused")
{
    using scan = scan_arguments<float, plus, float>;
    CHECK(can_implement(scan{{}, input({4, 5}), output({4, 5}), 0}).ok());
    CHECK(refused(can_implement(scan{{}, input({4, 5}), output({4, 5}), 2}), "not a dimension"));
    CHECK(refused(can_implement(scan{{}, input({4, 5}), output({5, 4}), 1}), "the lengths must agree"));

    using topk = topk_arguments<float>;
    const auto places = [](std::initializer_list<long_index_t> lengths) {
        return make_tensor_argument(numbers, lengths);
    };
    CHECK(can_implement(topk{input({3, 9}), output({3, 4}), places({3, 4})}).ok());
    CHECK(refused(can_implement(topk{input({3, 9}), output({3, 10}), places({3, 10})}), "k is 10"));
    CHECK(refused(can_implement(topk{input({3, 9}), output({3, 4}), places({3, 5})}), "the lengths must agree"));

    const auto order = [](int a, int b) {
        permute_arguments<float> args{input({4, 5}), output({5, 4})};
        args.order[0] = a, args.order[1] = b;
        return can_implement(args);
    };
    CHECK(order(1, 0).ok());
    CHECK(order(-1, 0).ok());
    CHECK(refused(order(1, 1), "name every dimension once"));
    CHECK(refused(order(0, 1), "the lengths must agree"));

    using gather = gather_arguments<float, long_index_t>;
    const auto indices = make_tensor_argument(static_cast<const long_index_t*>(numbers), {7});
    CHECK(can_implement(gather{input({9, 4}), indices, output({7, 4})}).ok());
    CHECK(refused(can_implement(gather{input({9, 4}), indices, output({7, 5})}), "the table has 4 there"));
    CHECK(refused(can_implement(gather{input({}), indices, output({7})}), "rank 0"));

    using rotary = rotary_arguments<float>;
    CHECK(can_implement(rotary{input({7, 4}), output({7, 4}), indices}).ok());
    CHECK(refused(can_implement(rotary{input({7, 5}), output({7, 5}), indices}), "length 5; pairs"));
    CHECK(refused(can_implement(rotary{input({8}), output({8}), indices}),
                  "at most the input's dimensions but the last"));

    pooling_arguments<float> pool{pooling::average, input({1, 8, 8, 4}), output({1, 7, 7, 4}), {2, 2}};
    CHECK(can_implement(pool).ok());
    pool.padding[0] = 2;
    CHECK(refused(can_implement(pool), "a padding of 2 with a window of 2"));
    pool.padding[0] = 0, pool.stride[1] = 0;
    CHECK(refused(can_implement(pool), "a stride of 0"));
    pool.stride[1] = 2;
    CHECK(refused(can_implement(pool), "the lengths must agree"));
}
