#pragma once

/// Numbers that a device writes itself, so that large problems cost the host nothing, and matrices on a device.

#include <tegula/core/mix_bits.hpp>
#include <tegula/host/launch.hpp>

#include "test/gpu/formula.hpp"
#include "test/kernel/gemm/data.hpp"

#include <deque>

namespace tegula::test {

/// body(i) for each i below count, a thread at a stride of the number of threads.
template <gpu_target Target, class Body>
struct for_each_number
{
    using target = Target;
    static constexpr int block_threads = 256;

    struct arguments
    {
        Body body;
        long_index_t count, threads;
    };

    TEGULA_HOST_DEVICE void operator()(const arguments& args) const
    {
        const long_index_t me = static_cast<long_index_t>(target::block_id()[0]) * block_threads + target::thread_id();
        for (long_index_t i = me; i < args.count; i += args.threads)
            args.body(i);
    }
};

/// Starts for_each_number. Later launches on the device find it done.
template <gpu_target Target, class Device, class Body>
status start_for_each(Device& device, long_index_t count, const Body& body)
{
    using kernel = for_each_number<Target, Body>;
    constexpr long_index_t most_blocks = 4096;
    if (count == 0)
        return {};
    launch_config config;
    config.name = "data of a check";
    config.grid.x = min(ceil_div(count, kernel::block_threads), most_blocks);
    const typename kernel::arguments args{body, count, config.grid.x * kernel::block_threads};
    return launch(device, config, kernel{}, args);
}

/// Uniform numbers of [low, high), by their place and a seed; integers of all values that a byte has.
template <class T>
struct uniform_numbers
{
    std::uint64_t seed;
    double low = -1, high = 1;

    TEGULA_HOST_DEVICE T operator()(long_index_t place) const
    {
        const std::uint64_t bits = mix_bits(mix_bits(seed) + static_cast<std::uint64_t>(place));
        if constexpr (number_traits<T>::is_float)
            return convert<T>(low + static_cast<double>(bits >> 11) * 0x1p-53 * (high - low));
        else
            return static_cast<T>(static_cast<int>(bits >> 56) - 128);
    }
};

template <class T>
struct same_number
{
    T value;

    TEGULA_HOST_DEVICE T operator()(long_index_t) const { return value; }
};

/// data[i] = value(i).
template <class T, class Value>
struct write_array
{
    T* data;
    Value value;

    TEGULA_HOST_DEVICE void operator()(long_index_t i) const { data[i] = value(i); }
};

/// The elements of a matrix of each batch by value(place in memory), whatever is between them left alone. Elements that
/// lie in one place get one number.
template <class T, class Value>
struct write_matrix
{
    matrix_argument<T> to;
    long_index_t rows, columns;
    Value value;

    TEGULA_HOST_DEVICE void operator()(long_index_t i) const
    {
        const long_index_t batch = i / columns / rows, row = i / columns % rows, column = i % columns;
        const long_index_t place = batch * to.batch_stride + row * to.row_stride + column * to.column_stride;
        to.data[place] = value(place);
    }
};

/// A row-major [batch, rows, columns] without gaps by value(batch, row, column).
template <class T, class Value>
struct write_rows
{
    T* data;
    long_index_t rows, columns;
    Value value;

    TEGULA_HOST_DEVICE void operator()(long_index_t i) const
    {
        data[i] = value(i / columns / rows, i / columns % rows, i % columns);
    }
};

/// Which numbers of an array are still what was written everywhere: 1 if they are.
template <class T>
struct untouched_formula
{
    const T* data;
    T value;
    long_index_t numbers;

    TEGULA_HOST_DEVICE long_index_t count() const { return numbers; }
    TEGULA_HOST_DEVICE expected_value expected(long_index_t) const { return {1, 0}; }
    TEGULA_HOST_DEVICE double found(long_index_t i) const
    {
        const auto* const bytes = reinterpret_cast<const unsigned char*>(data + i);
        const auto* const poison = reinterpret_cast<const unsigned char*>(&value);
        bool same = true;
        for (std::size_t b = 0; b < sizeof(T); ++b)
            same = same && bytes[b] == poison[b];
        return same;
    }
};

/// A matrix of each batch on a device. Around and between its elements is poison.
template <gpu_target Target, class T, class Device>
class matrix_on
{
public:
    status create(Device& device, long_index_t r, long_index_t c, long_index_t batches, memory_order order, padding pad)
    {
        rows_ = r, columns_ = c, batch_ = batches;
        where_ = place(r, c, batches, order, pad);
        const status s = memory_.allocate(static_cast<std::size_t>(where_.storage) * sizeof(T));
        return s ? start_for_each<Target>(device, where_.storage,
                                          write_array<T, same_number<T>>{storage(), {poison<T>()}})
                 : s;
    }
    /// Numbers that the seed tells in all elements.
    status fill(Device& device, std::uint64_t seed) { return write(device, uniform_numbers<T>{seed}); }

