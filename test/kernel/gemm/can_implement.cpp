/// Bad input is refused before anything runs, by a sentence that names the value and the limit.

#include <tegula/kernel/gemm/can_implement.hpp>
#include <tegula/kernel/gemm/epilogue/check.hpp>

#include "test/catch.hpp"

#include <string>

using namespace tegula;

namespace {

alignas(16) float storage[64];

using arguments = gemm_arguments<float, float, float, epilogue::none>;

/// 4 x 5 of 4 x 3 and 3 x 5, two of them, all row-major and tight.
arguments good() { return {4, 5, 3, 2, {storage, 3, 1, 12}, {storage, 5, 1, 15}, {storage, 5, 1, 20}, {}}; }

template <class Change>
status changed(const Change& change)
{
    arguments g = good();
    change(g);
    return can_implement(g);
}

void refused(const status& s, const std::string& sentence, status_code code = status_code::invalid_argument)
{
    CHECK(std::string(s.message()) == sentence);
    CHECK(s.code() == code);
}

template <class T>
T* shifted(T* p, int bytes)
{
    return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(p) + static_cast<std::uintptr_t>(bytes));
}

} // namespace

TEST_CASE("what is right is accepted")
{
    CHECK(can_implement(good()).ok());
    CHECK(changed([](auto& g) { g.a = {storage, 1, 4, 12}; }).ok());         // column-major
    CHECK(changed([](auto& g) { g.a = {storage, 7, 2, 0}; }).ok());          // gaps, one A for all products
    CHECK(changed([](auto& g) { g.batch = 1, g.c.batch_stride = 0; }).ok()); // no batch, no stride
    CHECK(changed([](auto& g) { g.m = 1, g.a.row_stride = 0, g.c.row_stride = 0; }).ok()); // strides nothing uses
    CHECK(changed([](auto& g) { g.k = 0, g.a.data = nullptr, g.b.data = nullptr; }).ok());
    CHECK(changed([](auto& g) { g.m = 0, g.a.data = nullptr, g.c.data = nullptr; }).ok());
}

TEST_CASE("null pointers")
{
    refused(changed([](auto& g) { g.a.data = nullptr; }), "A is a null pointer, but it has 4 x 3 elements");
    refused(changed([](auto& g) { g.b.data = nullptr; }), "B is a null pointer, but it has 3 x 5 elements");
    refused(changed([](auto& g) { g.c.data = nullptr; }), "C is a null pointer, but it has 4 x 5 elements");
}

TEST_CASE("misaligned pointers")
{
    refused(changed([](auto& g) { g.a.data = shifted(g.a.data, 2); }), "A is not aligned to its elements of 4 bytes");
    refused(changed([](auto& g) { g.c.data = shifted(g.c.data, 1); }), "C is not aligned to its elements of 4 bytes");
}

TEST_CASE("negative sizes and sizes past the limit")
{
    refused(changed([](auto& g) { g.m = -1; }), "m is -1; sizes start at 0");
    refused(changed([](auto& g) { g.n = -7; }), "n is -7; sizes start at 0");
    refused(changed([](auto& g) { g.k = INT64_MIN; }), "k is -9223372036854775808; sizes start at 0");
    refused(changed([](auto& g) { g.batch = -2; }), "batch is -2; sizes start at 0");
    refused(changed([](auto& g) { g.k = 1L << 31; }), "k is 2147483648; the limit is 2147418111",
            status_code::unsupported);
}

TEST_CASE("sizes and extents past 2^63")
{
    refused(changed([](auto& g) { g.m = g.n = g.batch = 2000000000, g.k = 1; }),
            "a matrix of 2000000000 x 2000000000 x 2000000000 elements passes 2^63");
    const auto too_far = [](const char* matrix) {
        return std::string(matrix).append(" elements with these strides reaches past 2^63 bytes; use smaller strides");
    };
    refused(changed([](auto& g) { g.a.row_stride = INT64_MAX / 2; }), too_far("A of 4 x 3 x 2"));
    refused(changed([](auto& g) { g.a.row_stride = INT64_MIN; }), too_far("A of 4 x 3 x 2"));
    refused(changed([](auto& g) { g.b.batch_stride = INT64_MAX / 4; }), too_far("B of 3 x 5 x 2"));
    refused(changed([](auto& g) { g.a = {storage, INT64_MAX, INT64_MAX / 2 + 1, 0}; }), too_far("A of 4 x 3 x 2"));
    refused(changed([](auto& g) { g.k = 2, g.a = {storage, -(1L << 60), 1L << 60, 0}; }), too_far("A of 4 x 2 x 2"));
    CHECK(changed([](auto& g) { g.k = 2, g.a = {storage, -(1L << 58), 1L << 58, 0}; }).ok());
}

