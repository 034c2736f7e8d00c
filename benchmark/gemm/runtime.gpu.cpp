// The GPU through CUDA and through HIP: memory, random matrices, time.

#include "random_element.hpp"
#include "telemetry.hpp"
#include "vendors.hpp"

#include <tegula/host/gpu_runtime.hpp>

#include <algorithm>
#include <type_traits>

namespace gemm_benchmark {

namespace {

template <class T>
__global__ void fill_kernel(T* data, std::size_t count, std::uint64_t seed)
{
    const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += threads)
        data[i] = random_element<T>(seed, i);
}

/// 128 KB of instructions on AMD GPUs, whose instruction caches are of 64 KB at most; about 190 KB on NVIDIA's, of
/// 128 KB (a 64-bit product is several instructions of 16 bytes).
__global__ void much_code([[maybe_unused]] unsigned long long* out)
{
#if defined(__HIP__)
    asm volatile(".rept 32768\n s_nop 0\n .endr");
#else
    unsigned long long x = threadIdx.x;
#pragma unroll
    for (int i = 0; i < 3072; ++i)
        asm volatile("mad.lo.u64 %0, %0, %0, %0;" : "+l"(x));
    if (x == 1)
        *out = x;
#endif
}

tegula::status check(TEGULA_RUNTIME(Error_t) error, const char* what) { return tegula::check_runtime(error, what); }

/// Launches a kernel. The answer is this launch's own: the last error may be an earlier one's.
template <class... Parameters>
tegula::status start(const char* what, void (*kernel)(Parameters...), int blocks, int threads,
                     std::type_identity_t<Parameters>... arguments)
{
    void* pointers[] = {&arguments...};
    return check(TEGULA_RUNTIME(LaunchKernel)(reinterpret_cast<const void*>(kernel),
                                              dim3(static_cast<unsigned>(blocks)), dim3(static_cast<unsigned>(threads)),
                                              pointers, 0, nullptr),
                 what);
}

class runtime_gpu : public gpu
{
public:
    /// Precondition: the GPU is the current one.
    runtime_gpu(int number, const tegula::device_properties& properties) : units_(properties.multiProcessorCount)
    {
        char bus[32] = {};
        static_cast<void>(TEGULA_RUNTIME(DeviceGetPCIBusId)(bus, sizeof(bus), number));
#if defined(__HIP__)
        telemetry_ = amd_telemetry(bus);
#else
        telemetry_ = nvidia_telemetry(bus);
#endif
        facts_.arch = tegula::arch_name(properties);
        facts_.name = properties.name;
        int version = 0;
        static_cast<void>(TEGULA_RUNTIME(RuntimeGetVersion)(&version));
        facts_.runtime = std::string(tegula::runtime_name) + " " + std::to_string(version);
        facts_.driver = telemetry_.driver;
        facts_.compute_units = units_;
#if !defined(__HIP__)
        // H100 and H200 differ in nothing else. Two transfers a clock of kHz, over a bus of so many bits.
        int clock = 0, bits = 0;
        static_cast<void>(cudaDeviceGetAttribute(&clock, cudaDevAttrMemoryClockRate, number));
        static_cast<void>(cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, number));
        facts_.memory_gigabytes = static_cast<int>(2. * clock * 1e3 * bits / 8 * 1e-9);
#endif
        facts_.cache_bytes = std::max(static_cast<double>(properties.l2CacheSize), memory_side_cache(facts_.arch));
    }

    const gpu_facts& facts() const override { return facts_; }
    double megahertz() override { return telemetry_.megahertz(); }
    double free_bytes() const override
    {
        std::size_t free = 0, all = 0;
        return TEGULA_RUNTIME(MemGetInfo)(&free, &all) == TEGULA_RUNTIME(Success) ? static_cast<double>(free) : 0;
    }

    tegula::status allocate(void*& data, std::size_t bytes) override
    {
        return check(TEGULA_RUNTIME(Malloc)(&data, bytes), "allocating device memory");
    }
    void release(void* data) override { static_cast<void>(TEGULA_RUNTIME(Free)(data)); }

