#pragma once

#include <tegula/chip/swizzle.hpp>
#include <tegula/core/status.hpp>

namespace tegula {

/// Element types of tensor copies, in the order of the CUDA driver's own enumeration (CUtensorMapDataType). The last
/// three are Blackwell's: elements of 4 and 6 bits, packed in memory; *_align16 spreads 16 of them over 16 bytes of
/// shared memory, the first in the low bits, and leaves the rest of the 16 bytes undefined.
enum class tensor_element {
    u8,
    u16,
    u32,
    i32,
    u64,
    i64,
    f16,
    f32,
    f64,
    bf16,
    f32_ftz,
    tf32,
    tf32_ftz,
    u4_align8,
    u4_align16,
    u6_align16
};

/// Bytes in memory of 16 elements that take 16 bytes of shared memory; 16 for those that lie there as in memory.
constexpr TEGULA_HOST_DEVICE int slot_bytes(tensor_element type)
{
    return type == tensor_element::u4_align16 ? 8 : type == tensor_element::u6_align16 ? 12 : 16;
}

/// Bytes of an element in shared memory.
constexpr TEGULA_HOST_DEVICE int bytes_of(tensor_element type)
{
    switch (type) {
    case tensor_element::u8:
    case tensor_element::u4_align16:
    case tensor_element::u6_align16:
        return 1;
    case tensor_element::u16:
    case tensor_element::f16:
    case tensor_element::bf16:
        return 2;
    case tensor_element::u64:
    case tensor_element::i64:
    case tensor_element::f64:
        return 8;
    default:
        return 4;
    }
}

/// Bytes that a miss in the L2 cache fetches at least.
enum class l2_promotion { none, bytes_64, bytes_128, bytes_256 };

/// A tensor in global memory and the box of it that one instruction copies. Dimension 0 is contiguous; lengths are in
/// elements. Elements outside the tensor are loaded as zeros and not stored.
struct tensor_map_parameters
{
    static constexpr int max_rank = 5;

    const void* base = nullptr;
    tensor_element type = tensor_element::bf16;
    int rank = 2;
    std::uint64_t lengths[max_rank]{};       ///< lengths of the tensor
    std::uint64_t strides_bytes[max_rank]{}; ///< [i]: from one element of dimension i to the next; [0] is unused
    std::uint32_t box[max_rank]{};           ///< elements of the tensor that the box spans
    std::uint32_t element_strides[max_rank]{1, 1, 1, 1, 1}; ///< one of so many neighbours is copied; [0] must be 1
    swizzle_mode swizzle = swizzle_mode::none;
    l2_promotion promotion = l2_promotion::bytes_128;

    bool operator==(const tensor_map_parameters&) const = default;

