// Bulk copies: boxes of one to five dimensions against plain loops, stores and additions, and every misuse.
#include "hopper.hpp"

#include <random>

using namespace hopper;

namespace {

/// A tensor of random bytes, a box of it somewhere across its edges, and what a load of the box must put where.
struct random_box
{
    tensor_map_parameters p;
    std::vector<unsigned char> memory;
    int x[5]{};

    random_box(int rank, swizzle_mode swizzle, int seed, bool stored)
    {
        std::mt19937 random(static_cast<unsigned>(seed));
        const auto from = [&](int low, int high) {
            return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
        };
        static constexpr tensor_element types[] = {tensor_element::u8, tensor_element::bf16, tensor_element::f32,
                                                   tensor_element::f64};
        p.rank = rank;
        p.type = types[from(0, 3)];
        p.swizzle = swizzle;
        const int size = bytes_of(p.type);
        const int row = swizzle == swizzle_mode::none ? 16 * from(1, 3) : line_bytes(swizzle);
        std::uint64_t stride = 0;
        for (int i = 0; i < rank; ++i) {
            p.lengths[i] = static_cast<std::uint64_t>(from(1, i == 0 ? 2 * row / size : 6));
            p.box[i] = static_cast<std::uint32_t>(i == 0 ? row / size : from(1, rank > 3 ? 3 : 9));
            p.element_strides[i] = static_cast<std::uint32_t>(i == 0 ? 1 : from(1, 3));
            p.strides_bytes[i] = stride;
            x[i] = from(-static_cast<int>(p.box[i]), static_cast<int>(p.lengths[i]));
            const std::uint64_t bytes = i == 0 ? p.lengths[0] * static_cast<unsigned>(size) : stride * p.lengths[i];
            stride = (bytes + 15) / 16 * 16 + static_cast<unsigned>(16 * from(0, 2));
        }
        if (const int multiple = 16 / size; stored) // where stores may start
            x[0] = std::max(x[0], 0) / multiple * multiple;
        memory.resize(stride + 16);
        for (unsigned char& byte : memory)
            byte = static_cast<unsigned char>(random());
        p.base = memory.data() + (16 - reinterpret_cast<std::uintptr_t>(memory.data()) % 16) % 16;
    }

    /// Byte `b` of the element at those positions of the box as copied; outside the tensor, zero.
    unsigned char at(const int (&position)[5], int b) const
    {
        const auto* byte = static_cast<const unsigned char*>(p.base) + b;
        for (int i = 0; i < p.rank; ++i) {
            const int element = x[i] + position[i] * static_cast<int>(p.element_strides[i]);
            if (element < 0 || element >= static_cast<int>(p.lengths[i]))
                return 0;
            byte += i == 0 ? element * bytes_of(p.type) : element * static_cast<long>(p.strides_bytes[i]);
        }
        return *byte;
    }

