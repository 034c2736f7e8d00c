// How the kernels of test/device/rows.cpp are started.

#include "launches.hpp"

#include <tegula/normalization.hpp>

namespace tegula {

// The __global__ functions of rows.cpp, as classes.
template <class>
struct resident;
template <class>
struct chunks;

namespace {

struct names_resident
{
    template <class Kernel>
    static std::string symbol()
    {
        return symbol_of_template<resident<Kernel>>();
    }
};
struct names_chunks
{
    template <class Kernel>
    static std::string symbol()
    {
        return symbol_of_template<chunks<Kernel>>();
    }
};

template <class T>
tensor_argument<T> matrix(int number, long_index_t rows, long_index_t length)
{
    return make_tensor_argument(array_address<T>(number), {rows, length});
}

template <class Target>
struct row_launches
{
    template <class T>
    using block_tile = row_tile_list<tile_at<row_tiles_for<Target, row_vector<T, T>>, 5>>;
    template <class T>
    using wave_tile = row_tile_list<tile_at<row_tiles_for<Target, row_vector<T, T>>, 2>>;
    using chunk_tile = row_tile_list<tile_at<row_tiles_for<Target, 8>, 6>>;
    using single_tile = row_tile_list<tile_at<row_tiles_for<Target, 8>, 10>>;

    static recorder<names_resident> whole(const char* name) { return {Target::chip().name, "rows", name}; }
    static recorder<names_chunks> parts(const char* name) { return {Target::chip().name, "rows", name}; }

