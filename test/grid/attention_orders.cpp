/// Attention in other orders of the waves and lanes: the same bits, forward and in the gradients that promise it.

#include <tegula/kernel/attention/backward/tiles.hpp>

#include "test/kernel/attention/backward/backward.hpp"
#include "test/kernel/attention/split/split.hpp"
#include "test/kernel/attention/warp_specialized/family.hpp"

#include <cstring>

using namespace tegula;
using namespace tegula::test;

namespace {

/// launch(device, data) runs the kernel.
template <class Kernel, class Launch>
void check_orders(const Launch& launch)
{
    attention_data<Kernel> data(130, 300, 2, 1, 2);
    std::vector<float> bias(130 * 300);
    fill_normal<float>(bias, 5);
    data.args.bias = {bias.data(), 0, 0, 300, 1};
    data.args.band.right = 100;
    data.args.dropout = make_dropout(0.3, 11);
    const auto run = [&](int order) {
        INFO("order " << order);
        check_attention(data, [&] {
            emulated_device device;
            device.config.order = order;
            launch(device, data);
            return device.result;
        });
    };
    const auto same = [](const auto& x, const auto& y) {
        return std::memcmp(x.data(), y.data(), x.size() * sizeof(x[0])) == 0;
    };
    run(0);
    const auto o = data.o;
    const auto lse = data.lse;
    for (const int order : {-1, 1, 2}) {
        std::fill(data.lse.begin(), data.lse.end(), 7.0f);
        run(order);
        INFO("order " << order);
        CHECK(same(data.o, o));
        CHECK(same(data.lse, lse));
    }
}

using changed = attention_variant<attention_mask::band, attention_bias::tensor, attention_weights::dropped>;

template <class Target>
void check_forward()
{
    using kernel = test_attention<Target, half, 64, 64, changed>;
    check_orders<kernel>(
        [](emulated_device& device, const auto& data) { static_cast<void>(launch(device, kernel{}, data.args)); });
}

/// A bias that repeats, whose gradient is a sum over blocks, and one that hides keys.
template <class Target, class T, index_t D>
void check_backward()
{
    using repeats = attention_gradient_case::repeats;
    using kernels =
        attention_backward_for<Target, T, D, D, changed, T, unchanged_score, bias_gradient_sums::in_fixed_order>;
    attention_gradient_case c{2, 2, 1, 70, 100, D, D, {-1, 0}, true};
    c.orders = {-1, 1};
    for (const auto over : {repeats::nothing, repeats::batch_and_queries, repeats::keys, repeats::all}) {
        c.bias = over;
        check_attention_gradients<kernels>(c, {}, 0.25);
    }
    c.bias = repeats::nothing;
    c.sinks = false; // beside them a query that sees no key has weights
    c.hiding_bias = true;
    check_attention_gradients<kernels>(c, {}, 0.25);
}

} // namespace

TEST_CASE("gfx942: attention in every order of waves", "[attention]") { check_forward<arch::gfx942>(); }
TEST_CASE("gfx1100: attention in every order of waves", "[attention]") { check_forward<arch::gfx1100>(); }
TEST_CASE("sm_80: attention in every order of waves", "[attention]") { check_forward<arch::sm_80>(); }

TEST_CASE("sm_90a: warp-specialised attention in every order of waves", "[attention]")
{
    using kernel = warp_specialized::kernel<half, 64, 64, changed>;
    check_orders<kernel>(
        [](emulated_device& device, const auto& data) { static_cast<void>(launch(device, kernel{}, {data.args})); });
}

TEST_CASE("gfx942: attention of split keys in every order of waves", "[attention]")
{
    using kernel =
        split_attention<arch::gfx942, half, 64,
                        attention_variant<attention_mask::band, attention_bias::tensor, attention_weights::dropped,
                                          attention_cache::contiguous, attention_heads::packed>>;
    check_orders<kernel>([](emulated_device& device, const auto& data) {
        typename kernel::arguments args{data.args, 3, {}};
        emulated_memory workspace;
        static_cast<void>(workspace.allocate(static_cast<std::size_t>(args.workspace_size()) * sizeof(float)));
        args.workspace = {static_cast<float*>(workspace.data()), args.workspace_size()};
        static_cast<void>(launch(device, kernel{}, args));
    });
}

TEST_CASE("gfx942: deterministic gradients in every order of waves", "[attention]")
{
    check_backward<arch::gfx942, half, 64>();
}
TEST_CASE("gfx1201: deterministic gradients in every order of waves", "[attention]")
{
    check_backward<arch::gfx1201, bfloat16, 128>();
}
TEST_CASE("gfx90a: deterministic gradients in every order of waves", "[attention]")
{
    check_backward<arch::gfx90a, bfloat16, 64>();
}
TEST_CASE("sm_89: deterministic gradients in every order of waves", "[attention]")
{
    check_backward<arch::sm_89, half, 64>();
}
TEST_CASE("sm_80: deterministic gradients in every order of waves", "[attention]")
{
    check_backward<arch::sm_80, bfloat16, 128>();
}
TEST_CASE("sm_90a: deterministic gradients in every order of waves", "[attention]")
{
    check_backward<arch::sm_90a, half, 64>();
}
