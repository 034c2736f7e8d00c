#include "operands.hpp"

#include "examples/common/arrays.hpp"

#include <tegula/reference/random.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace gemm_example {

namespace {

using namespace examples;

/// The array as a matrix, or a batch of them in as many dimensions as it has. `vector` tells where the dimension of
/// length 1 goes that a vector lacks: before its elements (A, a row) or behind (B, a column).
enum class vector_side { row, column };

host_matrix make_matrix(const std::string& option, const std::string& path, float_array&& array, vector_side vector)
{
    std::vector<long_index_t> shape = array.shape;
    if (shape.size() == 1)
        shape.insert(vector == vector_side::row ? shape.begin() : shape.end(), 1);
    const std::size_t rank = shape.size();
    if (rank < 2)
        throw bad_input(option + " \"" + path + "\" has no dimensions; a vector has one, a matrix two, a batch more");
    host_matrix x;
    x.rows = shape[rank - 2];
    x.columns = shape[rank - 1];
    x.values = std::move(array.values);
    x.shape = std::move(array.shape);
    for (std::size_t d = 0; d + 2 < rank; ++d)
        x.batch *= shape[d];
    x.batched = rank > 2;
    return x;
}

/// The dimensions of the batch that a matrix has.
std::vector<long_index_t> batch_shape(const host_matrix& x)
{
    return {x.shape.begin(), x.shape.end() - static_cast<std::ptrdiff_t>(std::min<std::size_t>(x.shape.size(), 2))};
}

std::string shape_of(const host_matrix& x) { return shape_text(x.shape); }

/// The shape to which both are broadcast, counted from the last dimension; false if some lengths differ and none is 1.
bool broadcast(const std::vector<long_index_t>& a, const std::vector<long_index_t>& b, std::vector<long_index_t>& both)
{
    both = a.size() > b.size() ? a : b;
    const std::vector<long_index_t>& shorter = a.size() > b.size() ? b : a;
    const std::size_t ahead = both.size() - shorter.size();
    for (std::size_t d = 0; d < shorter.size(); ++d) {
        long_index_t& length = both[ahead + d];
        if (length != shorter[d] && length != 1 && shorter[d] != 1)
            return false;
        length = length == 1 ? shorter[d] : length;
    }
    return true;
}

/// Makes `x` the matrix of all products, or one for each product of a batch of this shape.
void broadcast_to(const std::vector<long_index_t>& batch, host_matrix& x)
{
    const std::vector<long_index_t> has = batch_shape(x);
    if (has == batch)
        return;
    if (x.batch == 1) {
        x.batched = false;
        return;
    }
    const long_index_t elements = x.rows * x.columns;
    long_index_t products = 1;
    for (const long_index_t length : batch)
        products *= length;
    std::vector<float> values;
    values.reserve(static_cast<std::size_t>(products * elements));
    for (long_index_t product = 0; product < products; ++product) {
        long_index_t rest = product, from = 0, stride = 1;
        for (std::size_t d = batch.size(); d-- > 0; rest /= batch[d]) {
            const std::size_t ahead = batch.size() - has.size();
            if (d < ahead)
                continue;
            from += has[d - ahead] == 1 ? 0 : rest % batch[d] * stride;
            stride *= has[d - ahead];
        }
        const auto first = x.values.begin() + from * elements;
        values.insert(values.end(), first, first + elements);
    }
    x.values = std::move(values);
    x.batch = products;
    x.shape = batch;
    x.shape.insert(x.shape.end(), {x.rows, x.columns});
}

/// The sizes before anything is allocated.
void check_sizes(const operands& x)
{
    namespace checks = tegula::gemm_checks;
    const char* const names[] = {"m", "n", "k", "batch"};
    const long_index_t sizes[] = {x.m, x.n, x.k, x.batch};
    for (int i = 0; i < 4; ++i)
        if (const tegula::status s = checks::check_size(names[i], sizes[i]); !s)
            throw bad_input(s.message());
    const long_index_t shapes[3][2] = {{x.m, x.k}, {x.k, x.n}, {x.m, x.n}};
    for (const auto& shape : shapes)
        if (checks::product(checks::product(shape[0], shape[1]), x.batch) < 0)
            throw bad_input("a matrix of " + std::to_string(shape[0]) + " x " + std::to_string(shape[1]) + " x " +
                            std::to_string(x.batch) + " elements passes 2^63; take smaller sizes");
}

/// Whether the matrices fit the machine's memory.
void check_memory(const operands& x, const options& o)
{
    const auto elements = [&](long_index_t rows, long_index_t columns) {
        const auto r = static_cast<double>(rows), c = static_cast<double>(columns);
        return (r * c + static_cast<double>(o.pad.value_or(16)) * std::max(r, c)) * static_cast<double>(x.batch);
    };
    // A value as read, rounded and laid out; C as computed and written, with the two numbers of the reference.
    const double bytes = 8 * (elements(x.m, x.k) + elements(x.k, x.n)) + (o.verify ? 24 : 8) * elements(x.m, x.n);
    const double memory = memory_of_machine();
    if (bytes > memory)
        throw bad_input("the matrices need " + std::to_string(static_cast<long long>(bytes / 1e9)) +
                        " GB of memory and this machine has " + std::to_string(static_cast<long long>(memory / 1e9)) +
                        "; take smaller sizes");
}

host_matrix make_random(const operands& x, long_index_t rows, long_index_t columns, std::uint64_t seed, bool integers)
{
    host_matrix matrix{x.batch, rows, columns, x.batched, {}, {rows, columns}};
    if (x.batched)
        matrix.shape.insert(matrix.shape.begin(), x.batch);
    matrix.values.resize(static_cast<std::size_t>(x.batch * rows * columns));
    if (integers)
        tegula::fill_integers<float>(matrix.values, seed, -128, 127);
    else
        tegula::fill_normal<float>(matrix.values, seed);
    return matrix;
}

void make_random_operands(const options& o, operands& x)
{
    x = random_sizes(o);
    check_memory(x, o);
    const bool integers = o.type == "int8";
    x.a = make_random(x, x.m, x.k, o.seed, integers);
    x.b = make_random(x, x.k, x.n, o.seed + 1, integers);
    if (o.c.empty() && o.beta != 0)
        x.c = make_random(x, x.m, x.n, o.seed + 2, false);
}

void read_factors(const options& o, operands& x)
{
    x.a = make_matrix("--a", o.a, read_floats("--a", o.a), vector_side::row);
    x.b = make_matrix("--b", o.b, read_floats("--b", o.b), vector_side::column);
    const std::string are = "A is " + shape_of(x.a) + " and B is " + shape_of(x.b);
    if (x.a.columns != x.b.rows)
        throw bad_input(are + "; the columns of A must be as many as the rows of B");
    std::vector<long_index_t> batch;
    if (!broadcast(batch_shape(x.a), batch_shape(x.b), batch))
        throw bad_input(are + "; the dimensions of the batch must be equal or 1, counted from the last");
    x.m = x.a.rows;
    x.n = x.b.columns;
    x.k = x.a.columns;
    x.batched = !batch.empty();
    for (const long_index_t length : batch)
        x.batch = length != 0 && x.batch > std::numeric_limits<long_index_t>::max() / length ? -1 : x.batch * length;
    x.batch_shape = x.shape = batch;
    if (x.a.shape.size() != 1)
        x.shape.push_back(x.m);
    if (x.b.shape.size() != 1)
        x.shape.push_back(x.n);
    check_sizes(x);
    check_memory(x, o);
    broadcast_to(batch, x.a);
    broadcast_to(batch, x.b);
}

void read_source(const options& o, operands& x)
{
    // C lacks the dimension of a factor that is a vector; C0 lacks it too.
    float_array array = read_floats("--c", o.c);
    const std::string is = "C0 is " + shape_text(array.shape);
    if (x.a.shape.size() == 1 && !array.shape.empty())
        array.shape.insert(array.shape.end() - (x.b.shape.size() == 1 ? 0 : 1), 1);
    if (x.b.shape.size() == 1)
        array.shape.push_back(1);
    x.c = make_matrix("--c", o.c, std::move(array), vector_side::row);
    const std::vector<long_index_t>& batch = x.batch_shape;
    std::vector<long_index_t> both;
    const bool fits =
        x.c.rows == x.m && x.c.columns == x.n && broadcast(batch, batch_shape(x.c), both) && both == batch;
    if (!fits)
        throw bad_input(is + "; the product is " + shape_text(x.shape) +
                        ", and C0 must be too, but for dimensions of 1 in the batch");
    broadcast_to(batch, x.c);
}

void read_bias(const options& o, operands& x)
{
    float_array array = read_floats("--bias", o.bias);
    if (array.shape != std::vector<long_index_t>{x.n})
        throw bad_input("--bias \"" + o.bias + "\" has shape " + shape_text(array.shape) + "; C has " +
                        std::to_string(x.n) + " columns, so it must be (" + std::to_string(x.n) + ",)");
    x.bias = std::move(array.values);
}

/// Strides of `outer` rows of `inner` elements, `batch` times.
device_matrix place(long_index_t outer, long_index_t inner, int element_bytes, matrix_layout layout,
                    std::optional<long_index_t> pad)
{
    const long_index_t vector = 16 / element_bytes;
    const long_index_t leading = pad ? inner + *pad : tegula::round_up(inner, vector);
    device_matrix x;
    x.row_stride = layout == matrix_layout::row ? leading : 1;
    x.column_stride = layout == matrix_layout::row ? 1 : leading;
    x.batch_stride = outer * leading;
    return x;
}

/// Such memory; every byte 0xff, which is NaN in the floating-point types that have one there.
device_matrix make_memory(long_index_t batch, long_index_t outer, long_index_t inner, int element_bytes,
                          matrix_layout layout, std::optional<long_index_t> pad)
{
    device_matrix x = place(outer, inner, element_bytes, layout, pad);
    x.data.assign(static_cast<std::size_t>(batch * x.batch_stride * element_bytes), std::byte{0xff});
    return x;
}

template <class T>
device_matrix lay_out_as(const host_matrix& x, matrix_layout layout, std::optional<long_index_t> pad)
{
    const bool by_rows = layout == matrix_layout::row;
    device_matrix result =
        make_memory(x.batch, by_rows ? x.rows : x.columns, by_rows ? x.columns : x.rows, sizeof(T), layout, pad);
    auto* const to = reinterpret_cast<T*>(result.data.data());
    const float* from = x.values.data();
    for (long_index_t b = 0; b < x.batch; ++b)
        for (long_index_t i = 0; i < x.rows; ++i)
            for (long_index_t j = 0; j < x.columns; ++j)
                to[b * result.batch_stride + i * result.row_stride + j * result.column_stride] =
                    tegula::convert<T>(*from++);
    if (!x.batched)
        result.batch_stride = 0;
    return result;
}

} // namespace

