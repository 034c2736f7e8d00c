#pragma once

/// Linear layouts as text and as JSON.
///
/// Text: register[(0,1) (0,2)] lane[(1,0) (2,0)] wave[] -> x0[4] x1[4]. Each input dimension lists its bases, lowest
/// bit first, with one index for each output dimension; each output dimension states its size. JSON:
/// {"bases":[["register",[[0,1],[0,2]]],["lane",[[1,0],[2,0]]],["wave",[]]],"out_dims":[["x0",4],["x1",4]]}, the lists
/// that Triton's LinearLayout gives as `bases` and `out_dims`.

#include <tegula/notation/linear_layout.hpp>
#include <tegula/notation/text.hpp>
#include <tegula/notation/text_reader.hpp>

namespace tegula {

template <text_sink Sink>
constexpr void write_text(Sink& sink, const linear_layout& l)
{
    text_out out(sink);
    for (int i = 0; i < l.inputs.size(); ++i) {
        out << l.inputs[i].name.c_str() << '[';
        out.list(l.inputs[i].bits, " ", [&](int k) {
            detail::write_list(out, "(", basis(l, i, k), ",", ")", [&](long_index_t index) { out << index; });
        });
        out << "] ";
    }
    out << "->";
    for (const linear_dim& d : l.outputs)
        out << ' ' << d.name.c_str() << '[' << (long_index_t{1} << d.bits) << ']';
}

template <text_sink Sink>
constexpr void write_json(Sink& sink, const linear_layout& l)
{
    text_out out(sink);
    out << "{\"bases\":[";
    out.list(l.inputs.size(), ",", [&](int i) {
        out << "[\"" << l.inputs[i].name.c_str() << "\",[";
        out.list(l.inputs[i].bits, ",", [&](int k) {
            detail::write_list(out, "[", basis(l, i, k), ",", "]", [&](long_index_t index) { out << index; });
        });
        out << "]]";
    });
    out << "],\"out_dims\":";
    detail::write_list(out, "[", l.outputs, ",", "]", [&](const linear_dim& d) {
        out << "[\"" << d.name.c_str() << "\"," << (long_index_t{1} << d.bits) << ']';
    });
    out << '}';
}

/// Builds a linear layout from bases that are read before the outputs are known. Call add_input(), add_basis() and
/// add_index() as they come, then add_output() for each output, then finish().
class linear_builder
{
public:
    /// A new input dimension; its bases follow.
    constexpr void add_input(const dim_name& name) { layout_.inputs.push_back({name, 0}); }
    /// A new basis of the last input dimension; its indices follow.
    constexpr void add_basis()
    {
        ++layout_.inputs.back().bits;
        bases_.push_back({});
    }
    /// The next index of the last basis.
    constexpr void add_index(long_index_t index) { bases_.back().push_back(index); }

    /// A new output dimension. Error: its size is no power of two.
    constexpr status add_output(const dim_name& name, long_index_t size)
    {
        if (!is_power_of_two(size))
            return status(status_code::invalid_argument, "size ")
                   << size << " of " << name.c_str() << " is no power of two; a linear layout maps bits";
        layout_.outputs.push_back({name, log2_of(size)});
        return {};
    }
    /// The layout. Errors: a basis has another number of indices than there are outputs, an index is past its
    /// dimension, or the sentence of check().
    constexpr outcome<linear_layout> finish()
    {
        if (layout_.inputs.overflowed() || layout_.outputs.overflowed() || bases_.overflowed())
            layout_.columns.full = true;
        else if (status wrong = flatten_bases(); !wrong.ok())
            return wrong;
        const status wrong = check(layout_);
        return wrong.ok() ? outcome<linear_layout>(layout_) : wrong;
    }

private:
    constexpr status flatten_bases()
    {
        const linear_layout::dims& outputs = layout_.outputs;
        for (int j = 0; j < bases_.size(); ++j) {
            if (bases_[j].size() != outputs.size() || bases_[j].overflowed())
                return status(status_code::invalid_argument, "basis ")
                       << j << " needs one index for each of the " << outputs.size() << " output dimensions";
            for (int i = 0; i < outputs.size(); ++i)
                if (bases_[j][i] < 0 || bases_[j][i] >> outputs[i].bits != 0)
                    return status(status_code::invalid_argument, "index ")
                           << bases_[j][i] << " in basis " << j << " is past dimension " << outputs[i].name.c_str()
                           << ", whose size is " << (long_index_t{1} << outputs[i].bits);
            layout_.columns.push_back(flatten(outputs, bases_[j]));
        }
        return {};
    }

    linear_layout layout_;
    static_vector<linear_indices, f2::max_bits> bases_;
};

namespace detail {

/// Reads a name of at most 15 characters. Returns what is wrong.
constexpr status read_dim_name(text_reader& reader, dim_name& name)
{
    const int length = reader.take_name(name.text, dim_name::capacity);
    if (length == 0)
        return reader.error("the name of a dimension");
    if (length >= dim_name::capacity)
        return status(status_code::invalid_argument, "the name ")
               << name.c_str() << "... has " << length << " characters; at most 15 are kept";
    return {};
}

/// Reads a basis, as (0,1).
constexpr status read_basis(text_reader& reader, linear_builder& builder)
{
    builder.add_basis();
    if (reader.take(')'))
        return {};
    do {
        long_index_t index = 0;
        if (!reader.take_number(index))
            return reader.error("a whole number below 2^63");
        builder.add_index(index);
    } while (reader.take(','));
    return reader.take(')') ? status() : reader.error("\",\" or \")\"");
}

/// Reads an input dimension, as lane[(0,1) (0,2)].
constexpr status read_input(text_reader& reader, linear_builder& builder)
{
    dim_name name;
    if (status wrong = read_dim_name(reader, name); !wrong.ok())
        return wrong;
    builder.add_input(name);
    if (!reader.take('['))
        return reader.error("\"[\"");
    while (reader.take('('))
        if (status wrong = read_basis(reader, builder); !wrong.ok())
            return wrong;
    return reader.take(']') ? status() : reader.error("a basis in parentheses or \"]\"");
}

/// Reads an output dimension, as x0[16].
constexpr status read_output(text_reader& reader, linear_builder& builder)
{
    dim_name name;
    if (status wrong = read_dim_name(reader, name); !wrong.ok())
        return wrong;
    long_index_t size = 0;
    if (!reader.take('[') || !reader.take_number(size) || !reader.take(']'))
        return reader.error("the dimension's size in brackets, as in x0[16]");
    return builder.add_output(name, size);
}

} // namespace detail

/// Reads the text form. Errors: what is expected at which character, or the sentence of linear_builder.
constexpr outcome<linear_layout> parse_linear_layout(const char* text)
{
    text_reader reader(text);
    linear_builder builder;
    while (!reader.take("->"))
        if (status wrong = detail::read_input(reader, builder); !wrong.ok())
            return wrong;
    while (!reader.at_end())
        if (status wrong = detail::read_output(reader, builder); !wrong.ok())
            return wrong;
    return builder.finish();
}

} // namespace tegula
