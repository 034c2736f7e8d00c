#pragma once

/// Kernels on one thread and on four threads of the CPU, which must leave the same numbers bit for bit. ThreadSanitizer
/// looks on, or AddressSanitizer and UndefinedBehaviorSanitizer: every array ends where its memory does.

#include "test/catch.hpp"

#include <tegula/host/cpu_device.hpp>
#include <tegula/reference/random.hpp>

#include <vector>

namespace tegula::test {

using target = arch::x86_avx2;

inline bool has_target() { return x86::host_features().contains(x86::feature::avx2); }

template <class T>
std::vector<T> numbers(long_index_t count, std::uint64_t seed)
{
    std::vector<float> values(static_cast<std::size_t>(count));
    fill_uniform(std::span(values), seed, -1, 1);
    return {values.begin(), values.end()};
}

/// run(device, results) with one thread and with four, which leave the same numbers.
template <class T, class Run>
void compare(long_index_t results, const Run& run)
{
    std::vector<T> alone(static_cast<std::size_t>(results)), together(alone);
    cpu_device one, four;
    one.threads = 1;
    four.threads = 4;
    const status first = run(one, alone.data()), second = run(four, together.data());
    INFO(first.message());
    REQUIRE(first.ok());
    REQUIRE(second.ok());
    int differ = 0, zeros = 0;
    for (std::size_t i = 0; i < alone.size(); ++i) {
        differ += convert<float>(alone[i]) != convert<float>(together[i]);
        zeros += convert<float>(alone[i]) == 0;
    }
    CHECK(differ == 0);
    CHECK(zeros < static_cast<int>(alone.size()) / 8); // written
}

} // namespace tegula::test
