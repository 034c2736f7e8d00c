#include <tegula/core/holds_pointer.hpp>
#include <tegula/host/launch.hpp>
#include <tegula/kernel/gemm/product_protocol.hpp>

#include "test/catch.hpp"

#include <span>
#include <string>

using namespace tegula;

namespace {

/// A kernel that says how much shared memory its blocks have.
struct with_shared_memory
{
    using target = arch::gfx942;
    static constexpr int block_threads = 64;
    static constexpr index_t shared_bytes = 4096;
    void operator()() const {}
};

template <class Target, int Threads = 256>
struct nothing
{
    using target = Target;
    static constexpr int block_threads = Threads;
    void operator()() const {}
};

template <class Target, int Threads = 256>
std::string refusal(long_index_t x, long_index_t y = 1, long_index_t z = 1, launch_config::extent cluster = {0, 0, 0},
                    long shared_bytes = 0)
{
    launch_config config;
    config.grid = {x, y, z};
    config.cluster = cluster;
    config.shared_bytes = shared_bytes;
    return check_launch<nothing<Target, Threads>>(config).message();
}

} // namespace

TEST_CASE("a GPU runs kernels of its own architecture, NVIDIA's later ones older kernels")
{
    struct
    {
        const char *kernel, *device;
        bool runs;
    } const pairs[] = {
        {"sm_80", "sm_80", true},
        {"sm_80", "sm_86", true},
        {"sm_80", "sm_90", true},
        {"sm_80", "sm_120", true},
        {"sm_80", "sm_75", false},
        {"sm_89", "sm_86", false},
        {"sm_89", "sm_90", true},
        {"sm_90a", "sm_90", true},
        {"sm_90a", "sm_89", false},
        {"sm_90a", "sm_100", false},
        {"sm_90a", "sm_120", false},
        {"sm_100f", "sm_103", true},
        {"sm_100f", "sm_120", false},
        {"gfx942", "gfx942:sramecc+:xnack-", true},
        {"gfx942", "gfx942", true},
        {"gfx90a", "gfx90a:sramecc+:xnack+", true},
        {"gfx90a", "gfx942:sramecc+:xnack-", false},
        {"gfx1100", "gfx1101", false},
        {"gfx110", "gfx1100", false},
        {"gfx1100", "gfx110", false},
        {"gfx942", "sm_90", false},
        {"sm_80", "gfx942", false},
    };
    for (const auto& p : pairs) {
        INFO(p.kernel << " on " << p.device);
        const status s = check_architecture(p.kernel, p.device);
        CHECK(s.ok() == p.runs);
        if (!s.ok()) {
            CHECK(s.code() == status_code::unsupported);
            CHECK(std::string(s.message()).find(p.kernel) != std::string::npos);
            CHECK(std::string(s.message()).find(p.device) != std::string::npos);
        }
    }
    CHECK(std::string(check_architecture("sm_90a", "sm_100").message()) ==
          "the kernel is for sm_90a, and this GPU is sm_100; take a kernel whose target is the GPU's");
}

