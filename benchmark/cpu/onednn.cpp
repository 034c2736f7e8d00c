#include "contender.hpp"

#include <dnnl.hpp>

#include <omp.h>
#include <unordered_map>

namespace cpu_benchmark {

namespace {

using dnnl::memory;

const dnnl::engine& engine_of_cpu()
{
    static const dnnl::engine one(dnnl::engine::kind::cpu, 0);
    return one;
}

/// The description of a primitive, by the interface of oneDNN 2 or of 3.
template <typename Primitive, typename... Arguments>
typename Primitive::primitive_desc describe(const dnnl::primitive_attr& attributes, const Arguments&... arguments)
{
#if DNNL_VERSION_MAJOR >= 3
    return {engine_of_cpu(), arguments..., attributes};
#else
    return {typename Primitive::desc(arguments...), attributes, engine_of_cpu()};
#endif
}

#if DNNL_VERSION_MAJOR >= 3
using softmax = dnnl::softmax_forward;
#else
using softmax = dnnl::softmax_v2_forward;
#endif

std::function<void()> run(const dnnl::primitive& primitive, const std::unordered_map<int, memory>& operands)
{
    return [primitive, operands] {
        dnnl::stream stream(engine_of_cpu());
        primitive.execute(stream, operands);
        stream.wait();
    };
}

void append_gelu(dnnl::post_ops& after)
{
#if DNNL_VERSION_MAJOR >= 3
    after.append_eltwise(dnnl::algorithm::eltwise_gelu_erf, 0, 0);
#else
    after.append_eltwise(1, dnnl::algorithm::eltwise_gelu_erf, 0, 0);
#endif
}

/// Operations on rows.
std::function<void()> prepare_operation(const product& p, matrices& x)
{
    const auto f32 = memory::data_type::f32;
    const auto kind = dnnl::prop_kind::forward_inference;
    const memory::desc rows({p.m, p.n}, f32, memory::dims{p.n, 1});
    const memory in(rows, engine_of_cpu(), x.a.data());
    if (p.operation == "softmax")
        return run(softmax(describe<softmax>({}, kind, dnnl::algorithm::softmax_accurate, rows, rows, 1)),
                   {{DNNL_ARG_SRC, in}, {DNNL_ARG_DST, memory(rows, engine_of_cpu(), x.c.data())}});
    if (p.operation == "layernorm") {
        using dnnl::layer_normalization_forward;
        const auto flags = dnnl::normalization_flags::none;
#if DNNL_VERSION_MAJOR >= 3
        const auto norm = describe<layer_normalization_forward>({}, kind, rows, rows, 1e-5f, flags);
#else
        const auto norm = describe<layer_normalization_forward>({}, kind, rows, 1e-5f, flags);
#endif
        return run(layer_normalization_forward(norm),
                   {{DNNL_ARG_SRC, in}, {DNNL_ARG_DST, memory(rows, engine_of_cpu(), x.c.data())}});
    }
    if (p.operation == "transpose") {
        const memory turned(memory::desc({p.m, p.n}, f32, memory::dims{1, p.m}), engine_of_cpu(), x.c.data());
        return run(dnnl::reorder(in, turned), {{DNNL_ARG_FROM, in}, {DNNL_ARG_TO, turned}});
    }
    const memory::desc column({p.m, 1}, f32, memory::dims{1, 1});
    return run(dnnl::reduction(describe<dnnl::reduction>({}, dnnl::algorithm::reduction_sum, rows, column, 0.0f, 0.0f)),
               {{DNNL_ARG_SRC, in}, {DNNL_ARG_DST, memory(column, engine_of_cpu(), x.c.data())}});
}

std::function<void()> prepare(const product& p, matrices& x, int threads)
{
    if (p.type == "f64")
        return {};
    omp_set_num_threads(threads > 0 ? threads : omp_get_num_procs());
    if (!p.multiplies())
        return prepare_operation(p, x);
    const dnnl::engine& engine = engine_of_cpu();
    const auto type = p.type == "f32"    ? memory::data_type::f32
                      : p.type == "bf16" ? memory::data_type::bf16
                      : p.type == "f16"  ? memory::data_type::f16
                                         : memory::data_type::s8;
    const auto result = p.type == "int8" ? memory::data_type::s32 : type;
    const bool many = p.batch > 1;
    const auto matrices_of = [&](long rows, long columns, memory::data_type kind, bool transposed) {
        memory::dims sizes{rows, columns}, strides = transposed ? memory::dims{1, rows} : memory::dims{columns, 1};
        if (many) {
            sizes.insert(sizes.begin(), p.batch);
            strides.insert(strides.begin(), rows * columns);
        }
        return memory::desc(sizes, kind, strides);
    };
    const memory::desc a = matrices_of(p.m, p.k, type, false), b = matrices_of(p.k, p.n, type, p.b_transposed),
                       c = matrices_of(p.m, p.n, result, false);
    if (p.operation == "bias_gelu") {
        const memory::desc bias({1, p.n}, memory::data_type::f32, memory::dims{p.n, 1});
        dnnl::primitive_attr attributes;
        dnnl::post_ops after;
        append_gelu(after);
        attributes.set_post_ops(after);
        const dnnl::matmul fused(describe<dnnl::matmul>(attributes, a, b, bias, c));
        return run(fused, {{DNNL_ARG_SRC, memory(a, engine, x.a.data())},
                           {DNNL_ARG_WEIGHTS, memory(b, engine, x.b.data())},
                           {DNNL_ARG_BIAS, memory(bias, engine, x.a.data())},
                           {DNNL_ARG_DST, memory(c, engine, x.c.data())}});
    }
    const dnnl::matmul multiply(describe<dnnl::matmul>({}, a, b, c));
    const std::unordered_map<int, memory> operands = {{DNNL_ARG_SRC, memory(a, engine, x.a.data())},
                                                      {DNNL_ARG_WEIGHTS, memory(b, engine, x.b.data())},
                                                      {DNNL_ARG_DST, memory(c, engine, x.c.data())}};
    return run(multiply, operands);
}

/// The product, then a pass of its own over C for bias and gelu.
std::function<void()> prepare_two_passes(const product& p, matrices& x, int threads)
{
    if (p.operation != "bias_gelu")
        return {};
    product plain = p;
    plain.operation = "gemm";
    const auto multiply = prepare(plain, x, threads);
    const memory::desc c({p.m, p.n}, memory::data_type::f32, memory::dims{p.n, 1});
    const memory::desc bias({1, p.n}, memory::data_type::f32, memory::dims{p.n, 1});
    dnnl::primitive_attr attributes;
    dnnl::post_ops after;
    append_gelu(after);
    attributes.set_post_ops(after);
    const dnnl::binary add(describe<dnnl::binary>(attributes, dnnl::algorithm::binary_add, c, bias, c));
    const auto finish = run(add, {{DNNL_ARG_SRC_0, memory(c, engine_of_cpu(), x.c.data())},
                                  {DNNL_ARG_SRC_1, memory(bias, engine_of_cpu(), x.a.data())},
                                  {DNNL_ARG_DST, memory(c, engine_of_cpu(), x.c.data())}});
    return [multiply, finish] {
        multiply();
        finish();
    };
}

/// Empty where the library has no such product on this machine: bf16 without AVX-512.
std::function<void()> prepare_if_possible(const product& p, matrices& x, int threads)
{
    try {
        return prepare(p, x, threads);
    } catch (const dnnl::error&) {
        return {};
    }
}

std::string version()
{
    const dnnl_version_t* const v = dnnl::version();
    return std::to_string(v->major) + "." + std::to_string(v->minor) + "." + std::to_string(v->patch);
}

const bool added = add_contender({"oneDNN", version(), &prepare_if_possible}) &&
                   add_contender({"2 passes", version(), &prepare_two_passes});

} // namespace

} // namespace cpu_benchmark