    matrix_argument<T> argument() const
    {
        return {storage() + where_.first, where_.row_stride, where_.column_stride, where_.batch_stride};
    }
    matrix_argument<const T> source() const
    {
        const auto all = argument();
        return {all.data, all.row_stride, all.column_stride, all.batch_stride};
    }
    /// Returns what is wrong around the elements, or an empty string. The elements are poison afterwards.
    std::string check_surroundings(Device& device)
    {
        if (status s = write(device, same_number<T>{poison<T>()}); !s)
            return s.message();
        const untouched_formula<T> all{storage(), poison<T>(), where_.storage};
        return check_formula<Target>(device, "memory around C", all).empty() ? "" : "something around C was written";
    }

private:
    T* storage() const { return static_cast<T*>(memory_.data()); }

    template <class Value>
    status write(Device& device, const Value& value)
    {
        return start_for_each<Target>(device, batch_ * rows_ * columns_,
                                      write_matrix<T, Value>{argument(), rows_, columns_, value});
    }

    long_index_t rows_ = 0, columns_ = 0, batch_ = 0;
    placement where_;
    typename Device::memory memory_;
};

/// Arrays on a device, for as long as this is there. `error` is the first that there was.
template <gpu_target Target, class Device>
class arrays_on
{
public:
    explicit arrays_on(Device& device) : device_(device) {}

    template <class T>
    T* put(const std::vector<T>& values)
    {
        memories_.emplace_back();
        if (error)
            error = memories_.back().copy_from(values.data(), values.size() * sizeof(T));
        return static_cast<T*>(memories_.back().data());
    }
    /// Numbers of [low, high).
    template <class T>
    T* uniform(long_index_t count, std::uint64_t seed, double low = -1, double high = 1)
    {
        return make<T>(count, uniform_numbers<T>{seed, low, high});
    }
    /// value(i) for each i below count.
    template <class T, class Value>
    T* make(long_index_t count, const Value& value)
    {
        memories_.emplace_back();
        if (error)
            error = memories_.back().allocate(static_cast<std::size_t>(count) * sizeof(T));
        T* const data = static_cast<T*>(memories_.back().data());
        if (error)
            error = start_for_each<Target>(device_, count, write_array<T, Value>{data, value});
        return data;
    }
    /// A row-major matrix of each batch: value(batch, row, column).
    template <class Value>
    matrix_argument<const float> make(long_index_t rows, long_index_t columns, long_index_t batch, const Value& value)
    {
        memories_.emplace_back();
        const long_index_t count = batch * rows * columns;
        if (error)
            error = memories_.back().allocate(static_cast<std::size_t>(count) * sizeof(float));
        auto* const data = static_cast<float*>(memories_.back().data());
        if (error)
            error = start_for_each<Target>(device_, count, write_rows<float, Value>{data, rows, columns, value});
        return {data, columns, 1, rows * columns};
    }
    /// Room for the results of a kernel. Every byte is 0xff before, NaN in most types.
    template <class T>
    T* room(long_index_t count)
    {
        return reinterpret_cast<T*>(
            make<unsigned char>(count * static_cast<long_index_t>(sizeof(T)), same_number<unsigned char>{0xff}));
    }

    /// Copies the array that begins at `from`.
    template <class T>
    status copy_to(std::vector<T>& values, const T* from) const
    {
        for (const auto& memory : memories_)
            if (memory.data() == from)
                return memory.copy_to(values.data(), values.size() * sizeof(T));
        return {status_code::invalid_argument, "no array begins there"};
    }

    status error;

protected:
    Device& device_;

private:
    std::deque<typename Device::memory> memories_;
};

} // namespace tegula::test
