#pragma once

// A GEMM library with the interface that cublasLt introduced and hipBLASLt took over. Api names its types, values and
// functions, and has memory for a workspace; see cublaslt.cu and hipblaslt.hip. The library is loaded at run time: the
// program does not link it.

#include "gpu.hpp"

#include <dlfcn.h>

#include <type_traits>

namespace gemm_benchmark {

/// A shared library that stays loaded. The first of the names that the loader finds.
class loaded_library
{
public:
    explicit loaded_library(const std::vector<std::string>& names)
    {
        for (const std::string& name : names)
            if (handle_ == nullptr)
                handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    }
    explicit operator bool() const { return handle_ != nullptr; }

    /// Sets the function, or notes the name of the first that is missing.
    template <class Function>
    void find(Function*& function, const std::string& name)
    {
        function = reinterpret_cast<Function*>(dlsym(handle_, name.c_str()));
        if (function == nullptr && missing_.empty())
            missing_ = name;
    }
    const std::string& missing() const { return missing_; }

private:
    void* handle_ = nullptr;
    std::string missing_;
};

/// Destroys what one of the library's functions created.
template <class T, class Destroy>
class owned
{
public:
    explicit owned(Destroy* destroy) : destroy_(destroy) {}
    owned(const owned&) = delete;
    owned& operator=(const owned&) = delete;
    ~owned()
    {
        if (value != T{})
            static_cast<void>(destroy_(value));
    }
    T value{};

private:
    Destroy* destroy_;
};

template <class Api>
class lt_library : public vendor_library
{
public:
    explicit lt_library(const Api& api) : api_(api), handle_(api.destroy) {}

    /// Errors: the library finds no GPU that it serves, or is of a version whose structures are others.
    tegula::status start()
    {
        if (tegula::status s = check(api_.create(&handle_.value), "starting the library"); !s)
            return s;
        return api_.read_version(handle_.value, version_);
    }

    std::string name() const override { return Api::name + (" " + version_); }

    tegula::status algorithms(const gpu_problem& p, std::size_t workspace_bytes, int count,
                              std::vector<candidate>& found) override
    {
        if (tegula::status s = provide_workspace(workspace_bytes); !s)
            return s;
        const auto op = std::make_shared<operation>(api_);
        if (tegula::status s = describe(*op, p, workspace_bytes); !s)
            return s;
        std::vector<typename Api::result> results(static_cast<std::size_t>(count));
        int returned = 0;
        const auto error = api_.get_heuristic(handle_.value, op->product.value, op->x.value, op->y.value, op->d.value,
                                              op->d.value, op->preference.value, count, results.data(), &returned);
        if (tegula::status s = check(error, "asking for algorithms"); !s)
            return s;
        for (int i = 0; i < returned; ++i) {
            const typename Api::result& r = results[static_cast<std::size_t>(i)];
            if (r.state == Api::success && r.workspaceSize <= workspace_bytes)
                found.push_back(make_candidate(op, r, workspace_bytes, i));
        }
        if (found.empty())
            return tegula::status(tegula::status_code::unsupported, Api::name)
                   << " offers no algorithm for the product";
        return {};
    }

private:
    template <class T, class Destroy>
    using own = owned<T, std::remove_pointer_t<Destroy>>;

    /// The descriptions of a product, which its algorithms share.
    struct operation
    {
        explicit operation(const Api& api)
            : product(api.destroy_product), x(api.destroy_layout), y(api.destroy_layout), d(api.destroy_layout),
              preference(api.destroy_preference)
        {}
        own<typename Api::product, decltype(Api::destroy_product)> product;
        own<typename Api::layout, decltype(Api::destroy_layout)> x, y, d;
        own<typename Api::preference, decltype(Api::destroy_preference)> preference;
    };

    static tegula::status check(typename Api::status error, const char* what)
    {
        if (error == Api::success)
            return {};
        return tegula::status(tegula::status_code::unsupported, Api::name)
               << ": " << what << " failed with status " << static_cast<int>(error);
    }

    tegula::status provide_workspace(std::size_t bytes)
    {
        if (bytes <= workspace_bytes_)
            return {};
        workspace_bytes_ = 0;
        if (tegula::status s = workspace_.allocate(bytes); !s)
            return s;
        workspace_bytes_ = bytes;
        return {};
    }

