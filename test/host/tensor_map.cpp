// Rules for tensor maps, each with its sentence, and the emulator's maps, which keep all they were made from.
#include <tegula/host/tensor_map.hpp>

#include "test/catch.hpp"

#include <string>

namespace {

using namespace tegula;

alignas(16) float memory[64];

/// 1000 x 64 bf16 in boxes of 128 x 64, swizzled.
tensor_map_parameters good()
{
    tensor_map_parameters p;
    p.base = memory;
    p.lengths[0] = 64;
    p.lengths[1] = 1000;
    p.strides_bytes[1] = 128;
    p.box[0] = 64;
    p.box[1] = 128;
    p.swizzle = swizzle_mode::bytes_128;
    return p;
}

template <class Change>
std::string complaint(const Change& change)
{
    tensor_map_parameters p = good();
    change(p);
    tensor_map map;
    const status s = make_emulated_tensor_map(map, p);
    CHECK(s.ok() == (s.message() == std::string()));
    CHECK((s.ok() || s.code() == status_code::invalid_argument));
    return s.message();
}

static_assert(check_tensor_map([] {
                  tensor_map_parameters p;
                  p.rank = 6;
                  return p;
              }())
                  .code() == status_code::invalid_argument);

} // namespace

TEST_CASE("tensor maps that the hardware takes")
{
    CHECK(complaint([](auto&) {}) == "");
    CHECK(complaint([](auto& p) { p.rank = 1; }) == "");
    CHECK(complaint([](auto& p) { p.box[1] = 256; }) == "");
    CHECK(complaint([](auto& p) { p.element_strides[1] = 8; }) == "");
    CHECK(complaint([](auto& p) { p.lengths[1] = std::uint64_t{1} << 32; }) == "");
    CHECK(complaint([](auto& p) { p.swizzle = swizzle_mode::none; }) == "");
    CHECK(good().box_bytes() == 128 * 64 * 2);
    CHECK(box_alignment(swizzle_mode::none) == 128);
    CHECK(box_alignment(swizzle_mode::bytes_32) == 256);
    CHECK(box_alignment(swizzle_mode::bytes_64) == 512);
    CHECK(box_alignment(swizzle_mode::bytes_128) == 1024);
}

TEST_CASE("tensor maps that it does not take")
{
    CHECK(complaint([](auto& p) { p.rank = 0; }) ==
          "tensor map: 0 dimensions; it must have 1 to 5, join dimensions or use a pointer");
    CHECK(complaint([](auto& p) { p.rank = 6; }) ==
          "tensor map: 6 dimensions; it must have 1 to 5, join dimensions or use a pointer");
    CHECK(complaint([](auto& p) { p.base = nullptr; }) ==
          "tensor map: the base address is null; give the address of the tensor");
    CHECK(complaint([](auto& p) { p.base = memory + 1; }) ==
          "tensor map: the base address lies 4 bytes past a multiple of 16; align it or take a kernel without tensor "
          "copies");
    CHECK(complaint([](auto& p) { p.lengths[1] = 0; }) ==
          "tensor map: length 0 of dimension 1; it must be 1 to 2^32, launch nothing for an empty tensor");
    CHECK(complaint([](auto& p) { p.lengths[1] = (std::uint64_t{1} << 32) + 1; }) ==
          "tensor map: length 4294967297 of dimension 1; it must be 1 to 2^32, launch nothing for an empty tensor");
    CHECK(complaint([](auto& p) { p.strides_bytes[1] = 136; }) ==
          "tensor map: the stride of dimension 1 is 136 bytes; it must be a multiple of 16 below 2^40, pad the rows or "
          "take a kernel without tensor copies");
    CHECK(complaint([](auto& p) { p.box[1] = 257; }) ==
          "tensor map: the box has 257 elements in dimension 1; it must have 1 to 256, use several boxes");
    CHECK(complaint([](auto& p) { p.box[1] = 0; }) ==
          "tensor map: the box has 0 elements in dimension 1; it must have 1 to 256, use several boxes");
    CHECK(complaint([](auto& p) { p.element_strides[1] = 9; }) ==
          "tensor map: element stride 9 of dimension 1; it must be 1 to 8, use a larger stride of the tensor");
    CHECK(complaint([](auto& p) { p.element_strides[0] = 2; }) ==
          "tensor map: element stride 2 of dimension 0; it must be 1, stride another dimension");
    CHECK(complaint([](auto& p) {
              p.box[0] = 4;
              p.swizzle = swizzle_mode::none;
          }) == "tensor map: rows of the box have 8 bytes; they must be a multiple of 16, widen the box");
    CHECK(complaint([](auto& p) { p.box[0] = 128; }) ==
          "tensor map: rows of the box have 256 bytes and the swizzle 128; they must be equal, use several boxes or "
          "another swizzle");
    CHECK(complaint([](auto& p) { p.swizzle = swizzle_mode::bytes_64; }) ==
          "tensor map: rows of the box have 128 bytes and the swizzle 64; they must be equal, use several boxes or "
          "another swizzle");
}

