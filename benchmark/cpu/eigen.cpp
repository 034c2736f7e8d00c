// Compiled with -march=native, as Eigen has no instruction sets but those of the flags.

#include "contender.hpp"

#include <Eigen/Core>

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
        const Eigen::Map<const matrix> left(a, p.m, p.k);
        Eigen::Map<matrix> product(c, p.m, p.n);
        if (p.b_transposed)
            product.noalias() = left * Eigen::Map<const turned>(b, p.k, p.n);
        else
            product.noalias() = left * Eigen::Map<const matrix>(b, p.k, p.n);
    };
}

std::function<void()> prepare(const product& p, matrices& x, int threads)
{
    Eigen::setNbThreads(threads);
    return p.type == "f32" ? prepare_type<float>(p, x) : p.type == "f64" ? prepare_type<double>(p, x) : nullptr;
}

const bool added = add_contender({"Eigen", &prepare});

} // namespace

} // namespace cpu_benchmark
