#pragma once

// The common part of the families' problems, and the kernels that back ends add for them.

#include "examples/common/gpus.hpp"

#include <tegula/core/bfloat16.hpp>
#include <tegula/core/convert.hpp>
#include <tegula/core/half.hpp>
#include <tegula/core/status.hpp>
#include <tegula/emulator/counters.hpp>
#include <tegula/reference/registry.hpp>
#include <tegula/reference/with_type.hpp>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

namespace ops_example {

using element = tegula::element_kind;
using tegula::index_t;
using tegula::long_index_t;

/// f(tegula::type_tag<T>{}) with the number type of `e`, one of those that inputs may be rounded to.
template <class F>
auto with_type(element e, F&& f)
{
    return tegula::with_type<float, tegula::half, tegula::bfloat16>(e, f);
}

/// An array in the host's memory.
struct host_array
{
    std::vector<std::byte> bytes;
    bool written = false; ///< by the kernels
};

/// The arrays of a problem. A family's problem derives from it and has the arrays' numbers among its members.
struct problem
{
    static constexpr int none = -1; ///< the number of an array that there is not

    element type = element::f32;
    std::vector<host_array> arrays;

    /// Adds an array of `count` elements of T that kernels write; its number.
    template <class T>
    int add_output(long_index_t count)
    {
        arrays.push_back({std::vector<std::byte>(static_cast<std::size_t>(count) * sizeof(T)), true});
        return static_cast<int>(arrays.size()) - 1;
    }
    /// Adds an array of the values as elements of T; its number.
    template <class T, class Value>
    int add_input(const std::vector<Value>& values)
    {
        host_array array;
        array.bytes.resize(values.size() * sizeof(T));
        auto* to = reinterpret_cast<T*>(array.bytes.data());
        for (const Value value : values) {
            if constexpr (std::is_same_v<T, Value>)
                *to++ = value;
            else
                *to++ = tegula::convert<T>(value);
        }
        arrays.push_back(std::move(array));
        return static_cast<int>(arrays.size()) - 1;
    }
    /// The elements of an array.
    template <class T>
    std::vector<T> values(int number) const
    {
        const std::vector<std::byte>& bytes = arrays[static_cast<std::size_t>(number)].bytes;
        const auto* from = reinterpret_cast<const T*>(bytes.data());
        return {from, from + bytes.size() / sizeof(T)};
    }
};

/// Where a device has the arrays of a problem.
struct addresses
{
    const std::vector<void*>& all;

    /// Null for problem::none.
    template <class T>
    T* get(int number) const
    {
        return number == problem::none ? nullptr : static_cast<T*>(all[static_cast<std::size_t>(number)]);
    }
};

struct run_options
{
    bool checks = true; ///< of the emulator
    int gpu = 0;        ///< the runtime's number of the GPU
};

struct run_result
{
    tegula::status status;
    std::string report; ///< of the emulator, several lines; empty when all is well
    double seconds = 0;
    tegula::emulator::counters counters; ///< of the emulator
};

/// The kernels for one architecture and type.
template <class Problem>
struct kernel_entry
{
    std::string arch; ///< "gfx942"
    std::string type; ///< as --type has it: "bf16"
    examples::device where;
    ops_example::element element;
    /// Computes the problem, whose written arrays then have the result; an error where it cannot.
    run_result (*run)(Problem&, const run_options&);
};

/// A back end adds what it has before main begins; the result is there to initialise a variable with.
template <class Problem>
bool add_kernel(kernel_entry<Problem> entry)
{
    tegula::registered<kernel_entry<Problem>>().push_back(std::move(entry));
    return true;
}

/// How --type spells T.
template <class T>
constexpr const char* type_name()
{
    return tegula::number_traits<T>::name();
}

/// Copies the arrays to the device, calls launch(device, problem, addresses) and copies those that were written back.
/// time(start) is how long start() took, a tegula::status().
template <class Device, class Problem, class Launch, class Time>
tegula::status run_on(Device& device, Problem& p, const Launch& launch, const Time& time)
{
    std::vector<typename Device::memory> memory(p.arrays.size());
    std::vector<void*> at;
    tegula::status s;
    for (std::size_t i = 0; i < memory.size(); ++i) {
        const std::vector<std::byte>& bytes = p.arrays[i].bytes;
        // An empty array has an address too: it is not one that was left out.
        if (s = bytes.empty() ? memory[i].allocate(16) : memory[i].copy_from(bytes.data(), bytes.size()); !s)
            return s;
        at.push_back(memory[i].data());
    }
    if (s = time([&] { return launch(device, static_cast<const Problem&>(p), addresses{at}); }); !s)
        return s;
    for (std::size_t i = 0; i < memory.size() && s; ++i)
        if (host_array& array = p.arrays[i]; array.written)
            s = memory[i].copy_to(array.bytes.data(), array.bytes.size());
    return s;
}

} // namespace ops_example
