#pragma once

#include <vector>

namespace tegula {

/// All objects of type T that a program's files register before main begins: what is linked decides what there is. It is
/// a function, so that the list exists when the first file adds to it.
template <class T>
std::vector<T>& registered()
{
    static std::vector<T> all;
    return all;
}

} // namespace tegula
