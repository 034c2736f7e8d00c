#pragma once

#include <tegula/core/number_traits.hpp>
#include <tegula/core/status.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace tegula {

/// Element types of .npy files that are read and written, in NumPy's spelling without the byte order. The Python
/// package ml_dtypes saves bfloat16 as V2, float8_e5m2 as f1, and its other types of one byte all as V1.
enum class npy_dtype { f2, f4, f8, i1, i2, i4, i8, u1, u2, u4, u8, b1, f1, v1, v2 };

namespace detail {
struct npy_dtype_entry
{
    npy_dtype dtype;
    std::string_view name;
};
inline constexpr npy_dtype_entry npy_dtypes[] = {
    {npy_dtype::f2, "f2"}, {npy_dtype::f4, "f4"}, {npy_dtype::f8, "f8"}, {npy_dtype::i1, "i1"}, {npy_dtype::i2, "i2"},
    {npy_dtype::i4, "i4"}, {npy_dtype::i8, "i8"}, {npy_dtype::u1, "u1"}, {npy_dtype::u2, "u2"}, {npy_dtype::u4, "u4"},
    {npy_dtype::u8, "u8"}, {npy_dtype::b1, "b1"}, {npy_dtype::f1, "f1"}, {npy_dtype::v1, "V1"}, {npy_dtype::v2, "V2"},
};
} // namespace detail

/// "f4", "i1" ...
constexpr std::string_view npy_name(npy_dtype dtype) { return detail::npy_dtypes[static_cast<int>(dtype)].name; }

/// Bytes of one element.
constexpr int npy_bytes(npy_dtype dtype) { return npy_name(dtype)[1] - '0'; }

template <class T>
struct npy_dtype_for;
template <npy_dtype Dtype>
struct npy_dtype_is
{
    static constexpr npy_dtype value = Dtype;
};
template <>
struct npy_dtype_for<half> : npy_dtype_is<npy_dtype::f2>
{};
template <>
struct npy_dtype_for<float> : npy_dtype_is<npy_dtype::f4>
{};
template <>
struct npy_dtype_for<double> : npy_dtype_is<npy_dtype::f8>
{};
template <>
struct npy_dtype_for<bfloat16> : npy_dtype_is<npy_dtype::v2>
{};
template <>
struct npy_dtype_for<float8_e5m2> : npy_dtype_is<npy_dtype::f1>
{};
template <>
struct npy_dtype_for<std::int8_t> : npy_dtype_is<npy_dtype::i1>
{};
template <>
struct npy_dtype_for<std::int16_t> : npy_dtype_is<npy_dtype::i2>
{};
template <>
struct npy_dtype_for<std::int32_t> : npy_dtype_is<npy_dtype::i4>
{};
template <>
struct npy_dtype_for<std::int64_t> : npy_dtype_is<npy_dtype::i8>
{};
template <>
struct npy_dtype_for<std::uint8_t> : npy_dtype_is<npy_dtype::u1>
{};
template <>
struct npy_dtype_for<std::uint16_t> : npy_dtype_is<npy_dtype::u2>
{};
template <>
struct npy_dtype_for<std::uint32_t> : npy_dtype_is<npy_dtype::u4>
{};
template <>
struct npy_dtype_for<std::uint64_t> : npy_dtype_is<npy_dtype::u8>
{};

/// The dtype whose elements are of type T.
template <class T>
inline constexpr npy_dtype npy_dtype_of = npy_dtype_for<T>::value;

/// The header of a file.
struct npy_header
{
    npy_dtype dtype = npy_dtype::f4;
    bool swap_bytes = false;
    bool fortran_order = false;
    std::vector<long_index_t> shape;
    std::size_t data_bytes = 0;
};

/// A status that begins with the quoted path; the caller adds what is wrong with it.
inline status npy_error(const std::string& path)
{
    status error(status_code::invalid_argument, "'");
    error << path.c_str() << "' ";
    return error;
}

