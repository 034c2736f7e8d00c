// Kernels over tensors of any shape, each run once on the emulator and verified:
//
//   shapes.hpp        what they share
//   elementwise.hpp   a function of one's own with broadcasting
//   sums.hpp          a reduction over two dimensions at once
//   permutation.hpp   a transposition of dimensions

#include "elementwise.hpp"
#include "permutation.hpp"
#include "sums.hpp"

#include <cstdio>

int main()
{
    int failed = 0;
    const auto run = [&](const char* name, auto f) {
        emulated_device device;
        double worst = 0;
        const status s = f(device, worst);
        const bool good = s.ok() && worst == 0;
        failed += good ? 0 : 1;
        std::printf("%-12s %s %s%s\n", name, good ? "right" : "WRONG", s.message(), device.result.report.c_str());
    };
    run("elementwise", add_bias);
    run("reduction", sum_of_channels);
    run("permutation", turn_dimensions);
    return failed;
}
