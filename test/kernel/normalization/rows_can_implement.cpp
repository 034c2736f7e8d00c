/// Arguments that kernels on rows refuse, with the message, and the tile that a launcher takes.

#include <tegula/normalization.hpp>

#include "test/catch.hpp"

#include <string>

using namespace tegula;

namespace {

alignas(64) float memory[256];
long_index_t numbers[16];

void refused(const status& s, const std::string& part)
{
    INFO(s.message());
    CHECK(!s.ok());
    CHECK(std::string(s.message()).find(part) != std::string::npos);
}

softmax_arguments<float> softmax_of(std::initializer_list<long_index_t> lengths)
{
    return {make_tensor_argument<const float>(memory, lengths), make_tensor_argument(memory + 128, lengths), -1};
}

norm_arguments<float> norm_of()
{
    norm_arguments<float> a;
    a.x = make_tensor_argument<const float>(memory, {4, 8});
    a.y = make_tensor_argument(memory + 128, {4, 8});
    return a;
}

} // namespace

TEST_CASE("rows: softmax refuses what it cannot do")
{
    CHECK(can_implement(softmax_of({4, 8})).ok());
    CHECK(can_implement(softmax_of({0, 8})).ok());
    CHECK(can_implement(softmax_of({4, 0})).ok());
    refused(can_implement(softmax_of({})), "axis -1 and rank 0");
    auto a = softmax_of({4, 8});
    a.axis = 2;
    refused(can_implement(a), "an axis is from -2 to 1");
    a = softmax_of({4, 8});
    a.y.lengths[1] = 7;
    refused(can_implement(a), "the lengths must agree");
    a = softmax_of({4, 8});
    a.y.strides[0] = 4;
    refused(can_implement(a), "overlap");
    a = softmax_of({4, 8});
    a.y.data = memory + 16;
    refused(can_implement(a), "its memory overlaps that of x");
    a.y.data = memory; // in place
    CHECK(can_implement(a).ok());
    a = softmax_of({1, 1});
    a.x.lengths[1] = a.y.lengths[1] = max_row_length + 1;
    refused(can_implement(a), "split the rows");
    a = softmax_of({4, 8});
    a.x.data = nullptr;
    refused(can_implement(a), "null");
}

TEST_CASE("rows: the gradient of softmax refuses what it cannot do")
{
    softmax_backward_arguments<float> a;
    a.dy = make_tensor_argument<const float>(memory, {4, 8});
    a.y = make_tensor_argument<const float>(memory + 64, {4, 8});
    a.dx = make_tensor_argument(memory + 128, {4, 8});
    CHECK(can_implement(a).ok());
    a.dx.data = memory; // in dy's place
    CHECK(can_implement(a).ok());
    a.dx.data = memory + 16;
    refused(can_implement(a), "its memory overlaps that of dy");
    a.dx.data = memory + 128;
    a.dy.lengths[0] = 3;
    refused(can_implement(a), "the lengths must agree");
    a.dy.lengths[0] = 4;
    a.axis = 2;
    refused(can_implement(a), "an axis is from -2 to 1");
}

TEST_CASE("rows: norms refuse what they cannot do")
{
    CHECK(can_implement(norm_of()).ok());
    auto a = norm_of();
    a.epsilon = -1;
    refused(can_implement(a), "epsilon is negative");
    a = norm_of();
    a.weight = make_tensor_argument<const float>(memory, {7});
    refused(can_implement(a), "weight: rank 1 and length 7");
    a = norm_of();
    a.residual = make_tensor_argument<const float>(memory + 64, {4, 8});
    refused(can_implement(a), "give both");
    a.sum = make_tensor_argument(memory + 65, {4, 8});
    refused(can_implement(a), "overlaps that of residual");
    a.sum = make_tensor_argument(memory + 64, {4, 8}); // in place
    CHECK(can_implement(a).ok());
    a.y.data = memory + 65;
    refused(can_implement(a), "y: its memory overlaps that of residual");
    norm_arguments<float, std::int8_t> quantized;
    std::int8_t bytes[32];
    quantized.x = norm_of().x;
    quantized.y = make_tensor_argument(bytes, {4, 8});
    refused(can_implement(quantized), "scale is a null pointer");

    norm_backward_arguments<float> b;
    b.x = norm_of().x;
    b.dy = make_tensor_argument<const float>(memory + 64, {4, 8});
    b.dx = make_tensor_argument(memory + 128, {4, 8});
    refused(can_implement<norm_kind::rms>(b), "inverse_deviation is a null pointer");
    b.inverse_deviation = memory;
    CHECK(can_implement<norm_kind::rms>(b).ok());
    refused(can_implement<norm_kind::layer>(b), "mean is a null pointer");
    b.dweight = memory + 200;
    refused(can_implement<norm_kind::rms>(b), "workspace is a null pointer");
    b.workspace = memory + 220;
    b.dx.data = memory + 64;
    refused(can_implement<norm_kind::rms>(b), "memory of its own");
}

TEST_CASE("rows: losses and top-k refuse what they cannot do")
{
    cross_entropy_arguments<float> a;
    a.x = norm_of().x;
    refused(can_implement(a), "labels is a null pointer");
    a.labels = numbers;
    refused(can_implement(a), "losses and log_sum are null pointers");
    a.losses = memory + 200;
    CHECK(can_implement(a).ok());
    a.dx = make_tensor_argument(memory + 128, {4, 8});
    refused(can_implement_backward(a), "log_sum is a null pointer");

    topk_softmax_arguments<float> t;
    t.x = a.x;
    t.k = 9;
    refused(can_implement(t), "k is 9 and a row has 8 elements");
    t.k = 2;
    refused(can_implement(t), "weights or indices is a null pointer");
    t.x = make_tensor_argument<const float>(memory, {1, 64});
    t.k = 33;
    refused(can_implement(t), "at most 32");
}

TEST_CASE("rows: the first tile that suits")
{
    using tiles = row_tiles_for<arch::gfx942, 4>;
    CHECK(choose_row_tile(tiles{}, 32, 4) == 0);
    CHECK(choose_row_tile(tiles{}, 256, 4) == 1);
    CHECK(choose_row_tile(tiles{}, 1024, 8) == 2);
    CHECK(choose_row_tile(tiles{}, 2048, 4) == 3);
    CHECK(choose_row_tile(tiles{}, 4096, 4) == 4);
    CHECK(choose_row_tile(tiles{}, 8192, 4) == 5);
    CHECK(choose_row_tile(tiles{}, 8196, 4) == 6);
    CHECK(choose_row_tile(tiles{}, 32, 2) == 7);
    CHECK(choose_row_tile(tiles{}, 8196, 1) == 10);

    const auto x = make_tensor_argument<const float>(memory, {4, 6}, {8, 1});
    const row_space<1> space = make_row_space(-1, x);
    CHECK(find_row_vector<1>(space, {memory}, {4}, 16) == 2); // 6 elements
    CHECK(find_row_vector<1>(space, {memory + 1}, {4}, 16) == 1);
    CHECK(find_row_vector<1>(make_row_space(0, x), {memory}, {4}, 16) == 1);
}
