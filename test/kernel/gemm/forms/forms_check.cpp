#include "test/catch.hpp"

#include <tegula/kernel/gemm/forms/block_scaled.hpp>
#include <tegula/kernel/gemm/forms/quantized_weights.hpp>

#include <cstring>
#include <vector>

using namespace tegula;

namespace {

bool says(const status& s, const char* text) { return !s && std::strstr(s.message(), text) != nullptr; }

float storage[4096];

} // namespace

TEST_CASE("epilogue arguments: what is wrong is named", "[gemm]")
{
    using namespace epilogue;
    const extents e{8, 16, 2};
    CHECK(says(check_part(scale_rows<>{nullptr, 0}, e),
               "list of row scales is a null pointer, but it has 1 x 8 elements"));
    CHECK(check_part(scale_columns<>{storage + 16, -16}, e).ok());
    CHECK(says(check_part(scale_columns<>{storage, INT64_MAX}, e), "list of column scales of 1 x 16 x 2"));
    CHECK(says(check_part(scale_tensor<>{nullptr, 0}, e), "list of matrix scales"));
    CHECK(check_part(scale_rows<>{nullptr, 0}, extents{0, 16, 2}).ok());
    CHECK(says(check_part(clamp{1.0f, 0.0f}, e), "clamp"));
    CHECK(says(check_part(clamp{__builtin_nanf(""), 0.0f}, e), "clamp"));
    CHECK(check_part(add_source<float>{{storage, 16, 2, 128}, 1.0f}, e).ok());
    CHECK(says(check_part(add_source<float>{{nullptr, 16, 2, 128}, 1.0f}, e), "source is a null pointer"));
    CHECK(check_part(add_source<float>{{nullptr, 0, 0, 0}, 0.0f}, e).ok());

    const matrix_argument<float> whole{storage, 16, 1, 128};
    CHECK(check_part(make_residual(whole, 8, 2), e).ok());
    CHECK(make_residual(matrix_argument<float>{storage, 0, 1, 0}, 8, 2).vectors);
    CHECK(!make_residual(matrix_argument<float>{storage, 17, 1, 136}, 8, 2).vectors);
    CHECK(says(check_part(make_residual(matrix_argument<float>{nullptr, 16, 1, 128}, 8, 2), e), "null pointer"));
    CHECK(!make_residual(matrix_argument<float>{storage + 112, -16, 1, 128}, 8, 2).vectors);
    CHECK(says(check_part(add_residual<float>{{storage, 17, 1, 136}, 1.0f, true}, e), "make_residual"));

    CHECK(check_part(make_store_copy(whole, 8, 2), e).ok());
    CHECK(says(check_part(make_store_copy(matrix_argument<float>{storage, 16, 1, 127}, 8, 2), e), "overlaps"));
    CHECK(says(check_part(make_store_copy(whole, 8, 2, scale_rows<>{}), e), "row scales"));
    CHECK(says(check_part(store_copy<float>{{storage, 17, 1, 136}, true, {}}, e), "make_store_copy"));
    CHECK(says(check_part(make_chain(scale{2.0f}, make_as_float(scale_columns<>{})), e), "column scales"));
}

TEST_CASE("quantised weights: what is wrong is named", "[gemm]")
{
    using form = quantized<int4x2, 32>;
    static std::vector<int4x2> weights(4096);
    quantized_weights_arguments<half, form, float, epilogue::none> args{};
    args.m = 8, args.n = 16, args.k = 65;
    const half* activations = reinterpret_cast<const half*>(storage);
    args.a = {activations, 65, 1, 0};
    args.b = {weights.data(), 16, 1, 0};
    args.c = {storage + 1024, 16, 1, 0};
    args.scales = {storage, 16, 1, 0};
    CHECK(args.packets_k() == 33);
    CHECK(args.groups() == 3);
    CHECK(can_implement(args).ok());

    auto wrong = args;
    wrong.scales.data = nullptr;
    CHECK(says(can_implement(wrong), "scale matrix of the weights is a null pointer, but it has 3 x 16 elements"));
    wrong = args;
    wrong.scales.row_stride = -16;
    wrong.a.row_stride = 0;
    wrong.b = {weights.data(), 1, 33, 0};
    CHECK(can_implement(wrong).ok());
    wrong.scales.data = reinterpret_cast<float*>(reinterpret_cast<std::uintptr_t>(storage) + 2);
    CHECK(says(can_implement(wrong), "scale matrix of the weights is not aligned"));
    wrong.m = 0;
    CHECK(can_implement(wrong).ok());
    wrong = args;
    wrong.a.data = nullptr;
    CHECK(says(can_implement(wrong), "A is a null pointer"));
    wrong = args;
    wrong.b.data = nullptr;
    CHECK(says(can_implement(wrong), "B is a null pointer, but it has 33 x 16"));
    wrong = args;
    wrong.k = -1;
    CHECK(says(can_implement(wrong), "k is -1"));
}

TEST_CASE("block scales: what is wrong is named", "[gemm]")
{
    static std::vector<float8_e4m3> values(1 << 16);
    block_scaled_arguments<float8_e4m3, float8_e4m3, float, epilogue::none> args{};
    args.m = 8, args.n = 130, args.k = 257;
    args.a = {values.data(), 257, 1, 0};
    args.b = {values.data(), 1, 257, 0};
    args.c = {storage, 130, 1, 0};
    args.a_scales = {storage, 3, 1, 0};
    args.b_scales = {storage, 2, 1, 0};
    CHECK(args.groups_k() == 3);
    CHECK(args.groups_n() == 2);
    CHECK(can_implement(args).ok());

    auto wrong = args;
    wrong.a_scales.data = nullptr;
    CHECK(says(can_implement(wrong), "scale matrix of A is a null pointer, but it has 8 x 3"));
    wrong = args;
    wrong.b_scales.data = nullptr;
    CHECK(says(can_implement(wrong), "scale matrix of B is a null pointer, but it has 3 x 2"));
    wrong = args;
    wrong.b_scales.column_stride = INT64_MIN;
    CHECK(says(can_implement(wrong), "scale matrix of B of 3 x 2 x 1 elements with these strides reaches past"));
    wrong = args;
    wrong.c.data = nullptr;
    CHECK(says(can_implement(wrong), "C is a null pointer"));
}
