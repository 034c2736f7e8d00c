#include "operands.hpp"

#include "examples/common/arrays.hpp"

#include <tegula/core/math.hpp>
#include <tegula/kernel/attention/can_implement.hpp>
#include <tegula/kernel/attention/dropout.hpp>
#include <tegula/reference/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace attention_example {

using namespace examples;

namespace {

using shape = std::array<long_index_t, 4>;

std::string text_of(const shape& s) { return shape_text({s.begin(), s.end()}); }

long_index_t count(const shape& s) { return s[0] * s[1] * s[2] * s[3]; }

host_tensor read_tensor(const std::string& option, const std::string& path)
{
    float_array array = read_floats(option, path);
    if (array.shape.size() != 4)
        throw bad_input(option + " \"" + path + "\" has shape " + shape_text(array.shape) +
                        "; it must have four dimensions: batch, heads, rows, columns");
    host_tensor x{{array.shape[0], array.shape[1], array.shape[2], array.shape[3]}, {}};
    x.values = std::move(array.values);
    return x;
}

/// Up to four dimensions, each 1 or that of the scores.
host_tensor read_of_scores(const std::string& option, const std::string& path, const shape& scores)
{
    float_array array = read_floats(option, path);
    host_tensor x{{1, 1, 1, 1}, {}};
    const std::size_t rank = array.shape.size();
    bool fits = rank <= 4;
    for (std::size_t i = 0; fits && i < rank; ++i) {
        x.shape[4 - rank + i] = array.shape[i];
        fits = array.shape[i] == 1 || array.shape[i] == scores[4 - rank + i];
    }
    if (!fits)
        throw bad_input(option + " \"" + path + "\" has shape " + shape_text(array.shape) +
                        "; its dimensions must be 1 or those of " + text_of(scores) + ", counted from the last");
    x.values = std::move(array.values);
    return x;
}

/// The keys of each sequence.
std::vector<index_t> read_key_lengths(const std::string& path, const shape& scores)
{
    const float_array array = read_floats("--key-lengths", path);
    if (array.shape != std::vector<long_index_t>{scores[0]})
        throw bad_input("--key-lengths \"" + path + "\" has shape " + shape_text(array.shape) + "; it must be (" +
                        std::to_string(scores[0]) + ",), a number for each sequence");
    std::vector<index_t> lengths;
    for (const float length : array.values) {
        if (length != std::floor(length) || length < 0 || length > static_cast<float>(scores[3]))
            throw bad_input("--key-lengths \"" + path + "\" holds " + std::to_string(length) +
                            "; a length is a whole number from 0 to seq_k, " + std::to_string(scores[3]));
        lengths.push_back(static_cast<index_t>(length));
    }
    return lengths;
}

/// The pages of each sequence; the keys of all of them become seq_k.
void read_page_table(const std::string& path, operands& x)
{
    const float_array array = read_floats("--page-table", path);
    const long_index_t batch = x.q.shape[0];
    if (array.shape.size() != 2 || array.shape[0] != batch)
        throw bad_input("--page-table \"" + path + "\" has shape " + shape_text(array.shape) + "; it must be (" +
                        std::to_string(batch) + ", pages of a sequence)");
    x.in_pages = true;
    const long_index_t each = array.shape[1], page_keys = x.k.shape[2];
    if (page_keys > 0 && each > std::numeric_limits<index_t>::max() / page_keys)
        throw bad_input("--page-table \"" + path + "\" has " + std::to_string(each) + " pages of " +
                        std::to_string(page_keys) + " keys for a sequence; the limit is 2^31 - 1 keys");
    x.seq_k = each * page_keys;
    for (const float page : array.values) {
        if (page != std::floor(page) || std::fabs(page) >= 0x1p31f)
            throw bad_input("--page-table \"" + path + "\" holds " + std::to_string(page) +
                            "; a page is a whole number from 0");
        x.page_table.push_back(static_cast<index_t>(page));
    }
}

tegula::attention_pages pages_of(const operands& x)
{
    const long_index_t batch = std::max(x.q.shape[0], long_index_t{1});
    return {x.page_table.data(), static_cast<long_index_t>(x.page_table.size()) / batch,
            static_cast<index_t>(x.k.shape[2]), static_cast<index_t>(x.k.shape[0])};
}

/// Whether the pages that hold keys are in the cache.
void check_pages(const std::string& path, const operands& x)
{
    const tegula::status s = tegula::check_page_table(pages_of(x), x.q.shape[0], static_cast<index_t>(x.seq_k),
                                                      x.key_lengths.empty() ? nullptr : x.key_lengths.data());
    if (!s)
        throw bad_input("--page-table \"" + path + "\": " + s.message());
}

/// Puts -inf where the mask is 0 or a key lies past its sequence's length, beside the bias that is there. With lengths the
/// band, whose diagonal ends at a sequence's last key, then is part of it.
void hide_scores(const options& o, const shape& scores, const std::vector<index_t>& lengths, operands& x)
{
    host_tensor mask{{1, 1, 1, 1}, {1}};
    if (!o.mask.empty())
        mask = read_of_scores("--mask", o.mask, scores);
    if (!lengths.empty())
        x.band = {};
    const host_tensor bias = x.has_bias ? x.bias : host_tensor{{1, 1, 1, 1}, {0}};
    host_tensor both;
    for (std::size_t d = 0; d < 4; ++d)
        both.shape[d] = !lengths.empty() && d != 1 ? scores[d] : mask.shape[d] == 1 ? bias.shape[d] : mask.shape[d];
    const auto value = [](const host_tensor& of, const shape& at) {
        long_index_t place = 0;
        for (std::size_t d = 0; d < 4; ++d)
            place = place * of.shape[d] + (of.shape[d] == 1 ? 0 : at[d]);
        return of.values[static_cast<std::size_t>(place)];
    };
    const auto sees = [&](const shape& at) {
        if (lengths.empty())
            return true;
        const long_index_t keys = lengths[static_cast<std::size_t>(at[0])];
        const bool top_left = o.band.diagonal == tegula::attention_diagonal::top_left;
        const long_index_t diagonal = at[2] + (top_left ? 0 : keys - scores[2]);
        return at[3] < keys && (o.band.left < 0 || at[3] >= diagonal - o.band.left) &&
               (o.band.right < 0 || at[3] <= diagonal + o.band.right);
    };
    both.values.reserve(static_cast<std::size_t>(count(both.shape)));
    shape at;
    for (at[0] = 0; at[0] < both.shape[0]; ++at[0])
        for (at[1] = 0; at[1] < both.shape[1]; ++at[1])
            for (at[2] = 0; at[2] < both.shape[2]; ++at[2])
                for (at[3] = 0; at[3] < both.shape[3]; ++at[3])
                    both.values.push_back(value(mask, at) != 0 && sees(at) ? value(bias, at)
                                                                           : -std::numeric_limits<float>::infinity());
    x.bias = std::move(both);
    x.has_bias = true;
}

/// Sizes before anything is allocated.
void check_sizes(const shape& q, const shape& k, const shape& v)
{
    const std::pair<const char*, long_index_t> sizes[] = {{"batch", q[0]},    {"heads", q[1]}, {"kv_heads", k[1]},
                                                          {"seq_q", q[2]},    {"seq_k", k[2]}, {"head_dim", q[3]},
                                                          {"value_dim", v[3]}};
    for (const auto& [name, size] : sizes)
        if (const tegula::status s = tegula::gemm_checks::check_size(name, size); !s)
            throw bad_input(s.message());
    double bytes = 0;
    for (const shape* s : {&q, &k, &v, &q}) { // O has as many rows as Q
        double elements = 1;
        for (const long_index_t length : *s)
            elements *= static_cast<double>(length);
        bytes += 16 * elements;
    }
    const double memory = memory_of_machine();
    if (bytes > memory)
        throw bad_input("the tensors need " + std::to_string(static_cast<long long>(bytes / 1e9)) +
                        " GB of memory and this machine has " + std::to_string(static_cast<long long>(memory / 1e9)) +
                        "; take smaller sizes");
}

void check_shapes(const operands& x)
{
    const shape &q = x.q.shape, &k = x.k.shape, &v = x.v.shape;
    const std::string are = "Q is " + text_of(q) + ", K " + text_of(k) + " and V " + text_of(v);
    if (x.in_pages && k[0] != v[0])
        throw bad_input(are + "; V must have the pages of K");
    if (!x.in_pages && (q[0] != k[0] || q[0] != v[0]))
        throw bad_input(are + "; they must have the same batch");
    if (k[1] != v[1] || k[2] != v[2])
        throw bad_input(are + "; V must have the heads and rows of K");
    if (q[3] != k[3])
        throw bad_input(are + "; K must have the columns of Q");
    if (q[1] > 0 && (k[1] == 0 || q[1] % k[1] != 0))
        throw bad_input(are + "; the heads of Q must be a multiple of those of K");
    if (const tegula::status s =
            tegula::attention_checks::check_head_dims(static_cast<index_t>(q[3]), static_cast<index_t>(v[3]));
        !s)
        throw bad_input(s.message());
}

host_tensor make_random(const shape& s, std::uint64_t seed)
{
    host_tensor x{s, {}};
    x.values.resize(static_cast<std::size_t>(count(s)));
    tegula::fill_normal<float>(x.values, seed);
    return x;
}

void place(device_tensor& x, const shape& s, long_index_t element_bytes)
{
    x.row_stride = tegula::round_up(s[3] * element_bytes, 16) / element_bytes;
    x.head_stride = s[2] * x.row_stride;
    x.batch_stride = s[1] * x.head_stride;
}

/// The columns that are added: zeros in Q, K and V change no product.
template <class T>
void lay_out(device_tensor& to, const host_tensor& x)
{
    place(to, x.shape, sizeof(T));
    to.data.assign(static_cast<std::size_t>(x.shape[0] * to.batch_stride) * sizeof(T) + 16, std::byte{0});
    T* const data = reinterpret_cast<T*>(to.first_row());
    const float* from = x.values.data();
    for (long_index_t row = 0; row < x.shape[0] * x.shape[1] * x.shape[2]; ++row)
        for (long_index_t c = 0; c < x.shape[3]; ++c)
            data[row * to.row_stride + c] = tegula::convert<T>(*from++);
}

/// Memory of floats that nobody has written.
void fill_with_nan(device_tensor& x, long_index_t batch)
{
    x.data.assign(static_cast<std::size_t>(batch * x.batch_stride) * sizeof(float) + 16, std::byte{0xff});
}

template <class T, class Tensor>
T view(Tensor& x)
{
    return {reinterpret_cast<decltype(T{}.data)>(x.first_row()), x.batch_stride, x.head_stride, x.row_stride};
}

} // namespace

