#pragma once

#include <tegula/layout/encoding_value.hpp>

#include <type_traits>

namespace tegula {

/// Where text goes: anything with write(const char*, int), a stream of the standard library included.
template <class S>
concept text_sink = requires(S& sink, const char* text, int size) { sink.write(text, size); };

/// Writes words and whole numbers into a sink.
template <text_sink Sink>
class text_out
{
public:
    constexpr explicit text_out(Sink& sink) : sink_(sink) {}

    constexpr text_out& operator<<(const char* text)
    {
        int size = 0;
        while (text[size] != '\0')
            ++size;
        sink_.write(text, size);
        return *this;
    }
    constexpr text_out& operator<<(char c)
    {
        sink_.write(&c, 1);
        return *this;
    }
    template <class T>
        requires(std::is_integral_v<T> && !std::is_same_v<T, char> && !std::is_same_v<T, bool>)
    constexpr text_out& operator<<(T value)
    {
        char digits[24]{};
        int begin = sizeof(digits);
        std::uint64_t rest = static_cast<std::uint64_t>(value);
        if (value < 0)
            rest = 0 - rest;
        do
            digits[--begin] = static_cast<char>('0' + rest % 10);
        while (rest /= 10);
        if (value < 0)
            digits[--begin] = '-';
        sink_.write(digits + begin, static_cast<int>(sizeof(digits)) - begin);
        return *this;
    }
    /// `n` times the character c; nothing if n < 1.
    constexpr text_out& repeat(char c, int n)
    {
        for (; n > 0; --n)
            *this << c;
        return *this;
    }
    /// Calls write(i) for i in [0, n), with the separator between them.
    template <class F>
    constexpr text_out& list(int n, const char* separator, F&& write)
    {
        for (int i = 0; i < n; ++i) {
            if (i > 0)
                *this << separator;
            write(i);
        }
        return *this;
    }

private:
    Sink& sink_;
};

/// A sink that keeps a label of up to 255 characters; a longer one is cut.
class short_text
{
public:
    constexpr void write(const char* text, int size)
    {
        for (int i = 0; i < size && size_ + 1 < capacity; ++i)
            text_[size_++] = text[i];
    }
    constexpr const char* c_str() const { return text_; }
    constexpr int size() const { return size_; }

private:
    static constexpr int capacity = 256;
    char text_[capacity]{};
    int size_ = 0;
};

namespace detail {

/// open first, second, ... close
template <class Sink, class List, class Write>
constexpr void write_list(text_out<Sink>& out, const char* open, const List& list, const char* separator,
                          const char* close, Write&& write)
{
    out << open;
    out.list(list.size(), separator, [&](int i) { write(list[i]); });
    out << close;
}

} // namespace detail

/// The encoding as the C++ type that states it: tile_distribution_encoding<sequence<>, tuple<sequence<4, 2>>, ...>.
template <text_sink Sink>
constexpr void write_type(Sink& sink, const encoding_value& e)
{
    text_out out(sink);
    auto number = [&](index_t n) { out << n; };
    auto major = [&](rh_digit d) { out << d.major; };
    auto minor = [&](rh_digit d) { out << d.minor; };
    auto sequence_of = [&](auto write) {
        return [&out, write](const auto& list) { detail::write_list(out, "sequence<", list, ", ", ">", write); };
    };
    out << "tile_distribution_encoding<";
    sequence_of(number)(e.rs);
    detail::write_list(out, ", tuple<", e.hs, ", ", ">, ", sequence_of(number));
    detail::write_list(out, "tuple<", e.ps, ", ", ">, ", sequence_of(major));
    detail::write_list(out, "tuple<", e.ps, ", ", ">, ", sequence_of(minor));
    sequence_of(major)(e.ys);
    out << ", ";
    sequence_of(minor)(e.ys);
    out << ">";
}

/// The encoding as JSON: {"rs":[..],"hs":[[..],..],"ps":[[[major,minor],..],..],"ys":[[major,minor],..]}.
template <text_sink Sink>
constexpr void write_json(Sink& sink, const encoding_value& e)
{
    text_out out(sink);
    auto number = [&](index_t n) { out << n; };
    auto digit = [&](rh_digit d) { out << '[' << d.major << ',' << d.minor << ']'; };
    auto list_of = [&](auto write) {
        return [&out, write](const auto& list) { detail::write_list(out, "[", list, ",", "]", write); };
    };
    out << "{\"rs\":";
    list_of(number)(e.rs);
    out << ",\"hs\":";
    list_of(list_of(number))(e.hs);
    out << ",\"ps\":";
    list_of(list_of(digit))(e.ps);
    out << ",\"ys\":";
    list_of(digit)(e.ys);
    out << '}';
}

} // namespace tegula