    /// The box in shared memory, from a multiple of its alignment on.
    std::vector<unsigned char> expected() const
    {
        std::vector<unsigned char> image(static_cast<std::size_t>(p.box_bytes()));
        int n[5]{1, 1, 1, 1, 1};
        for (int i = 0; i < p.rank; ++i)
            n[i] = static_cast<int>((p.box[i] - 1) / p.element_strides[i]) + 1;
        const int size = bytes_of(p.type);
        for (int e = 0; e < n[4]; ++e)
            for (int d = 0; d < n[3]; ++d)
                for (int c = 0; c < n[2]; ++c)
                    for (int r = 0; r < n[1]; ++r)
                        for (int a = 0; a < n[0]; ++a)
                            for (int b = 0; b < size; ++b) {
                                const long in_a_row = ((((e * n[3] + d) * n[2] + c) * n[1] + r) * n[0] + a) * size + b;
                                image[place(in_a_row)] = at({a, r, c, d, e}, b);
                            }
        return image;
    }
    /// 16-byte chunks move within their row: of 128 bytes by the row modulo 8, of 64 bytes by half of it modulo 4, of
    /// 32 bytes by a quarter of it modulo 2.
    std::size_t place(long in_a_row) const
    {
        if (p.swizzle == swizzle_mode::none)
            return static_cast<std::size_t>(in_a_row);
        const int width = line_bytes(p.swizzle);
        const long row = in_a_row / width;
        const long chunk = in_a_row % width / 16;
        const long moved = width == 128 ? chunk ^ row % 8 : width == 64 ? chunk ^ row / 2 % 4 : chunk ^ row / 4 % 2;
        return static_cast<std::size_t>(row * width + moved * 16 + in_a_row % 16);
    }
};

template <int Rank>
array<int, Rank> first(const int (&x)[5])
{
    array<int, Rank> result{};
    for (int i = 0; i < Rank; ++i)
        result[i] = x[i];
    return result;
}

/// Loads the box, stores it, where asked, to a second tensor of the same form by another map, and compares both.
template <int Rank>
void check_round_trip(swizzle_mode swizzle, int seed, bool stored, bool checks)
{
    random_box box(Rank, swizzle, seed, stored);
    REQUIRE(check_tensor_address(box.p).message() == std::string());
    const tensor_map from = emu::describe_tensor_map(box.p);
    random_box target_box = box;
    target_box.p.base = target_box.memory.data() + (static_cast<const unsigned char*>(box.p.base) - box.memory.data());
    std::fill(target_box.memory.begin(), target_box.memory.end(), static_cast<unsigned char>(0xee));
    REQUIRE(check_tensor_address(target_box.p).ok());
    const tensor_map to = emu::describe_tensor_map(target_box.p);
    const auto bytes = static_cast<int>(box.p.box_bytes());
    std::vector<unsigned char> image(static_cast<std::size_t>(bytes));
    emu::run_config config = one_block();
    config.checks = checks;
    config.memory.read(box.memory.data(), box.memory.size(), "from")
        .write(target_box.memory.data(), target_box.memory.size(), "to")
        .write(image.data(), image.size(), "image");
    const emu::launch_result result = emu::launch(config, [&] {
        make_barriers(1, 1);
        std::byte* shared = target::shared_memory() + 1024;
        if (target::thread_id() == 0) {
            prefetch_tensor_map(from);
            mbarrier_arrive_expect(barrier(), bytes);
            tensor_load(shared, from, first<Rank>(box.x), barrier());
        }
        mbarrier_wait(barrier(), 0);
        for (int i = target::thread_id() * 16; i < bytes; i += 64 * 16) {
            float4 chunk;
            emu::load_shared<16>(&chunk, shared + i);
            std::memcpy(image.data() + i, &chunk, 16);
        }
        if (stored && target::thread_id() == 0) {
            tensor_store(to, first<Rank>(box.x), shared);
            bulk_commit();
            bulk_wait<0>();
        }
    });
    INFO("rank " << Rank << ", swizzle " << line_bytes(swizzle) << ", seed " << seed);
    expect_fine(result);
    REQUIRE(image == box.expected());
    CHECK(result.counters.bulk_load_bytes == bytes);
    CHECK(result.counters.bulk_store_bytes == (stored ? bytes : 0));
    if (!stored)
        return;
    REQUIRE(target_box.expected() == box.expected()); // what was stored is what was loaded, and nothing else
    std::size_t changed = 0;
    for (const unsigned char byte : target_box.memory)
        changed += byte != 0xee;
    CHECK(changed <= static_cast<std::size_t>(bytes));
}

template <int Rank>
void check_rank()
{
    int seed = 0;
    for (const swizzle_mode swizzle :
         {swizzle_mode::none, swizzle_mode::bytes_32, swizzle_mode::bytes_64, swizzle_mode::bytes_128})
        for (int i = 0; i < 20; ++i)
            check_round_trip<Rank>(swizzle, ++seed, i % 3 != 0, i % 4 != 0);
}

/// One thread does `body(map of a 32 x 32 matrix in 8 x 32 boxes)`.
struct matrix_fixture
{
    std::vector<float> memory = counting(32 * 32 + 4);
    const float* base = memory.data() + (16 - reinterpret_cast<std::uintptr_t>(memory.data()) % 16) % 16 / 4;
    tensor_map map = emu::describe_tensor_map(matrix_of(base, 32, 32, 8, 32, swizzle_mode::bytes_128));
    emu::run_config config = one_block();

    explicit matrix_fixture(bool writable = true)
    {
        config.memory.add(memory.data(), memory.size() * 4, "matrix", writable);
    }
    float& at(int row, int column) { return const_cast<float&>(base[row * 32 + column]); }

    template <class Body>
    emu::launch_result by_one(const Body& body)
    {
        return emu::launch(config, [&] {
            make_barriers(1, 1);
            if (target::thread_id() == 0)
                body();
        });
    }
};

/// 1 KiB of ones in shared memory, by the first wave.
void write_ones(bool fence)
{
    if (target::wave_id() == 0)
        for (int i = target::lane_id(); i < 64; i += 32)
            put<float4>(i, {{1, 1, 1, 1}});
    if (fence)
        fence_proxy_async();
    target::block_barrier();
}

} // namespace