operands read_operands(const options& o)
{
    operands x;
    if (o.reads_files()) {
        x.q = read_tensor("--q", o.q);
        x.k = read_tensor("--k", o.k);
        x.v = read_tensor("--v", o.v);
        check_sizes(x.q.shape, x.k.shape, x.v.shape);
        if (!o.page_table.empty())
            read_page_table(o.page_table, x);
        check_shapes(x);
    } else {
        const long_index_t batch = o.batch.value_or(1), heads = o.heads.value_or(1);
        const long_index_t kv_heads = o.kv_heads.value_or(heads), keys = o.seq_k.value_or(*o.seq_q);
        x.q.shape = {batch, heads, *o.seq_q, *o.head_dim};
        x.k.shape = {batch, kv_heads, keys, *o.head_dim};
        x.v.shape = {batch, kv_heads, keys, o.value_dim.value_or(*o.head_dim)};
        check_sizes(x.q.shape, x.k.shape, x.v.shape);
        check_shapes(x);
        x.q = make_random(x.q.shape, o.seed);
        x.k = make_random(x.k.shape, o.seed + 1);
        x.v = make_random(x.v.shape, o.seed + 2);
    }
    if (!x.in_pages)
        x.seq_k = x.k.shape[2];
    const shape scores = {x.q.shape[0], x.q.shape[1], x.q.shape[2], x.seq_k};
    x.band = o.band;
    if (!o.bias.empty()) {
        x.bias = read_of_scores("--bias", o.bias, scores);
        x.has_bias = true;
    }
    std::vector<index_t> lengths;
    if (!o.key_lengths.empty())
        lengths = read_key_lengths(o.key_lengths, scores);
    if (x.in_pages) {
        x.key_lengths = std::move(lengths);
        lengths.clear();
        check_pages(o.page_table, x);
    }
    if (!o.mask.empty() || !lengths.empty())
        hide_scores(o, scores, lengths, x);
    if (!o.d_o.empty()) {
        x.d_o = read_tensor("--dout", o.d_o);
        const shape output = {x.q.shape[0], x.q.shape[1], x.q.shape[2], x.v.shape[3]};
        if (x.d_o.shape != output)
            throw bad_input("--dout \"" + o.d_o + "\" has shape " + text_of(x.d_o.shape) + "; it must be that of O, " +
                            text_of(output));
        x.has_gradient = true;
    }
    return x;
}

