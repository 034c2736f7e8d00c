#include "contender.hpp"

#include <cblas-openblas.h>

namespace cpu_benchmark {

namespace {

std::function<void()> prepare(const product& p, matrices& x, int threads)
{
    if ((p.type != "f32" && p.type != "f64") || p.operation != "gemm")
        return {};
    openblas_set_num_threads(threads > 0 ? threads : openblas_get_num_procs());
    const auto m = static_cast<blasint>(p.m), n = static_cast<blasint>(p.n), k = static_cast<blasint>(p.k);
    const CBLAS_TRANSPOSE b = p.b_transposed ? CblasTrans : CblasNoTrans;
    const blasint ldb = p.b_transposed ? k : n;
    if (p.type == "f32")
        return [=, &x] {
            for (long i = 0; i < p.batch; ++i)
                cblas_sgemm(CblasRowMajor, CblasNoTrans, b, m, n, k, 1,
                            reinterpret_cast<const float*>(x.a.data()) + i * p.m * p.k, k,
                            reinterpret_cast<const float*>(x.b.data()) + i * p.k * p.n, ldb, 0,
                            reinterpret_cast<float*>(x.c.data()) + i * p.m * p.n, n);
        };
    if (p.batch != 1)
        return {};
    return [=, &x] {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, b, m, n, k, 1, reinterpret_cast<const double*>(x.a.data()), k,
                    reinterpret_cast<const double*>(x.b.data()), ldb, 0, reinterpret_cast<double*>(x.c.data()), n);
    };
}

const bool added = add_contender({"OpenBLAS", openblas_get_config(), &prepare});

} // namespace

} // namespace cpu_benchmark
