#pragma once

/// Shape:stride layouts as text: ((4,8,4),(2,2,8)):((128,1,16),(64,8,512)).

#include <tegula/notation/strided_layout.hpp>
#include <tegula/notation/text.hpp>
#include <tegula/notation/text_reader.hpp>

namespace tegula {

template <text_sink Sink>
constexpr void write_text(Sink& sink, const strided_layout& l)
{
    text_out out(sink);
    auto tree = [&](auto number) {
        out.list(l.leaves.size(), ",", [&](int i) {
            out.repeat('(', l.leaves[i].opens) << number(l.leaves[i]);
            out.repeat(')', l.leaves[i].closes);
        });
    };
    tree([](const strided_leaf& leaf) { return leaf.shape; });
    out << ':';
    tree([](const strided_leaf& leaf) { return leaf.stride; });
}

namespace detail {

/// Reads a number or a tuple of trees; store(i, number, opens, closes) takes leaf i. Returns what is wrong.
template <class Store>
constexpr status read_tree(text_reader& reader, Store&& store)
{
    int depth = 0;
    for (int i = 0;; ++i) {
        int opens = 0, closes = 0;
        while (reader.take('('))
            ++opens;
        long_index_t number = 0;
        if (!reader.take_number(number))
            return reader.error("a whole number below 2^63");
        depth += opens;
        bool comma = false;
        while (depth > 0 && ((comma = reader.take(',')) || reader.sees(')')) && reader.take(')')) {
            ++closes; // a comma before it is the one of a tuple of one, as in (8,)
            --depth;
            comma = false;
        }
        if (depth > 0 && !comma)
            return reader.error("\",\" or \")\"");
        if (status wrong = store(i, number, opens, closes); !wrong.ok())
            return wrong;
        if (depth == 0)
            return {};
    }
}

} // namespace detail

/// Reads shape:stride, two trees of numbers with the same parentheses. A shape alone gets the strides of
/// compact_layout(). Errors: what is expected at which character, or the sentence of check().
constexpr outcome<strided_layout> parse_strided_layout(text_reader& reader)
{
    strided_layout l;
    l.leaves = {};
    status wrong = detail::read_tree(reader, [&](int, long_index_t shape, int opens, int closes) {
        l.leaves.push_back({shape, 0, opens, closes});
        return status();
    });
    if (!wrong.ok())
        return wrong;
    if (!reader.take(':')) {
        wrong = check(l);
        return wrong.ok() ? outcome<strided_layout>(compact_layout(l)) : wrong;
    }
    int strides = 0;
    wrong = detail::read_tree(reader, [&](int i, long_index_t stride, int opens, int closes) {
        ++strides;
        if (i >= l.leaves.size() || l.leaves[i].opens != opens || l.leaves[i].closes != closes)
            return status(status_code::invalid_argument, "number ")
                   << i + 1 << " of the stride has other parentheses than number " << i + 1
                   << " of the shape, or no partner there; both must have the same form";
        l.leaves[i].stride = stride;
        return status();
    });
    if (wrong.ok() && strides != l.leaves.size())
        wrong = status(status_code::invalid_argument, "the shape has ")
                << l.leaves.size() << " numbers and the stride " << strides << "; both must have the same form";
    if (wrong.ok())
        wrong = check(l);
    return wrong.ok() ? outcome<strided_layout>(l) : wrong;
}

/// Reads a strided layout from text that holds nothing else.
constexpr outcome<strided_layout> parse_strided_layout(const char* text)
{
    text_reader reader(text);
    const outcome<strided_layout> l = parse_strided_layout(reader);
    if (l.ok() && !reader.at_end())
        return reader.error("the end of the layout");
    return l;
}

} // namespace tegula