std::string find_not_finite(const operands& x, const std::string& how)
{
    const std::pair<const char*, const host_tensor*> tensors[] = {
        {"Q", &x.q}, {"K", &x.k}, {"V", &x.v}, {"dO", &x.d_o}};
    for (const auto& [name, tensor] : tensors) {
        const auto& values = tensor->values;
        const auto bad = std::find_if(values.begin(), values.end(), [](float v) { return !std::isfinite(v); });
        if (bad == values.end())
            continue;
        long_index_t at = bad - values.begin();
        std::string place;
        for (int i = 3; i >= 0; --i) {
            const long_index_t length = tensor->shape[static_cast<std::size_t>(i)];
            place = std::to_string(at % length) + (place.empty() ? "" : ", ") + place;
            at /= length;
        }
        return std::string(name) + "[" + place + "]" + (std::isnan(*bad) ? " is NaN" : " is infinite") + how;
    }
    return "";
}

void round_to(element e, const options& o, operands& x)
{
    const std::pair<host_tensor*, float> tensors[] = {
        {&x.q, o.q_scale.value_or(1)}, {&x.k, o.k_scale.value_or(1)}, {&x.v, o.v_scale.value_or(1)}, {&x.d_o, 1}};
    with_type(e, [&](auto tag) {
        using type = typename decltype(tag)::type;
        for (const auto& [tensor, scale] : tensors)
            for (float& value : tensor->values)
                value = static_cast<float>(tegula::convert<type>(value / scale));
    });
}

