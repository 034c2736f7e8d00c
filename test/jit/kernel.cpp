#include "test/catch.hpp"
#include "test/jit/scale.hpp"

#include <tegula/arch/x86/features.hpp>
#include <tegula/gemm.hpp>
#include <tegula/jit.hpp>

#include <vector>

using namespace tegula;
using test::scale;

namespace {

std::string message_of(const jit::kernel& k) { return k.state().message(); }

bool contains(const std::string& text, const char* part)
{
    INFO(text << " has no " << part);
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("a kernel in a text runs on the emulator")
{
    for (const char* target : {"gfx942", "sm_90a"}) {
        const jit::kernel k = jit::get_kernel({.source = scale, .kernel = "scale", .target = target});
        INFO(message_of(k));
        REQUIRE(k);
        CHECK(std::string(k.target()) == target);
        CHECK(std::string(k.parameters()) == "pointer, pointer, float32, int32");
        CHECK(k.block_threads() == 128);
        const int n = 200;
        std::vector<float> x(n, 3.0f), y(n);
        jit::emulation on;
        on.reads(x.data(), n * sizeof(float), "x").writes(y.data(), n * sizeof(float), "y");
        const launch_config grid{.grid = {2}, .name = "scale"};
        const status s = k.launch(on, grid, x.data(), y.data(), 0.5f, n);
        INFO(s.message() << on.report);
        REQUIRE(s);
        CHECK(y == std::vector<float>(n, 1.5f));
        CHECK(contains(k.launch(on, grid, x.data(), y.data(), 0.5, n).message(),
                       "(pointer, pointer, float64, int32); the kernel takes (pointer, pointer, float32, int32)"));
        CHECK(contains(k.launch(on, grid, x.data(), y.data()).message(), "convert them at the call"));
        CHECK_FALSE(k.launch(on, launch_config{.grid = {1}, .shared_bytes = 1 << 30}, x.data(), y.data(), 0.5f, n));
    }
}

TEST_CASE("a kernel of the library as a request checks its arguments and says its grid")
{
    const char* const text =
        "#include <tegula/gemm.hpp>\nusing namespace tegula;\n"
        "using kernels = gemm_kernels<gemm_tiles<jit::target, half>::t64x64, float, epilogue::none>;\n"
        "using aligned = kernels::aligned<operand_order::k_contiguous, operand_order::k_contiguous>;\n";
    const jit::kernel k = jit::get_kernel({.source = text, .kernel = "::aligned", .target = "sm_80"});
    INFO(message_of(k));
    REQUIRE(k);
    const int m = 100, n = 72, depth = 64;
    const std::vector<half> a(m * depth, half(0.5f)), b(n * depth, half(2.0f));
    std::vector<float> c(m * n);
    gemm_arguments<half, half, float, epilogue::none> args{m, n, depth, 1, {a.data(), depth, 1}, {b.data(), 1, depth}};
    args.c = {c.data(), n, 1};
    CHECK(k.check(args));
    CHECK(k.blocks(args) == 4);
    jit::emulation on;
    const status s = k.launch(on, args);
    INFO(s.message() << on.report);
    REQUIRE(s);
    CHECK(c == std::vector<float>(m * n, 64.0f));
    args.n = 71, args.c.row_stride = 71;
    CHECK(contains(k.check(args).message(), "rows at multiples of 16 bytes; use the element-wise kernel"));
    args.n = n, args.c.row_stride = n;
    args.a.data = nullptr;
    CHECK(contains(k.check(args).message(), "A is a null pointer"));
    CHECK(k.blocks(args) == 0);
    CHECK(contains(k.launch(on, args).message(), "A is a null pointer"));
    CHECK(contains(k.check(1).message(), "the kernel takes ("));
}

TEST_CASE("a kernel of a CPU in a text")
{
    if (!x86::host_features().contains(x86::feature::avx2))
        return;
    std::string text = scale;
    const std::size_t index = text.find("128 * target::block_id()[0] + target::thread_id()");
    text.replace(index, text.find(';', index) - index, "target::block_id()[0]");
    text.replace(text.find("block_threads = 128"), 19, "block_threads = 1");
    const jit::kernel k =
        jit::get_kernel({.source = text, .kernel = "scale", .target = "x86_avx2", .device = jit::runs_on::cpu});
    INFO(message_of(k));
    REQUIRE(k);
    const int n = 50;
    std::vector<float> x(n, 3.0f), y(n);
    jit::emulation on;
    const status s = k.launch(on, launch_config{.grid = {n}, .name = "scale"}, x.data(), y.data(), 0.5f, n);
    INFO(s.message());
    REQUIRE(s);
    CHECK(y == std::vector<float>(n, 1.5f));
}

TEST_CASE("a request that cannot be compiled is refused in a sentence")
{
    const auto refused = [](const jit::request& r) { return message_of(jit::get_kernel(r)); };
    CHECK(contains(refused({.source = scale, .kernel = "scale", .target = "gfx9999"}),
                   "no target is called \"gfx9999\""));
    CHECK(contains(refused({.source = scale, .kernel = "scale", .target = "x86_avx2"}), "take runs_on::cpu"));
    CHECK(contains(refused({.source = scale, .kernel = "scale", .target = "gfx942", .device = jit::runs_on::cpu}),
                   "do not run on a CPU"));
    CHECK(contains(refused({.source = "int x = 1;\nint y = z;\n", .kernel = "scale", .target = "gfx942"}), "line 2: "));
    const std::string member =
        "struct k\n{\n    using target = tegula::jit::target;\n    static constexpr int block_threads = 64;\n"
        "    int member = 0;\n    void operator()() const {}\n};\n";
    CHECK(contains(refused({.source = member, .kernel = "k", .target = "gfx942"}), "has no members"));
    CHECK(contains(
        refused({.source = "struct k { using target = tegula::arch::sm_80; static constexpr int block_threads = 64; "
                           "void operator()() const {} };",
                 .kernel = "k",
                 .target = "sm_90a"}),
        "the kernel's target is not sm_90a"));
    CHECK(contains(jit::kernel().launch(nullptr, launch_config{}).message(), "no kernel was compiled"));
}