operands random_sizes(const options& o)
{
    operands x;
    x.m = *o.m;
    x.n = *o.n;
    x.k = *o.k;
    x.batch = o.batch.value_or(1);
    x.batched = o.batch.has_value();
    x.shape = {x.m, x.n};
    if (x.batched) {
        x.shape.insert(x.shape.begin(), x.batch);
        x.batch_shape = {x.batch};
    }
    check_sizes(x);
    return x;
}

operands read_operands(const options& o)
{
    operands x;
    if (o.reads_files())
        read_factors(o, x);
    else
        make_random_operands(o, x);
    if (!o.c.empty())
        read_source(o, x);
    if (!o.bias.empty())
        read_bias(o, x);
    return x;
}

std::string find_not_finite(const options& o, const operands& x, const std::string& how)
{
    std::string found;
    const auto look = [&](const char* name, const std::vector<float>& values, const auto& position) {
        const auto bad = std::find_if(values.begin(), values.end(), [](float v) { return !std::isfinite(v); });
        if (found.empty() && bad != values.end())
            found = name + position(bad - values.begin()) + (std::isnan(*bad) ? " is NaN" : " is infinite") + how;
    };
    const auto look_into = [&](const char* name, const host_matrix& matrix) {
        look(name, matrix.values, [&](long_index_t at) {
            std::string text;
            for (std::size_t d = matrix.shape.size(); d-- > 0; at /= matrix.shape[d])
                text = std::to_string(at % matrix.shape[d]) + (text.empty() ? "" : ", ") + text;
            return "[" + text + "]";
        });
    };
    if (o.alpha != 0) {
        look_into("A", x.a);
        look_into("B", x.b);
    }
    if (o.beta != 0)
        look_into("C0", x.c);
    look("bias", x.bias, [](long_index_t at) { return "[" + std::to_string(at) + "]"; });
    return found;
}

