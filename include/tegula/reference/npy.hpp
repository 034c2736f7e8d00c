#pragma once

#include <tegula/core/number_traits.hpp>
#include <tegula/core/status.hpp>
#include <tegula/reference/npy_header.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

/// Arrays in NumPy's .npy files, format versions 1, 2 and 3.

namespace tegula {

/// An array of a file, in C order (the last index moves fastest) and in the machine's byte order.
struct npy_array
{
    npy_dtype dtype = npy_dtype::f4;
    std::vector<long_index_t> shape; ///< empty: one element
    std::vector<std::byte> data;

    long_index_t elements() const { return static_cast<long_index_t>(data.size()) / npy_bytes(dtype); }

    /// The elements; T must be dtype's own type.
    template <class T>
    std::span<const T> values() const
    {
        return {reinterpret_cast<const T*>(data.data()), data.size() / sizeof(T)};
    }
    template <class T>
    std::span<T> values()
    {
        return {reinterpret_cast<T*>(data.data()), data.size() / sizeof(T)};
    }
    template <class T>
    bool holds() const
    {
        return dtype == npy_dtype_of<T>;
    }
};

/// An array of `values` in C order; the product of `shape` must be values.size().
template <class T>
npy_array make_npy_array(std::vector<long_index_t> shape, std::span<const T> values)
{
    npy_array array{npy_dtype_of<T>, std::move(shape), std::vector<std::byte>(values.size_bytes())};
    if (!values.empty())
        std::memcpy(array.data.data(), values.data(), values.size_bytes());
    return array;
}

namespace detail {

struct file_closer
{
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using file_handle = std::unique_ptr<std::FILE, file_closer>;

/// Reads exactly `bytes` and then the end of the file. Memory grows with what has been read, so that a header that
/// promises more than the file has costs nothing.
inline status read_npy_data(std::FILE* file, const std::string& path, std::size_t bytes, std::vector<std::byte>& data)
{
    constexpr std::size_t first_step = std::size_t{1} << 24;
    data.clear();
    while (data.size() < bytes) {
        const std::size_t had = data.size();
        data.resize(std::min(bytes, std::max(first_step, 2 * had)));
        const std::size_t got = std::fread(data.data() + had, 1, data.size() - had, file);
        if (got != data.size() - had)
            return npy_error(path) << "is truncated: its header promises " << static_cast<long long>(bytes)
                                   << " bytes of data, it has " << static_cast<long long>(had + got) << ".";
    }
    if (std::fgetc(file) != EOF)
        return npy_error(path) << "has bytes after the " << static_cast<long long>(bytes)
                               << " bytes of data that its header promises.";
    return {};
}

inline void swap_npy_bytes(std::vector<std::byte>& data, std::size_t element_bytes)
{
    for (std::size_t i = 0; i < data.size(); i += element_bytes)
        std::reverse(data.data() + i, data.data() + i + element_bytes);
}

/// Copies between C order (the last dimension of `shape` moves fastest) and Fortran order (the first dimension moves
/// fastest).
inline std::vector<std::byte> reorder_npy_data(const npy_array& array, bool to_fortran)
{
    const std::size_t rank = array.shape.size(), bytes = static_cast<std::size_t>(npy_bytes(array.dtype));
    std::vector<std::size_t> stride(rank), index(rank);
    for (std::size_t d = 0, step = bytes; d < rank; step *= static_cast<std::size_t>(array.shape[d++]))
        stride[d] = step;
    std::vector<std::byte> result(array.data.size());
    std::size_t fortran = 0;
    for (std::size_t c = 0; c < result.size(); c += bytes) {
        std::memcpy(result.data() + (to_fortran ? fortran : c), array.data.data() + (to_fortran ? c : fortran), bytes);
        for (std::size_t d = rank; d-- > 0;) {
            fortran += stride[d];
            if (++index[d] < static_cast<std::size_t>(array.shape[d]))
                break;
            fortran -= stride[d] * index[d];
            index[d] = 0;
        }
    }
    return result;
}

inline status read_npy_header(std::FILE* file, const std::string& path, npy_header& header)
{
    std::array<unsigned char, 12> start{};
    if (std::fread(start.data(), 1, 8, file) != 8 || std::memcmp(start.data(), "\x93NUMPY", 6) != 0)
        return npy_error(path) << "is not an .npy file: it does not begin with NumPy's mark.";
    const int version = start[6];
    if (version < 1 || version > 3)
        return npy_error(path) << "has .npy format version " << version << "; versions 1, 2 and 3 are read.";
    const std::size_t length_bytes = version == 1 ? 2 : 4;
    if (std::fread(start.data() + 8, 1, length_bytes, file) != length_bytes)
        return npy_error(path) << "is truncated inside its header.";
    std::size_t length = 0;
    for (std::size_t i = length_bytes; i-- > 0;)
        length = length << 8 | start[8 + i];
    constexpr std::size_t longest = std::size_t{1} << 20;
    if (length > longest)
        return npy_error(path) << "has a header of " << static_cast<long long>(length) << " bytes; at most "
                               << static_cast<long long>(longest) << " are read.";
    std::string text(length, '\0');
    if (std::fread(text.data(), 1, length, file) != length)
        return npy_error(path) << "is truncated inside its header.";
    return parse_npy_header(path, text, header);
}

inline bool write_all(std::FILE* file, const void* data, std::size_t bytes)
{
    return bytes == 0 || std::fwrite(data, 1, bytes, file) == bytes;
}

} // namespace detail

/// Reads `path` into `array`; on an error `array` is unchanged. The file may have any order and byte order; memory has
/// C order.
inline status read_npy(const std::string& path, npy_array& array)
{
    const detail::file_handle file(std::fopen(path.c_str(), "rb"));
    if (!file)
        return npy_error(path) << "cannot be opened: " << std::strerror(errno) << ".";
    if (std::error_code ignored; std::filesystem::is_directory(path, ignored))
        return npy_error(path) << "is a directory, not an .npy file.";

    npy_header header;
    if (status read = detail::read_npy_header(file.get(), path, header); !read)
        return read;
    npy_array result{header.dtype, header.shape, {}};
    if (status read = detail::read_npy_data(file.get(), path, header.data_bytes, result.data); !read)
        return read;
    if (header.swap_bytes)
        detail::swap_npy_bytes(result.data, static_cast<std::size_t>(npy_bytes(header.dtype)));
    if (header.fortran_order)
        result.data = detail::reorder_npy_data(result, false);
    array = std::move(result);
    return {};
}

struct npy_write_options
{
    bool fortran_order = false; ///< the file's order; memory is always in C order
};

/// Writes `array` to `path`. An existing file is replaced in one step once everything is written. On an error it stays
/// as it was and no partial file remains. A device or a pipe is written directly.
inline status write_npy(const std::string& path, const npy_array& array, npy_write_options options = {})
{
    std::size_t bytes = 0;
    if (!detail::npy_data_bytes(array.shape, array.dtype, bytes) || bytes != array.data.size())
        return npy_error(path) << "was not written: the array's shape does not match its "
                               << static_cast<long long>(array.data.size()) << " bytes of data.";
    const std::string header = detail::make_npy_header(array.dtype, array.shape, options.fortran_order);
    const std::vector<std::byte> reordered =
        options.fortran_order ? detail::reorder_npy_data(array, true) : std::vector<std::byte>{};
    const std::vector<std::byte>& data = options.fortran_order ? reordered : array.data;

    std::error_code error;
    const auto kind = std::filesystem::status(path, error).type();
    if (kind == std::filesystem::file_type::directory)
        return npy_error(path) << "is a directory; give the name of a file.";
    const bool in_place = kind != std::filesystem::file_type::regular && kind != std::filesystem::file_type::not_found;

    std::string target = path;
    detail::file_handle file;
    for (int attempt = 0; !file && attempt < 100; ++attempt) {
        if (!in_place)
            target = path + ".partial" + std::to_string(attempt);
        file.reset(std::fopen(target.c_str(), in_place ? "wb" : "wbx"));
        if (!file && (errno != EEXIST || in_place))
            break;
    }
    if (!file)
        return npy_error(path) << "cannot be written: " << std::strerror(errno) << ".";

    bool written = detail::write_all(file.get(), header.data(), header.size()) &&
                   detail::write_all(file.get(), data.data(), data.size());
    errno = written ? 0 : errno;
    written = std::fclose(file.release()) == 0 && written;
    std::string reason = std::strerror(errno);
    if (written && !in_place) {
        std::filesystem::rename(target, path, error);
        written = !error;
        reason = error ? error.message() : reason;
    }
    if (written)
        return {};
    if (!in_place)
        std::filesystem::remove(target, error);
    return npy_error(path) << "cannot be written: " << reason.c_str() << ".";
}

} // namespace tegula
