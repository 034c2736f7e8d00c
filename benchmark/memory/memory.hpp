#pragma once

// Kernels whose time is that of memory, beside a copy from device to device in the same run.

#include <tegula/core/status.hpp>

#include <string>
#include <vector>

namespace memory_benchmark {

struct options
{
    int gpu = 0;
    int rounds = 21;
    std::vector<long> mebibytes{64, 256, 1024}; ///< of the input
};

/// One kernel on a tensor of so many bytes. Speeds in bytes a second: medians over the rounds.
struct result
{
    std::string name;
    long rows, columns; ///< of bfloat16
    double bytes;       ///< read and written, each once
    double speed;
    double copy_speed; ///< of a copy of the same bytes, in turns with the kernel
    double ratio;      ///< of the two, median over the rounds
};

struct outcome
{
    tegula::status status;
    std::string gpu, arch, runtime;
    std::vector<result> results;
};

/// What was compiled for an architecture: measures on that GPU, or says in the status why not.
struct back_end
{
    std::string arch;
    outcome (*measure)(const options&);
};

bool add_back_end(back_end b);
const std::vector<back_end>& all_back_ends();

} // namespace memory_benchmark
