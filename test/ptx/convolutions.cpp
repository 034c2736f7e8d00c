/// Prints how a persistent kernel of test/device/gemm_hopper_made.cpp is started for a convolution, as arguments.hpp prints
/// plans: `convolutions DIRECTION first second result`, with the addresses of the inputs and of the result. Tensors are
/// packed; the shape is printed, too.

#include "test/ptx/arguments.hpp"

#include <tegula/kernel/convolution/persistent.hpp>

// The templates of its kernels, as classes: their names are mangled alike.
namespace tegula {
template <class>
struct convolved;
template <class>
struct back;
} // namespace tegula

namespace {

using namespace tegula;
using namespace ptx_arguments;
using tiles = warp_specialized_tiles<arch::sm_90a, bfloat16>;

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
        std::string maps;
        const auto record = [&](tensor_map& map, const tensor_map_parameters& p) {
            maps += (maps.empty() ? "" : ", ") +
                    map_text(reinterpret_cast<const char*>(&map) - reinterpret_cast<const char*>(&ready), p);
            return status{};
        };
        const status s_ = fill_arguments<type>(ready, given.product, 3, record);
        std::cout << "{\"status\": " << quoted(s_ ? "" : s_.message())
                  << ", \"symbol\": " << quoted(symbol<Name<type>>()) << ", \"blocks\": " << type::blocks(ready)
                  << ", \"threads\": " << type::block_threads << ", \"shared\": " << type::shared_bytes
                  << ", \"images\": " << s.images << ", \"channels\": " << s.channels << ", \"filters\": " << s.filters
                  << ", \"image\": " << list(s.image) << ", \"filter\": " << list(s.filter)
                  << ", \"output\": " << list(s.output) << ", \"stride\": " << list(s.stride)
                  << ", \"padding\": " << list(s.padding) << ", \"dilation\": " << list(s.dilation) << ", \"maps\": ["
                  << maps << "], \"arguments\": " << quoted(hexadecimal(&ready, sizeof(ready))) << "}\n";
        return s_;
    });
    if (!found)
        std::cerr << found.message() << "\n";
    return found ? 0 : 1;
}

} // namespace

int main(int argc, char** argv)
{
    using enum convolution_direction;
    const std::string direction = argc == 5 ? argv[1] : "";
    if (direction == "forward")
        return print_convolution<forward, convolved, tiles::ws128x256>(argv + 2);
    if (direction == "backward_data")
        return print_convolution<backward_data, back, tiles::ws128x256>(argv + 2);
    if (direction == "backward_weight")
        return print_convolution<backward_weight, back, tiles::ws256x128>(argv + 2);
    std::cerr << "convolutions forward|backward_data|backward_weight ADDRESS ADDRESS ADDRESS\n";
    return 1;
}
