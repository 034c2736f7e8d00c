#include "examples/attention/kernels.hpp"

#include "test/catch.hpp"

using namespace attention_example;

namespace {

run_result run_nothing(const problem&, const run_options&) { return {}; }

/// Kernels of the backward pass of "chip" in bf16.
backward_entry entry(device where, index_t columns, bool changes_scores)
{
    return {"chip", "bf16", where, columns, 64, 32, changes_scores, false, &run_nothing};
}

kernel_entry forward_of(const char* arch, const char* type, device where)
{
    return {arch, type, where, tegula::element_kind::bf16, 128, 128, 64, &run_nothing};
}

problem problem_of(index_t head_dim, index_t value_dim, float cap = 0)
{
    problem p;
    p.plain.head_dim = head_dim;
    p.plain.value_dim = value_dim;
    p.cap = cap;
    return p;
}

} // namespace

TEST_CASE("the program's backward pass is that of the problem's columns and scores", "[attention][.full]")
{
    for (const backward_entry& e : {entry(device::gpu, 256, true), entry(device::gpu, 128, true),
                                    entry(device::gpu, 128, false), entry(device::gpu, 64, false)})
        add_backward_kernels(e);
    add_backward_kernels(entry(device::emulator, 128, true));

    const auto found = [&](const problem& p, device where = device::gpu) {
        const backward_entry* const e = find_backward(forward_of("chip", "bf16", where), p);
        return e == nullptr ? "none" : e->tile();
    };
    // The one that changes no scores, if the problem does not.
    CHECK(found(problem_of(64, 64)) == "64x32x64");
    CHECK(found(problem_of(40, 65)) == "64x32x128");
    CHECK(found(problem_of(128, 8)) == "64x32x128");
    CHECK(found(problem_of(136, 8)) == "64x32x256-changed-scores"); // where there is no other
    CHECK(found(problem_of(300, 8)) == "64x32x256-changed-scores"); // too few: the caller says so
    // A problem that changes scores takes the first tile for these with room for it.
    CHECK(found(problem_of(64, 64, 1)) == "64x32x128-changed-scores");
    problem biased = problem_of(64, 64);
    const float bias = 0;
    biased.plain.bias.data = &bias;
    CHECK(found(biased) == "64x32x128-changed-scores");
    CHECK(found(problem_of(8, 129, 1)) == "64x32x256-changed-scores");
    CHECK(found(problem_of(64, 64), device::emulator) == "64x32x128-changed-scores");
    CHECK(found(problem_of(64, 64), device::cpu) == "none");

    CHECK(find_backward(forward_of("other", "bf16", device::gpu), {}) == nullptr);
    CHECK(find_backward(forward_of("chip", "f16", device::gpu), {}) == nullptr);
}
