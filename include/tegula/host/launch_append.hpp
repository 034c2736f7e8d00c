#pragma once

#include <tegula/host/launch_attention.hpp>
#include <tegula/kernel/attention/append/can_implement.hpp>
#include <tegula/kernel/attention/append/kernel.hpp>

namespace tegula {

namespace detail {

/// Adds the memory that an append_kernel reads and writes, for the emulator.
template <class T>
void add_append(emulator::memory_ranges& memory, const attention_append_arguments<T>& a)
{
    const auto batch = static_cast<std::size_t>(a.batch);
    const bool varies = a.new_offsets != nullptr, paged = a.pages.table != nullptr;
    const long_index_t entries = varies ? 1 : a.batch, rows = varies ? a.new_offsets[a.batch] : a.rows;
    const long_index_t cache = paged ? a.pages.pages : a.batch, room = paged ? a.pages.page_length : a.capacity;
    add_tensor(memory, a.new_k, entries, a.kv_heads, rows, a.head_dim, "new K");
    add_tensor(memory, a.new_v, entries, a.kv_heads, rows, a.value_dim, "new V");
    add_tensor(memory, a.k, cache, a.kv_heads, room, a.head_dim, "K");
    add_tensor(memory, a.v, cache, a.kv_heads, room, a.value_dim, "V");
    if (a.q.data != nullptr) {
        add_tensor(memory, a.q, entries, a.heads, rows, a.head_dim, "Q");
        add_tensor(memory, a.rotated_q, entries, a.heads, rows, a.head_dim, "rotated Q");
    }
    const float* const tables[] = {a.rotary.cosines, a.rotary.sines}; // named: nvcc cannot take the list in the loop
    for (const float* table : tables)
        add_elements<const float, 2>(memory, table, {a.rotary.positions, a.rotary.columns / 2},
                                     {a.rotary.row_stride, 1}, "table of the rotary embedding");
    each_index_array<void>(a, adds_index_arrays(memory));
    memory.write(a.key_lengths, batch * sizeof(index_t), "key lengths");
}

/// can_append and check_append_numbers_on.
template <class Kernel, class Device>
status check_append(const Device& device, const typename Kernel::arguments& a)
{
    const status s = can_append<Kernel>(a);
    return s ? check_append_numbers_on(device, a) : s;
}

} // namespace detail

/// Starts an append_kernel on a gpu_device or an emulated_device.
///
/// Errors: those of can_append, of check_append_numbers_in_memory where the device's memory is the host's or it
/// `checks_arrays`, and of launch. But for the last nothing ran.
template <class Device, launchable Kernel>
status launch_append(Device&& device, Kernel kernel, const typename Kernel::arguments& args)
{
    if (status s = detail::check_append<Kernel>(device, args); !s)
        return device.refuse(s);
    launch_config config;
    config.grid.x = Kernel::blocks(args);
    config.name = "append";
    return device.with_memory([&](auto& memory) { detail::add_append(memory, args); },
                              [&] { return launch(device, config, kernel, args); });
}

/// Appends and then attends: starts an append_kernel and, behind it, an attention_kernel or the two kernels of an
/// attention_split_kernel, whose arguments name the cache and what the first leaves, such as key_lengths and the rotated
/// queries.
///
/// Errors: those of launch_append, and of launch_attention or launch_attention_split. Wrong arguments of either are
/// found before anything runs.
template <class Device, launchable Append, launchable Kernel>
status launch_append_and_attend(Device&& device, Append append, const typename Append::arguments& rows, Kernel kernel,
                                const typename Kernel::arguments& args)
{
    using variant = typename Kernel::variant;
    constexpr bool splits = requires { args.splits; };
    status s = detail::check_append<Append>(device, rows);
    if constexpr (splits) {
        s = s ? check_split<Kernel>(args) : s;
        s = s ? detail::check_numbers_behind<variant>(device, rows, args.attention) : s;
    } else {
        s = s ? check_attention_launch<Kernel>(args) : s;
        s = s ? detail::check_numbers_behind<variant>(device, rows, args) : s;
    }
    if (!s)
        return device.refuse(s);
    if (s = launch_append(device, append, rows); !s)
        return s;
    if constexpr (splits)
        return launch_attention_split(device, kernel, args);
    else
        return launch_attention(device, kernel, args);
}

} // namespace tegula
