/// Gradients of attention on the targets that have no file of their own: each by one set of kernels, which together have
/// every mask, bias and change of scores.

#include <tegula/kernel/attention/backward/tiles.hpp>

#include "test/kernel/attention/backward/backward.hpp"

using namespace tegula;
using namespace tegula::test;

using enum attention_mask;

TEST_CASE("attention backward on gfx90a")
{
    using kernels = attention_backward_for<arch::gfx90a, bfloat16, 64, 64, attention_variant<band>>;
    check_attention_gradients<kernels>({1, 4, 2, 65, 127, 64, 48, {-1, 0}, true});
}

TEST_CASE("attention backward on gfx1100")
{
    using kernels = attention_backward_for<arch::gfx1100, half, 128, 128, attention_variant<boolean>>;
    check_attention_gradients<kernels>({2, 1, 1, 65, 30, 128, 96, {20, 20, attention_diagonal::top_left}});
}

TEST_CASE("attention backward on gfx1201")
{
    using kernels = attention_backward_for<arch::gfx1201, bfloat16, 64, 64,
                                           attention_variant<none, attention_bias::alibi, attention_weights::dropped>>;
    check_attention_gradients<kernels>({1, 2, 1, 40, 127}, {}, 0.5);
}

TEST_CASE("attention backward on sm_89")
{
    using kernels = attention_backward_for<arch::sm_89, half, 64, 64, attention_variant<band, attention_bias::tensor>>;
    check_attention_gradients<kernels>({1, 2, 2, 127, 65, 64, 64, {40, 0, attention_diagonal::top_left, 3}});
}

TEST_CASE("attention backward on sm_90a")
{
    using kernels =
        attention_backward_for<arch::sm_90a, bfloat16, 64, 64, attention_variant<none>, bfloat16, capped_score>;
    check_attention_gradients<kernels, capped_score>({1, 2, 1, 65, 65}, {2.0f});
}

TEST_CASE("attention backward of block lists")
{
    using kernels = attention_backward_for<arch::sm_80, half, 32, 32, attention_variant<lists>>;
    attention_gradient_case c{2, 4, 2, 150, 260, 32, 32, {-1, 90}};
    c.block_length = 64;
    check_attention_gradients<kernels>(c);
    attention_gradient_case short_ones{2, 1, 1, 150, 260, 32, 24};
    short_ones.block_length = 128;
    short_ones.key_lengths = {3, 200};
    check_attention_gradients<kernels>(short_ones);

    kernels::problem problem;
    problem.forward.lists.query_length = problem.forward.lists.key_length = 64;
    problem.lists_by_keys.query_length = problem.lists_by_keys.key_length = 128;
    problem.forward.head_dim = problem.forward.value_dim = 32;
    CHECK(std::string(can_implement<kernels::variant>(problem).message()) ==
          "the block lists by keys are of 128 queries and 128 keys; those of the forward pass are of 64 and 64, and "
          "both must name the same blocks");
    problem.lists_by_keys = problem.forward.lists = {.query_length = 32, .key_length = 64};
    emulated_device device;
    CHECK(std::string(launch(device, kernels{}, {problem, {nullptr}}).message()) ==
          "block lists are of 32 queries and 64 keys; the backward pass takes multiples of its tile's 64");
}

TEST_CASE("attention backward: a workspace that is missing or starts anywhere")
{
    using kernels = attention_backward_for<arch::sm_80, half, 32>;
    kernels::problem problem;
    auto& a = problem.forward;
    a.heads = a.kv_heads = a.seq_q = a.seq_k = 1;
    a.head_dim = a.value_dim = 32;
    alignas(16) float lse[8] = {};
    alignas(16) half rows[8][32] = {};
    const auto row = [&](int i) { return attention_tensor<half>{rows[i], 32, 32, 32}; };
    const auto read = [&](int i) { return attention_tensor<const half>{rows[i], 32, 32, 32}; };
    a.q = read(0), a.k = read(1), a.v = read(2), problem.d_o = read(3);
    a.o = row(4), problem.dq = row(5), problem.dk = row(6), problem.dv = row(7);
    a.lse = {lse, 1, 1};
    const std::string floats = std::to_string(kernels::workspace_floats(a));
    const auto message = [&](float* workspace) {
        emulated_device device;
        return std::string(launch(device, kernels{}, {problem, {workspace}}).message());
    };
    CHECK(message(nullptr) == "the workspace is a null pointer; " + floats + " floats are needed");
    CHECK(message(lse + 1) == "the workspace of " + floats + " floats is not aligned to 16 bytes");
}

TEST_CASE("attention backward: the gradient of a bias that repeats, in a fixed order")
{
    using kernels = attention_backward_for<arch::sm_80, half, 32, 32, attention_variant<band, attention_bias::tensor>,
                                           half, unchanged_score, true>;
    attention_gradient_case c{2, 2, 1, 70, 100, 32, 32, {-1, 40}};
    check_attention_gradients<kernels>(c);
    using enum attention_gradient_case::repeats;
    for (const auto repeats : {batch_and_queries, batch_and_heads, keys, all}) {
        c.bias = repeats;
        check_attention_gradients<kernels>(c);
    }
}

TEST_CASE("attention backward: the gradient of a bias that repeats, by block lists, in a fixed order")
{
    using kernels = attention_backward_for<arch::sm_80, half, 32, 32, attention_variant<lists, attention_bias::tensor>,
                                           half, unchanged_score, true>;
    attention_gradient_case c{2, 2, 1, 150, 260, 32, 32};
    c.block_length = 128;
    c.bias = attention_gradient_case::repeats::batch_and_heads;
    check_attention_gradients<kernels>(c);
}