std::byte* device_tensor::first_row()
{
    const auto at = reinterpret_cast<std::uintptr_t>(data.data());
    return data.data() + (tegula::round_up(at, std::uintptr_t{16}) - at);
}

memory_of_problem::memory_of_problem(const options& options, const operands& x, element e) : cap(options.cap), type(e)
{
    with_type(e, [&](auto tag) {
        using type = typename decltype(tag)::type;
        lay_out<type>(q, x.q);
        lay_out<type>(k, x.k);
        lay_out<type>(v, x.v);
        if (x.has_gradient)
            lay_out<type>(d_o, x.d_o);
        constexpr long_index_t vector = 16 / sizeof(type);
        arguments.head_dim = static_cast<index_t>(tegula::round_up(x.q.shape[3], vector));
        arguments.value_dim = static_cast<index_t>(tegula::round_up(x.v.shape[3], vector));
    });
    const shape o_shape = {x.q.shape[0], x.q.shape[1], x.q.shape[2], arguments.value_dim};
    place(o, o_shape, sizeof(float));
    fill_with_nan(o, o_shape[0]);
    if (x.has_gradient) {
        const auto make = [&](device_tensor& gradient, const host_tensor& of, index_t columns) {
            place(gradient, {of.shape[0], of.shape[1], of.shape[2], columns}, sizeof(float));
            fill_with_nan(gradient, of.shape[0]);
        };
        make(dq, x.q, arguments.head_dim);
        make(dk, x.k, arguments.head_dim);
        make(dv, x.v, arguments.value_dim);
    }
    lse.assign(static_cast<std::size_t>(o_shape[0] * o_shape[1] * o_shape[2]), std::nanf(""));

    auto& a = arguments;
    a.batch = o_shape[0];
    a.heads = static_cast<index_t>(o_shape[1]);
    a.kv_heads = static_cast<index_t>(x.k.shape[1]);
    a.seq_q = static_cast<index_t>(o_shape[2]);
    a.seq_k = static_cast<index_t>(x.seq_k);
    if (x.in_pages)
        a.pages = pages_of(x);
    a.lengths.key_lengths = x.key_lengths.empty() ? nullptr : x.key_lengths.data();
    a.dropout = tegula::make_dropout(options.dropout.value_or(0), options.dropout_seed.value_or(1));
    a.q = view<tegula::attention_tensor<const void>>(q);
    a.k = view<tegula::attention_tensor<const void>>(k);
    a.v = view<tegula::attention_tensor<const void>>(v);
    a.o = view<tegula::attention_tensor<float>>(o);
    a.lse = {lse.data(), o_shape[1] * o_shape[2], o_shape[2]};
    a.scale = options.scale.value_or(1 / std::sqrt(static_cast<float>(x.q.shape[3])));
    if (options.has_8_bits()) {
        const std::optional<float> given[] = {options.q_scale, options.k_scale, options.v_scale};
        tegula::attention_scale* const of[] = {&a.q_scale, &a.k_scale, &a.v_scale};
        for (int i = 0; i < 3; ++i) {
            scales[i] = given[i].value_or(1);
            of[i]->data = &scales[i];
        }
    }
    a.band = x.band;
    if (x.has_bias) {
        const shape& s = x.bias.shape;
        const auto stride = [&](int dimension, long_index_t dense) {
            return s[static_cast<std::size_t>(dimension)] == 1 ? 0 : dense;
        };
        a.bias = {x.bias.values.data(), stride(0, s[1] * s[2] * s[3]), stride(1, s[2] * s[3]), stride(2, s[3]),
                  stride(3, 1)};
    } else if (const bool changes = cap != 0 || get().needed() != feature::none; changes || x.has_gradient) {
        static const float nothing = 0; // a kernel that changes scores adds a bias, too
        a.bias = {&nothing, 0, 0, 0, 0};
        bias_for_gradients = !changes;
        bias_is_zero = true;
    }
}

