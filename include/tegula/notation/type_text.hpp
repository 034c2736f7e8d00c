#pragma once

#include <tegula/core/outcome.hpp>
#include <tegula/layout/encoding_value.hpp>
#include <tegula/notation/nested.hpp>
#include <tegula/notation/text_reader.hpp>

namespace tegula {

/// A nested layout and the workgroup that it is over.
struct nested_over_workgroup
{
    nested_value layout;
    workgroup_shape workgroup;
};

namespace detail {

/// Reads the C++ type of an encoding or of a nested layout as it stands in source.
class type_reader
{
public:
    constexpr explicit type_reader(const char* text) : reader_(text) {}

    constexpr outcome<encoding_value> read()
    {
        encoding_value e;
        take_alias();
        const bool wrapped = take_name("tile_distribution");
        if (wrapped && !take('<', "<"))
            return error_;
        const bool by_pairs = take_name("tile_distribution_encoding_of");
        if (!by_pairs && !take_name("tile_distribution_encoding")) {
            fail("tile_distribution_encoding<");
            return error_;
        }
        encoding_value::digits_type ys;
        static_vector<encoding_value::digits_type, encoding_value::max_p> ps;
        const bool read =
            take('<', "<") && read_sequence([&](index_t n) { e.rs.push_back(n); }) && take(',', ",") && read_tuple([&] {
                e.hs.push_back({});
                return read_sequence([&](index_t n) { e.hs.back().push_back(n); });
            }) &&
            take(',', ",") && (by_pairs ? read_pairs(ps) : read_digits(ps)) && take(',', ",") &&
            (by_pairs ? read_pair_list(ys) : read_digit_list(ys)) && take('>', ">") && (!wrapped || take('>', ">"));
        if (!read)
            return error_;
        if (!take_end())
            return error_;
        for (const auto& p : ps)
            e.ps.push_back(p);
        e.ys = ys;
        return e;
    }

    constexpr outcome<nested_over_workgroup> read_nested()
    {
        nested_over_workgroup n;
        nested_value& v = n.layout;
        const auto lengths = [&](const char* name, nested_value::lengths_type& list) {
            return read_numbers(name, [&](index_t length) { list.push_back(length); });
        };
        take_alias();
        std::int64_t size = 0, count = 0;
        const bool read =
            expect_name("nested_encoding") && take('<', "<") && expect_name("nested_layout") && take('<', "<") &&
            lengths("subgroup_tile", v.subgroup_tile) && take(',', ",") && lengths("batch_tile", v.batch_tile) &&
            take(',', ",") && lengths("outer_tile", v.outer_tile) && take(',', ",") &&
            lengths("thread_tile", v.thread_tile) && take(',', ",") && lengths("element_tile", v.element_tile) &&
            take(',', ",") && lengths("subgroup_strides", v.subgroup_strides) && take(',', ",") &&
            lengths("thread_strides", v.thread_strides) && take('>', ">") && take(',', ",") && read_number(size) &&
            take(',', ",") && read_number(count) && take('>', ">") && take_end();
        if (!read)
            return error_;
        n.workgroup = {static_cast<index_t>(size), static_cast<index_t>(count)};
        return n;
    }

private:
    constexpr bool fail(const char* expected)
    {
        if (error_.ok())
            error_ = reader_.error(expected);
        return false;
    }
    constexpr bool take(char c, const char* expected) { return reader_.take(c) || fail(expected); }

    /// "using name =", if it comes first.
    constexpr void take_alias()
    {
        char name[2];
        if (reader_.take("using ")) {
            reader_.take_name(name, sizeof(name));
            take('=', "=");
        }
    }
    /// Steps over the name, with or without namespaces, if it comes next.
    constexpr bool take_name(const char* name)
    {
        const text_reader start = reader_;
        char read[64]{};
        reader_.take("::");
        while (reader_.take_name(read, sizeof(read)) > 0 && reader_.take("::"))
            read[0] = '\0';
        int i = 0;
        while (name[i] != '\0' && read[i] == name[i])
            ++i;
        if (name[i] == '\0' && read[i] == '\0')
            return true;
        reader_ = start;
        return false;
    }
    constexpr bool expect_name(const char* name) { return take_name(name) || fail(name); }

