#pragma once

/// Kernels over tensors of any shape on the emulator with every check on, against plain loops in double.

#include <tegula/core/bfloat16.hpp>
#include <tegula/core/convert.hpp>
#include <tegula/core/half.hpp>
#include <tegula/kernel/tensor_argument.hpp>

#include "test/catch.hpp"
#include "test/kernel/device_of.hpp"
#include "test/kernel/input_of.hpp"

#include <cmath>
#include <functional>
#include <initializer_list>
#include <limits>
#include <vector>

namespace tegula::test {

using shape_index = std::vector<long_index_t>;

/// A tensor with memory of its own.
template <class T>
struct shaped
{
    std::vector<T> memory;
    T* sector; ///< the first of the memory
    tensor_argument<T> tensor;

    /// Strides of all lengths, or none for a tensor without gaps. The memory begins with a sector; `skip` elements before
    /// the first, so that it is not aligned.
    explicit shaped(const shape_index& lengths, const shape_index& strides = {}, long_index_t skip = 0)
    {
        tensor.rank = static_cast<int>(lengths.size());
        long_index_t stride = 1;
        for (int d = tensor.rank - 1; d >= 0; --d) {
            const auto i = static_cast<std::size_t>(d);
            tensor.lengths[d] = lengths[i];
            tensor.strides[d] = strides.empty() ? stride : strides[i];
            stride *= lengths[i];
        }
        const element_range range = range_of(tensor);
        memory.resize(static_cast<std::size_t>(range.count() + skip) + 64 / sizeof(T));
        const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
        sector = memory.data() + (32 - address % 32) % 32 / sizeof(T);
        tensor.data = sector + skip - range.first;
    }
    shaped(const shaped&) = delete;

    tensor_argument<const T> input() const { return input_of(tensor); }
    shape_index lengths() const { return {tensor.lengths, tensor.lengths + tensor.rank}; }
    T& operator[](const shape_index& x) const
    {
        long_index_t at = 0;
        for (std::size_t d = 0; d < x.size(); ++d)
            at += x[d] * tensor.strides[d];
        return tensor.data[at];
    }
    double value(const shape_index& x) const { return static_cast<double>(convert<float>((*this)[x])); }
};

/// f(index) for every element of a shape in C order; once for rank 0.
template <class F>
void for_each_index(const shape_index& lengths, const F& f)
{
    for (const long_index_t length : lengths)
        if (length == 0)
            return;
    shape_index x(lengths.size(), 0);
    while (true) {
        f(static_cast<const shape_index&>(x));
        auto d = static_cast<int>(lengths.size()) - 1;
        for (; d >= 0; --d) {
            const auto i = static_cast<std::size_t>(d);
            if (++x[i] < lengths[i])
                break;
            x[i] = 0;
        }
        if (d < 0)
            return;
    }
}

/// Whole numbers in [-8, 8]: their sums are exact.
template <class T>
void fill_whole(shaped<T>& x, unsigned seed = 1)
{
    std::uint32_t state = seed;
    for (T* element = x.sector; element < x.memory.data() + x.memory.size(); ++element) {
        state = state * 1664525u + 1013904223u;
        *element = convert<T>(static_cast<float>(static_cast<int>(state >> 24) % 17 - 8));
    }
}

/// In a matrix of whole numbers row 0 gets a NaN, row 1 an infinity, row 2 both, row 3 the negative one; row 4 is zeros of
/// either sign.
template <class T>
void fill_special(shaped<T>& x)
{
    fill_whole(x);
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const long_index_t length = x.tensor.size() / x.tensor.lengths[0];
    const auto set = [&](long_index_t row, long_index_t place, float value) {
        if (row < x.tensor.lengths[0])
            x.tensor.data[row * length + place % length] = convert<T>(value);
    };
    set(0, 3, std::nanf(""));
    set(1, length / 2, infinity);
    set(2, 1, infinity);
    set(2, length - 2 < 0 ? 0 : length - 2, -infinity);
    set(3, length - 1, -infinity);
    for (long_index_t i = 0; i < length; ++i)
        set(4, i, i % 3 == 0 ? 0.0f : -0.0f);
}

/// The workspace that a number of bytes asks for.
struct workspace_of
{
    std::vector<double> memory;
    explicit workspace_of(std::size_t bytes) : memory(bytes / 8 + 4) {}
    void* data()
    {
        const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
        return reinterpret_cast<void*>((address + 15) / 16 * 16);
    }
};

template <class Device>
void require_run(const Device& device, const status& s)
{
    INFO(s.message() << report_of(device));
    REQUIRE(s.ok());
    if constexpr (std::is_same_v<Device, emulated_device>) {
        CHECK(device.result.counters.shared_load_conflicts == 0);
        CHECK(device.result.counters.shared_store_conflicts == 0);
    }
}

/// 32-byte sectors that so many elements of T fill.
template <class T>
long_index_t sectors(long_index_t elements)
{
    return (elements * static_cast<long_index_t>(sizeof(T)) + 31) / 32;
}

} // namespace tegula::test