problem memory_of_problem::get() const
{
    problem p;
    p.plain = arguments;
    if (bias_for_gradients)
        p.plain.bias = {};
    p.cap = cap;
    p.bias_is_zero = bias_is_zero;
    return p;
}

problem memory_of_problem::get_backward()
{
    const auto& a = arguments;
    with_type(type, [&](auto tag) {
        using element_type = typename decltype(tag)::type;
        place(o_of_type, {a.batch, a.heads, a.seq_q, a.value_dim}, sizeof(element_type));
        o_of_type.data.resize(static_cast<std::size_t>(a.batch * o_of_type.batch_stride) * sizeof(element_type) + 16);
        auto* const to = reinterpret_cast<element_type*>(o_of_type.first_row());
        for (long_index_t row = 0; row < a.batch * a.heads * a.seq_q; ++row)
            for (index_t c = 0; c < a.value_dim; ++c)
                to[row * o_of_type.row_stride + c] = tegula::convert<element_type>(a.o.data[row * a.o.row_stride + c]);
    });
    problem p = get();
    p.plain.bias = a.bias;
    p.o = view<tegula::attention_tensor<void>>(o_of_type);
    p.d_o = view<tegula::attention_tensor<const void>>(d_o);
    p.dq = view<tegula::attention_tensor<float>>(dq);
    p.dk = view<tegula::attention_tensor<float>>(dk);
    p.dv = view<tegula::attention_tensor<float>>(dv);
    return p;
}

} // namespace attention_example