    /// name<item, item, ...>
    template <class Item>
    constexpr bool read_list(const char* name, Item&& item)
    {
        if (!expect_name(name) || !take('<', "<"))
            return false;
        if (reader_.take('>'))
            return true;
        do
            if (!item())
                return false;
        while (reader_.take(','));
        return take('>', ", or >");
    }
    constexpr bool read_number(std::int64_t& number)
    {
        const bool negative = reader_.take('-');
        if (!reader_.take_number(number) || number > INT32_MAX)
            return fail("a whole number of 32 bits");
        number = negative ? -number : number;
        return true;
    }
    constexpr bool take_end()
    {
        reader_.take(';');
        return reader_.at_end() || fail("the end of the type");
    }
    template <class Use>
    constexpr bool read_sequence(Use&& use)
    {
        return read_numbers("sequence", use);
    }
    template <class Use>
    constexpr bool read_numbers(const char* name, Use&& use)
    {
        return read_list(name, [&] {
            std::int64_t number = 0;
            if (!read_number(number))
                return false;
            use(static_cast<index_t>(number));
            return true;
        });
    }
    template <class Item>
    constexpr bool read_tuple(Item&& item)
    {
        return read_list("tuple", item);
    }
    /// tuple<digit<major, minor>, ...>
    constexpr bool read_pair_list(encoding_value::digits_type& digits)
    {
        return read_tuple([&] {
            std::int64_t major = 0, minor = 0;
            if (!expect_name("digit") || !take('<', "<") || !read_number(major) || !take(',', ",") ||
                !read_number(minor) || !take('>', ">"))
                return false;
            digits.push_back({static_cast<index_t>(major), static_cast<index_t>(minor)});
            return true;
        });
    }
    constexpr bool read_pairs(static_vector<encoding_value::digits_type, encoding_value::max_p>& ps)
    {
        return read_tuple([&] {
            ps.push_back({});
            return read_pair_list(ps.back());
        });
    }
    /// Majors, then as many minors.
    constexpr bool read_digit_list(encoding_value::digits_type& digits)
    {
        int minors = 0;
        return read_sequence([&](index_t major) { digits.push_back({major, 0}); }) && take(',', ",") &&
               read_sequence([&](index_t minor) { set_minor(digits, minors++, minor); }) &&
               same_count(digits.size(), minors, "Y");
    }
    constexpr bool read_digits(static_vector<encoding_value::digits_type, encoding_value::max_p>& ps)
    {
        int lists = 0;
        const bool read = read_tuple([&] {
                              ps.push_back({});
                              return read_sequence([&](index_t major) { ps.back().push_back({major, 0}); });
                          }) &&
                          take(',', ",") && read_tuple([&] {
                              const int p = lists++;
                              int minors = 0;
                              return read_sequence([&](index_t minor) {
                                         if (p < ps.size())
                                             set_minor(ps[p], minors, minor);
                                         ++minors;
                                     }) &&
                                     (p >= ps.size() || same_count(ps[p].size(), minors, "P"));
                          });
        return read && same_count(ps.size(), lists, "the tuples of P");
    }
    static constexpr void set_minor(encoding_value::digits_type& digits, int i, index_t minor)
    {
        if (i < digits.size())
            digits[i].minor = minor;
    }
    constexpr bool same_count(int majors, int minors, const char* what)
    {
        if (majors == minors)
            return true;
        error_ = status(status_code::invalid_argument, what)
                 << " has " << majors << " majors and " << minors << " minors; give one minor for each major";
        return false;
    }

    text_reader reader_;
    status error_;
};

} // namespace detail

/// The encoding that a C++ type states, as write_type() writes it or as it stands in source without its comments. The
/// type may have namespaces, an alias (using name = ...;), or a tile_distribution<> around it. Its digits are two lists
/// or pairs (tile_distribution_encoding_of). The encoding may still break rules; validate() says so.
constexpr outcome<encoding_value> read_type(const char* text) { return detail::type_reader(text).read(); }

/// The nested layout and workgroup that a C++ type states, nested_encoding<nested_layout<...>, subgroup size, subgroups>,
/// with or without namespaces or an alias. As for read_type(), validate() says whether it is valid.
constexpr outcome<nested_over_workgroup> read_nested_type(const char* text)
{
    return detail::type_reader(text).read_nested();
}

} // namespace tegula