TEST_CASE("the emulator's tensor map keeps its parameters")
{
    tensor_map_parameters p;
    p.base = memory;
    p.type = tensor_element::tf32;
    p.rank = 5;
    p.swizzle = swizzle_mode::bytes_32;
    p.promotion = l2_promotion::bytes_256;
    for (int i = 0; i < 5; ++i) {
        p.lengths[i] = (std::uint64_t{1} << 32) - static_cast<unsigned>(i);
        p.strides_bytes[i] = i == 0 ? 0 : (std::uint64_t{1} << 40) - static_cast<unsigned>(16 * i);
        p.box[i] = i == 0 ? 8 : static_cast<unsigned>(256 - i);
        p.element_strides[i] = static_cast<unsigned>(1 + i);
    }
    tensor_map map;
    REQUIRE(make_emulated_tensor_map(map, p).ok());
    tensor_map_parameters q;
    REQUIRE(emulator::read_tensor_map(map, q));
    CHECK((q.base == p.base && q.type == p.type && q.rank == p.rank && q.swizzle == p.swizzle));
    CHECK(q.promotion == p.promotion);
    for (int i = 0; i < 5; ++i) {
        CHECK(q.lengths[i] == p.lengths[i]);
        CHECK(q.strides_bytes[i] == p.strides_bytes[i]);
        CHECK(q.box[i] == p.box[i]);
        CHECK(q.element_strides[i] == p.element_strides[i]);
    }
    CHECK(!emulator::read_tensor_map(tensor_map{}, q));
}

TEST_CASE("elements of 6 and 4 bits are spread over slots of 16 bytes")
{
    alignas(32) static std::uint8_t packed[2 * 96 + 32]{};
    const auto map_of = [](tensor_element type) {
        tensor_map_parameters p;
        p.base = packed;
        p.type = type;
        p.lengths[0] = 128;
        p.lengths[1] = 2;
        p.strides_bytes[1] = 96;
        p.box[0] = 128;
        p.box[1] = 2;
        p.swizzle = swizzle_mode::bytes_128;
        return p;
    };
    const auto said = [&](const auto& change) {
        tensor_map_parameters p = map_of(tensor_element::u6_align16);
        change(p);
        return std::string(check_tensor_address(p).message());
    };
    CHECK(said([](auto&) {}) == "");
    CHECK(map_of(tensor_element::u6_align16).box_bytes() == 256);
    CHECK(said([](auto& p) { p.lengths[0] = 96; }).find("multiple of 128") != std::string::npos);
    CHECK(said([](auto& p) { p.box[0] = 64; }).find("must have 128") != std::string::npos);
    CHECK(said([](auto& p) { p.strides_bytes[1] = 112; }).find("multiple of 32") != std::string::npos);
    CHECK(said([](auto& p) { p.base = packed + 16; }).find("multiple of 32") != std::string::npos);
    CHECK(said([](auto& p) { p.swizzle = swizzle_mode::bytes_64; }).find("128 bytes or none") != std::string::npos);
    CHECK(said([](auto& p) { p.type = tensor_element::u4_align8; }).find("as bytes") != std::string::npos);

    // 16 elements of w bits are 2 w bytes of memory, and the first bytes of 16 of the box (PTX ISA 9.0, 5.5.1.1.1).
    for (std::size_t i = 0; i < sizeof(packed); ++i)
        packed[i] = static_cast<std::uint8_t>(i);
    for (const auto& [type, bytes] : {std::pair{tensor_element::u6_align16, 12}, {tensor_element::u4_align16, 8}}) {
        const int x[] = {0, 1}; // the second row, and one behind the tensor
        int rows = 0;
        emulator::detail::for_each_row(map_of(type), x, [&](const emulator::detail::box_row& row) {
            CHECK(row.offset == 128 * rows);
            CHECK(row.inside == (rows == 0 ? 8 * bytes : 0));
            if (rows++ > 0)
                return;
            std::byte box[128];
            emulator::detail::spread_row(type, box, row.global, row.inside);
            int wrong = 0;
            for (int i = 0; i < 128; ++i)
                wrong += static_cast<int>(box[i]) != (i % 16 < bytes ? 96 + i / 16 * bytes + i % 16 : 0xff);
            CHECK(wrong == 0);
        });
        CHECK(rows == 2);
    }
}