    /// The library multiplies column-major matrices: D^T = op(X) op(Y) with B^T as its first operand. A matrix of ours
    /// by rows is its transpose by columns.
    tegula::status describe(operation& op, const gpu_problem& p, std::size_t workspace_bytes)
    {
        const auto [m, n, k] = p.shape;
        const bool b_rows = b_by_rows(p.layout), a_rows = a_by_rows(p.layout);
        const std::int32_t op_x = b_rows ? Api::not_transposed : Api::transposed;
        const std::int32_t op_y = a_rows ? Api::not_transposed : Api::transposed;
        const std::uint64_t limit = workspace_bytes;
        tegula::status s = check(api_.create_product(&op.product.value, Api::compute_float, Api::scale_float),
                                 "describing the product");
        const auto then = [&](auto&& call) {
            if (s)
                s = check(call(), "describing the product");
        };
        const auto set = [&](auto attribute, const auto& value) {
            then([&] { return api_.set_product(op.product.value, attribute, &value, sizeof(value)); });
        };
        const auto matrix = [&](auto& x, element type, long_index_t rows, long_index_t columns) {
            then([&] {
                return api_.create_layout(&x.value, Api::type_of(type), static_cast<std::uint64_t>(rows),
                                          static_cast<std::uint64_t>(columns), rows);
            });
        };
        set(Api::operation_x, op_x);
        set(Api::operation_y, op_y);
        if constexpr (requires { Api::fast_accumulation; }) {
            const std::int8_t fast = is_fp8(p.type);
            set(Api::fast_accumulation, fast);
        }
        matrix(op.x, p.type, b_rows ? n : k, b_rows ? k : n);
        matrix(op.y, p.type, a_rows ? k : m, a_rows ? m : k);
        matrix(op.d, output_of(p.type), n, m);
        then([&] { return api_.create_preference(&op.preference.value); });
        then([&] { return api_.set_preference(op.preference.value, Api::most_workspace, &limit, sizeof(limit)); });
        return s;
    }

    candidate make_candidate(std::shared_ptr<operation> op, const typename Api::result& r, std::size_t workspace_bytes,
                             int number)
    {
        const auto prepare = [this, op, r, workspace_bytes](const gpu_problem& p, launcher& launch) {
            launch = [this, op, r, p, workspace_bytes] {
                const float one = 1, zero = 0;
                return check(api_.multiply(handle_.value, op->product.value, &one, p.b, op->x.value, p.a, op->y.value,
                                           &zero, p.d, op->d.value, p.d, op->d.value, &r.algo, workspace_.data(),
                                           workspace_bytes, Api::stream()),
                             "multiplying");
            };
            return tegula::status();
        };
        return {Api::name + std::string(" algorithm ") + std::to_string(number), prepare};
    }

    Api api_;
    own<typename Api::handle, decltype(Api::destroy)> handle_;
    std::string version_;
    typename Api::memory workspace_;
    std::size_t workspace_bytes_ = 0;
};

/// The library from `file`, or from the first of Api::files that the loader finds; null with the reason.
template <class Api>
std::unique_ptr<vendor_library> open_lt_library(const std::string& file, std::string& why_not)
{
    const auto refuse = [&](const std::string& reason) {
        why_not = "no ";
        why_not.append(Api::name).append(": ").append(reason);
        return nullptr;
    };
    loaded_library library(file.empty() ? Api::files() : std::vector<std::string>{file});
    if (!library) {
        const char* const reason = dlerror();
        std::string text = reason == nullptr ? "the loader finds no copy" : reason;
        return refuse(text.append("; name one with --vendor-library FILE"));
    }
    Api api;
    api.load(library);
    if (!library.missing().empty()) {
        std::string text = "the copy on this machine has no function ";
        return refuse(text.append(library.missing()).append("; name another with --vendor-library FILE"));
    }
    auto opened = std::make_unique<lt_library<Api>>(api);
    const tegula::status s = opened->start();
    if (!s)
        return refuse(s.message());
    return opened;
}

} // namespace gemm_benchmark
