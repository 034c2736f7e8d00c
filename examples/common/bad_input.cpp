#include "bad_input.hpp"

#include <algorithm>
#include <cstdio>

namespace examples {

int complain(std::string line)
{
    std::replace(line.begin(), line.end(), '\n', ' '); // a file's name may have one
    std::fprintf(stderr, "tegula: %s\n", line.c_str());
    return 2;
}

} // namespace examples
