#pragma once

#include <tegula/kernel/attention/can_implement.hpp>
#include <tegula/kernel/attention/split/arguments.hpp>

namespace tegula {

/// Whether an attention_split_kernel and its combine_splits take the arguments.
///
/// Errors: those of can_implement and suits_tile; splits below 1; a workspace that is null, misaligned or too small.
template <class Kernel>
status check_split(const typename Kernel::arguments& args)
{
    using gemm_checks::invalid;
    const auto& a = args.attention;
    if (status s = can_implement<typename Kernel::variant>(a); !s)
        return s;
    if (status s = suits_tile<typename Kernel::tile, typename Kernel::variant>(a); !s)
        return s;
    if (args.splits < 1)
        return invalid("splits is ") << args.splits << "; keys are split into at least 1 share";
    if (args.rows() == 0)
        return {};
    constexpr long_index_t most = (1LL << 61) - 1; // floats in 2^63 bytes
    if (args.share_size() > most / args.splits)
        return status(status_code::unsupported, "the workspace of ")
               << args.splits << " shares would pass 2^63 bytes; use fewer";
    const attention_split_workspace& w = args.workspace;
    if (w.data == nullptr)
        return invalid("the workspace is a null pointer; ") << args.workspace_size() << " floats are needed";
    if (!gemm_checks::is_aligned(w.data, 16))
        return invalid("the workspace of ") << args.workspace_size() << " floats is not aligned to 16 bytes";
    if (w.size < args.workspace_size())
        return invalid("the workspace has ") << w.size << " floats; " << args.workspace_size() << " are needed";
    return {};
}

} // namespace tegula
