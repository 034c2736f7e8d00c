#pragma once

#include <tegula/core/array.hpp>

#include <bit>
#include <cstdint>

namespace tegula::test {

/// An instruction whose accumulators keep 13 bits behind the leading one, as the fp8 instructions of the hardware do.
template <class Atom>
struct truncating : Atom
{
    template <class A, class B>
    static void multiply(array<float, Atom::c_count>& c, const A& a, const B& b)
    {
        Atom::multiply(c, a, b);
        for (float& x : c)
            x = std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & ~0x3ffu);
    }
};

} // namespace tegula::test
