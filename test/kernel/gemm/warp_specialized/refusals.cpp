// Operands that tensor copies cannot address are refused with the value, before anything runs.

#include "test/kernel/gemm/warp_specialized/warp_specialized.hpp"

#include <functional>
#include <string>

namespace tegula::test {
namespace {

constexpr operand_order k = operand_order::k_contiguous;
constexpr operand_order mn = operand_order::row_contiguous;
template <c_layout Layout, operand_order B = k>
using kernel = hopper_kernel<warp_specialized_tiles<arch::sm_90a, bfloat16>::ws128x128, k, B, float, Layout>;
using product = kernel<c_layout::tensor_copies>::product_type;

alignas(16) bfloat16 inputs[4096];
alignas(16) float results[4096];

/// 32 x 40 x 64, two products: A in rows, B in columns, all at multiples of 16 bytes.
product good()
{
    product p{32, 40, 64, 2, {inputs, 64, 1, 2048}, {inputs, 1, 64, 0}, {results, 40, 1, 1280}, {}};
    p.epilogue = epilogue::make_linear<float, float>(1, 0, {}, nullptr, activation::none);
    return p;
}

template <class Kernel>
std::string why_not(const std::function<void(product&)>& change)
{
    product p = good();
    change(p);
    gemm_maps maps;
    const status s = describe_maps<Kernel>(p, maps);
    if (!s)
        CHECK(s.code() == status_code::unsupported);
    return s.ok() ? "" : s.message();
}

std::string why_not(const std::function<void(product&)>& change)
{
    return why_not<kernel<c_layout::tensor_copies>>(change);
}

TEST_CASE("operands that tensor copies cannot address are refused by name", "[gemm][hopper]")
{
    const std::string multistage = "take a multistage kernel",
                      pad = "pad the rows or take a kernel without tensor copies";
    const std::string multiple = " bytes; it must be a multiple of 16 below 2^40, " + pad;
    const std::string step = " along its contiguous dimension; tensor copies need 1, " + multistage;
    const std::string leading = "; tensor copies need one above 0, " + multistage;
    const std::string base = "; align it or take a kernel without tensor copies";
    CHECK(why_not([](product&) {}).empty());

    CHECK(why_not([](product& p) { p.a.data = inputs + 1; }) ==
          "A: tensor map: the base address lies 2 bytes past a multiple of 16" + base);
    CHECK(why_not([](product& p) { p.c.data = results + 2; }) ==
          "C: tensor map: the base address lies 8 bytes past a multiple of 16" + base);

    CHECK(why_not([](product& p) { p.a.row_stride = 65; }) ==
          "A: tensor map: the stride of dimension 1 is 130" + multiple);
    CHECK(why_not([](product& p) { p.a.row_stride = 1L << 40; }) ==
          "A: tensor map: the stride of dimension 1 is 2199023255552" + multiple);
    CHECK(why_not([](product& p) { p.a.batch_stride = 2047; }) ==
          "A: tensor map: the stride of dimension 2 is 4094" + multiple);
    CHECK(why_not([](product& p) { p.b.column_stride = 63; }) ==
          "B: tensor map: the stride of dimension 1 is 126" + multiple);
    CHECK(why_not([](product& p) { p.c.row_stride = 41; }) ==
          "C: tensor map: the stride of dimension 1 is 164" + multiple);

    CHECK(why_not([](product& p) { p.a.column_stride = 2; }) == "A has stride 2" + step);
    CHECK(why_not([](product& p) { p.b.row_stride = 3; }) == "B has stride 3" + step);
    CHECK(why_not([](product& p) { p.c.column_stride = 2; }) == "C has stride 2" + step);
    CHECK(why_not([](product& p) { p.a.row_stride = -64; }) == "A has a leading stride of -64" + leading);
    CHECK(why_not([](product& p) { p.b.column_stride = 0; }) == "B has a leading stride of 0" + leading);
    CHECK(why_not([](product& p) { p.a.batch_stride = -2048; }) ==
          "A has a batch stride of -2048; tensor copies need 0 or more, " + multistage);

    // Whole chunks of 16 bytes are written, also behind the last column.
    for (const long_index_t n : {33, 34, 39})
        CHECK(why_not([&](product& p) { p.n = n; }) ==
              "C has " + std::to_string(n) +
                  " columns; tensor copies write 4 at a time and would write behind each row, "
                  "take output_store::direct or " +
                  multistage.substr(5));
    CHECK(why_not([](product& p) { p.n = 36; }).empty());
    CHECK(why_not([](product& p) { p.n = 34, p.m = 1; }).starts_with("C has 34 columns"));

    for (const auto size : {&product::m, &product::n, &product::k, &product::batch})
        CHECK(why_not([&](product& p) { p.*size = 0; }) ==
              "a product without elements or without k has nothing to copy; " + multistage);
}

TEST_CASE("a C0 that does not lie as C does is refused where it is read so", "[gemm][hopper]")
{
    const auto with = [](matrix_argument<const float> c0, float beta = 2) {
        return [=](product& p) { p.epilogue = epilogue::make_linear<float, float>(1, beta, c0, nullptr); };
    };
    const std::string lies =
        "the epilogue reads C0 in vectors, and its columns are not neighbours or its rows do not start at "
        "multiples of 16 bytes; take a multistage kernel";
    CHECK(why_not(with({results, 40, 1, 1280})).empty());
    CHECK(why_not(with({results, 44, 1, 0})).empty()); // one C0 of both products
    CHECK(why_not(with({results, 1, 32, 1280})) == lies);
    CHECK(why_not(with({results, 41, 1, 1312})) == lies);
    CHECK(why_not(with({results + 1, 40, 1, 1280})) == lies);
    CHECK(why_not(with({results, 0, 1, 1280})) ==
          "C0 has a leading stride of 0; tensor copies need one above 0, take a multistage kernel");
    CHECK(why_not(with({results + 1, 1, 7, 3}, 0)).empty());
    CHECK(why_not<kernel<c_layout::odd_rows>>(with({results + 1, 1, 32, 1280})).empty());
    using split = hopper_kernel<warp_specialized_tiles<arch::sm_90a, bfloat16>::ws128x128, k, k, float,
                                c_layout::tensor_copies, work_partition::split_k>;
    CHECK(why_not<split>(with({results, 1, 32, 1280})) == lies); // its sums are finished in vectors, too
    CHECK(why_not<split>(with({results, 0, 1, 1280})).empty());
}

TEST_CASE("strides that nothing moves along do not matter", "[gemm][hopper]")
{
    CHECK(why_not([](product& p) { p.batch = 1, p.a.batch_stride = -7, p.c.batch_stride = 3; }).empty());
    CHECK(why_not([](product& p) { p.m = 1, p.a.row_stride = -7, p.c.row_stride = 1; }).empty());
    CHECK(why_not([](product& p) { p.a.batch_stride = 0; }).empty());
}

TEST_CASE("a stride that nothing moves along is no less than what lies inside it", "[gemm][hopper]")
{
    gemm_maps maps;
    product p = good();
    p.batch = 1;
    REQUIRE(describe_maps<kernel<c_layout::tensor_copies>>(p, maps).ok());
    CHECK(maps.left.strides_bytes[2] == 32 * 64 * 2);  // m rows of k elements
    CHECK(maps.right.strides_bytes[2] == 40 * 64 * 2); // n columns of k elements
    CHECK(maps.c.strides_bytes[2] == 32 * 40 * 4);
    p.m = 1, p.k = 60, p.a.row_stride = 0;
    REQUIRE(describe_maps<kernel<c_layout::tensor_copies>>(p, maps).ok());
    CHECK(maps.left.strides_bytes[1] == 128); // 60 elements, to a multiple of 16 bytes
    CHECK(maps.left.strides_bytes[2] == 128);
    p = good();
    p.b.column_stride = long_index_t{1} << 37; // the second product is the same: B has batch stride 0
    REQUIRE(describe_maps<kernel<c_layout::tensor_copies>>(p, maps).ok());
    CHECK(maps.right.strides_bytes[2] == (1UL << 40) - 16);
}

TEST_CASE("tensor copies move elements under their own type", "[gemm][hopper]")
{
    using tf32 = hopper_kernel<warp_specialized_tiles<arch::sm_90a, tfloat32>::ws128x128, k, k, float>;
    alignas(16) static tfloat32 x[64];
    gemm_maps maps;
    const tf32::product_type p{4, 4, 16, 1, {x, 16, 1, 0}, {x, 1, 16, 0}, {results, 4, 1, 0}, {}};
    REQUIRE(describe_maps<tf32>(p, maps).ok());
    CHECK(maps.left.type == tensor_element::tf32);
    CHECK(maps.right.type == tensor_element::tf32);
    CHECK(maps.c.type == tensor_element::f32);
    REQUIRE(describe_maps<kernel<c_layout::tensor_copies>>(good(), maps).ok());
    CHECK(maps.left.type == tensor_element::bf16);
}

TEST_CASE("kernels that write C directly take any C, and B by the order they were made for", "[gemm][hopper]")
{
    using odd = kernel<c_layout::odd_rows>;
    CHECK(why_not<odd>([](product& p) { p.c = {results + 1, 41, 1, 2000}; }).empty());
    CHECK(why_not<odd>([](product& p) { p.c = {results, 1, 40, 1300}; }).empty());
    CHECK(why_not<odd>([](product& p) { p.n = 33; }).empty());
    // With split k a second kernel writes C.
    using split = hopper_kernel<warp_specialized_tiles<arch::sm_90a, bfloat16>::ws128x128, k, k, float,
                                c_layout::tensor_copies, work_partition::split_k>;
    CHECK(why_not<split>([](product& p) { p.n = 33; }).empty());
    CHECK(why_not<kernel<c_layout::odd_rows, mn>>([](product&) {}) ==
          "B has stride 64 along its contiguous dimension; tensor copies need 1, take a multistage kernel");
    CHECK(why_not<kernel<c_layout::odd_rows, mn>>([](product& p) { p.b = {inputs, 40, 1, 0}; }).empty());
}

} // namespace
} // namespace tegula::test
