// Gradients of attention on CPUs: as the machine's own code and on the strict emulator, against the formula in 64-bit
// arithmetic and the bounds that the GPUs' kernels are held to.

#include "test/kernel/attention/cpu/backward.hpp"

TEST_CASE("CPU attention backward: lengths", "[attention][cpu]")
{
    for (const attention_gradient_case& c :
         {attention_gradient_case{1, 1, 1, 1, 1}, {1, 2, 1, 3, 65, 40, 56}, {2, 4, 2, 165, 127, 64, 64, {}, true}})
        check_attention_gradients<native_kernels<plain>>(c);
    check_attention_gradients<strict_kernels<plain>>({1, 2, 1, 14, 65, 40, 56, {}, true});
    attention_gradient_case ragged{3, 2, 1, 70, 40};
    ragged.query_offsets = {0, 70, 70, 73};
    ragged.key_offsets = {0, 1, 30, 70};
    ragged.heads_inside = true;
    check_attention_gradients<native_kernels<plain>>(ragged);
    attention_gradient_case padded{2, 2, 2, 5, 140};
    padded.key_lengths = {3, 0};
    check_attention_gradients<native_kernels<plain>>(padded);
    check_attention_gradients<strict_kernels<plain>>(padded);
}

TEST_CASE("CPU attention backward: few keys, whose gradients are what rounding O leaves", "[attention][cpu]")
{
    for (const auto& [queries, keys] : {std::pair{32, 2}, {146, 3}, {20, 3}})
        for (std::uint64_t seed = 0; seed < 12; ++seed) {
            attention_gradient_case c{1, 1, 1, queries, keys};
            c.band.right = 0;
            c.seed = seed;
            check_attention_gradients<native_kernels<band, 64, bfloat16>>(c);
        }
}

TEST_CASE("CPU attention backward: bias, dropout, a functor's derivative", "[attention][cpu]")
{
    attention_gradient_case c{2, 2, 1, 33, 70};
    c.band = {20, 3};
    using variant = attention_variant<attention_mask::boolean, attention_bias::tensor, attention_weights::dropped>;
    check_attention_gradients<native_kernels<variant, 64, half, capped_score>>(c, capped_score{}, 0.25);
    c.seq_q = 14;
    check_attention_gradients<strict_kernels<variant, capped_score>>(c, capped_score{}, 0.25);
    attention_gradient_case alibi{1, 2, 2, 50, 60};
    check_attention_gradients<native_kernels<attention_variant<attention_mask::none, attention_bias::alibi>>>(alibi);
}

TEST_CASE("CPU attention backward: rows whose scores share a large magnitude", "[attention][cpu]")
{
    using variant = attention_variant<attention_mask::boolean, attention_bias::tensor, attention_weights::dropped>;
    attention_gradient_case c{1, 2, 1, 24, 40};
    c.far_bias = true;
    check_attention_gradients<native_kernels<variant, 64, half, capped_score>>(c, capped_score{}, 0.25);
    check_attention_gradients<strict_kernels<variant, capped_score>>(c, capped_score{}, 0.25);
    using band_and_bias = attention_variant<attention_mask::band, attention_bias::tensor>;
    check_attention_gradients<native_kernels<band_and_bias>>(c);
    c.scale = 500.0f; // products themselves
    check_attention_gradients<native_kernels<plain>>(c);
}

TEST_CASE("CPU attention backward: blocks that lists name are whole tiles of both kinds", "[attention][cpu]")
{
    using kernels =
        attention_backward_for<arch::x86_avx2, half, 64, 64, attention_variant<attention_mask::lists>, half>;
    kernels::problem problem;
    problem.forward.head_dim = problem.forward.value_dim = 64;
    problem.forward.lists = {.query_length = 84, .key_length = 84}; // of 64 keys there would be one tile in 84
    const status s = suits_gradient_tile<kernels::tile, kernels::variant>(problem);
    CHECK(s.code() == status_code::unsupported);
    CHECK(std::string(s.message()) ==
          "block lists are of 84 queries and 84 keys; the backward pass takes multiples of its tile's 1344");
    problem.forward.lists.query_length = problem.forward.lists.key_length = 1344;
    CHECK(suits_gradient_tile<kernels::tile, kernels::variant>(problem).ok());
}
