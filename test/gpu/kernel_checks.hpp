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

#include "test/gpu/device_data.hpp"
#include "test/gpu/kernel_check.hpp"
#include "test/kernel/gemm/data.hpp"

namespace tegula::test {

/// Returns what is wrong with a product, or an empty string. `c` has its C, which is poison afterwards.
template <class Target, class Device, class A, class B, class C>
std::string judge_product(Device& device, const product_to_check<A, B, C>& p, matrix_on<Target, C, Device>& c)
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
    return c.check_surroundings(device);
}

/// The operands of a case on a device.
template <gpu_target Target, class Device, class T, class C>
class device_case
{
public:
    using epilogue_type = typename test_epilogue<C>::type;
    using arguments_type = gemm_arguments<T, T, C, epilogue_type>;
    static constexpr bool exact = std::is_same_v<C, std::int32_t>;

    device_case(Device& device, const gemm_case& what, std::uint64_t seed) : device_(device), what_(what), seed_(seed)
    {}

    status upload()
    {
        const gemm_case& w = what_;
        status s = a_.create(device_, w.m, w.k, w.batch, w.a, w.rows);
        s = s ? b_.create(device_, w.k, w.n, w.batch, w.b, w.rows) : s;
        s = s ? c_.create(device_, w.m, w.n, w.batch, w.c, w.rows) : s;
        s = s ? c0_.create(device_, w.m, w.n, w.batch, w.c, w.rows) : s;
        s = s ? a_.fill(device_, 2 * seed_ + 101) : s;
        s = s ? b_.fill(device_, 2 * seed_ + 102) : s;
        if (w.beta != 0) { // where it is 0, C0 stays poison: it must not be read
            s = s ? c0_.fill(device_, 3) : s;
            s = s && w.in_place ? c_.fill(device_, 3) : s;
        }
        if (w.bias) {
            s = s ? bias_.allocate(static_cast<std::size_t>(w.n) * sizeof(float)) : s;
            const write_array<float, uniform_numbers<float>> write{static_cast<float*>(bias_.data()), {4}};
            s = s ? start_for_each<Target>(device_, w.n, write) : s;
        }
        return s;
    }

    /// Other numbers in A, where it is.
    status renew_a(std::uint64_t seed) { return a_.fill(device_, seed); }

    arguments_type arguments() const
    {
        arguments_type args{what_.m,     what_.n,     what_.k,       what_.batch,
                            a_.source(), b_.source(), c_.argument(), epilogue_type{}};
        if constexpr (!exact)
            args.epilogue = epilogue::make_linear<C, float>(
                what_.alpha, what_.beta, (what_.in_place ? c_ : c0_).source(), bias(), what_.activation);
        return args;
    }

    /// Returns what is wrong with the result, or an empty string. C is poison afterwards.
    std::string check_result()
    {
        product_to_check<T, T, C> p;
        p.m = what_.m, p.n = what_.n, p.k = what_.k, p.batch = what_.batch;
        p.a = a_.source(), p.b = b_.source(), p.c = c_.source();
        if constexpr (!exact) {
            p.alpha = what_.alpha, p.beta = what_.beta;
            p.source = c0_.source();
            p.bias = bias();
            p.activation = what_.activation;
        }
        p.unit = unit_of_sums<Target, T>;
        p.least_input = least_input(arch_of<Target>(), kind_of_type<T>());
        return judge_product<Target>(device_, p, c_);
    }

private:
    const float* bias() const { return what_.bias ? static_cast<const float*>(bias_.data()) : nullptr; }

    Device& device_;
    gemm_case what_;
    std::uint64_t seed_;
    matrix_on<Target, T, Device> a_, b_;
    matrix_on<Target, C, Device> c_, c0_;
    typename Device::memory bias_;
};

// How each form is launched: run(device, arguments of the plain product) starts launched<Kernel>.

struct run_plain
{
    template <class Kernel>
    using launched = Kernel;

    template <class Kernel, class Device, class Arguments>
    static status run(Device& device, const Arguments& args)
    {
        return launch(device, Kernel{}, args);
    }
};

template <template <class> class Shared>
struct run_partials
{
    template <class Kernel>
    using launched = Shared<Kernel>;

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
    template <class Kernel>
    using launched = Kernel;

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
    device_case<typename Kernel::target, Device, typename Kernel::a_type, typename Kernel::c_type> problem(
        device, suited_case<Kernel>(what), seed);
    if (status s = problem.upload(); !s)
        return s.message();
    if (status s = Run::template run<Kernel>(device, problem.arguments()); !s)
        return s.message();
    return problem.check_result();
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
