// Kernels on the rows of tensors, each run once on the emulator and verified:
//
//   rows.hpp        what they share
//   norm.hpp        a norm with what is fused with it
//   gradients.hpp   its gradients
//   softmax.hpp     softmax along any dimension, experts for tokens
//   loss.hpp        a loss with its gradient

#include "gradients.hpp"
#include "loss.hpp"
#include "norm.hpp"
#include "softmax.hpp"

#include <cstdio>

int main()
{
    int failed = 0;
    const auto run = [&](const char* name, auto f) {
        emulated_device device;
        double worst = 0;
        const status s = f(device, worst);
        const bool good = s.ok() && worst < 0.01;
        failed += good ? 0 : 1;
        std::printf("%-12s %s %s%s\n", name, good ? "right" : "WRONG", s.message(), device.result.report.c_str());
    };
    run("norm", normalize_rows);
    run("gradients", differentiate);
    run("softmax", take_softmax);
    run("experts", choose_experts);
    run("loss", find_loss);
    return failed;
}
