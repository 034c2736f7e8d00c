/// Products of nothing, and by nothing: what BLAS does.

#include <tegula/kernel/gemm/normalize.hpp>

#include "test/kernel/gemm/harness.hpp"

#include <cmath>

using namespace tegula;
using namespace tegula::test;

namespace {

using target = arch::gfx942;
using tile = gemm_tiles<target, bfloat16>::t32x128;
using kernel = gemm_kernel<tile, operand_order::any, operand_order::any, float, test_epilogue<float>::type,
                           output_access::elements>;
using data_type = gemm_data<bfloat16, float>;

emulator::launch_result run(const data_type::arguments_type& args) { return emulate(kernel{}, args); }

void require_fine(const emulator::launch_result& result)
{
    INFO(result.report << result.status.message());
    REQUIRE(result.status.ok());
}

} // namespace

TEST_CASE("k = 0: C becomes activation(beta C0 + bias), without pointers to A and B")
{
    gemm_case what;
    what.m = 33;
    what.n = 70;
    what.k = 0;
    what.beta = 0.75f;
    what.bias = true;
    what.activation = activation::relu;
    data_type data(what);
    auto args = data.arguments();
    args.a.data = nullptr;
    args.b.data = nullptr;
    require_fine(run(args));
    CHECK(data.verify().passed);
    CHECK(data.c.surroundings_untouched());
}

TEST_CASE("k = 0 and beta = 0: C becomes 0, whatever was in it")
{
    gemm_case what;
    what.m = 5;
    what.n = 9;
    what.k = 0;
    data_type data(what);
    require_fine(run(data.arguments()));
    data.c.for_each([](float x) { CHECK(x == 0.0f); });
}

TEST_CASE("m = 0, n = 0 or batch = 0: nothing is launched and nothing written")
{
    const long_index_t sizes[][3] = {{0, 8, 1}, {8, 0, 1}, {8, 8, 0}};
    for (const auto& s : sizes) {
        gemm_case what;
        what.m = s[0];
        what.n = s[1];
        what.k = 16;
        what.batch = s[2];
        data_type data(what);
        auto args = data.arguments();
        args.c.data = nullptr;
        require_fine(run(args));
        CHECK(kernel::blocks(args) == 0);
        CHECK(std::memcmp(data.c.values.data(), data.c.before.data(), data.c.values.size() * sizeof(float)) == 0);
    }
}

TEST_CASE("alpha = 0: A and B are not read, NaN in them does not reach C")
{
    for (const float beta : {0.0f, 1.5f}) {
        gemm_case what;
        what.m = 34;
        what.n = 65;
        what.k = 40;
        what.alpha = 0;
        what.beta = beta;
        what.bias = true;
        data_type data(what);
        data.a.for_each([](bfloat16& x) { x = poison<bfloat16>(); });
        data.b.for_each([](bfloat16& x) { x = poison<bfloat16>(); });
        require_fine(run(data.arguments()));
        data.c.for_each([](float x) { CHECK(!std::isnan(x)); });
        CHECK(data.verify().passed);
    }
}

TEST_CASE("an epilogue without a scale keeps its product")
{
    gemm_arguments<float, float, float, epilogue::none> args{};
    args.k = 5;
    CHECK(normalize(args).k == 5);
}