TEST_CASE("grids, clusters and shared memory past the hardware's limits are refused with the numbers")
{
    using arch::gfx942, arch::sm_80, arch::sm_90a;
    CHECK(refusal<sm_80>(INT32_MAX, 65535, 65535).empty());
    CHECK(refusal<sm_80>(0).empty());
    CHECK(refusal<sm_80>(1LL << 31) == "kernel: 2147483648 blocks of 256 threads along x; the limit is 2147483647 "
                                       "blocks, use a larger tile");
    CHECK(refusal<sm_80>(1, 65536).find("along y; the limit is 65535") != std::string::npos);
    CHECK(refusal<sm_80>(1, 1, 65536).find("along z; the limit is 65535") != std::string::npos);
    CHECK(refusal<sm_80>(-1).find("-1 blocks along x; counts start at 0") != std::string::npos);
    CHECK(refusal<gfx942>(16777215).empty()); // 2^32 - 256 threads
    CHECK(refusal<gfx942>(16777216).find("the limit is 16777215") != std::string::npos);
    CHECK(refusal<sm_90a>(12, 2, 1, {4, 2, 1}).empty());
    CHECK(refusal<sm_90a>(10, 2, 1, {4, 2, 1}).find("10 blocks along x is not a whole number of clusters of 4") !=
          std::string::npos);
    CHECK(refusal<sm_90a>(16, 1, 1, {16, 1, 1}).find("a cluster of 16 blocks; sm_90a has at most 8") !=
          std::string::npos);
    CHECK(refusal<sm_80>(2, 1, 1, {2, 1, 1}).find("sm_80 has at most 1") != std::string::npos);
    CHECK(refusal<sm_90a>(2, 1, 1, {2, 0, 1}).find("a cluster of 0 blocks along y") != std::string::npos);
    CHECK(refusal<gfx942>(1, 1, 1, {0, 0, 0}, 65536).empty());
    CHECK(refusal<gfx942>(1, 1, 1, {0, 0, 0}, 65537).find("65537 bytes of shared memory") != std::string::npos);
}

TEST_CASE("launch_config::shared_bytes is between the kernel's own shared memory and the GPU's, or 0")
{
    const auto refused = [](long shared_bytes) {
        return std::string(check_launch<with_shared_memory>({.grid = {1}, .shared_bytes = shared_bytes}).message());
    };
    CHECK(refused(0).empty());
    CHECK(refused(4096).empty());
    CHECK(refused(65536).empty());
    CHECK(refused(4095) == "kernel: launch_config::shared_bytes is 4095, and the kernel uses 4096; give at least "
                           "these, or 0 for the kernel's own");
    CHECK(refused(-1) == "kernel: launch_config::shared_bytes is -1, and the kernel uses 4096; give at least these, "
                         "or 0 for the kernel's own");
    CHECK(
        refusal<arch::gfx942>(1, 1, 1, {0, 0, 0}, -1) ==
        "kernel: launch_config::shared_bytes is -1, and the kernel uses 0; give at least these, or 0 for the kernel's "
        "own");
    CHECK(refused(65537) == "kernel: 65537 bytes of shared memory a block; gfx942 has 65536, use a smaller tile or "
                            "fewer stages");
    // A GPU that runs code of another one may have less: sm_86 has 101376 bytes, sm_80 166912.
    CHECK(detail::check_shared_memory("kernel", "sm_86", 101376, 101376).ok());
    CHECK(std::string(detail::check_shared_memory("kernel", "sm_86", 163840, 101376).message()) ==
          "kernel: 163840 bytes of shared memory a block; sm_86 has 101376, use a smaller tile or fewer stages");
}

namespace {

struct numbers
{
    float x;
    int y[3];
};
struct late_pointer
{
    numbers x;
    const float* p;
};
struct with_span
{
    int x;
    std::span<float> s;
};
struct late_reference
{
    int x;
    int& r;
};
struct derived : numbers
{
    double d[2][2];
    activation a;
    bool b = true;
};
struct hidden
{
    explicit hidden(float* p) : p_(p) {}

private:
    float* p_;
};

static_assert(holds_no_pointer<numbers>() && holds_no_pointer<derived>() && holds_no_pointer<epilogue::clamp>());
static_assert(holds_no_pointer<epilogue::scale>() && holds_no_pointer<epilogue::activate>());
static_assert(!holds_no_pointer<late_pointer>() && !holds_no_pointer<with_span>());
static_assert(!holds_no_pointer<late_reference>() && !holds_no_pointer<hidden>() && !holds_no_pointer<int*>());
static_assert(!holds_no_pointer<epilogue::scale_rows<>>() && !holds_no_pointer<epilogue::add_bias<float>>());

} // namespace
