#pragma once

// Which bytes of a tensor a copy by a tensor map moves, and where they lie in shared memory.

#include "tensor_map.hpp"

namespace ptx {

/// Bytes of shared memory and where they lie in global memory.
struct segment
{
    std::uint64_t shared = 0; ///< offset of 16 bytes or, of a copy without a tensor, of all
    std::uint64_t global = 0; ///< of the first of them
    int size = 16;
    int begin = 0, end = 0; ///< those that lie within the tensor; a load fills the rest
    int used = 0;           ///< behind so many, if not 0, a load leaves bytes without a value
};

struct transfer
{
    std::vector<segment> segments;
    std::vector<std::uint8_t> fill; ///< of one element outside the tensor
    std::int64_t bytes = 0;
    std::string type; ///< of the elements, for reductions
};

/// The box of tiled mode with its first element at `corner`, innermost dimension first.
transfer tile_of(const tensor_map_record& map, const std::vector<std::int64_t>& corner, std::uint64_t shared);

/// The pixels of im2col mode. `base`: the first channel, the filter base in W, H and D, the image; `offsets`: of W, H and D.
transfer column_of(const tensor_map_record& map, const std::vector<std::int64_t>& base,
                   const std::vector<std::int64_t>& offsets, std::uint64_t shared);

/// Faults unless the first coordinate of a store or a reduction is a multiple of 16 bytes, 0 or more: an H200 traps. In
/// im2col mode no coordinate may be negative, and the bounding box must lie within the tensor.
void check_tensor_store(const tensor_map_record& map, const std::vector<std::int64_t>& corner);

/// A store or a reduction writes whole chunks of 16 bytes, also past the end of a row (seen on an H200).
void store_whole_chunks(transfer& t);

} // namespace ptx
