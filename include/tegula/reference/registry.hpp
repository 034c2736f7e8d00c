#pragma once

#include <vector>

namespace tegula {

/// All objects of type T that the linked files of a program register before main begins. It is a function, so that the
/// list exists when the first file adds to it.
template <class T>
std::vector<T>& registered()
{
    static std::vector<T> all;
    return all;
}

} // namespace tegula
