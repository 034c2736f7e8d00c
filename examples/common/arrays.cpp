#include "arrays.hpp"

#include "bad_input.hpp"
#include "lists.hpp"

#include <tegula/core/float4.hpp>
#include <tegula/core/float6.hpp>
#include <tegula/core/scale_formats.hpp>

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <type_traits>
#include <unistd.h>

namespace examples {

std::string shape_text(const std::vector<long_index_t>& shape)
{
    std::string text;
    for (const long_index_t length : shape)
        append_item(text, std::to_string(length));
    return "(" + text + (shape.size() == 1 ? ",)" : ")");
}

namespace {

/// A type that ml_dtypes saves as bytes: its name and its values. Elements of fewer bits fill a byte each.
struct named_type
{
    std::string_view name;
    float (*value)(std::uint8_t bits);
};

template <class T>
float value_of(std::uint8_t bits)
{
    return static_cast<float>(T::from_bits(bits));
}

/// A format that the library has no kernels for.
template <int ExponentBits, int MantissaBits, int Bias, tegula::float_specials Specials, class Bits = std::uint8_t>
using other_float = tegula::small_float<
    tegula::float_format<Bits, ExponentBits, MantissaBits, Bias, Specials, tegula::overflow::saturate>>;

/// An integer of so many bits.
template <int Bits, bool IsSigned>
float integer_of(std::uint8_t bits)
{
    const int value = bits & ((1 << Bits) - 1);
    return static_cast<float>(IsSigned && value >> (Bits - 1) != 0 ? value - (1 << Bits) : value);
}

constexpr named_type named_types[] = {
    {"float8_e4m3fn", value_of<tegula::float8_e4m3>},
    {"float8_e5m2", value_of<tegula::float8_e5m2>},
    {"float8_e4m3fnuz", value_of<tegula::float8_e4m3_fnuz>},
    {"float8_e5m2fnuz", value_of<tegula::float8_e5m2_fnuz>},
    {"float8_e8m0fnu", value_of<tegula::float8_e8m0>},
    {"float6_e2m3fn", value_of<tegula::float6_e2m3>},
    {"float6_e3m2fn", value_of<tegula::float6_e3m2>},
    {"float4_e2m1fn", value_of<tegula::float4_e2m1>},
    {"float8_e4m3", value_of<other_float<4, 3, 7, tegula::float_specials::ieee>>},
    {"float8_e3m4", value_of<other_float<3, 4, 3, tegula::float_specials::ieee>>},
    {"float8_e4m3b11fnuz", value_of<other_float<4, 3, 11, tegula::float_specials::fnuz>>},
    {"float8_e5m3fnu", value_of<other_float<5, 3, 15, tegula::float_specials::nan_only, std::uint16_t>>}, // no sign
    {"int4", integer_of<4, true>},
    {"uint4", integer_of<4, false>},
    {"int2", integer_of<2, true>},
    {"uint2", integer_of<2, false>},
    {"int1", integer_of<1, true>},
    {"uint1", integer_of<1, false>},
};

/// The type behind the last colon of "A.npy:int4"; null if there is none. A file of that very name has none.
const named_type* take_type(std::string& path)
{
    const std::size_t colon = path.rfind(':');
    std::error_code error;
    if (colon == std::string::npos || std::filesystem::exists(path, error))
        return nullptr;
    for (const named_type& type : named_types)
        if (type.name == std::string_view(path).substr(colon + 1)) {
            path.resize(colon);
            return &type;
        }
    return nullptr;
}

/// Appends the elements as floats. Throws bad_input where a number is not finite any more or an integer not its own.
template <class T>
void append_floats(std::vector<float>& to, const tegula::npy_array& array, const std::string& what)
{
    to.reserve(static_cast<std::size_t>(array.elements()));
    for (const T value : array.values<T>()) {
        const float f = static_cast<float>(value);
        if constexpr (std::is_same_v<T, double>) {
            if (std::isfinite(value) && !std::isfinite(f))
                throw bad_input(what + " holds a number past float32's largest, 3.4e38; scale it");
        } else if constexpr (sizeof(T) >= 4 && std::is_integral_v<T>) {
            if (static_cast<long double>(f) != static_cast<long double>(value))
                throw bad_input(what + " holds " + std::to_string(value) +
                                ", which float32 cannot; integers up to 2^24 are read");
        }
        to.push_back(f);
    }
}

} // namespace

float_array read_floats(const std::string& option, const std::string& path)
{
    std::string name = path;
    const named_type* const type = take_type(name);
    tegula::npy_array array;
    if (const tegula::status read = tegula::read_npy(name, array); !read)
        throw bad_input(option + " " + read.message());
    const std::string what = option + " \"" + name + "\"";
    float_array result{array.shape, {}};
    using tegula::npy_dtype;
    if (type != nullptr) {
        if (tegula::npy_bytes(array.dtype) != 1)
            throw bad_input(what + " holds elements of type " + std::string(tegula::npy_name(array.dtype)) +
                            "; those of " + std::string(type->name) + " have one byte");
        for (const std::byte bits : array.data)
            result.values.push_back(type->value(static_cast<std::uint8_t>(bits)));
        return result;
    }
    const auto append = [&](auto element) { append_floats<decltype(element)>(result.values, array, what); };
    switch (array.dtype) {
    case npy_dtype::f2:
        append(tegula::half{});
        break;
    case npy_dtype::f4:
        append(float{});
        break;
    case npy_dtype::f8:
        append(double{});
        break;
    case npy_dtype::i1:
        append(std::int8_t{});
        break;
    case npy_dtype::i2:
        append(std::int16_t{});
        break;
    case npy_dtype::i4:
        append(std::int32_t{});
        break;
    case npy_dtype::i8:
        append(std::int64_t{});
        break;
    case npy_dtype::u1:
        append(std::uint8_t{});
        break;
    case npy_dtype::u2:
        append(std::uint16_t{});
        break;
    case npy_dtype::u4:
        append(std::uint32_t{});
        break;
    case npy_dtype::u8:
        append(std::uint64_t{});
        break;
    case npy_dtype::b1:
        append(std::uint8_t{});
        break;
    case npy_dtype::v2:
        append(tegula::bfloat16{});
        break;
    case npy_dtype::f1:
        append(tegula::float8_e5m2{});
        break;
    case npy_dtype::v1: {
        std::string names;
        for (const named_type& candidate : named_types)
            append_item(names, candidate.name);
        throw bad_input(what +
                        " holds bytes without a type (V1), as the types of ml_dtypes are saved; name it, as in \"" +
                        name + ":float8_e4m3fn\" (" + names + ")");
    }
    }
    return result;
}

void check_output(const char* option, const std::string& path)
{
    namespace files = std::filesystem;
    if (path.empty())
        return;
    std::error_code error;
    const auto kind = files::status(path, error).type();
    const files::path parent = files::path(path).parent_path();
    const std::string folder = parent.empty() ? "." : parent.string();
    std::string wrong;
    if (kind == files::file_type::directory)
        wrong = "is a directory; give the name of a file";
    else if (!files::is_directory(folder, error))
        wrong = "cannot be written: there is no folder \"" + folder + "\"; make it or give another name";
    else if (::access(folder.c_str(), W_OK) != 0)
        wrong = "cannot be written: " + std::string(std::strerror(errno)) + "; give a name in a folder of your own";
    if (!wrong.empty())
        throw bad_input(std::string(option) + " \"" + path + "\" " + wrong);
}

double memory_of_machine()
{
    return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
}

} // namespace examples
