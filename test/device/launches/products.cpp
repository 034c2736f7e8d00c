// How kernels of test/device/convolution.cpp, gemm_prologue.cpp, gemm_direct_prologue.cpp and moe.cpp are started.

#include "launches.hpp"

#include <tegula/convolution.hpp>
#include <tegula/moe.hpp>

#include "test/device/gated.hpp"

// The __global__ functions of moe.cpp, as classes.
template <class>
struct product_kernel;
template <class>
struct list_kernel;
template <class>
struct sum_kernel;

namespace tegula {

// Those of test/device/gemm_words.hpp.
template <class>
struct along_k;
template <class>
struct along_rows;
template <class>
struct mixed;
// That of test/device/convolution.cpp.
template <class>
struct covered;

namespace {

template <template <class> class Function>
struct of_template
{
    template <class Kernel>
    static std::string symbol()
    {
        return symbol_of_template<Function<Kernel>>();
    }
};

/// The kernel that the launcher chooses; only that of vectors is compiled.
template <class Target>
void record_convolutions()
{
    using enum convolution_direction;
    using tile = typename prologue_tiles<Target, half>::large;
    using chain = epilogue::chain<epilogue::activate>;
    convolution_shape<2> shape{2, 16, 24, 1, {9, 7}, {3, 3}, {}, {1, 1}, {1, 1}, {1, 1}};
    shape.output = output_lengths(shape);
    using forward_kernels = convolution_kernels<forward, 2, tile, half, chain>;
    typename forward_kernels::arguments a;
    a.shape = shape;
    a.x = make_images(array_address<const half>(0), shape.image, 16);
    a.w = {array_address<const half>(1), 9 * 16};
    a.y = make_images(array_address<half>(2), shape.output, 24);
    recorder<of_template<along_k>> device{Target::chip().name, "convolution", "forward"};
    must(launch(device, forward_kernels{}, a));

    using data_kernels = convolution_kernels<backward_data, 2, tile, half, chain>;
    typename data_kernels::arguments b;
    b.shape = shape;
    b.dy = make_images(array_address<const half>(0), shape.output, 24);
    b.w = a.w;
    b.dx = make_images(array_address<half>(2), shape.image, 16);
    recorder<of_template<mixed>> other{Target::chip().name, "convolution", "backward_data"};
    must(launch(other, data_kernels{}, b));

    b.shape.stride = {2, 3};
    b.shape.output = output_lengths(b.shape);
    b.dy = make_images(array_address<const half>(0), b.shape.output, 24);
    recorder<of_template<mixed>> strided{Target::chip().name, "convolution", "backward_data_strided"};
    must(launch(strided, data_kernels{}, b));

    using small = typename prologue_tiles<Target, bfloat16>::small;
    using weight_kernels = convolution_kernels<backward_weight, 3, small, bfloat16, chain>;
    typename weight_kernels::arguments c;
    c.shape = {2, 16, 24, 1, {5, 6, 7}, {2, 3, 3}, {}, {1, 2, 1}, {1, 1, 0}, {1, 1, 2}};
    c.shape.output = output_lengths(c.shape);
    c.x = make_images(array_address<const bfloat16>(0), c.shape.image, 16);
    c.dy = make_images(array_address<const bfloat16>(1), c.shape.output, 24);
    c.dw = {array_address<bfloat16>(2), c.shape.taps() * 16};
    recorder<of_template<along_rows>> last{Target::chip().name, "convolution", "backward_weight"};
    must(launch(last, weight_kernels{}, c));
}

/// A matrix of the elements that the filter covers, with strides and gaps, and padding on both sides.
template <class Target>
void record_im2col()
{
    using kernel = im2col_kernel<Target, half, 2, 8>;
    convolution_shape<2> shape{2, 16, 24, 1, {9, 7}, {3, 2}, {}, {2, 1}, {1, 1}, {1, 2}};
    shape.output = output_lengths(shape);
    const matrix_argument<half> to{array_address<half>(1), shape.taps() * 16, 1, 0};
    const auto args = make_im2col<kernel>(shape, make_images(array_address<const half>(0), shape.image, 16), to);
    recorder<of_template<covered>> device{Target::chip().name, "convolution", "cover"};
    must(launch(device, kernel{}, args));
}

/// Rows of A by index, elements of B made of two matrices, rows of C by index with a factor each.
template <class Target>
void record_prologue()
{
    using tile = typename prologue_tiles<Target, bfloat16>::large;
    using kernels = prologue_kernels<tile, gathered_rows<bfloat16>, made_elements<bfloat16, gated>, bfloat16,
                                     epilogue::chain<epilogue::scale_rows<>>, c_rows_order::by_index>;
    typename kernels::arguments a;
    a.m = 70, a.n = 48, a.k = 72;
    a.a = {array_address<const bfloat16>(0), a.k, 1, 0, array_address<const index_t>(1), 0, 20};
    a.b.maker = {{array_address<const bfloat16>(2), a.k, 1, 0}, {array_address<const bfloat16>(3), a.k, 1, 0}};
    a.c = {array_address<bfloat16>(4), a.n, 1, 0};
    a.c_rows = array_address<const index_t>(5);
    a.c_height = 80;
    a.epilogue.parts = make_tuple(epilogue::scale_rows<>{array_address<const float>(6), 0});
    recorder<of_template<along_k>> device{Target::chip().name, "gemm_prologue", "prologue"};
    must(kernels::dispatch(a, [&](auto kernel) { return launch(device, kernel, a); }));
}

/// Rows and pixels by direct loads, with enough k for the rounds of the loop.
template <class Target>
void record_direct()
{
    using rows = prologue_kernels<typename gemm_tiles<Target, bfloat16>::t256x128, gathered_rows<bfloat16>,
                                  strided_rows<bfloat16>, bfloat16, epilogue::chain<epilogue::scale_rows<>>,
                                  c_rows_order::by_index>;
    typename rows::arguments a;
    a.m = 270, a.n = 40, a.k = 584;
    a.a = {array_address<const bfloat16>(0), a.k, 1, 0, array_address<const index_t>(1), 0, 20};
    a.b = {array_address<const bfloat16>(2), 1, a.n, 0};
    a.c = {array_address<bfloat16>(3), a.n, 1, 0};
    a.c_rows = array_address<const index_t>(4);
    a.c_height = 280;
    a.epilogue.parts = make_tuple(epilogue::scale_rows<>{array_address<const float>(5), 0});
    recorder<of_template<mixed>> device{Target::chip().name, "gemm_direct_prologue", "gathered"};
    must(rows::dispatch(a, [&](auto kernel) { return launch(device, kernel, a); }));

    using pixels = convolution_kernels<convolution_direction::forward, 2, typename gemm_tiles<Target, half>::t256x128,
                                       half, epilogue::chain<epilogue::activate>>;
    typename pixels::arguments b;
    b.shape = {2, 64, 24, 1, {9, 7}, {3, 3}, {}, {1, 1}, {1, 1}, {1, 1}};
    b.shape.output = output_lengths(b.shape);
    b.x = make_images(array_address<const half>(0), b.shape.image, 64);
    b.w = {array_address<const half>(1), 9 * 64};
    b.y = make_images(array_address<half>(2), b.shape.output, 24);
    recorder<of_template<along_k>> other{Target::chip().name, "gemm_direct_prologue", "deep_forward"};
    must(launch(other, pixels{}, b));
}

template <class Target>
struct moe_names
{
    template <class Kernel>
    static std::string symbol()
    {
        if constexpr (std::is_same_v<Kernel, moe_combine<Target, bfloat16, 8>>)
            return symbol_of_template<sum_kernel<Kernel>>();
        else if constexpr (std::is_same_v<Kernel, moe_sort<Target>> || std::is_same_v<Kernel, moe_route<Target, 1024>>)
            return symbol_of_template<list_kernel<Kernel>>();
        else
            return symbol_of_template<product_kernel<Kernel>>();
    }
};

/// A layer of 37 tokens, 5 experts of 40 columns and 72 between, 200 experts' room. Its second product is not compiled in
/// the device test: the script computes it.
template <class Target>
void record_moe()
{
    moe_arguments<bfloat16, bfloat16> a;
    using kernels = moe_kernels<typename prologue_tiles<Target, bfloat16>::large>;
    a.tokens = 37, a.width = 64, a.hidden = 72, a.experts = 200, a.k = 2;
    a.x = array_address<const bfloat16>(0), a.x_stride = 64;
    a.w1 = array_address<const bfloat16>(1), a.w2 = array_address<const bfloat16>(2);
    a.logits = array_address<const float>(3);
    a.out = array_address<bfloat16>(4), a.out_stride = 64;
    a.workspace = {array_address<std::byte>(5), moe_workspace_bytes(a)};
    const moe_workspace w = make_moe_workspace(a);
    std::cout << "{\"target\": \"" << Target::chip().name
              << "\", \"source\": \"moe\", \"case\": \"workspace\", \"places\": [" << w.chosen << ", " << w.weights
              << ", " << w.first_row << ", " << w.slot_of_row << ", " << w.token_of_row << ", " << w.weight_of_row
              << ", " << w.between << ", " << w.parts << ", " << w.bytes << "]}\n";
    recorder<moe_names<Target>> device{Target::chip().name, "moe", "layer"};
    must(launch(device, kernels{}, a));
}

} // namespace

void record_products()
{
    record_convolutions<arch::gfx942>(), record_convolutions<arch::sm_90a>();
    record_im2col<arch::gfx942>(), record_im2col<arch::sm_90a>();
    record_prologue<arch::gfx942>(), record_prologue<arch::sm_80>();
    record_direct<arch::gfx950>();
    record_moe<arch::gfx942>(), record_moe<arch::sm_80>();
}

} // namespace tegula
