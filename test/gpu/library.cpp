/// The C interface of the library of kernels, as far as it needs no GPU.

#include "library/tegula_library.h"

#include "test/catch.hpp"

#include <sstream>
#include <string>
#include <vector>

namespace {

std::vector<std::string> kernels()
{
    std::vector<std::string> names;
    std::istringstream lines(tegula_kernels());
    for (std::string name; std::getline(lines, name);)
        names.push_back(name);
    return names;
}

bool is_product(const std::string& name) { return name.find(" t64x64 kk") != std::string::npos; }

/// The number behind a word of a description.
std::size_t number_behind(const std::string& text, const std::string& word)
{
    const std::size_t at = text.find(word);
    REQUIRE(at != std::string::npos);
    return std::stoul(text.substr(at + word.size()));
}

} // namespace

TEST_CASE("every kernel that a check launches has a name and a description")
{
    REQUIRE(!kernels().empty());
    for (const std::string& name : kernels()) {
        INFO(name);
        // One that was given no name is listed by its type.
        CHECK(name.find("tegula::") == std::string::npos);
        const char* const found = tegula_describe(name.c_str());
        REQUIRE(found != nullptr);
        const std::string text = found;
        CHECK(text.starts_with("{\"name\": \"" + name + "\", \"kernel\": \"tegula::"));
        CHECK(number_behind(text, "\"bytes\": ") > number_behind(text, "\"type\": \"pointer\", \"at\": "));
        if (is_product(name))
            CHECK(text.find("\"name\": \"epilogue.parts[0].alpha\", \"type\": \"float32\"") != std::string::npos);
    }
}

TEST_CASE("the C interface refuses in a sentence")
{
    void* handle = nullptr;
    CHECK(tegula_describe("no such kernel") == nullptr);
    CHECK(tegula_message() == std::string("the library has no kernel \"no such kernel\"; tegula_kernels() names all"));
    CHECK(tegula_prepare_kernel("no such kernel", &handle, 8, &handle) != 0);
    CHECK(tegula_workspace("no such operation", nullptr) < 0);
    CHECK(tegula_message() ==
          std::string("the library has no operation \"no such operation\"; tegula_operations() names all"));
    std::string name;
    for (const std::string& kernel : kernels())
        if (is_product(kernel))
            name = kernel;
    if (name.empty())
        return; // built for a GPU whose kernels here are others
    CHECK(tegula_prepare_kernel(name.c_str(), &handle, 8, &handle) != 0);
    INFO(tegula_message());
    CHECK(std::string(tegula_message()).starts_with(name + ": arguments of 8 bytes, where "));
    // m, n and k are 0, and K is shared by no matrix: the arguments are right, but for a batch of -1.
    const std::string text = tegula_describe(name.c_str());
    std::vector<char> arguments(number_behind(text, "\"bytes\": "));
    const long long batch = -1;
    const std::size_t at = number_behind(text, "\"name\": \"batch\", \"type\": \"int64\", \"at\": ");
    std::copy_n(reinterpret_cast<const char*>(&batch), sizeof batch, arguments.data() + at);
    CHECK(tegula_prepare_kernel(name.c_str(), arguments.data(), arguments.size(), &handle) != 0);
    INFO(tegula_message());
    CHECK(std::string(tegula_message()).find("batch") != std::string::npos);
    CHECK(handle == nullptr);
}