TEST_CASE("boxes of every rank and swizzle arrive as the hardware lays them out", "[emulator]")
{
    check_rank<1>();
    check_rank<2>();
    check_rank<3>();
    check_rank<4>();
    check_rank<5>();
}

TEST_CASE("a bulk store arrives when its group has been waited for, or the lane returns", "[emulator]")
{
    matrix_fixture f;
    float before = -1;
    float after = -1;
    expect_fine(emu::launch(f.config, [&] {
        write_ones(true);
        if (target::thread_id() == 0) {
            tensor_store(f.map, array<int, 2>{0, 8}, target::shared_memory());
            bulk_commit();
            before = f.at(8, 3);
            bulk_wait<0>();
            after = f.at(8, 3);
            tensor_store(f.map, array<int, 2>{0, 16}, target::shared_memory());
            bulk_commit();
            bulk_wait_read<0>();
        }
    }));
    CHECK(before == 8 * 32 + 3);
    CHECK(after == 1);
    CHECK(f.at(23, 31) == 1);
    CHECK(f.at(24, 0) == 24 * 32);
}

// Rows of 18 floats in memory for 24: the chunk of 16 bytes that the last two begin is written whole.
TEST_CASE("tensor stores and sums write whole chunks of 16 bytes behind a row that ends within one", "[emulator]")
{
    const bool checks = GENERATE(true, false);
    const bool adds = GENERATE(true, false);
    matrix_fixture f;
    tensor_map_parameters p = matrix_of(f.base, 8, 18, 8, 32, swizzle_mode::bytes_128);
    p.strides_bytes[1] = 24 * sizeof(float);
    f.map = emu::describe_tensor_map(p);
    f.config.checks = checks;
    const auto store = [&f, adds] {
        write_ones(true);
        if (target::thread_id() == 0) {
            if (adds)
                tensor_add(f.map, array<int, 2>{0, 0}, target::shared_memory());
            else
                tensor_store(f.map, array<int, 2>{0, 0}, target::shared_memory());
            bulk_commit();
            bulk_wait<0>();
        }
    };
    expect_fine(emu::launch(f.config, store));
    for (int row = 0; row < 8; ++row)
        for (int column = 0; column < 24; ++column) {
            const int before = row * 24 + column;
            CHECK(f.base[before] == (column >= 20 ? before : adds ? before + 1 : 1));
        }

    // Another array begins where the last row ends.
    f.config.memory = {};
    f.config.memory.write(const_cast<float*>(f.base), (7 * 24 + 18) * sizeof(float), "matrix");
    if (checks)
        expect_misuse(emu::launch(f.config, store), {(adds ? "bulk add" : "bulk store") +
                                                     std::string(" of 80 bytes at byte 672 of matrix, out of bounds")});
}

// On an H200 these end with "an illegal instruction was encountered".
TEST_CASE("tensor stores and sums start at multiples of 16 bytes of the innermost dimension", "[emulator]")
{
    matrix_fixture f;
    f.config.checks = GENERATE(true, false);
    for (const int x : {1, 2, -1, -4, -8}) {
        const std::string from = " from coordinate " + std::to_string(x) +
                                 " of the innermost dimension on: hardware takes multiples of 16 bytes, 0 or more";
        const array<int, 2> at{x, 0};
        expect_misuse(f.by_one([&] { tensor_store(f.map, at, target::shared_memory()); }),
                      {"bulk store" + from, "start at a multiple of 4 elements"});
        expect_misuse(f.by_one([&] { tensor_add(f.map, at, target::shared_memory()); }), {"bulk add" + from});
    }
    expect_fine(emu::launch(f.config, [&] {
        write_ones(true);
        if (target::thread_id() == 0) {
            tensor_store(f.map, array<int, 2>{4, 0}, target::shared_memory());
            bulk_commit();
            bulk_wait<0>();
        }
    }));
    CHECK(f.at(0, 3) == 3);
    CHECK(f.at(0, 4) == 1);
}

TEST_CASE("bulk additions of blocks add up", "[emulator]")
{
    matrix_fixture f;
    f.config.grid = {5, 1, 1};
    expect_fine(emu::launch(f.config, [&] {
        write_ones(true);
        if (target::thread_id() == 0) {
            tensor_add<l2_hint::evict_last>(f.map, array<int, 2>{0, 28}, target::shared_memory());
            bulk_commit();
            bulk_wait<0>();
        }
    }));
    CHECK(f.at(27, 5) == 27 * 32 + 5);
    CHECK(f.at(31, 31) == 31 * 32 + 31 + 5);
}

