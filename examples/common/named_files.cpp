#include "named_files.hpp"

#include "bad_input.hpp"

#include <filesystem>

namespace examples {
namespace {

/// By whatever names if the file exists.
bool is_same_file(const std::string& x, const std::string& y)
{
    std::error_code missing;
    return !x.empty() && !y.empty() && (x == y || std::filesystem::equivalent(x, y, missing));
}

} // namespace

void check_named_files(std::initializer_list<named_file> outputs, std::initializer_list<named_file> inputs)
{
    for (const named_file& x : outputs) {
        for (const named_file& y : outputs)
            if (&x < &y && is_same_file(x.path, y.path))
                throw bad_input(std::string(x.option) + " and " + y.option + " name the same file, \"" + x.path +
                                "\"; give two");
        for (const named_file& y : inputs)
            if (is_same_file(x.path, y.path))
                throw bad_input(std::string(x.option) + " names the same file as " + y.option + ", \"" + x.path +
                                "\", which it would overwrite; give another");
    }
}

} // namespace examples