    template <int Rank>
    constexpr void set_dimensions(const long_index_t (&of_tensor)[Rank], const long_index_t (&strides)[Rank],
                                  const index_t (&of_box)[Rank])
    {
        rank = Rank;
        for (int i = 0; i < Rank; ++i) {
            lengths[i] = static_cast<std::uint64_t>(of_tensor[i]);
            strides_bytes[i] = static_cast<std::uint64_t>(strides[i]);
            box[i] = static_cast<std::uint32_t>(of_box[i]);
        }
    }
    /// Elements of dimension `i` that arrive in shared memory.
    constexpr TEGULA_HOST_DEVICE std::uint32_t copied(int i) const
    {
        return (box[i] + element_strides[i] - 1) / element_strides[i];
    }
    /// The bytes that the copy of a box adds to its mbarrier's transactions, whatever part of the box lies in the
    /// tensor.
    constexpr TEGULA_HOST_DEVICE std::int64_t box_bytes() const
    {
        std::int64_t bytes = bytes_of(type);
        for (int i = 0; i < rank; ++i)
            bytes *= copied(i);
        return bytes;
    }
};

/// Alignment that a box asks of its place in shared memory: the swizzle pattern counts from multiples of it.
constexpr TEGULA_HOST_DEVICE int box_alignment(swizzle_mode mode)
{
    return mode == swizzle_mode::none ? 128 : pattern_bytes(mode);
}

/// The kernel's argument: what the driver encoded, or the parameters for the emulator, made by host/tensor_map.hpp. On
/// a GPU it is a __grid_constant__ parameter, or part of one, or lies in global memory: acquire_tensor_map().
struct alignas(128) tensor_map
{
    std::uint64_t words[16]{};
};

namespace tensor_map_rules {

inline constexpr std::uint64_t max_length = std::uint64_t{1} << 32;
inline constexpr std::uint64_t max_stride_bytes = std::uint64_t{1} << 40;
inline constexpr std::uint32_t max_box = 256;
inline constexpr std::uint32_t max_element_stride = 8;

constexpr status wrong(const char* text) { return status(status_code::invalid_argument, text); }
constexpr long long number(std::uint64_t value) { return static_cast<long long>(value); }

constexpr status check_dimension(const tensor_map_parameters& p, int i)
{
    if (p.lengths[i] < 1 || p.lengths[i] > max_length)
        return wrong("tensor map: length ") << number(p.lengths[i]) << " of dimension " << i
                                            << "; it must be 1 to 2^32, launch nothing for an empty tensor";
    if (p.box[i] < 1 || p.box[i] > max_box)
        return wrong("tensor map: the box has ")
               << number(p.box[i]) << " elements in dimension " << i << "; it must have 1 to 256, use several boxes";
    if (p.element_strides[i] < 1 || p.element_strides[i] > max_element_stride)
        return wrong("tensor map: element stride ") << number(p.element_strides[i]) << " of dimension " << i
                                                    << "; it must be 1 to 8, use a larger stride of "
                                                    << "the tensor";
    if (i > 0 && (p.strides_bytes[i] % 16 != 0 || p.strides_bytes[i] >= max_stride_bytes))
        return wrong("tensor map: the stride of dimension ")
               << i << " is " << number(p.strides_bytes[i])
               << " bytes; it must be a multiple of 16 below 2^40, pad the rows or "
                  "take a kernel without tensor copies";
    return {};
}

/// Checks the driver's rules for elements that are spread over slots of 16 bytes.
constexpr status check_slots(const tensor_map_parameters& p)
{
    if (p.lengths[0] % 128 != 0)
        return wrong("tensor map: rows of ") << number(p.lengths[0])
                                             << " elements of 4 or 6 bits; they must be a "
                                                "multiple of 128, pad them";
    if (p.box[0] != 128)
        return wrong("tensor map: the box has ")
               << number(p.box[0]) << " elements of 4 or 6 bits in dimension 0; it must have 128";
    for (int i = 1; i < p.rank; ++i)
        if (p.strides_bytes[i] % 32 != 0)
            return wrong("tensor map: the stride of dimension ")
                   << i << " is " << number(p.strides_bytes[i])
                   << " bytes; for elements of 4 or 6 bits it must be a multiple of 32, pad the rows";
    if (p.swizzle != swizzle_mode::none && p.swizzle != swizzle_mode::bytes_128)
        return wrong("tensor map: elements of 4 or 6 bits take a swizzle of 128 bytes or none");
    return {};
}

} // namespace tensor_map_rules

/// Checks the hardware's rules for a tensor map (CUDA driver API, cuTensorMapEncodeTiled, with no interleaving). A
/// swizzled box must be as wide as its swizzle, since the layout of narrower rows is not documented.
///
/// Errors: invalid_argument, naming the value, the limit and the remedy.
constexpr status check_tensor_map(const tensor_map_parameters& p)
{
    using tensor_map_rules::number;
    using tensor_map_rules::wrong;
    if (p.rank < 1 || p.rank > tensor_map_parameters::max_rank)
        return wrong("tensor map: ") << p.rank
                                     << " dimensions; it must have 1 to 5, join "
                                        "dimensions or use a pointer";
    if (p.base == nullptr)
        return wrong("tensor map: the base address is null; give the address of the tensor");
    for (int i = 0; i < p.rank; ++i)
        if (status s = tensor_map_rules::check_dimension(p, i); !s)
            return s;
    if (p.type == tensor_element::u4_align8)
        return wrong("tensor map: packed elements of 4 bits; copy them as bytes, which is the same");
    if (slot_bytes(p.type) != 16)
        if (status s = tensor_map_rules::check_slots(p); !s)
            return s;
    if (p.element_strides[0] != 1)
        return wrong("tensor map: element stride ")
               << number(p.element_strides[0]) << " of dimension 0; it must be 1, stride another dimension";
    const long long inner = static_cast<long long>(p.box[0]) * bytes_of(p.type);
    if (inner % 16 != 0)
        return wrong("tensor map: rows of the box have ")
               << inner << " bytes; they must be a multiple of 16, widen the box";
    if (p.swizzle != swizzle_mode::none && inner != line_bytes(p.swizzle))
        return wrong("tensor map: rows of the box have ")
               << inner << " bytes and the swizzle " << line_bytes(p.swizzle)
               << "; they must be equal, use several boxes or another swizzle";
    return {};
}

/// check_tensor_map(), and that the tensor lies where tensor copies can reach it.
inline status check_tensor_address(const tensor_map_parameters& p)
{
    const int alignment = slot_bytes(p.type) != 16 ? 32 : 16;
    const auto past = static_cast<int>(reinterpret_cast<std::uintptr_t>(p.base) % static_cast<unsigned>(alignment));
    if (past != 0)
        return tensor_map_rules::wrong("tensor map: the base address lies ")
               << past << " bytes past a multiple of " << alignment
               << "; align it or take a kernel without "
                  "tensor copies";
    return check_tensor_map(p);
}

} // namespace tegula
