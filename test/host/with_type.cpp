#include <tegula/reference/registry.hpp>
#include <tegula/reference/with_type.hpp>

#include "test/catch.hpp"

using namespace tegula;

TEST_CASE("with_type calls with the type that the kind names", "[host]")
{
    const auto bytes = [](element_kind kind) {
        return with_type<bfloat16, double, std::int8_t, float>(kind, [](auto tag) {
            using type = typename decltype(tag)::type;
            return std::pair(kind_of_type<type>(), sizeof(type));
        });
    };
    CHECK(bytes(element_kind::bf16) == std::pair(element_kind::bf16, std::size_t{2}));
    CHECK(bytes(element_kind::f64) == std::pair(element_kind::f64, std::size_t{8}));
    CHECK(bytes(element_kind::i8) == std::pair(element_kind::i8, std::size_t{1}));
    CHECK(bytes(element_kind::f32) == std::pair(element_kind::f32, std::size_t{4}));
}

namespace {
struct thing
{
    int number;
};
const bool added = (registered<thing>().push_back({1}), true);
} // namespace

TEST_CASE("what a file adds before main begins is there", "[host]")
{
    CHECK(added);
    REQUIRE(registered<thing>().size() == 1);
    CHECK(registered<thing>()[0].number == 1);
}
