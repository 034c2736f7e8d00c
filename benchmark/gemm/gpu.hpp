#pragma once

// The benchmark's interfaces to a GPU, to a vendor's library and to a kernel, with any runtime behind them. nvcc, and
// clang as HIP, compile the back ends; the host's compiler compiles the rest.

#include "problem.hpp"

#include <tegula/core/status.hpp>
#include <tegula/kernel/gemm/choose/choose_splits.hpp>
#include <tegula/reference/product_check.hpp>
#include <tegula/reference/registry.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gemm_benchmark {

/// Starts one product on the GPU and does not wait.
using launcher = std::function<tegula::status()>;

/// A way to compute a product; `prepare` makes the launcher for one set of matrices.
struct candidate
{
    std::string name; ///< of our kernels the tile
    std::function<tegula::status(const gpu_problem&, launcher&)> prepare;
};

/// A vendor's GEMM library.
class vendor_library
{
public:
    virtual ~vendor_library() = default;
    /// "cublasLt 13.0.2"
    virtual std::string name() const = 0;
    /// The algorithms for the product, the library's favourite first, at most `count`, none of which needs more than
    /// workspace_bytes. Errors: the library offers none.
    virtual tegula::status algorithms(const gpu_problem& p, std::size_t workspace_bytes, int count,
                                      std::vector<candidate>& found) = 0;
};

struct gpu_facts
{
    std::string arch; ///< of those the library is built for, else what the runtime calls it
    std::string name;
    std::string runtime; ///< "CUDA 13.0"
    std::string driver;
    double cache_bytes = 0; ///< of the largest cache before memory
    // For the choice of tiles; 0 where the runtime does not tell.
    int compute_units = 0;
    int memory_gigabytes = 0; ///< GB/s
};

/// The GPU in use. Everything runs in its default stream.
class gpu
{
public:
    virtual ~gpu() = default;
    virtual const gpu_facts& facts() const = 0;
    virtual double free_bytes() const = 0;
    /// The clock of the compute units now; 0 where nothing tells.
    virtual double megahertz() = 0;

    virtual tegula::status allocate(void*& data, std::size_t bytes) = 0;
    virtual void release(void* data) = 0;
    /// Writes random_element<type>(seed, i) for i in [0, count).
    virtual tegula::status fill(void* data, element type, std::size_t count, std::uint64_t seed) = 0;
    /// Copies to the host when everything started before is done.
    virtual tegula::status read(void* host, const void* data, std::size_t bytes) = 0;

    virtual void start_timer() = 0;
    /// Waits for what was started since start_timer(); how long the GPU took.
    virtual tegula::status stop_timer(double& seconds) = 0;

    /// Records the launches, in order, so that `replay` starts all of them in one go. Errors: the runtime cannot.
    virtual tegula::status record(const std::vector<launcher>& launches, launcher& replay) = 0;

    /// Writes `bytes` of memory without waiting, which empties the caches of other data.
    virtual tegula::status overwrite(void* data, std::size_t bytes) = 0;
    /// Runs more code than the instruction caches hold, without waiting.
    virtual tegula::status flush_instructions() = 0;

    /// The vendor's library from `file`, or from where the loader finds it; null with one sentence in `why_not`.
    virtual std::unique_ptr<vendor_library> open_vendor(const std::string& file, std::string& why_not) = 0;
};

/// How blocks share the k of tiles; split_k in as many parts as choose_splits() says.
enum class k_form { whole, split_k, stream_k };

/// One of our kernels for one target, type and order of the operands.
struct kernel_entry
{
    std::string arch;
    element type;
    tegula::tile_description tile;
    const tegula::chip_info* chip;
    /// Whether this is the kernel for the memory layout of the product.
    bool (*suits)(const gpu_problem&);
    tegula::status (*prepare)(const gpu_problem&, launcher&);
    /// Compares all of D with a plain product that the GPU computes, each element past `allowed` before it is stored
    /// being wrong, and waits.
    tegula::status (*compare)(const gpu_problem&, double allowed, tegula::product_differences&);
    k_form form = k_form::whole;
};

/// A runtime that was linked. `open` gives GPU `number` of it; null with the reason.
struct gpu_runtime
{
    std::string name; ///< "CUDA"
    std::unique_ptr<gpu> (*open)(int number, std::string& why_not);
};

inline const std::vector<kernel_entry>& all_kernels() { return tegula::registered<kernel_entry>(); }

/// Each back end adds what it has before main begins; the result is there to initialise a variable with. A kernel that
/// is there already is not added again.
inline bool add_kernel(kernel_entry entry)
{
    for (const kernel_entry& e : all_kernels())
        if (e.prepare == entry.prepare)
            return false;
    tegula::registered<kernel_entry>().push_back(std::move(entry));
    return true;
}
bool add_runtime(gpu_runtime runtime);

/// GPU `number` of the first runtime that has it; null where there is none, and `why_not` says why.
std::unique_ptr<gpu> open_gpu(int number, std::string& why_not);

} // namespace gemm_benchmark
