#pragma once

#include <tegula/kernel/attention/append/can_implement.hpp>
#include <tegula/kernel/attention/split/arguments.hpp>

namespace tegula {

/// Runs an append_kernel, then an attention. The attention's arguments name the cache and the outputs of the append,
/// such as key_lengths and the rotated queries. Wrong arguments of either are found before anything runs.
///
///   Append  an append_kernel
///   Kernel  an attention_kernel or attention_split_kernel
template <class Append, class Kernel>
struct append_and_attend
{
    struct arguments
    {
        typename Append::arguments rows = {};
        typename Kernel::arguments attention = {};
    };

    /// Errors: those of either kernel.
    static status check(const arguments& args)
    {
        const status s = Append::check(args.rows);
        return s ? Kernel::check(args.attention) : s;
    }
    static arguments normalize(const arguments& args)
    {
        return {Append::normalize(args.rows), Kernel::normalize(args.attention)};
    }
    template <class Memory>
    static void memory(const arguments& args, Memory& memory)
    {
        Append::memory(args.rows, memory);
        Kernel::memory(args.attention, memory);
    }
    /// Checks the append, then the attention with the key lengths that it will leave. Errors: those of either kernel.
    static status check_indices(const arguments& args)
    {
        if (const status s = Append::check_indices(args.rows); !s)
            return s;
        const auto& attention = attention_of(args.attention);
        const index_t* const lengths = attention.lengths.key_lengths;
        if (lengths == nullptr || lengths != args.rows.key_lengths)
            return Kernel::check_indices(args.attention);
        return check_numbers_in_memory<typename Kernel::variant>(
            attention, [&](long_index_t b) { return appended_rows(args.rows, b).last; });
    }
    template <class Visit>
    static void index_arrays(arguments& args, const Visit& visit)
    {
        Append::index_arrays(args.rows, visit);
        Kernel::index_arrays(args.attention, [&](const index_t*& array, long_index_t first, long_index_t count) {
            if (array != args.rows.key_lengths) // its contents before the append are not read
                visit(array, first, count);
        });
    }
    template <class Launcher>
    status launches(const arguments& args, Launcher& launch) const
    {
        const status s = launch.run(Append{}, args.rows);
        return s ? launch.run(Kernel{}, args.attention) : s;
    }

private:
    /// The attention_arguments in the kernel's arguments.
    template <class Arguments>
    static const Arguments& attention_of(const Arguments& args)
    {
        return args;
    }
    template <class Attention>
    static const Attention& attention_of(const attention_split_arguments<Attention>& args)
    {
        return args.attention;
    }
};

} // namespace tegula