    tegula::status fill(void* data, element type, std::size_t count, std::uint64_t seed) override
    {
        return with_type(type, [&](auto tag) {
            using type = typename decltype(tag)::type;
            return start("filling a matrix", &fill_kernel<type>, 16 * units_, 256, static_cast<type*>(data), count,
                         seed);
        });
    }
    tegula::status read(void* host, const void* data, std::size_t bytes) override
    {
        return check(TEGULA_RUNTIME(Memcpy)(host, data, bytes, TEGULA_RUNTIME(MemcpyDeviceToHost)),
                     "copying from the GPU");
    }

    void start_timer() override { timer_.start(); }
    tegula::status stop_timer(double& seconds) override { return timer_.stop(seconds); }

    tegula::status record(const std::vector<launcher>& launches, launcher& replay) override
    {
        TEGULA_RUNTIME(Graph_t) graph{};
        TEGULA_RUNTIME(GraphExec_t) made{};
        if (tegula::status s =
                check(TEGULA_RUNTIME(StreamBeginCapture)(per_thread, TEGULA_RUNTIME(StreamCaptureModeThreadLocal)),
                      "recording launches");
            !s)
            return s;
        tegula::status launched;
        for (const launcher& launch : launches)
            if (launched)
                launched = launch();
        tegula::status s = check(TEGULA_RUNTIME(StreamEndCapture)(per_thread, &graph), "recording launches");
        if (launched && s)
            s = check(TEGULA_RUNTIME(GraphInstantiateWithFlags)(&made, graph, 0), "instantiating a graph");
        static_cast<void>(TEGULA_RUNTIME(GraphDestroy)(graph));
        if (!launched || !s)
            return launched ? s : launched;
        const std::shared_ptr<void> owned(static_cast<void*>(made), [](void* x) {
            static_cast<void>(TEGULA_RUNTIME(GraphExecDestroy)(static_cast<TEGULA_RUNTIME(GraphExec_t)>(x)));
        });
        replay = [owned] {
            return check(TEGULA_RUNTIME(GraphLaunch)(static_cast<TEGULA_RUNTIME(GraphExec_t)>(owned.get()), per_thread),
                         "launching a graph");
        };
        return {};
    }

    tegula::status overwrite(void* data, std::size_t bytes) override
    {
        return check(TEGULA_RUNTIME(MemsetAsync)(data, 0, bytes, nullptr), "overwriting memory");
    }
    tegula::status flush_instructions() override
    {
        return start("flushing the instruction caches", &much_code, 4 * units_, 64, nullptr);
    }

    std::unique_ptr<vendor_library> open_vendor(const std::string& file, std::string& why_not) override
    {
#if defined(__HIP__)
        return open_hipblaslt(file, why_not);
#else
        return open_cublaslt(file, why_not);
#endif
    }

private:
    /// Caches between L2 and memory, which HIP does not tell: 256 MB (CDNA 3 white paper), 96 and 64 MB (the largest
    /// of the RX 7000 and RX 9000 series).
    static double memory_side_cache(const std::string& arch)
    {
        constexpr double mega = 1 << 20;
        return arch == "gfx942" ? 256 * mega : arch == "gfx1100" ? 96 * mega : arch == "gfx1201" ? 64 * mega : 0;
    }

    /// The default stream, since this program is compiled with one for each thread: launches in it can be recorded.
    static inline const TEGULA_RUNTIME(Stream_t) per_thread = TEGULA_RUNTIME(StreamPerThread);

    int units_;
    telemetry telemetry_;
    gpu_facts facts_;
    tegula::gpu_timer timer_;
};

std::unique_ptr<gpu> open_runtime_gpu(int number, std::string& why_not)
{
    int count = 0;
    if (tegula::status s = check(TEGULA_RUNTIME(GetDeviceCount)(&count), "looking for GPUs"); !s) {
        why_not = s.message();
        return nullptr;
    }
    if (number >= count) {
        why_not =
            "there are " + std::to_string(count) + " GPUs, and number " + std::to_string(number) + " is asked for";
        return nullptr;
    }
    tegula::device_properties properties;
    tegula::status s = check(TEGULA_RUNTIME(SetDevice)(number), "choosing the GPU");
    if (s)
        s = check(TEGULA_RUNTIME(GetDeviceProperties)(&properties, number), "asking for the GPU's properties");
    if (!s) {
        why_not = s.message();
        return nullptr;
    }
    return std::make_unique<runtime_gpu>(number, properties);
}

const bool added = add_runtime({tegula::runtime_name, open_runtime_gpu});

} // namespace

} // namespace gemm_benchmark
