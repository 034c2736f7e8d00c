#pragma once

#include <tegula/host/launch.hpp>
#include <tegula/host/tensor_map.hpp>
#include <tegula/kernel/gemm/warp_specialized/list.hpp>

#include <vector>

/// Lists of products in one launch on sm_90a, sm_100a and sm_103a; see launch.hpp.

namespace tegula {

namespace detail {
inline status check_list_count(index_t count)
{
    return count >= 0
               ? status()
               : status(status_code::invalid_argument, "a list of ") << count << " products; the count is 0 or more";
}
} // namespace detail

/// A list of products for a kernel of work_partition::list, in the device's memory; the object must live until the
/// launches are done.
template <class Kernel, class Device>
class prepared_list
{
public:
    /// Errors: those of fill_list and of the runtime; invalid_argument for a count below 0. After an error nothing may
    /// be started.
    status prepare(Device& device, const typename Kernel::product_type* products, index_t count)
    {
        if (const status s = detail::check_list_count(count); !s)
            return device.refuse(s);
        list_.resize(static_cast<std::size_t>(count));
        std::vector<index_t> first_tile(static_cast<std::size_t>(count) + 1);
        status s = fill_list<Kernel>(list_.data(), first_tile.data(), products, count,
                                     [&](tensor_map& map, const tensor_map_parameters& parameters) {
                                         return make_tensor_map(device, map, parameters);
                                     });
        int multiprocessors = 0;
        if (s)
            s = find_multiprocessors<Kernel>(device, multiprocessors);
        if (s)
            s = products_.copy_from(list_.data(), list_.size() * sizeof(list_[0]));
        if (s)
            s = tiles_.copy_from(first_tile.data(), first_tile.size() * sizeof(index_t));
        if (!s)
            return device.refuse(s);
        arguments_.products = static_cast<const typename Kernel::listed_product*>(products_.data());
        arguments_.first_tile = static_cast<const index_t*>(tiles_.data());
        arguments_.count = count;
        arguments_.plan = make_list_plan<Kernel>(first_tile.back(), multiprocessors);
        return {};
    }

    /// Starts the kernel; a list without elements starts none. Errors: those of launch.
    status start(Device& device) const
    {
        if (arguments_.plan.tiles == 0)
            return {};
        return device.with_memory(
            [&](auto& memory) {
                memory.read(arguments_.products, list_.size() * sizeof(list_[0]), "the list of products");
                for (const auto& one : list_)
                    add_product(one.product, memory);
            },
            [&] { return launcher<Device>(device).run(Kernel{}, arguments_); });
    }

    const typename Kernel::arguments& arguments() const { return arguments_; }

private:
    std::vector<typename Kernel::listed_product> list_;
    typename Device::memory products_;
    typename Device::memory tiles_;
    typename Kernel::arguments arguments_;
};

/// A list of products of one family: launch(device, product_list<Kernels>{}, {products, count}).
///
///   Kernels  warp_specialized_kernels, tcgen05_kernels or tcgen05_scaled_kernels
///
/// A launch copies the list to the device and waits for the kernel.
template <class Kernels>
struct product_list
{
    struct arguments
    {
        const typename Kernels::arguments* products = nullptr; ///< [count], memory of the host
        index_t count = 0;
    };

    /// Errors, which name the product: those of can_implement and check_epilogue. invalid_argument for a count below 0.
    static status check(const arguments& args)
    {
        if (const status s = detail::check_list_count(args.count); !s)
            return s;
        for (index_t i = 0; i < args.count; ++i)
            if (const status s = check_arguments(args.products[i]); !s)
                return status(s.code(), "product ") << i << ": " << s.message();
        return {};
    }
    static arguments normalize(const arguments& args) { return args; }
    /// The launch of the prepared list names its memory.
    template <class Memory>
    static void memory(const arguments&, Memory&)
    {}
    /// Errors: those of fill_list; unsupported if tensor copies cannot address a matrix.
    template <class Launcher>
    status launches(const arguments& args, Launcher& launch) const
    {
        bool any = false;
        for (index_t i = 0; i < args.count; ++i)
            any = any || (args.products[i].m > 0 && args.products[i].n > 0 && args.products[i].batch > 0);
        if (!any)
            return {};
        auto& device = launch.device();
        return dispatch_list<Kernels>(
            args.products, args.count,
            [&](auto kernel) {
                prepared_list<decltype(kernel), std::remove_reference_t<decltype(device)>> list;
                status s = list.prepare(device, args.products, args.count);
                if (s)
                    s = list.start(device);
                return s ? wait_for(device) : s;
            },
            [](const status& why) { return why; });
    }
};

} // namespace tegula
