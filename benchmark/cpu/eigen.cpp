// Compiled with -march=native, as Eigen has no instruction sets but those of the flags.

#include "contender.hpp"

#include <Eigen/Core>

#include <cmath>

namespace cpu_benchmark {

namespace {

template <class T>
std::function<void()> prepare_type(const product& p, matrices& x)
{
    using matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    using turned = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;
    const auto a = reinterpret_cast<const T*>(x.a.data()), b = reinterpret_cast<const T*>(x.b.data());
    const auto c = reinterpret_cast<T*>(x.c.data());
    return [=] {
        for (long i = 0; i < p.batch; ++i) {
            const Eigen::Map<const matrix> left(a + i * p.m * p.k, p.m, p.k);
            Eigen::Map<matrix> product(c + i * p.m * p.n, p.m, p.n);
            const T* const right = b + i * p.k * p.n;
            if (p.b_transposed)
                product.noalias() = left * Eigen::Map<const turned>(right, p.k, p.n);
            else
                product.noalias() = left * Eigen::Map<const matrix>(right, p.k, p.n);
        }
    };
}

/// Operations on rows, as Eigen's expressions.
std::function<void()> prepare_operation(const product& p, matrices& x)
{
    using matrix = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const auto in = reinterpret_cast<const float*>(x.a.data());
    const auto out = reinterpret_cast<float*>(x.c.data());
    return [=] {
        const Eigen::Map<const matrix> a(in, p.m, p.n);
        if (p.operation == "transpose") {
            Eigen::Map<matrix>(out, p.n, p.m) = a.transpose();
        } else if (p.operation == "sum") {
            Eigen::Map<Eigen::ArrayXf>(out, p.m) = a.rowwise().sum();
        } else {
            Eigen::Map<matrix> c(out, p.m, p.n);
            for (long i = 0; i < p.m; ++i)
                if (p.operation == "softmax") {
                    c.row(i) = (a.row(i) - a.row(i).maxCoeff()).exp();
                    c.row(i) *= 1 / c.row(i).sum();
                } else {
                    const float mean = a.row(i).mean();
                    c.row(i) = a.row(i) - mean;
                    c.row(i) *= 1 / std::sqrt(c.row(i).square().mean() + 1e-5f);
                }
        }
    };
}

std::function<void()> prepare(const product& p, matrices& x, int threads)
{
    if (p.avx2)
        return nullptr; // the flags have chosen
    Eigen::setNbThreads(threads);
    if (!p.multiplies())
        return threads == 1 ? prepare_operation(p, x) : nullptr; // its expressions run on one thread
    if (p.operation != "gemm")
        return nullptr;
    return p.type == "f32" ? prepare_type<float>(p, x) : p.type == "f64" ? prepare_type<double>(p, x) : nullptr;
}

const bool added = add_contender({"Eigen",
                                  std::to_string(EIGEN_WORLD_VERSION) + "." + std::to_string(EIGEN_MAJOR_VERSION) +
                                      "." + std::to_string(EIGEN_MINOR_VERSION),
                                  &prepare});

} // namespace

} // namespace cpu_benchmark