TEST_CASE("operands may repeat, overlap and run backwards")
{
    CHECK(changed([](auto& g) { g.a.row_stride = -3; }).ok());
    CHECK(changed([](auto& g) { g.b.batch_stride = -15; }).ok());
    CHECK(changed([](auto& g) { g.b.column_stride = 0; }).ok());
    CHECK(changed([](auto& g) { g.a.row_stride = 2; }).ok());
    CHECK(changed([](auto& g) { g.b = {storage, 1, 2, 15}; }).ok());
}

TEST_CASE("a C of any strides, as long as its elements do not lie on each other")
{
    CHECK(changed([](auto& g) { g.c = {storage, 1, 4, 20}; }).ok()); // column-major
    CHECK(changed([](auto& g) { g.c = {storage, -11, 2, -100}; }).ok());
    CHECK(changed([](auto& g) { g.c = {storage, 2, -9, 50}; }).ok());
    refused(changed([](auto& g) { g.c.row_stride = 4; }),
            "C has leading dimension 4, shorter than a row of 5 elements; it must be at least 5");
    refused(changed([](auto& g) { g.c = {storage, 1, -3, 20}; }),
            "C has leading dimension 3, shorter than a column of 4 elements; it must be at least 4");
    refused(changed([](auto& g) { g.c = {storage, 8, 2, 40}; }),
            "C has leading dimension 8, shorter than a row of 5 elements; it must be at least 9");
    refused(changed([](auto& g) { g.c.column_stride = 0; }),
            "C has stride 0 along a dimension of length 5; it must be at least 1");
    refused(changed([](auto& g) { g.c.batch_stride = 19; }),
            "C has batch stride 19, which overlaps outputs of 20 elements; it must be at least 20");
    refused(changed([](auto& g) { g.c.batch_stride = 0; }),
            "C has batch stride 0, which overlaps outputs of 20 elements; it must be at least 20");
    CHECK(changed([](auto& g) { g.batch = 1, g.n = 1, g.c = {storage, 3, 0, 0}; }).ok());
    CHECK(changed([](auto& g) { g.batch = 1, g.m = 1, g.c = {storage, 0, 3, 0}; }).ok());
}

TEST_CASE("which kernel suits an operand")
{
    using enum operand_order;
    const matrix_argument<float> x{storage, 0, 0, 8};
    CHECK(find_order(x, 8, 1, 4, 6, 2) == k_contiguous);
    CHECK(find_order(x, 1, 8, 4, 6, 2) == row_contiguous);
    CHECK(find_order(x, 7, 1, 4, 6, 2) == any);
    CHECK(find_order(x, 1, 7, 4, 6, 2) == any);
    CHECK(find_order(x, 16, 2, 4, 6, 2) == any);
    CHECK(find_order(matrix_argument<float>{storage + 1, 0, 0, 8}, 8, 1, 4, 6, 2) == any);
    CHECK(find_order(matrix_argument<float>{storage, 0, 0, 6}, 8, 1, 4, 6, 2) == any); // the second one is not aligned
    CHECK(find_order(matrix_argument<float>{storage, 0, 0, 6}, 8, 1, 4, 6, 1) == k_contiguous);
    CHECK(find_order(x, -8, 1, 4, 6, 1) == any);
    CHECK(find_order(x, 0, 1, 4, 6, 1) == k_contiguous);   // one row for all
    CHECK(find_order(x, 3, 1, 1, 6, 1) == k_contiguous);   // one row: its stride does not matter
    CHECK(find_order(x, 1, 3, 8, 1, 1) == row_contiguous); // one k likewise
}