void round_operands(const kernel_entry& kernel, operands& x)
{
    const auto round = [&](host_matrix& matrix, bool k_along_rows) {
        if (kernel.quantize == nullptr) {
            with_type(kernel.element, [&](auto tag) {
                using type = typename decltype(tag)::type;
                for (float& value : matrix.values)
                    value = static_cast<float>(tegula::convert<type>(value));
            });
            return;
        }
        const long_index_t outer = k_along_rows ? matrix.rows : matrix.columns;
        const long_index_t k = k_along_rows ? matrix.columns : matrix.rows;
        if (const tegula::status s = kernel.quantize(matrix.values.data(), matrix.batch, outer, k_along_rows ? k : 1, k,
                                                     k_along_rows ? 1 : outer);
            !s)
            throw bad_input(s.message());
    };
    if (kernel.quantize != nullptr)
        x.given_a = x.a, x.given_b = x.b;
    round(x.a, true);
    round(x.b, false);
}

device_matrix lay_out(element e, const host_matrix& x, matrix_layout layout, std::optional<long_index_t> pad)
{
    return with_type(e, [&](auto tag) { return lay_out_as<typename decltype(tag)::type>(x, layout, pad); });
}

device_matrix place(const operands& x, long_index_t rows, long_index_t columns, int element_bytes, matrix_layout layout,
                    std::optional<long_index_t> pad)
{
    const bool by_rows = layout == matrix_layout::row;
    device_matrix result = place(by_rows ? rows : columns, by_rows ? columns : rows, element_bytes, layout, pad);
    if (!x.batched)
        result.batch_stride = 0;
    return result;
}

problem make_problem(const options& o, const operands& x, const device_matrix& a, const device_matrix& b,
                     const device_matrix& source, device_matrix& c)
{
    const auto view = [](auto& matrix, auto* data) {
        using type = std::remove_pointer_t<decltype(data)>;
        return tegula::matrix_argument<type>{data, matrix.row_stride, matrix.column_stride, matrix.batch_stride};
    };
    problem p;
    p.m = x.m;
    p.n = x.n;
    p.k = o.alpha == 0 ? 0 : x.k; // as in BLAS, A and B then are not read
    p.batch = x.batch;
    p.a = view(a, static_cast<const void*>(a.data.data()));
    p.b = view(b, static_cast<const void*>(b.data.data()));
    p.c = view(c, static_cast<void*>(c.data.data()));
    p.source = view(source, reinterpret_cast<const float*>(source.data.data()));
    p.bias = x.bias.empty() ? nullptr : x.bias.data();
    p.alpha = o.alpha;
    p.beta = o.beta;
    p.activation = o.activation;
    return p;
}

device_matrix make_output(const operands& x, std::optional<long_index_t> pad)
{
    return make_memory(x.batch, x.m, x.n, 4, matrix_layout::row, pad);
}

} // namespace gemm_example
