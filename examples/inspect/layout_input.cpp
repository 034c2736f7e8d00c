#include "layout_input.hpp"

#include "json_input.hpp"
#include "read_encoding.hpp"

#include <cctype>
#include <cstdlib>

namespace inspect {

namespace {

using nlohmann::json;
using namespace tegula;

const json_form linear_form{"the linear layout",
                            R"({"bases":[["register",[[0,1],..]],["lane",[..]],..],"out_dims":[["x0",4],..]})",
                            {"bases", "out_dims"}};

/// A pair [name, value].
std::string name_at(const json& pair, const std::string& path)
{
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string())
        throw bad_input(path + " is " + kind_of(pair) + "; it must be a pair of a name and a value, as in " +
                        linear_form.shape);
    const std::string name = pair[0].get<std::string>();
    dim_name read;
    text_reader reader(name.c_str());
    if (status wrong = detail::read_dim_name(reader, read); !wrong.ok())
        throw bad_input(path + "[0]: " + wrong.message());
    if (!reader.at_end() || name != read.c_str())
        throw bad_input(path + "[0] is \"" + name + "\"; a name is a letter, then letters, digits and underscores");
    return name;
}

linear_layout read_linear_json(const std::string& text)
{
    const json value = read_object(text, linear_form);
    linear_builder builder;
    for (const json& input : list_at(value["bases"], "bases", linear_form)) {
        builder.add_input(name_at(input, "an entry of bases").c_str());
        for (const json& basis : list_at(input[1], "the bases of " + input[0].dump(), linear_form)) {
            builder.add_basis();
            for (const json& index : list_at(basis, "a basis of " + input[0].dump(), linear_form))
                builder.add_index(number_at(index, "an index in a basis of " + input[0].dump()));
        }
    }
    for (const json& output : list_at(value["out_dims"], "out_dims", linear_form)) {
        const std::string name = name_at(output, "an entry of out_dims");
        if (status wrong = builder.add_output(name.c_str(), number_at(output[1], "the size of " + name)); !wrong.ok())
            throw bad_input(wrong.message());
    }
    return take(builder.finish());
}

any_layout read_swizzle(const std::string& text)
{
    const auto alone = parse_swizzle(text.c_str());
    if (!alone.ok())
        return as_any(take(parse_swizzled_layout(text.c_str())));
    const int bits = alone.value.base + std::abs(alone.value.shift) + alone.value.bits;
    return as_any(compose(alone.value, make_strided(long_index_t{1} << bits, 1)));
}

} // namespace

any_layout read_layout(const std::string& argument)
{
    const std::string text = read_text(argument, "a layout");
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    const char c = first == std::string::npos ? '\0' : text[first];
    if (c == '{')
        return text.find("\"bases\"") != std::string::npos ? as_any(read_linear_json(text))
                                                           : as_any(read_encoding(text));
    if (is_cpp_encoding(text))
        return as_any(read_encoding(text));
    if (c == '(' || std::isdigit(static_cast<unsigned char>(c)))
        return as_any(take(parse_strided_layout(text.c_str())));
    if (c == 'S' && text.find('<') != std::string::npos)
        return read_swizzle(text);
    if (std::isalpha(static_cast<unsigned char>(c)) || c == '-')
        return as_any(take(parse_linear_layout(text.c_str())));
    throw bad_input("\"" + text.substr(0, 40) +
                    "\" is no layout; write shape:stride, as (4,2):(1,4), bases, as "
                    "lane[(1) (2)] -> x[4], a swizzle, as Sw<3,4,3>, or JSON");
}

} // namespace inspect
