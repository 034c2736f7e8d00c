#include "contender.hpp"

#include <dnnl.hpp>

#include <omp.h>
#include <unordered_map>

namespace cpu_benchmark {

namespace {

std::function<void()> prepare(const product& p, matrices& x, int threads)
{
    if (p.type == "f64")
        return {};
    using dnnl::memory;
    omp_set_num_threads(threads > 0 ? threads : omp_get_num_procs());
    static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    const auto type = p.type == "f32"    ? memory::data_type::f32
                      : p.type == "bf16" ? memory::data_type::bf16
                                         : memory::data_type::s8;
    const auto result = p.type == "int8" ? memory::data_type::s32 : memory::data_type::f32;
    const memory::desc a({p.m, p.k}, type, {p.k, 1});
    const memory::desc b({p.k, p.n}, type, p.b_transposed ? memory::dims{1, p.k} : memory::dims{p.n, 1});
    const memory::desc c({p.m, p.n}, result, {p.n, 1});
    const dnnl::matmul multiply(dnnl::matmul::primitive_desc(dnnl::matmul::desc(a, b, c), engine));
    const std::unordered_map<int, memory> operands = {{DNNL_ARG_SRC, memory(a, engine, x.a.data())},
                                                      {DNNL_ARG_WEIGHTS, memory(b, engine, x.b.data())},
                                                      {DNNL_ARG_DST, memory(c, engine, x.c.data())}};
    return [multiply, operands] {
        dnnl::stream stream(engine);
        multiply.execute(stream, operands);
        stream.wait();
    };
}

const bool added = add_contender({"oneDNN", &prepare});

} // namespace

} // namespace cpu_benchmark
