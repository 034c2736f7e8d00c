#pragma once

/// Launches a GEMM kernel on a device, a GPU or the emulator, and compares its whole result with a plain product that
/// the device computes itself. One code serves every device and every form of kernel.

#include <tegula/host/launch.hpp>
#include <tegula/host/tensor_map.hpp>
#include <tegula/kernel/gemm/forms/split_k.hpp>
#include <tegula/kernel/gemm/forms/stream_k.hpp>
#include <tegula/kernel/gemm/tiles.hpp>
#include <tegula/kernel/gemm/warp_specialized/tiles.hpp>
#include <tegula/reference/product_check.hpp>
#include <tegula/reference/registry.hpp>

#include "test/gpu/formula.hpp"
#include "test/gpu/kernel_check.hpp"
#include "test/kernel/gemm/data.hpp"

namespace tegula::test {

/// Returns what is wrong with a product, or an empty string. Its C came from `before` and is in `memory` now.
template <class Target, class Device, class A, class B, class C>
std::string judge_product(Device& device, const product_to_check<A, B, C>& p, stored_matrix<C>& before,
                          const typename Device::memory& memory)
{
    product_differences found;
    if (status s = check_product<Target>(device, p, found); !s)
        return std::string("comparing: ") + s.message();
    if (found.compared != p.m * p.n * p.batch)
        return std::to_string(found.compared) + " elements were compared";
    if (!found.passed())
        return std::to_string(found.wrong) + " of " + std::to_string(found.compared) +
               " elements are wrong; the error of element " + std::to_string(found.worst_index) + " is " +
               std::to_string(found.worst_error) + ", " + std::to_string(found.worst_ratio) + " of its bound";
    if (status s = memory.copy_to(before.values.data(), before.values.size() * sizeof(C)); !s)
        return s.message();
    return before.surroundings_untouched() ? "" : "something around C was written";
}

/// The operands of a case on a device, and copies of them on the host.
template <class Device, class T, class C>
class device_case
{
public:
    explicit device_case(Device& device, const gemm_case& what, std::uint64_t seed) : device_(device), data_(what)
    {
        data_.a.fill(2 * seed + 101);
        data_.b.fill(2 * seed + 102);
    }

    status upload()
    {
        status s = put(a_, data_.a.values);
        s = s ? put(b_, data_.b.values) : s;
        s = s ? put(c_, data_.c.values) : s;
        s = s ? put(c0_, data_.what.in_place ? data_.c.values : data_.c0.values) : s;
        return s ? put(bias_, data_.bias) : s;
    }

    /// Other numbers in A, where it is: copy(address, values, bytes).
    template <class Copy>
    status renew_a(std::uint64_t seed, const Copy& copy)
    {
        data_.a.fill(seed);
        return copy(a_.data(), data_.a.values.data(), data_.a.values.size() * sizeof(T));
    }

    /// With the device's addresses.
    auto arguments()
    {
        auto args = data_.arguments();
        args.a.data = at<const T>(a_, data_.a);
        args.b.data = at<const T>(b_, data_.b);
        args.c.data = at<C>(c_, data_.c);
        if constexpr (!decltype(data_)::exact) {
            auto source = data_.c0.source();
            source.data = data_.what.in_place ? at<const C>(c_, data_.c) : at<const C>(c0_, data_.c0);
            args.epilogue = epilogue::make_linear<C, float>(
                data_.what.alpha, data_.what.beta, source,
                data_.what.bias ? static_cast<const float*>(bias_.data()) : nullptr, data_.what.activation);
        }
        return args;
    }

    /// Returns what is wrong with the result, or an empty string.
    template <class Target>
    std::string check_result()
    {
        product_to_check<T, T, C> p;
        const auto args = arguments();
        p.m = args.m, p.n = args.n, p.k = args.k, p.batch = args.batch;
        p.a = args.a, p.b = args.b;
        p.c = {args.c.data, args.c.row_stride, args.c.column_stride, args.c.batch_stride};
        if constexpr (!decltype(data_)::exact) {
            p.alpha = data_.what.alpha, p.beta = data_.what.beta;
            p.source = data_.c0.source();
            p.source.data = at<const C>(c0_, data_.c0);
            p.bias = data_.what.bias ? static_cast<const float*>(bias_.data()) : nullptr;
            p.activation = data_.what.activation;
        }
        p.unit = unit_of_sums<Target, T>;
        p.least_input = least_input(arch_of<Target>(), kind_of_type<T>());
        return judge_product<Target>(device_, p, data_.c, c_);
    }

private:
    template <class U>
    static status put(typename Device::memory& memory, const std::vector<U>& values)
    {
        return memory.copy_from(values.data(), values.size() * sizeof(U));
    }
    template <class U>
    static U* at(const typename Device::memory& memory, const stored_matrix<std::remove_const_t<U>>& matrix)
    {
        return static_cast<U*>(memory.data()) + matrix.where.first;
    }