TEST_CASE("bulk additions of contiguous floats add up", "[emulator]")
{
    matrix_fixture f;
    f.config.grid = {3, 1, 1};
    f.config.checks = GENERATE(true, false);
    const auto add = [&f](bool fence, int bytes) {
        return [&f, fence, bytes] {
            write_ones(fence);
            if (target::thread_id() == 0) {
                bulk_add(const_cast<float*>(f.base) + 32, reinterpret_cast<const float*>(target::shared_memory()),
                         bytes);
                bulk_commit();
                bulk_wait_read<0>();
            }
        };
    };
    expect_fine(emu::launch(f.config, add(true, 48)));
    for (int at = 30; at < 46; ++at)
        CHECK(f.base[at] == at + (at >= 32 && at < 44 ? 3 : 0));
    expect_misuse(emu::launch(f.config, add(true, 40)), {"bulk add of 40 bytes in a row: the size and both addresses"});
    if (f.config.checks)
        expect_misuse(emu::launch(f.config, add(false, 48)),
                      {"bulk add of 48 bytes at shared memory byte 0", " wrote without a proxy fence behind it"});
}

TEST_CASE("a store that no proxy fence made visible", "[emulator]")
{
    matrix_fixture f;
    const auto kernel = [&](bool fence) {
        return [&f, fence] {
            write_ones(fence);
            if (target::thread_id() == 0) {
                tensor_store(f.map, array<int, 2>{0, 8}, target::shared_memory());
                bulk_commit();
                bulk_wait<0>();
            }
        };
    };
    expect_fine(emu::launch(f.config, kernel(true)));
    expect_misuse(emu::launch(f.config, kernel(false)),
                  {"bulk store of 1024 bytes at shared memory byte 0, which wave 0, lane 0 at ",
                   " wrote without a proxy fence behind it", "fence_proxy_async() between its stores and the barrier"});
    // A fence before the store does nothing for it, nor one of the lane that issues the copy.
    expect_misuse(emu::launch(f.config,
                              [&] {
                                  fence_proxy_async();
                                  write_ones(false);
                                  fence_proxy_async();
                                  if (target::thread_id() == 0)
                                      tensor_store(f.map, array<int, 2>{0, 8}, target::shared_memory());
                              }),
                  {"wave 0, lane 1 at test/emulator/", " wrote without a proxy fence behind it"});
    // Nor may a bulk load overwrite what the asynchronous proxy does not know of.
    expect_misuse(emu::launch(f.config,
                              [&] {
                                  make_barriers(1, 1);
                                  write_ones(false);
                                  if (target::thread_id() == 0) {
                                      mbarrier_arrive_expect(barrier(), 1024);
                                      tensor_load(target::shared_memory(), f.map, array<int, 2>{0, 0}, barrier());
                                  }
                              }),
                  {"bulk load of 1024 bytes", "without a proxy fence"});
}

TEST_CASE("shared memory that a bulk store still reads", "[emulator]")
{
    matrix_fixture f;
    const auto kernel = [&](bool wait, bool reuse) {
        return [&f, wait, reuse] {
            write_ones(true);
            if (target::thread_id() == 0) {
                tensor_store(f.map, array<int, 2>{0, 8}, target::shared_memory());
                bulk_commit();
                if (wait)
                    bulk_wait_read<0>();
                if (reuse)
                    put<float>(0, 2);
            }
        };
    };
    expect_fine(emu::launch(f.config, kernel(true, true)));
    expect_misuse(
        emu::launch(f.config, kernel(false, true)),
        {"shared store of 4 bytes at shared memory byte 0, which a bulk store or a matrix instruction is still "
         "reading"});
    expect_misuse(emu::launch(f.config, kernel(false, false)),
                  {"the lane returned while a bulk store of its was still reading shared memory"});
}

