#include "operands.hpp"

#include "examples/common/arrays.hpp"

#include <algorithm>

namespace ops_example {

using namespace examples;

namespace {

template <class T>
void append(std::vector<std::int64_t>& to, const tegula::npy_array& array)
{
    for (const T value : array.values<T>())
        to.push_back(static_cast<std::int64_t>(value));
}

void check_same(const std::string& text, const std::vector<long_index_t>& is, const std::vector<long_index_t>& shape,
                const char* why)
{
    if (is != shape)
        throw bad_input(text + "; it must be " + shape_text(shape) + ", " + why);
}

} // namespace

std::string operand::text() const { return option + " has shape " + shape_text(shape); }
std::string integers::text() const { return option + " has shape " + shape_text(shape); }

operand read_operand(const char* option, const std::string& path, element e)
{
    float_array array = read_floats(option, path);
    constexpr std::size_t most = 8;
    if (array.shape.size() > most)
        throw bad_input(std::string(option) + " \"" + path + "\" has " + std::to_string(array.shape.size()) +
                        " dimensions; at most 8 are supported, so reshape it");
    operand x{option, array.shape, std::move(array.values)};
    with_type(e, [&](auto tag) {
        using type = typename decltype(tag)::type;
        for (float& value : x.values)
            value = static_cast<float>(tegula::convert<type>(value));
    });
    return x;
}

integers read_integers(const char* option, const std::string& path)
{
    tegula::npy_array array;
    if (const tegula::status read = tegula::read_npy(path, array); !read)
        throw bad_input(std::string(option) + " " + read.message());
    integers x{option, array.shape, {}};
    using tegula::npy_dtype;
    switch (array.dtype) {
    case npy_dtype::i1:
        append<std::int8_t>(x.values, array);
        break;
    case npy_dtype::i2:
        append<std::int16_t>(x.values, array);
        break;
    case npy_dtype::i4:
        append<std::int32_t>(x.values, array);
        break;
    case npy_dtype::i8:
        append<std::int64_t>(x.values, array);
        break;
    case npy_dtype::u1:
        append<std::uint8_t>(x.values, array);
        break;
    case npy_dtype::u2:
        append<std::uint16_t>(x.values, array);
        break;
    case npy_dtype::u4:
        append<std::uint32_t>(x.values, array);
        break;
    default:
        throw bad_input(std::string(option) + " \"" + path + "\" holds elements of type " +
                        std::string(tegula::npy_name(array.dtype)) +
                        "; they must be integers of up to 64 bits, signed "
                        "where they have 64");
    }
    return x;
}

int find_axis(const char* option, long_index_t axis, const operand& x)
{
    const auto rank = static_cast<long_index_t>(x.shape.size());
    if (rank == 0)
        throw bad_input(x.text() + "; " + option + " needs at least one dimension");
    if (axis < -rank || axis >= rank)
        throw bad_input(std::string(option) + " is " + std::to_string(axis) + " and " + x.text() +
                        "; it must be from " + std::to_string(-rank) + " to " + std::to_string(rank - 1));
    return static_cast<int>(axis < 0 ? axis + rank : axis);
}

void check_shape(const operand& x, const std::vector<long_index_t>& shape, const char* why)
{
    check_same(x.text(), x.shape, shape, why);
}
void check_shape(const integers& x, const std::vector<long_index_t>& shape, const char* why)
{
    check_same(x.text(), x.shape, shape, why);
}

long_index_t count(const std::vector<long_index_t>& shape, std::size_t first, std::size_t last)
{
    long_index_t product = 1;
    for (std::size_t i = first; i < last; ++i)
        product *= shape[i];
    return product;
}
long_index_t count(const std::vector<long_index_t>& shape) { return count(shape, 0, shape.size()); }

std::vector<long_index_t> strides_of(const std::vector<long_index_t>& shape)
{
    std::vector<long_index_t> strides(shape.size());
    long_index_t stride = 1;
    for (std::size_t i = shape.size(); i-- > 0; stride *= std::max<long_index_t>(shape[i], 1))
        strides[i] = stride;
    return strides;
}

} // namespace ops_example
