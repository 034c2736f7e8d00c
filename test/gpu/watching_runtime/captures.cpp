/// Launches that are captured in a graph, with a CUDA runtime that has no GPU and watches: nothing is called that a capture
/// does not allow. That the graph computes what it should, test_gpu sees where a GPU is.

#include <tegula/reference/registry.hpp>

#include "test/catch.hpp"
#include "test/gpu/kernel_check.hpp"
#include "test/gpu/watching_runtime/watching_runtime.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <thread>

using namespace tegula;
using namespace tegula::test;

TEST_CASE("what is launched in a capture allocates nothing and waits for nothing")
{
    REQUIRE(registered<kernel_check>().size() == 2);
    for (const kernel_check& c : registered<kernel_check>()) {
        INFO(c.arch << " " << c.name);
        watching_runtime& runtime = the_runtime() = {};
        runtime.major = c.arch == "sm_90a" ? 9 : 8;
        const std::string wrong = c.run(1);
        INFO(wrong);
        CHECK(runtime.refused.empty());
        CHECK(runtime.captured_launches == 2);
        CHECK(runtime.replays == 1);
        CHECK(runtime.launches == 9); // seven for the data, one for another A, the comparison
        CHECK(runtime.overlapping_launches == (c.arch == "sm_90a" ? 1 : 0)); // the warp-specialised product
        CHECK(runtime.clustered_launches == (c.arch == "sm_90a" ? 1 : 0));
        CHECK(wrong.starts_with("replay 1: ")); // nothing has run
        // Each of the kernels, four of which make data, is told once how much shared memory it may have, and never again.
        CHECK(runtime.attributes.size() == 7);
        std::vector<std::size_t> allowed;
        for (const auto& [kernel, bytes] : runtime.attributes) {
            CHECK(bytes.size() == 1);
            allowed.push_back(static_cast<std::size_t>(bytes.front()));
        }
        std::vector<std::size_t> asked = runtime.shared_bytes; // of each launch
        CHECK(asked.size() == 11);
        std::erase(asked, 0u);
        std::erase(allowed, 0u);
        std::sort(asked.begin(), asked.end());
        std::sort(allowed.begin(), allowed.end());
        CHECK(asked == allowed);
        CHECK(!asked.empty());
        CHECK(runtime.occupancies == (c.arch == "sm_90a" ? 1 : 0)); // for the clusters, once
        runtime = {};
        runtime.major = c.arch == "sm_90a" ? 9 : 8;
        CHECK(c.run(2).starts_with("replay 1: "));
        CHECK(runtime.shared_bytes.size() == 11);
        CHECK(runtime.attributes.empty());
        CHECK(runtime.occupancies == 0);
    }
}

TEST_CASE("each function of a kernel is allowed its shared memory")
{
    the_runtime() = {};
    CHECK(launch_two_functions_of_a_kernel() == "");
    CHECK(the_runtime().attributes.size() == 2);
    CHECK(launch_two_functions_of_a_kernel() == "");
    for (const auto& [function, bytes] : the_runtime().attributes)
        CHECK(bytes == std::vector{64 << 10});
}

TEST_CASE("a thread encodes the tensor maps of its last tensors once")
{
    watching_runtime& runtime = the_runtime() = {};
    CHECK(make_tensor_maps(1, 16) == "");
    CHECK(runtime.encoded_maps == 16);
    CHECK(make_tensor_maps(1, 16) == "");
    CHECK(runtime.encoded_maps == 16);
    CHECK(make_tensor_maps(17, 1) == "");
    CHECK(make_tensor_maps(2, 16) == "");
    CHECK(runtime.encoded_maps == 17);
    CHECK(make_tensor_maps(1, 1) == ""); // the oldest had gone
    CHECK(runtime.encoded_maps == 18);
    runtime.gpu = 1;
    CHECK(make_tensor_maps(1, 1) == "");
    CHECK(runtime.encoded_maps == 19);
    std::thread([&] { CHECK(make_tensor_maps(1, 1) == ""); }).join();
    CHECK(runtime.encoded_maps == 20);
    runtime = {};
}

TEST_CASE("the map of a small tensor is corrected on Blackwell")
{
    // The driver's bit, which its release notes say how to clear.
    constexpr std::uint64_t bit = 1 << 21;
    watching_runtime& runtime = the_runtime() = {};
    for (const int major : {9, 10, 12}) {
        runtime.major = major;
        runtime.gpu = major; // of which nothing is known yet
        CHECK(second_word_of_map(128) == (major == 9 ? bit : 0));
        CHECK(second_word_of_map(144) == (major == 9 ? bit : 0));
        CHECK(second_word_of_map(4096) == bit); // it spans more than 128 KB
    }
    runtime = {};
}

TEST_CASE("a thread's first call may be the driver's encoder")
{
    watching_runtime& runtime = the_runtime() = {};
    std::thread([] { CHECK(make_tensor_maps(40, 1) == ""); }).join();
    CHECK(runtime.encoded_maps == 1);
    CHECK(runtime.looked_up == 0); // it was found before, and is kept
}

TEST_CASE("a copy from the host is done before kernels of other streams start")
{
    watching_runtime& runtime = the_runtime() = {};
    for (const kernel_check& c : registered<kernel_check>()) {
        runtime.major = c.arch == "sm_90a" ? 9 : 8;
        c.run(1);
        CHECK(runtime.overtaken_copies == 0);
    }
    // The runtime calls this overtaken: a launch on a stream of one's own behind a copy alone.
    char from = 0, to = 0;
    cudaStream_t stream = nullptr;
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
    REQUIRE(cudaMemcpy(&to, &from, 1, cudaMemcpyHostToDevice) == cudaSuccess);
    REQUIRE(cudaLaunchKernel(nullptr, {}, {}, nullptr, 0, stream) == cudaSuccess);
    CHECK(runtime.overtaken_copies == 1);
    runtime = {};
}

TEST_CASE("the runtime that watches refuses what CUDA does")
{
    watching_runtime& runtime = the_runtime() = {};
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    void* memory = nullptr;
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    CHECK(cudaMalloc(&memory, 8) == cudaErrorStreamCaptureUnsupported);
    CHECK(cudaStreamSynchronize(stream) == cudaErrorStreamCaptureUnsupported);
    CHECK(cudaLaunchKernel(nullptr, {}, {}, nullptr, 0, nullptr) == cudaErrorStreamCaptureUnsupported);
    CHECK(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
    CHECK(runtime.refused.size() == 3);
    cudaLaunchConfig_t config{};
    config.dynamicSmemBytes = 64 << 10;
    CHECK(cudaLaunchKernelExC(&config, &memory, nullptr) == cudaErrorInvalidValue); // which nothing was allowed
    CHECK(cudaFree(memory) == cudaSuccess);
}
