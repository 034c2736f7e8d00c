#pragma once

#include <tegula/kernel/gemm/epilogue/make.hpp>

namespace tegula {

/// Checks pointers, strides and limits of what the epilogue accesses in addition to C. Nothing is read or written. With
/// can_implement it checks all that a kernel relies on, except that outputs may overlap each other.
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