    static void softmax()
    {
        auto a = whole("softmax"), b = whole("log_softmax"), gradient = whole("softmax_backward");
        must(launch(a, softmax_kernels<block_tile<half>>{},
                    softmax_arguments<half>{matrix<const half>(0, 3, 1000), matrix<half>(1, 3, 1000)}));
        must(launch(b, softmax_kernels<wave_tile<float>, softmax_form::log_softmax>{},
                    softmax_arguments<float>{matrix<const float>(0, 9, 200), matrix<float>(1, 9, 200)}));
        softmax_backward_arguments<half> s;
        s.dy = matrix<const half>(0, 3, 1000), s.y = matrix<const half>(1, 3, 1000), s.dx = matrix<half>(2, 3, 1000);
        must(launch(gradient, softmax_backward_kernels<block_tile<half>>{}, s));
        auto c = parts("softmax_chunks");
        must(launch(c, softmax_kernels<chunk_tile>{},
                    softmax_arguments<half>{matrix<const half>(0, 2, 10008), matrix<half>(1, 2, 10008)}));
    }
    static void norms()
    {
        auto a = whole("layernorm"), b = whole("layernorm_backward");
        auto c = parts("rmsnorm_int8"), d = parts("norm_sums");
        norm_arguments<bfloat16> layer;
        layer.x = matrix<const bfloat16>(0, 3, 1000), layer.y = matrix<bfloat16>(1, 3, 1000);
        layer.residual = matrix<const bfloat16>(2, 3, 1000), layer.sum = matrix<bfloat16>(3, 3, 1000);
        layer.weight = make_tensor_argument(array_address<const bfloat16>(4), {1000});
        layer.bias = make_tensor_argument(array_address<const bfloat16>(5), {1000});
        layer.mean = array_address<float>(6), layer.inverse_deviation = array_address<float>(7);
        must(launch(a, norm_kernels<block_tile<bfloat16>, norm_kind::layer>{}, layer));

        auto whole_row = whole("layernorm_rows"), units = whole("layernorm_units");
        const auto of_rows = [](long_index_t rows, float epsilon) {
            norm_arguments<bfloat16> norm;
            norm.x = matrix<const bfloat16>(0, rows, 16384), norm.y = matrix<bfloat16>(1, rows, 16384);
            norm.weight = make_tensor_argument(array_address<const bfloat16>(2), {16384});
            norm.bias = make_tensor_argument(array_address<const bfloat16>(3), {16384});
            norm.epsilon = epsilon;
            return norm;
        };
        must(launch(whole_row, norm_kernels<block_tile<bfloat16>, norm_kind::layer>{}, of_rows(1, 1e-5f)));
        must(launch(units, norm_kernels<block_tile<bfloat16>, norm_kind::layer>{}, of_rows(5, 0.0f)));

        norm_backward_arguments<float> back;
        back.dy = matrix<const float>(0, 3, 1000), back.x = matrix<const float>(1, 3, 1000);
        back.dx = matrix<float>(2, 3, 1000);
        back.weight = make_tensor_argument(array_address<const float>(3), {1000});
        back.mean = array_address<float>(4), back.inverse_deviation = array_address<float>(5);
        must(launch(b, norm_backward_kernels<block_tile<float>, strip_tile_for<Target>, norm_kind::layer>{}, back));

        norm_arguments<bfloat16, std::int8_t> rms;
        rms.x = matrix<const bfloat16>(0, 2, 10000), rms.y = matrix<std::int8_t>(1, 2, 10000);
        rms.weight = make_tensor_argument(array_address<const bfloat16>(2), {10000});
        rms.scale = array_address<float>(3);
        must(launch(c, norm_kernels<chunk_tile, norm_kind::rms>{}, rms));

        // The kernels that norm_backward_kernels starts behind the gradients of rows.
        const auto dy = matrix<const bfloat16>(0, 150, 72), x = matrix<const bfloat16>(1, 150, 72);
        norm_backward_rows<bfloat16, bfloat16> rows{};
        rows.dy = dy.data, rows.x = x.data;
        rows.space = make_row_space(-1, dy, x, x);
        rows.mean = array_address<float>(2), rows.inverse_deviation = array_address<float>(3);
        rows.dweight = array_address<float>(4), rows.dbias = array_address<float>(5);
        rows.workspace = array_address<float>(6), rows.runs = norm_gradient_runs(150);
        using wide = vector_strip_of<strip_tile_for<Target>>;
        using sums = norm_gradient_sums<wide, norm_kind::layer, bfloat16>;
        using totals = norm_gradient_totals<strip_tile_for<Target>, bfloat16>;
        launch_config config;
        config.grid = {sums::strips(rows), rows.runs, 1};
        must(launch(d, config, sums{}, rows));
        config.grid = {totals::blocks(rows), 1, 1};
        must(launch(d, config, totals{}, rows));
    }
    static void losses()
    {
        auto a = parts("cross_entropy"), c = parts("topk_softmax");
        auto b = whole("cross_entropy_backward");
        cross_entropy_arguments<float> forward;
        forward.x = matrix<const float>(0, 3, 3001);
        forward.labels = array_address<long_index_t>(1);
        forward.losses = array_address<float>(2), forward.log_sum = array_address<float>(3);
        must(launch(a, cross_entropy_kernels<single_tile>{}, forward));
        cross_entropy_arguments<half> backward;
        backward.x = matrix<const half>(0, 5, 200), backward.dx = matrix<half>(1, 5, 200);
        backward.labels = array_address<long_index_t>(2), backward.log_sum = array_address<float>(3);
        backward.d_losses = array_address<float>(4);
        must(launch(b, cross_entropy_backward_kernels<wave_tile<half>>{}, backward));
        topk_softmax_arguments<bfloat16> top;
        top.x = matrix<const bfloat16>(0, 6, 200), top.k = 5;
        top.weights = array_address<float>(1), top.indices = array_address<long_index_t>(2);
        must(launch(c, topk_softmax_kernels<wave_tile<bfloat16>>{}, top));
    }
};

} // namespace

void record_rows()
{
    const auto all = [](auto target) {
        using launches = row_launches<decltype(target)>;
        launches::softmax(), launches::norms(), launches::losses();
    };
    all(arch::gfx942{}), all(arch::gfx1201{}), all(arch::sm_80{});
}

} // namespace tegula