namespace detail {

/// Bytes of an array; false if they, or the product of the nonzero lengths, pass 2^63.
inline bool npy_data_bytes(const std::vector<long_index_t>& shape, npy_dtype dtype, std::size_t& bytes)
{
    long_index_t product = npy_bytes(dtype);
    bool empty = false;
    for (long_index_t length : shape) {
        if (length < 0)
            return false;
        if (length == 0)
            empty = true;
        else if (product > std::numeric_limits<long_index_t>::max() / length)
            return false;
        else
            product *= length;
    }
    bytes = empty ? 0 : static_cast<std::size_t>(product);
    return true;
}

/// Reads the Python dictionary of a header:
/// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class npy_header_parser
{
public:
    explicit npy_header_parser(std::string_view text) : rest_(text) {}

    /// Gives the reason to refuse the header, as the end of a sentence; empty if it is accepted.
    std::string parse(npy_header& header)
    {
        if (!take('{'))
            return malformed;
        while (!take('}')) {
            std::string key;
            if (!string(key) || !take(':'))
                return malformed;
            if (std::string problem = value(key, header); !problem.empty())
                return problem;
            if (!take(',') && peek() != '}')
                return malformed;
        }
        skip_space();
        if (!rest_.empty() || seen_ != all)
            return malformed;
        return {};
    }

private:
    static constexpr const char* malformed =
        "has a malformed header: a dictionary of 'descr', 'fortran_order' and 'shape' is expected.";
    static constexpr unsigned descr = 1, order = 2, lengths = 4, all = 7;

    std::string value(const std::string& key, npy_header& header)
    {
        const unsigned which = key == "descr" ? descr : key == "fortran_order" ? order : key == "shape" ? lengths : 0;
        if (which == 0 || (seen_ & which) != 0)
            return malformed;
        seen_ |= which;
        if (which == descr)
            return dtype(header);
        return (which == order ? boolean(header.fortran_order) : shape(header.shape)) ? std::string{} : malformed;
    }

    std::string dtype(npy_header& header)
    {
        if (peek() == '[')
            return "has elements with named fields; an array of plain numbers is expected.";
        std::string name;
        if (!string(name))
            return malformed;
        const bool has_order = !name.empty() && std::string_view("<>|=").find(name[0]) != std::string_view::npos;
        const char byte_order = has_order ? name[0] : '=';
        const std::string_view kind = std::string_view(name).substr(has_order ? 1 : 0);
        if (kind.starts_with('O'))
            return "holds Python objects (dtype object); an array of plain numbers is expected.";
        for (const npy_dtype_entry& entry : npy_dtypes)
            if (entry.name == kind) {
                header.dtype = entry.dtype;
                header.swap_bytes = byte_order == (std::endian::native == std::endian::little ? '>' : '<');
                return {};
            }
        return "has dtype '" + name + "', which is not supported; save it as float32 or another plain number type.";
    }

    bool boolean(bool& value)
    {
        skip_space();
        for (bool candidate : {false, true}) {
            const std::string_view word = candidate ? "True" : "False";
            if (rest_.starts_with(word)) {
                rest_.remove_prefix(word.size());
                value = candidate;
                return true;
            }
        }
        return false;
    }

    bool shape(std::vector<long_index_t>& result)
    {
        if (!take('('))
            return false;
        while (!take(')')) {
            long_index_t length = 0;
            if (!integer(length))
                return false;
            result.push_back(length);
            const bool comma = take(',');
            if (!comma && (peek() != ')' || result.size() == 1)) // (3) is an integer, (3,) a tuple
                return false;
        }
        return true;
    }

    bool integer(long_index_t& value)
    {
        skip_space();
        const std::size_t digits = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
        if (digits == 0)
            return false;
        constexpr long_index_t limit = std::numeric_limits<long_index_t>::max();
        for (char c : rest_.substr(0, digits)) {
            const long_index_t digit = c - '0';
            value = value > (limit - digit) / 10 ? limit : 10 * value + digit; // a longer one overflows the product
        }
        rest_.remove_prefix(digits);
        if (rest_.starts_with('L')) // written by Python 2
            rest_.remove_prefix(1);
        return true;
    }

    bool string(std::string& value)
    {
        const char quote = peek();
        if (quote != '\'' && quote != '"')
            return false;
        const std::size_t end = rest_.find(quote, 1);
        if (end == std::string_view::npos)
            return false;
        value = rest_.substr(1, end - 1);
        rest_.remove_prefix(end + 1);
        return true;
    }

    void skip_space()
    {
        while (!rest_.empty() && std::string_view(" \t\n\r").find(rest_[0]) != std::string_view::npos)
            rest_.remove_prefix(1);
    }
    char peek()
    {
        skip_space();
        return rest_.empty() ? '\0' : rest_[0];
    }
    bool take(char c)
    {
        if (peek() != c || rest_.empty())
            return false;
        rest_.remove_prefix(1);
        return true;
    }

    std::string_view rest_;
    unsigned seen_ = 0;
};

inline status parse_npy_header(const std::string& path, std::string_view text, npy_header& header)
{
    if (const std::string problem = npy_header_parser(text).parse(header); !problem.empty())
        return npy_error(path) << problem.c_str();
    if (!npy_data_bytes(header.shape, header.dtype, header.data_bytes))
        return npy_error(path) << "has a shape whose bytes pass 2^63.";
    return {};
}

/// Mark, version, length and dictionary, padded so that the data begins at a multiple of 64 bytes.
inline std::string make_npy_header(npy_dtype dtype, const std::vector<long_index_t>& shape, bool fortran_order)
{
    const char byte_order = npy_bytes(dtype) == 1 ? '|' : std::endian::native == std::endian::little ? '<' : '>';
    std::string text = "{'descr': '";
    text += byte_order;
    text += npy_name(dtype);
    text += fortran_order ? "', 'fortran_order': True, 'shape': (" : "', 'fortran_order': False, 'shape': (";
    for (std::size_t d = 0; d < shape.size(); ++d) {
        text += (d > 0 ? " " : "") + std::to_string(shape[d]);
        text += d + 1 < shape.size() || d == 0 ? "," : "";
    }
    text += "), }";

    const bool is_long = text.size() + 64 > 0xffff;
    const std::size_t length_bytes = is_long ? 4 : 2, start = 8 + length_bytes;
    text.append(63 - (start + text.size()) % 64, ' ');
    text += '\n';
    std::string result = is_long ? std::string("\x93NUMPY\x02\x00", 8) : std::string("\x93NUMPY\x01\x00", 8);
    for (std::size_t i = 0; i < length_bytes; ++i)
        result += static_cast<char>((text.size() >> (8 * i)) & 0xff);
    return result + text;
}

} // namespace detail

} // namespace tegula
