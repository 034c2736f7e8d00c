// The shape:stride and linear algebras against examples computed by other implementations.

#include "test/notation/notation_examples.hpp"

#include "test/catch.hpp"
#include "test/notation/notation_words.hpp"

#include <tegula/notations.hpp>

#include <algorithm>
#include <vector>

namespace {

using namespace tegula;
using notation_words::print;

using example = std::vector<std::string>; // operation, operands, result

std::vector<example> read(const char* text)
{
    std::vector<example> examples;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.empty())
            continue;
        example e(1);
        for (char c : line)
            if (c == '|')
                e.emplace_back();
            else
                e.back() += c;
        examples.push_back(e);
    }
    return examples;
}

strided_layout strided(const std::string& text)
{
    const auto l = parse_strided_layout(text.c_str());
    REQUIRE(l.ok());
    return l.value;
}

outcome<strided_layout> compute_strided(const example& e)
{
    const strided_layout a = strided(e[1]);
    if (e[0] == "coalesce")
        return coalesce(a);
    if (e[0] == "right_inverse")
        return right_inverse(a);
    if (e[0] == "complement")
        return complement(a, std::stoll(e[2]));
    const strided_layout b = strided(e[2]);
    if (e[0] == "composition")
        return composition(a, b);
    if (e[0] == "logical_divide")
        return logical_divide(a, b);
    if (e[0] == "logical_product")
        return logical_product(a, b);
    if (e[0] == "blocked_product")
        return blocked_product(a, b);
    REQUIRE(e[0] == "raked_product");
    return raked_product(a, b);
}

/// Where an operation is right only if the inner layout's modes do not carry, the reference may return a layout that is
/// not the composition; ours then refuses, or finds the one that is.
bool is_law_broken(const example& e, const strided_layout& result)
{
    if (e[0] != "composition")
        return false;
    const strided_layout a = strided(e[1]);
    const strided_layout b = strided(e[2]);
    for (long_index_t c = 0; c < size(b); ++c)
        if (offset(result, c) != offset(a, offset(b, c)))
            return true;
    return false;
}

TEST_CASE("the shape:stride algebra gives what CuTe gives", "[strided]")
{
    const auto examples = read(notation_examples::cute);
    int broken = 0;
    for (const example& e : examples) {
        REQUIRE(e.size() == 4);
        INFO(e[0] << " " << e[1] << " " << e[2] << " = " << e[3]);
        const auto result = compute_strided(e);
        if (!result.ok())
            INFO(result.error.message());
        const strided_layout expected = strided(e[3]);
        const bool right = !is_law_broken(e, expected);
        CHECK((result.ok() ? !is_law_broken(e, result.value) : !right));
        broken += !right;
        if (!right)
            continue;
        INFO(print(result.value));
        REQUIRE(num_modes(result.value) == num_modes(expected));
        REQUIRE(coalesce_modes(result.value) == coalesce_modes(expected));
    }
    CHECK(examples.size() > 150);
    CHECK(broken < 20);
}

linear_layout linear(const std::string& text)
{
    const auto l = parse_linear_layout(text.c_str());
    REQUIRE(l.ok());
    return l.value;
}

std::string compute_linear(const example& e)
{
    const linear_layout a = linear(e[1]);
    if (e[0] == "tests")
        return {is_injective(a) ? '1' : '0', is_surjective(a) ? '1' : '0', is_invertible(a) ? '1' : '0'};
    if (e[0] == "inverse")
        return print(inverse(a).value);
    if (e[0] == "pseudo_inverse")
        return print(pseudo_inverse(a));
    const linear_layout b = linear(e[2]);
    if (e[0] == "compose")
        return print(compose(a, b).value);
    if (e[0] == "product")
        return print(product(a, b).value);
    REQUIRE(e[0] == "invert_and_compose");
    const linear_layout ours = invert_and_compose(a, b).value, theirs = linear(e[3]);
    // Where b is replicated each may name another replica.
    return is_injective(b) || !(compose(b, ours).value == compose(b, theirs).value) ? print(ours) : e[3];
}

TEST_CASE("the linear algebra gives what Triton gives", "[linear]")
{
    const auto examples = read(notation_examples::triton);
    for (const example& e : examples) {
        REQUIRE(e.size() == 4);
        INFO(e[0] << " of " << e[1] << " and " << e[2]);
        CHECK(compute_linear(e) == e[3]);
    }
    CHECK(examples.size() > 80);
}

} // namespace
