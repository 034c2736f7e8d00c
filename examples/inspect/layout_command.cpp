#include "commands.hpp"
#include "layout_input.hpp"
#include "pictures.hpp"

#include <nlohmann/json.hpp>

#include <map>

namespace inspect {

namespace {

using namespace tegula;

template <class T>
const T& operand(const any_layout& l, const std::string& operation, const char* notation)
{
    if (const T* found = std::get_if<T>(&l))
        return *found;
    throw bad_input("--op " + operation + " takes " + notation);
}

// Operations

using unary_strided = outcome<strided_layout> (*)(const strided_layout&);
using binary_strided = outcome<strided_layout> (*)(const strided_layout&, const strided_layout&);
using unary_linear = outcome<linear_layout> (*)(const linear_layout&);
using binary_linear = outcome<linear_layout> (*)(const linear_layout&, const linear_layout&);
using operation = std::variant<unary_strided, binary_strided, unary_linear, binary_linear>;

const std::map<std::string, operation> operations{
    {"coalesce", unary_strided([](const strided_layout& l) -> outcome<strided_layout> { return coalesce(l); })},
    {"flatten", unary_strided([](const strided_layout& l) -> outcome<strided_layout> { return flatten(l); })},
    {"right_inverse",
     unary_strided([](const strided_layout& l) -> outcome<strided_layout> { return right_inverse(l); })},
    {"left_inverse", unary_strided(left_inverse)},
    {"composition", binary_strided(composition)},
    {"complement", binary_strided([](const strided_layout& l, const strided_layout& bound) {
         return bound.leaves.size() == 1 ? complement(l, bound.leaves[0].shape)
                                         : obstacle("the second operand of complement is a number");
     })},
    {"logical_divide", binary_strided(logical_divide)},
    {"logical_product", binary_strided(logical_product)},
    {"blocked_product", binary_strided(blocked_product)},
    {"raked_product", binary_strided(raked_product)},
    {"inverse", unary_linear([](const linear_layout& l) { return inverse(l); })},
    {"pseudo_inverse",
     unary_linear([](const linear_layout& l) -> outcome<linear_layout> { return pseudo_inverse(l); })},
    {"compose", binary_linear([](const linear_layout& a, const linear_layout& b) { return compose(a, b); })},
    {"product", binary_linear([](const linear_layout& a, const linear_layout& b) { return product(a, b); })},
    {"divide_left", binary_linear(divide_left)},
    {"divide_right", binary_linear(divide_right)},
    {"invert_and_compose", binary_linear(invert_and_compose)},
};

any_layout operate(const layout_request& request, const any_layout& l)
{
    const auto found = operations.find(request.operation);
    if (found == operations.end())
        throw bad_input("there is no operation \"" + request.operation + "\"; there are " + layout_operations());
    const std::string& name = request.operation;
    const bool binary = found->second.index() % 2 == 1;
    if (binary == request.operand.empty())
        throw bad_input("--op " + name + (binary ? " needs --with, its second operand" : " takes no --with"));
    const char* const strided = "shape:stride layouts";
    const char* const linear = "linear layouts; --to linear prints one";
    if (const auto* f = std::get_if<unary_strided>(&found->second))
        return as_any(take((*f)(operand<strided_layout>(l, name, strided))));
    if (const auto* f = std::get_if<unary_linear>(&found->second))
        return as_any(take((*f)(operand<linear_layout>(l, name, linear))));
    const any_layout other = read_layout(request.operand);
    if (const auto* f = std::get_if<binary_strided>(&found->second))
        return as_any(
            take((*f)(operand<strided_layout>(l, name, strided), operand<strided_layout>(other, name, strided))));
    const auto f = std::get<binary_linear>(found->second);
    return as_any(take(f(operand<linear_layout>(l, name, linear), operand<linear_layout>(other, name, linear))));
}

// Conversions

/// The layout in every notation, or why not.
struct all_forms
{
    const char* notation;
    outcome<encoding_value> encoding;
    outcome<linear_layout> linear;
    outcome<strided_layout> strided;
    outcome<swizzled_layout> swizzled;
};

template <class To, class From, class Convert>
outcome<To> after(const outcome<From>& from, Convert&& convert)
{
    return from.ok() ? convert(from.value) : outcome<To>(from.error);
}
outcome<swizzled_layout> swizzled_from(const outcome<linear_layout>& l)
{
    return after<swizzled_layout>(l, [](const linear_layout& x) { return to_swizzled(x); });
}
outcome<encoding_value> encoding_from_linear(const outcome<linear_layout>& l)
{
    return after<encoding_value>(l, [](const linear_layout& x) { return to_encoding(x); });
}

all_forms convert(const encoding_value& e, const layout_request&)
{
    const outcome<linear_layout> l = to_linear(e);
    return {"encoding", e, l, to_strided(e), swizzled_from(l)};
}
all_forms convert(const linear_layout& l, const layout_request&)
{
    return {"linear", to_encoding(l), l, to_strided(l), to_swizzled(l)};
}
all_forms convert(const strided_layout& l, const layout_request& request)
{
    tile_shape tile;
    for (long length : request.shape)
        tile.push_back(length);
    if (tile.overflowed())
        throw bad_input("--shape has " + std::to_string(request.shape.size()) + " lengths; a tile has at most " +
                        std::to_string(tile.capacity()));
    if (tile.empty())
        tile.push_back(cosize(l));
    const outcome<encoding_value> e = to_encoding(l, tile, request.lanes);
    const bool is_memory = request.shape.empty() && num_modes(l) != 2;
    const outcome<linear_layout> linear = request.lanes > 0 && e.ok() ? to_linear(e.value)
                                          : is_memory                 ? to_linear(compose({}, l))
                                                                      : to_linear(l, tile);
    return {"shape_stride", e, linear, l, compose({}, l)};
}
all_forms convert(const swizzled_layout& l, const layout_request&)
{
    const outcome<linear_layout> linear = to_linear(l);
    const outcome<strided_layout> strided =
        l.twist.bits == 0 && l.start == 0
            ? outcome<strided_layout>(l.layout)
            : after<strided_layout>(linear, [](const linear_layout& x) { return to_strided(x); });
    return {"swizzle", encoding_from_linear(linear), linear, strided, l};
}

// Answers

template <class T>
std::string text_of(const T& l)
{
    text_buffer out;
    write_text(out, l);
    return out.text;
}
std::string text_of(const encoding_value& e)
{
    text_buffer out;
    write_json(out, e);
    return out.text;
}
template <class T>
std::string json_of(const T& l)
{
    return '"' + text_of(l) + '"';
}
std::string json_of(const encoding_value& e) { return text_of(e); }
std::string json_of(const linear_layout& l)
{
    text_buffer out;
    write_json(out, l);
    return out.text;
}

/// A form by name, in text and in JSON, or the sentence why there is none.
struct named_form
{
    const char* name;
    bool ok;
    std::string text;
    std::string json;
    std::string obstacle;
};

template <class T>
named_form name_form(const char* name, const outcome<T>& form)
{
    if (form.ok())
        return {name, true, text_of(form.value), json_of(form.value), ""};
    return {name, false, "", "null", form.error.message()};
}

std::vector<named_form> name_forms(const all_forms& f)
{
    return {name_form("encoding", f.encoding), name_form("linear", f.linear), name_form("shape_stride", f.strided),
            name_form("swizzle", f.swizzled)};
}

void write_one(const layout_request& request, const std::vector<named_form>& forms)
{
    for (const named_form& form : forms) {
        if (form.name != request.to)
            continue;
        if (!form.ok)
            throw bad_input(form.obstacle);
        standard_output out;
        text_out(out) << (request.output.json ? form.json : form.text).c_str() << '\n';
        return out.finish();
    }
    throw bad_input("--to is \"" + request.to + "\"; it must be encoding, linear, shape_stride or swizzle");
}

void write_all_as_json(standard_output& sink, const char* notation, const std::vector<named_form>& forms)
{
    text_out out(sink);
    out << "{\"notation\":\"" << notation << '"';
    for (const named_form& form : forms)
        out << ",\"" << form.name << "\":" << form.json.c_str();
    out << ",\"obstacles\":{";
    const char* separator = "";
    for (const named_form& form : forms) {
        if (form.ok)
            continue;
        out << separator << '"' << form.name << "\":" << nlohmann::json(form.obstacle).dump().c_str();
        separator = ",";
    }
    out << "}}\n";
}

void write_all(standard_output& sink, const all_forms& all, const std::vector<named_form>& forms)
{
    text_out out(sink);
    for (const named_form& form : forms) {
        if (form.name == std::string("swizzle") && form.ok && all.swizzled.value.twist.bits == 0)
            continue; // the line above says it
        out << form.name;
        out.repeat(' ', 14 - static_cast<int>(std::char_traits<char>::length(form.name)));
        out << (form.ok ? form.text : "none: " + form.obstacle).c_str() << '\n';
    }
    if (all.strided.ok())
        out << "size          " << size(all.strided.value) << ", offsets below " << cosize(all.strided.value) << '\n';
    if (all.linear.ok())
        out << "rank          " << rank(all.linear.value) << " of " << input_bits(all.linear.value)
            << " input bits and " << output_bits(all.linear.value) << " output bits\n";
}

/// Pictures are of tiles that threads hold.
void draw(const layout_request& request, const all_forms& all, const std::vector<named_form>& forms)
{
    if (!all.encoding.ok())
        throw bad_input("only a layout that is an encoding is drawn: " + std::string(all.encoding.error.message()));
    show_encoding(request.output, all.encoding.value, "Layout",
                  [&](standard_output& out) { write_all_as_json(out, all.notation, forms); });
}

} // namespace

std::string layout_operations()
{
    std::string names;
    for (const auto& [name, function] : operations)
        names += (names.empty() ? "" : ", ") + name;
    return names;
}

void run_layout(const layout_request& request)
{
    any_layout l = read_layout(request.text);
    if (!request.operation.empty())
        l = operate(request, l);
    else if (!request.operand.empty())
        throw bad_input("--with is the second operand of --op, which is missing");
    if (!std::holds_alternative<strided_layout>(l) && (!request.shape.empty() || request.lanes != 0))
        throw bad_input("--shape and --lanes are for shape:stride layouts; the other notations state them");
    const all_forms all = std::visit([&](const auto& layout) { return convert(layout, request); }, l);
    const std::vector<named_form> forms = name_forms(all);
    if (request.output.is_drawn())
        return draw(request, all, forms);
    if (!request.to.empty())
        return write_one(request, forms);
    standard_output out;
    if (request.output.json)
        write_all_as_json(out, all.notation, forms);
    else
        write_all(out, all, forms);
    out.finish();
}

} // namespace inspect