TEST_CASE("boxes at the wrong place", "[emulator]")
{
    matrix_fixture f;
    expect_misuse(f.by_one([&] { tensor_load(shared<float>(128), f.map, array<int, 2>{0, 0}, barrier()); }),
                  {"bulk load of 1024 bytes at shared memory byte 512, misaligned: it needs a multiple of 1024"});
    expect_misuse(f.by_one([&] { tensor_store(f.map, array<int, 2>{0, 0}, shared<float>(32)); }),
                  {"bulk store of 1024 bytes at shared memory byte 128, misaligned: it needs a multiple of 1024"});
    for (const auto& [mode, alignment] :
         {std::pair{swizzle_mode::none, 128}, {swizzle_mode::bytes_32, 256}, {swizzle_mode::bytes_64, 512}}) {
        f.map = emu::describe_tensor_map(matrix_of(f.base, 32, 32, 8, line_bytes(mode) / 4, mode));
        expect_misuse(f.by_one([&, a = alignment] {
            tensor_load(target::shared_memory() + a / 2, f.map, array<int, 2>{0, 0}, barrier());
        }),
                      {"at shared memory byte " + std::to_string(alignment / 2) +
                       ", misaligned: it needs a multiple of " + std::to_string(alignment)});
    }
    expect_misuse(f.by_one([&] { bulk_load(target::shared_memory() + 16384, f.base, 64, barrier()); }),
                  {"bulk load of 64 bytes at shared memory byte 16384, out of bounds: the block has 16384 bytes"});
    expect_misuse(f.by_one([&] { bulk_load(target::shared_memory(), f.base, 24, barrier()); }),
                  {"bulk load of 24 bytes in a row: the size and both addresses must be multiples of 16"});
}

TEST_CASE("tensor maps that do not fit what is done with them", "[emulator]")
{
    matrix_fixture f;
    expect_misuse(f.by_one([&] { tensor_load(target::shared_memory(), f.map, array<int, 3>{0, 0, 0}, barrier()); }),
                  {"bulk load at 3 coordinates by a tensor map of 2 dimensions"});
    expect_misuse(f.by_one([&] { tensor_load(target::shared_memory(), tensor_map{}, array<int, 2>{0, 0}, barrier()); }),
                  {"bulk load by a tensor map that was not made for the emulator"});
    // A map of more than the launch was given.
    f.map = emu::describe_tensor_map(matrix_of(f.base, 64, 32, 8, 32, swizzle_mode::bytes_128));
    expect_misuse(f.by_one([&] { tensor_load(target::shared_memory(), f.map, array<int, 2>{0, 32}, barrier()); }),
                  {"bulk load of 128 bytes", "of matrix, out of bounds: it has"});
    matrix_fixture constant(false);
    expect_misuse(emu::launch(constant.config,
                              [&] {
                                  write_ones(true);
                                  if (target::thread_id() == 0)
                                      tensor_store(constant.map, array<int, 2>{0, 8}, target::shared_memory());
                              }),
                  {"bulk store of 128 bytes", "of matrix, which is read-only"});
}

TEST_CASE("tensor maps in memory are acquired by each block", "[emulator]")
{
    matrix_fixture f;
    f.config.grid = {2, 1, 1};
    f.config.memory.read(&f.map, sizeof(f.map), "maps");
    const auto by_blocks = [&](int acquiring) {
        return f.by_one([&f, acquiring] {
            if (target::block_id()[0] < acquiring)
                acquire_tensor_map(f.map);
            mbarrier_arrive_expect(barrier(), 1024);
            tensor_load(target::shared_memory(), f.map, array<int, 2>{0, 0}, barrier());
            mbarrier_wait(barrier(), 0);
        });
    };
    CHECK(by_blocks(2).status.ok());
    expect_misuse(by_blocks(1), {"bulk load by a tensor map in memory that no lane of the block has acquired"});
}

TEST_CASE("copies in flight at both ends", "[emulator]")
{
    matrix_fixture f;
    expect_misuse(
        f.by_one([&] {
            mbarrier_arrive_expect(barrier(), 1024);
            tensor_load(target::shared_memory(), f.map, array<int, 2>{0, 0}, barrier());
            const float changed = -1;
            emu::store_global<4>(&f.at(1, 0), &changed);
            mbarrier_wait(barrier(), 0);
        }),
        {"global store of 4 bytes at byte", "of matrix, which an async copy or a bulk load is still reading"});
    expect_misuse(f.by_one([&] {
        mbarrier_arrive_expect(barrier(), 1024);
        tensor_load(target::shared_memory(), f.map, array<int, 2>{0, 0}, barrier());
    }),
                  {"the block returned while a bulk load of wave 0, lane 0 was in flight for phase 0 (parity 0)"});
    expect_misuse(f.by_one([&] {
        mbarrier_arrive_expect(barrier(), 2048);
        tensor_load(target::shared_memory(), f.map, array<int, 2>{0, 0}, barrier());
        tensor_load(target::shared_memory(), f.map, array<int, 2>{0, 8}, barrier());
    }),
                  {"bulk load of 1024 bytes at shared memory byte 0, which a bulk load of wave 0, lane 0 at test/",
                   " has in flight"});
}
