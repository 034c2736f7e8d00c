/// Tensor arguments: what is refused, and that the canonical space of several tensors has every element where plain loops
/// over lengths and strides have it.

#include <tegula/kernel/index_space.hpp>

#include "test/catch.hpp"

#include <random>
#include <string>
#include <vector>

using namespace tegula;

namespace {

float storage[64];

template <class T>
std::string refused(const tensor_argument<T>& tensor)
{
    const status s = check_tensor(tensor, "X");
    return s.ok() ? "" : s.message();
}
template <class T>
std::string refused_output(const tensor_argument<T>& tensor)
{
    const status s = check_output(tensor, "Y");
    return s.ok() ? "" : s.message();
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// Offsets of all elements of a tensor, last dimension fastest.
std::vector<long_index_t> plain_offsets(const tensor_argument<float>& x)
{
    std::vector<long_index_t> all;
    long_index_t at[max_tensor_rank] = {};
    for (long_index_t i = 0; i < x.size(); ++i) {
        long_index_t offset = 0;
        for (int d = 0; d < x.rank; ++d)
            offset += at[d] * x.strides[d];
        all.push_back(offset);
        for (int d = x.rank - 1; d >= 0 && ++at[d] == x.lengths[d]; --d)
            at[d] = 0;
    }
    return all;
}

tensor_argument<float> random_tensor(std::mt19937& random, const tensor_argument<float>* lengths_of)
{
    tensor_argument<float> x{storage};
    x.rank = lengths_of != nullptr ? lengths_of->rank : static_cast<int>(random() % (max_tensor_rank + 1));
    long_index_t packed = 1;
    for (int d = x.rank - 1; d >= 0; --d) {
        x.lengths[d] = lengths_of != nullptr ? lengths_of->lengths[d] : 1 + static_cast<long_index_t>(random() % 4);
        const long_index_t kinds[] = {packed, packed, packed, packed * 3, -packed, 0, 7};
        x.strides[d] = kinds[random() % std::size(kinds)];
        packed *= x.lengths[d];
    }
    return x;
}

} // namespace

TEST_CASE("Tensors that cannot be read are refused")
{
    CHECK(refused(make_tensor_argument(storage, {2, 3})).empty());
    CHECK(refused(make_tensor_argument(storage, {})).empty());
    CHECK(refused(make_tensor_argument<float>(nullptr, {3, 0})).empty());
    CHECK(refused(make_tensor_argument(storage, {3, 4}, {0, -1})).empty());
    CHECK(contains(refused(make_tensor_argument(storage, {1, 1, 1, 1, 1, 1, 1, 1, 1})), "X: rank 9; "));
    CHECK(contains(refused(make_tensor_argument(storage, {2, 2}, {1})), "a stride for each length"));
    CHECK(contains(refused(make_tensor_argument(storage, {2, -2})), "length -2 of dimension 1"));
    CHECK(contains(refused(make_tensor_argument<float>(nullptr, {2, 3})), "null, with 6 elements"));
    const auto* odd = reinterpret_cast<const float*>(reinterpret_cast<const char*>(storage) + 2);
    CHECK(contains(refused(make_tensor_argument(odd, {2})), "not a multiple of 4 bytes"));
}

TEST_CASE("Tensors past 63 bits are refused")
{
    constexpr long_index_t big = 1ll << 62;
    CHECK(contains(refused(make_tensor_argument(storage, {big, 2}, {0, 0})), "more than 2^63 - 1 elements"));
    CHECK(contains(refused(make_tensor_argument(storage, {big})), "leads past 2^63 bytes"));
    CHECK(contains(refused(make_tensor_argument(storage, {3}, {big})), "stride 4611686018427387904 of dimension 0"));
    CHECK(contains(refused(make_tensor_argument(storage, {2}, {INT64_MIN})), "leads past 2^63 bytes"));
    CHECK(contains(refused(make_tensor_argument(storage, {2, 2}, {-(big / 4), big / 4})), "dimension 1"));
    CHECK(refused(make_tensor_argument<float>(nullptr, {big, big, 0})).empty());
    CHECK(make_tensor_argument<float>(nullptr, {big, big, 0}).size() == 0);
    CHECK(refused(make_tensor_argument(reinterpret_cast<char*>(storage), {INT64_MAX})).empty());
}

TEST_CASE("Outputs whose elements overlap are refused")
{
    CHECK(refused_output(make_tensor_argument(storage, {2, 3})).empty());
    CHECK(refused_output(make_tensor_argument(storage, {3, 2}, {1, 3})).empty());
    CHECK(refused_output(make_tensor_argument(storage, {3, 2}, {-1, 3})).empty());
    CHECK(refused_output(make_tensor_argument(storage, {3, 1}, {1, 0})).empty());
    CHECK(refused_output(make_tensor_argument<float>(nullptr, {0, 5}, {0, 0})).empty());
    CHECK(contains(refused_output(make_tensor_argument(storage, {3, 2}, {1, 2})), "Y: stride 2 of dimension 1"));
    CHECK(contains(refused_output(make_tensor_argument(storage, {2, 3}, {0, 1})), "stride 0 of dimension 0"));
}

TEST_CASE("Tensors that overlap and tensors that are one are told apart")
{
    const auto first = make_tensor_argument(storage, {4, 4});
    const auto next = make_tensor_argument(storage + 16, {4, 4});
    const auto back = make_tensor_argument(storage + 31, {16}, {-1});
    CHECK_FALSE(memory_overlaps(first, next));
    CHECK(memory_overlaps(next, back));
    CHECK_FALSE(memory_overlaps(first, back));
    CHECK(memory_overlaps(first, make_tensor_argument(storage + 15, {1})));
    CHECK_FALSE(memory_overlaps(first, make_tensor_argument(storage, {0})));
    CHECK(same_elements(first, make_tensor_argument(static_cast<const float*>(storage), {4, 4})));
    CHECK_FALSE(same_elements(first, make_tensor_argument(storage, {4, 4}, {1, 4})));
    CHECK_FALSE(check_same_lengths(first, "X", back, "Y").ok());
    CHECK(check_same_lengths(first, "X", next, "Y").ok());
}

TEST_CASE("A canonical space has every element of every tensor in its place")
{
    std::mt19937 random(7);
    for (int i = 0; i < 300; ++i) {
        const auto a = random_tensor(random, nullptr);
        const auto b = random_tensor(random, &a);
        const auto space = canonicalize(make_index_space(a, b));
        const auto expected_a = plain_offsets(a), expected_b = plain_offsets(b);
        REQUIRE(space.size == a.size());
        bool right = true;
        for (long_index_t n = 0; n < space.size; ++n) {
            const auto at = space.offsets(n);
            right = right && at[0] == expected_a[static_cast<std::size_t>(n)] &&
                    at[1] == expected_b[static_cast<std::size_t>(n)] && space.offset(n, 1) == at[1];
        }
        REQUIRE(right);
    }
}

TEST_CASE("Neighbouring dimensions become one, and what is broadcast in one tensor stays apart")
{
    const auto x = make_tensor_argument(storage, {2, 1, 3, 4});
    CHECK(canonicalize(make_index_space(x)).rank == 1);
    const auto row = make_tensor_argument(storage, {2, 1, 3, 4}, {0, 0, 0, 1});
    const auto both = canonicalize(make_index_space(x, row));
    CHECK(both.rank == 2);
    CHECK(both.lengths[0] == 4);
    CHECK(both.lengths[1] == 6);
    CHECK(canonicalize(make_index_space(make_tensor_argument(storage, {1, 1}))).rank == 0);
    CHECK(canonicalize(make_index_space(make_tensor_argument<float>(nullptr, {5, 0, 2}))).size == 0);

    auto transposed = make_index_space(make_tensor_argument(storage, {4, 3, 2}, {1, 4, 12}));
    CHECK(canonicalize(transposed).rank == 3);
    sort_dimensions(transposed);
    CHECK(canonicalize(transposed).rank == 1);
}

TEST_CASE("A space past 2^31 elements is numbered in 64 bits")
{
    const auto x = make_tensor_argument(static_cast<const char*>(nullptr), {3, 1ll << 40, 5}, {7, 100, 1});
    const auto space = canonicalize(make_index_space(x));
    CHECK(space.size == 15ll << 40);
    const long_index_t n = (2ll << 40) * 5 + 123456789012 * 5 + 4;
    CHECK(space.offsets(n)[0] == 2 * 7 + 123456789012 * 100 + 4);
}

TEST_CASE("A space is split by dimensions")
{
    const auto x = make_tensor_argument(storage, {2, 3, 4});
    const auto parts = split_dimensions(make_index_space(x), 0b101u);
    const auto kept = canonicalize(parts.kept), taken = canonicalize(parts.taken);
    CHECK(kept.size == 3);
    CHECK(kept.strides[0][0] == 4);
    CHECK(taken.rank == 2);
    CHECK(taken.strides[0][0] == 1);
    CHECK(taken.strides[0][1] == 12);
}

TEST_CASE("Vectors are as long as addresses, lengths and strides allow")
{
    alignas(16) static float aligned[64];
    const auto vector = [](const tensor_argument<float>& x) {
        return find_vector_length(canonicalize(make_index_space(x)), 0, x.data, 4, 4);
    };
    CHECK(vector(make_tensor_argument(aligned, {3, 8})) == 4);
    CHECK(vector(make_tensor_argument(aligned + 2, {3, 8})) == 2);
    CHECK(vector(make_tensor_argument(aligned + 1, {3, 8})) == 1);
    CHECK(vector(make_tensor_argument(aligned, {3, 6})) == 2);
    CHECK(vector(make_tensor_argument(aligned, {3, 8}, {10, 1})) == 2);
    CHECK(vector(make_tensor_argument(aligned, {3, 8}, {8, 2})) == 1);
    CHECK(vector(make_tensor_argument(aligned, {})) == 1);
}
