#pragma once

// Several blocks share the sum over k of a tile: split-K by a number of parts, stream-K by what is left to do.

#include "one_product.hpp"

inline void split_k()
{
    using split = split_k_gemm<kernel>;
    split::arguments args{{m, n, k, 1, {a.data(), k, 1}, {b.data(), n, 1}, {c.data(), n, 1}, {}}};
    args.splits = 4;
    std::vector<std::byte> memory(static_cast<std::size_t>(split::workspace_bytes(args)));
    args.workspace = {memory.data(), split::workspace_bytes(args)};
    const auto run = emulate(split{}, args);
    report("split-K", run, is_product(one_product, row_major(c.data(), m, n)));
}

inline void stream_k()
{
    using stream = stream_k_gemm<kernel>;
    stream::arguments args{{m, n, k, 1, {a.data(), k, 1}, {b.data(), n, 1}, {c.data(), n, 1}, {}}};
    args.workers = 7; // on a GPU: its multiprocessors times the blocks that one of them runs
    std::vector<std::byte> memory(static_cast<std::size_t>(stream::workspace_bytes(args)));
    args.workspace = {memory.data(), stream::workspace_bytes(args)};
    const auto run = emulate(stream{}, args);
    report("stream-K", run, is_product(one_product, row_major(c.data(), m, n)));
}
