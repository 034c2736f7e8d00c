#pragma once

#include <tegula/kernel/gemm/epilogue/make.hpp>

namespace tegula {

/// Whether what the epilogue reads and writes besides C can be: pointers, strides, limits. Nothing is read or written.
/// With can_implement all that a kernel relies on, but for outputs that overlap each other.
template <class Arguments>
status check_epilogue(const Arguments& args)
{
    return epilogue::check_part(args.epilogue, epilogue::extents_of(args));
}

/// can_implement, then check_epilogue.
template <class Arguments>
status check_arguments(const Arguments& args)
{
    status s = can_implement(args);
    return s ? check_epilogue(args) : s;
}

} // namespace tegula
