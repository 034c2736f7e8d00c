// The descriptors and transforms as a specification.
#include <tegula/layout/descriptor/coordinate.hpp>

using namespace tegula;

namespace {

// A strided tensor: offset = sum of index * stride; lengths known at compile time stay types.
constexpr auto strided = make_strided_descriptor(sequence<8, 64>{}, sequence<72, 1>{});
static_assert(strided.calculate_offset({3, 5}) == 3 * 72 + 5);
static_assert(strided.element_space_size() == 7 * 72 + 64);
static_assert(is_constant<decltype(strided.length<1>())> && strided.length<1>() == 64);
static_assert(strided.lengths() == multi_index<2>{8, 64});
static_assert(strided.guaranteed_vector_length(1) == 8 && strided.guaranteed_vector_stride(1) == 1);
static_assert(strided.guaranteed_vector_length(0) == any_vector_length && strided.guaranteed_vector_stride(0) == 72);
static_assert(strided.is_valid({7, 63}) && !strided.is_valid({8, 0}) && !strided.is_valid({0, -1}));
static_assert(sizeof(strided) <= 8, "all-constant descriptors carry no data worth passing");

// Run-time lengths and strides; the caller promises strides that are multiples of 8.
constexpr auto runtime =
    make_strided_descriptor(make_tuple(100, 64), make_tuple(std::int64_t{3000000000}, constant<1>{}), constant<8>{});
static_assert(runtime.calculate_offset({99, 63}) == 99 * 3000000000 + 63);
static_assert(runtime.element_space_size() == 99 * 3000000000 + 64);
static_assert(runtime.guaranteed_vector_length(1) == 8 && runtime.guaranteed_vector_length(0) == 1);
static_assert(make_strided_descriptor(make_tuple(100, 64), make_tuple(64, constant<1>{})).guaranteed_vector_length(1) ==
              1);

// Packed: row-major without gaps, past 2^32 too.
constexpr auto packed = make_packed_descriptor(sequence<100000, 3, 65536>{});
static_assert(packed.calculate_offset({99999, 2, 65535}) == 100000ll * 3 * 65536 - 1);
static_assert(packed.element_space_size() == 100000ll * 3 * 65536);
static_assert(packed.guarantees() == array<vector_guarantee, 3>{vector_guarantee{any_vector_length, 3 * 65536},
                                                                vector_guarantee{any_vector_length, 65536},
                                                                vector_guarantee{65536, 1}});

// Aligned: rows rounded up.
constexpr auto aligned = make_aligned_descriptor(sequence<4, 5, 13>{}, constant<8>{});
static_assert(aligned.calculate_offset({1, 1, 1}) == 5 * 16 + 16 + 1);
static_assert(aligned.guaranteed_vector_length(2) == 16);
constexpr auto aligned_runtime = make_aligned_descriptor(make_tuple(4, 5, 13), constant<8>{});
static_assert(aligned_runtime.calculate_offset({1, 1, 1}) == 5 * 16 + 16 + 1);
static_assert(aligned_runtime.guaranteed_vector_length(2) == 8);

// Padding both dimensions: the shape grows, the offsets stay, validity says what is real.
constexpr auto padded =
    transform_descriptor(make_strided_descriptor(make_tuple(5, 7), make_tuple(7, constant<1>{})),
                         make_tuple(make_right_pad_transform(5, 3), make_pad_transform(7, constant<1>{}, 2)),
                         make_tuple(sequence<0>{}, sequence<1>{}), make_tuple(sequence<0>{}, sequence<1>{}));
static_assert(padded.lengths() == multi_index<2>{8, 10});
static_assert(padded.calculate_offset({2, 3}) == 2 * 7 + 2);
static_assert(padded.is_valid({4, 7}) && !padded.is_valid({4, 8}) && !padded.is_valid({4, 0}) &&
              !padded.is_valid({5, 7}));

constexpr auto padded_in_front = transform_descriptor(make_strided_descriptor(make_tuple(5), make_tuple(constant<1>{})),
                                                      make_tuple(make_left_pad_transform(5, 3)),
                                                      make_tuple(sequence<0>{}), make_tuple(sequence<0>{}));
static_assert(padded_in_front.lengths() == multi_index<1>{8} && padded_in_front.calculate_offset({4}) == 1);
static_assert(padded_in_front.is_valid({3}) && !padded_in_front.is_valid({2}) && padded_in_front.is_valid({7}));

// Merge and unmerge are each other's inverse; what is known stays known.
constexpr auto tiled = transform_descriptor(
    strided, make_tuple(make_unmerge_transform(sequence<2, 4>{}), make_unmerge_transform(sequence<4, 16>{})),
    make_tuple(sequence<0>{}, sequence<1>{}), make_tuple(sequence<0, 2>{}, sequence<1, 3>{}));
static_assert(tiled.lengths() == multi_index<4>{2, 4, 4, 16});
static_assert(tiled.calculate_offset({1, 2, 3, 5}) == strided.calculate_offset({1 * 4 + 3, 2 * 16 + 5}));
static_assert(tiled.guaranteed_vector_length(3) == 8);
constexpr auto flat = transform_descriptor(tiled, make_tuple(make_merge_transform(sequence<2, 4, 4, 16>{})),
                                           make_tuple(sequence<0, 2, 1, 3>{}), make_tuple(sequence<0>{}));
static_assert(flat.length<0>() == 512);
static_assert(flat.calculate_offset({7 * 64 + 37}) == strided.calculate_offset({7, 37}));

// Exclusive or: rows of 64 in chunks of 8, the chunk moved by the row; the chunks stay vectors.
constexpr auto swizzled = transform_descriptor(make_packed_descriptor(sequence<16, 64>{}),
                                               make_tuple(make_xor_transform(sequence<16, 64>{}, xor_pattern<8, 7>{})),
                                               make_tuple(sequence<0, 1>{}), make_tuple(sequence<0, 1>{}));
static_assert(swizzled.calculate_offset({3, 8 * 5 + 2}) == 3 * 64 + 8 * (5 ^ 3) + 2);
static_assert(swizzled.calculate_offset({11, 8 * 5 + 2}) == 11 * 64 + 8 * (5 ^ 3) + 2);
static_assert(swizzled.guaranteed_vector_length(1) == 8 && swizzled.guaranteed_vector_length(0) == 1);
using two_terms = xor_pattern<8, 3, 1, 3>;
static_assert(two_terms::column(0b1110, 0) == 8 * ((0b111 ^ 0b1) & 3));
static_assert(two_terms::rows_alike == 2);

// Dimensions that appear and disappear.
constexpr auto one_row = transform_descriptor(
    strided,
    make_tuple(make_freeze_transform(3), make_pass_through_transform(constant<64>{}), make_insert_transform(9)),
    make_tuple(sequence<0>{}, sequence<1>{}, sequence<>{}), make_tuple(sequence<>{}, sequence<0>{}, sequence<1>{}));
static_assert(one_row.calculate_offset({5, 0}) == 3 * 72 + 5 && one_row.calculate_offset({5, 8}) == 3 * 72 + 5);
static_assert(one_row.guarantees() ==
              array<vector_guarantee, 2>{vector_guarantee{8, 1}, vector_guarantee{any_vector_length, 0}});

// Slice, offset, modulo.
constexpr auto cut =
    transform_descriptor(strided,
                         make_tuple(make_slice_transform(constant<8>{}, constant<2>{}, constant<6>{}),
                                    make_offset_transform(60, constant<4>{})),
                         make_tuple(sequence<0>{}, sequence<1>{}), make_tuple(sequence<0>{}, sequence<1>{}));
static_assert(cut.length<0>() == 4 && cut.calculate_offset({1, 2}) == strided.calculate_offset({3, 6}));
static_assert(cut.guaranteed_vector_length(1) == 4);
constexpr auto ring = transform_descriptor(
    strided, make_tuple(make_modulo_transform(constant<8>{}, 1000), make_pass_through_transform(constant<64>{})),
    make_tuple(sequence<0>{}, sequence<1>{}), make_tuple(sequence<0>{}, sequence<1>{}));
static_assert(ring.calculate_offset({83, 1}) == strided.calculate_offset({3, 1}));

// A table of rows; a negative entry is a hole.
constexpr auto gathered =
    transform_descriptor(strided,
                         make_tuple(make_indirect_transform(array<index_t, 4>{7, 0, -1, 3}, constant<4>{}),
                                    make_pass_through_transform(constant<64>{})),
                         make_tuple(sequence<0>{}, sequence<1>{}), make_tuple(sequence<0>{}, sequence<1>{}));
static_assert(gathered.calculate_offset({3, 2}) == strided.calculate_offset({3, 2}));
static_assert(gathered.calculate_offset({0, 2}) == strided.calculate_offset({7, 2}));
static_assert(gathered.is_valid({3, 0}) && !gathered.is_valid({2, 0}) && !gathered.is_valid({4, 0}));
static_assert(gathered.guaranteed_vector_length(1) == 8 && gathered.guaranteed_vector_length(0) == 1);

// A coordinate moved is the coordinate made anew.
constexpr auto walked = [] {
    auto c = make_coordinate(swizzled, {1, 8});
    move_coordinate(swizzled, c, {2, 16});
    move_coordinate(swizzled, c, sequence<0, 5>{});
    return c;
}();
static_assert(walked.index() == multi_index<2>{3, 29} && walked.offset() == swizzled.calculate_offset({3, 29}));
static_assert(is_valid(swizzled, walked));

// Adaptors stack: a thread index to (row, chunk), then to tensor dimensions.
constexpr auto lanes = make_adaptor(make_tuple(make_merge_transform(sequence<8, 8>{})), make_tuple(sequence<0, 1>{}),
                                    make_tuple(sequence<0>{}));
constexpr auto chunks = make_adaptor(
    make_tuple(make_pass_through_transform(constant<8>{}), make_embed_transform(sequence<8>{}, sequence<8>{})),
    make_tuple(sequence<0>{}, sequence<1>{}), make_tuple(sequence<0>{}, sequence<1>{}));
constexpr auto stacked = chain_adaptors(chunks, lanes);
static_assert(stacked.calculate_bottom_index({19}) == array<index_t, 2>{2, 24});
static_assert(stacked.length<0>() == 64);

} // namespace
