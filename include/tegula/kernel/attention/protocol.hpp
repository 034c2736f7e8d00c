#pragma once

#include <tegula/kernel/attention/memory.hpp>

namespace tegula {

/// The protocol (kernel/protocol.hpp) of kernels of a forward pass, except for their launches.
///
///   Tile, Variant  those of the kernel
///   Arguments      attention_arguments
template <class Tile, class Variant, class Arguments>
struct attention_protocol
{
    /// Errors: those of can_implement and suits_tile.
    static status check(const Arguments& args)
    {
        const status s = can_implement<Variant>(args);
        return s ? suits_tile<Tile, Variant>(args) : s;
    }
    static Arguments normalize(const Arguments& args) { return args; }
    template <class Memory>
    static void memory(const Arguments& args, Memory& memory)
    {
        add_attention<Variant>(memory, args);
    }
    /// Errors: those of check_numbers_in_memory.
    static status check_indices(const Arguments& args) { return check_numbers_in_memory<Variant>(args); }
    template <class Visit>
    static void index_arrays(Arguments& args, const Visit& visit)
    {
        detail::each_index_array<Variant>(args, detail::visits_spans(visit));
    }
};

} // namespace tegula
