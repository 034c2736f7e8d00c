#pragma once

// How one product is measured; see docs/performance.md for what is done and why.

#include "gpu.hpp"
#include "options.hpp"
#include "record.hpp"
#include "verification.hpp"

namespace gemm_benchmark {

/// Memory of the GPU that lives as long as this.
class gpu_memory
{
public:
    gpu_memory() = default;
    gpu_memory(gpu_memory&& other) noexcept { *this = std::move(other); }
    gpu_memory& operator=(gpu_memory&& other) noexcept
    {
        std::swap(gpu_, other.gpu_);
        std::swap(data_, other.data_);
        return *this;
    }
    ~gpu_memory()
    {
        if (data_ != nullptr)
            gpu_->release(data_);
    }

    tegula::status allocate(gpu& g, std::size_t bytes)
    {
        gpu_ = &g;
        return g.allocate(data_, bytes);
    }
    void* data() const { return data_; }

private:
    gpu* gpu_ = nullptr;
    void* data_ = nullptr;
};

/// Sets of random matrices of one product, to go through in turn.
class matrix_sets
{
public:
    /// As many sets as rotation_count() says, one with options::flush_cache.
    tegula::status make(gpu& g, const options& o, const product& p);
    const std::vector<gpu_problem>& problems() const { return problems_; }
    int count() const { return static_cast<int>(problems_.size()); }

private:
    tegula::status add_set(gpu& g, const product& p, int number);

    std::vector<gpu_memory> memory_;
    std::vector<gpu_problem> problems_;
};

/// One way to compute the product, prepared for every set, and its times.
struct contender
{
    std::string name;
    std::vector<launcher> launches; ///< one a set
    launcher turn;                  ///< all of them in one go, of products of a few microseconds; else empty
    double estimate = 0;            ///< seconds, of the newest look
    std::vector<double> seconds;    ///< one a round
    double window = 0;              ///< seconds, in the long window
    verdict check;
};

/// Measures one product: construct, prepare(), round() as often as wanted, finish().
class product_measurement
{
public:
    product_measurement(gpu& g, vendor_library* vendor, const options& o, const product& p)
        : gpu_(g), vendor_(vendor), options_(o), product_(p)
    {}

    /// Makes the matrices, launches every kernel of ours and every algorithm of the vendor once, waits for the clock to
    /// settle, ranks them, times the best three of each side again, keeps those that the result is about, verifies them
    /// and lets the clock settle with them. Errors: the GPU fails, or nothing computes the product.
    tegula::status prepare();
    /// Times every contender that was kept, one after the other; `seconds` is of the first.
    tegula::status round(double& seconds);
    /// Behind the rounds: ours and the vendor's best, one long window each.
    tegula::status window();
    result finish() const;

private:
    tegula::status find_ours(std::vector<contender>& found);
    tegula::status find_vendors(std::vector<contender>& found);
    /// Launches it once; a contender that the library refuses after all is left out.
    tegula::status try_contender(const candidate& c, std::vector<contender>& list);
    /// The name of the fastest; every contender's estimate is new.
    tegula::status rank(std::vector<contender>& list, std::string& fastest);
    tegula::status look(contender& c);
    void keep(std::vector<contender>& from, const std::string& first, const std::string& second);
    tegula::status verify(contender& c, const std::vector<sample>& samples);
    /// Compares every element of its product of each set of matrices, on the GPU, where a kernel of ours brings the
    /// comparison.
    tegula::status compare_all(contender& c);
    tegula::status settle(const contender& c);
    /// Seconds of a launch, the mean of `launches` of them, whole turns through the sets.
    tegula::status time(const contender& c, int launches, double& seconds);
    tegula::status time_each(const contender& c, int launches, double& seconds);
    contender* find(const std::string& name);

    gpu& gpu_;
    vendor_library* vendor_;
    const options& options_;
    product product_;
    matrix_sets sets_;
    gpu_memory flushed_;
    std::vector<contender> contenders_; ///< those kept, ours first
    std::string chosen_, best_, vendor_first_, vendor_best_;
    std::vector<std::pair<std::string, double>> tiles_; ///< TFLOP/s of each
    bool short_ = false;                                ///< a contender takes less time than the host for its launch
    int vendor_algorithms_ = 0;
    bool settled_ = false;
    std::vector<double> megahertz_;
    std::string note_;
};

} // namespace gemm_benchmark
