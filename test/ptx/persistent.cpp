/// Prints how kernels of test/device/gemm_hopper_made.cpp are started, as arguments.hpp prints plans:
///
///     persistent forward|backward_data|backward_weight first second result
///     persistent experts x token_of_row first_row w1 w1_up between
///
/// with the addresses of arrays. Tensors are packed; their sizes are printed, too. Experts are the first product of a gated
/// layer, [rows, hidden] = silu(x W1) * (x W1_up).

#include "test/ptx/arguments.hpp"

#include <tegula/kernel/convolution/persistent.hpp>
#include <tegula/kernel/moe/layer.hpp>

// The templates of its kernels, as classes: their names are mangled alike.
namespace tegula {
template <class>
struct convolved;
template <class>
struct back;
template <class>
struct first_of_experts;
} // namespace tegula

namespace {

using namespace tegula;
using namespace ptx_arguments;
using tiles = warp_specialized_tiles<arch::sm_90a, bfloat16>;

constexpr int multiprocessors = 3; // few, so that a block takes several tiles

/// Records the maps in arguments, with their offsets.
template <class Arguments>
struct maps_of
{
    const Arguments& arguments;
    mutable std::string text = {};

    void add(const tensor_map& map, const tensor_map_parameters& p) const
    {
        text += (text.empty() ? "" : ", ") +
                map_text(reinterpret_cast<const char*>(&map) - reinterpret_cast<const char*>(&arguments), p);
    }
    status operator()(const tensor_map& map, const tensor_map_parameters& p) const
    {
        add(map, p);
        return {};
    }
};

/// The rest of a JSON object.
template <template <class> class Name, class Kernel>
void print_launch(const Kernel&, const typename Kernel::arguments& ready, const std::string& maps)
{
    std::cout << "\"symbol\": " << quoted(symbol<Name<Kernel>>()) << ", \"blocks\": " << Kernel::blocks(ready)
              << ", \"threads\": " << Kernel::block_threads << ", \"shared\": " << Kernel::shared_bytes
              << ", \"maps\": [" << maps << "], \"arguments\": " << quoted(hexadecimal(&ready, sizeof(ready))) << "}\n";
}

template <convolution_direction Direction, template <class> class Name, class Tile>
int print_convolution(char** addresses)
{
    using kernels = convolution_kernels<Direction, 2, Tile, bfloat16, epilogue::none>;
    convolution_shape<2> s{2, 24, 64, 1, {9, 7}, {3, 2}, {}, {1, 1}, {1, 0}, {1, 2}};
    if (Direction != convolution_direction::backward_data)
        s.stride = {2, 1};
    s.output = output_lengths(s);
    const auto at = [&](int i) { return reinterpret_cast<bfloat16*>(std::stoull(addresses[i])); };
    const long_index_t filter = s.taps() * s.channels;
    typename kernels::arguments args;
    args.shape = s;
    if constexpr (Direction == convolution_direction::forward)
        args.x = make_images<const bfloat16, 2>(at(0), s.image, s.channels), args.w = {at(1), filter},
        args.y = make_images<bfloat16, 2>(at(2), s.output, s.filters);
    else if constexpr (Direction == convolution_direction::backward_data)
        args.dy = make_images<const bfloat16, 2>(at(0), s.output, s.filters), args.w = {at(1), filter},
        args.dx = make_images<bfloat16, 2>(at(2), s.image, s.channels);
    else
        args.x = make_images<const bfloat16, 2>(at(0), s.image, s.channels),
        args.dy = make_images<const bfloat16, 2>(at(1), s.output, s.filters), args.dw = {at(2), filter};
    const auto list = [](const array<long_index_t, 2>& x) {
        return "[" + std::to_string(x[0]) + ", " + std::to_string(x[1]) + "]";
    };
    const status found = kernels::dispatch(args, [&](auto kernel, const auto& given) {
        using type = decltype(kernel);
        typename type::arguments ready{};
        maps_of<typename type::arguments> maps{ready};
        const status filled = fill_arguments<type>(ready, given.product, multiprocessors, maps);
        std::cout << "{\"images\": " << s.images << ", \"channels\": " << s.channels << ", \"filters\": " << s.filters
                  << ", \"image\": " << list(s.image) << ", \"filter\": " << list(s.filter)
                  << ", \"output\": " << list(s.output) << ", \"stride\": " << list(s.stride)
                  << ", \"padding\": " << list(s.padding) << ", \"dilation\": " << list(s.dilation) << ", ";
        print_launch<Name>(kernel, ready, maps.text);
        return filled;
    });
    if (!found)
        std::cerr << found.message() << "\n";
    return found ? 0 : 1;
}

/// What prepares a launch on a device that records the maps.
struct recording_device
{
    std::function<void(const tensor_map&, const tensor_map_parameters&)> record;

    template <class Kernel>
    static status count_multiprocessors(int& count)
    {
        count = multiprocessors;
        return {};
    }
    status encode(tensor_map& map, const tensor_map_parameters& p) const
    {
        record(map, p);
        return {};
    }
};

int print_experts(char** addresses)
{
    using layer = moe_kernels<tiles::ws128x256, true, moe_arguments<bfloat16, bfloat16>>;
    using kernel = layer::first::kernel<true, row_contiguous, output_store::direct>;
    constexpr long_index_t tokens = 90, rows = 300, width = 136, hidden = 264;
    constexpr index_t experts = 5;
    const auto at = [&](int i) { return std::stoull(addresses[i]); };
    const auto numbers = [&](int i) { return reinterpret_cast<const bfloat16*>(at(i)); };
    kernel::arguments ready{};
    auto& p = ready.product;
    p.m = rows, p.n = hidden, p.k = width, p.batch = 1;
    p.a = {numbers(0), width, 1, 0, reinterpret_cast<const index_t*>(at(1)), 0, tokens};
    p.b = {{numbers(3), 1, hidden, 0}, {numbers(4), 1, hidden, 0}, activation::silu};
    p.b.set_batch_stride(width * hidden);
    p.c = {reinterpret_cast<bfloat16*>(at(5)), hidden, 1, 0};
    ready.first_row = reinterpret_cast<const index_t*>(at(2));
    ready.experts = experts;
    maps_of<kernel::arguments> maps{ready};
    recording_device device{[&](const tensor_map& map, const tensor_map_parameters& q) { maps.add(map, q); }};
    const status prepared = kernel::prepare(ready, device);
    std::cout << "{\"tokens\": " << tokens << ", \"rows\": " << rows << ", \"width\": " << width
              << ", \"hidden\": " << hidden << ", \"experts\": " << experts << ", ";
    print_launch<first_of_experts>(kernel{}, ready, maps.text);
    if (!prepared)
        std::cerr << prepared.message() << "\n";
    return prepared ? 0 : 1;
}

} // namespace

int main(int argc, char** argv)
{
    using enum convolution_direction;
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "forward" && argc == 5)
        return print_convolution<forward, convolved, tiles::ws128x256>(argv + 2);
    if (what == "backward_data" && argc == 5)
        return print_convolution<backward_data, back, tiles::ws128x256>(argv + 2);
    if (what == "backward_weight" && argc == 5)
        return print_convolution<backward_weight, back, tiles::ws256x128>(argv + 2);
    if (what == "experts" && argc == 8)
        return print_experts(argv + 2);
    std::cerr
        << "persistent forward|backward_data|backward_weight ADDRESS ADDRESS ADDRESS, or experts and six ADDRESSes\n";
    return 1;
}