    Device& device_;
    gemm_data<T, C> data_;
    typename Device::memory a_, b_, c_, c0_, bias_;
};

// How each form is launched: run(device, arguments of the plain product)

struct run_plain
{
    template <class Kernel, class Device, class Arguments>
    static status run(Device& device, const Arguments& args)
    {
        return launch(device, Kernel{}, args);
    }
};

template <template <class> class Shared>
struct run_partials
{
    template <class Kernel, class Device, class Arguments>
    static status run(Device& device, const Arguments& product)
    {
        using shared = Shared<Kernel>;
        typename shared::arguments args{product};
        if constexpr (requires { args.splits; })
            args.splits = 3;
        else if (status s = find_resident_blocks<shared>(device, args.workers); !s)
            return s;
        typename Device::memory workspace;
        const long_index_t bytes = shared::workspace_bytes(args);
        if (status s = workspace.allocate(static_cast<std::size_t>(bytes)); !s)
            return s;
        args.workspace = {workspace.data(), bytes};
        status s = launch(device, shared{}, args);
        return s ? wait_for(device) : s; // before the workspace goes
    }
};

template <index_t Splits>
struct run_warp_specialized
{
    template <class Kernel, class Device, class Arguments>
    static status run(Device& device, const Arguments& product)
    {
        typename Device::memory workspace;
        long_index_t bytes = 0;
        if constexpr (Kernel::has_partials) {
            int multiprocessors = 0;
            if (status s = find_multiprocessors<Kernel>(device, multiprocessors); !s)
                return s;
            bytes = split_k_workspace_bytes<Kernel>(product, multiprocessors, Splits);
            if (status s = workspace.allocate(static_cast<std::size_t>(bytes)); !s)
                return s;
        }
        status s = launch(device, Kernel{}, arguments_for(Kernel{}, product, Splits, {workspace.data(), bytes}));
        return s ? wait_for(device) : s;
    }
};

/// Checks one case with one lot of data. Returns what is wrong, or an empty string.
template <class Kernel, class Run, class Device>
std::string check_kernel(Device& device, const gemm_case& what, std::uint64_t seed)
{
    device_case<Device, typename Kernel::a_type, typename Kernel::c_type> problem(device, suited_case<Kernel>(what),
                                                                                  seed);
    if (status s = problem.upload(); !s)
        return s.message();
    if (status s = Run::template run<Kernel>(device, problem.arguments()); !s)
        return s.message();
    return problem.template check_result<typename Kernel::target>();
}

/// The cases of a kernel: ragged at every edge of its tile, few and many steps of k; a large one where the device is
/// fast.
template <class Tile>
std::vector<gemm_case> cases_of(operand_order a, operand_order b, bool fast)
{
    std::vector<gemm_case> cases = ragged_tile_cases<Tile>(a, b);
    cases[1].alpha = -0.5f, cases[1].beta = 2;
    cases[0].activation = activation::relu;
    if (fast) {
        gemm_case large = cases[1];
        large.m = 1025, large.n = 2048, large.k = 1032, large.batch = 1;
        cases.push_back(large);
        large.m = 4096 + Tile::block_m, large.in_place = true;
        cases.push_back(large);
    }
    return cases;
}

/// Returns what check(case) says of the first case that fails, or an empty string.
template <class Check>
std::string check_each(const std::vector<gemm_case>& cases, const Check& check)
{
    for (const gemm_case& what : cases)
        if (std::string wrong = check(what); !wrong.empty())
            return what.text() + ": " + wrong;
    return {};
}

/// Checks all cases of a kernel, with data that `seed` tells. Returns what is wrong with the first that fails, if any.
template <class Kernel, class Run, class Device>
std::string check_cases(Device& device, operand_order a, operand_order b, std::uint64_t seed, bool fast)
{
    return check_each(cases_of<typename Kernel::tile>(a, b, fast),
                      [&](const gemm_case& what) { return check_kernel<Kernel, Run>(device, what, seed); });
}

} // namespace tegula::test
