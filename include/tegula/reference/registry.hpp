#pragma once

#include <vector>

namespace tegula {

/// All things of type T that the files of a program have brought: each adds its own before main begins, so that what is
/// linked decides what there is. A function, so that the list is there when the first file adds to it.
template <class T>
std::vector<T>& registered()
{
    static std::vector<T> all;
    return all;
}

} // namespace tegula
