// The machine for Python (machine.py, through ctypes). Functions return 0, or 1 with the text in ptx_error().

#include "tensor_map.hpp"

#include <algorithm>
#include <cstring>

namespace {

std::string error;
std::string text;

template <class F>
int guarded(F f)
{
    try {
        f();
        return 0;
    } catch (const std::exception& e) {
        error = e.what();
        return 1;
    }
}

} // namespace

extern "C" {

using ptx::machine;

const char* ptx_error() { return error.c_str(); }

machine* ptx_load(const char* source)
{
    machine* m = nullptr;
    guarded([&] {
        auto made = std::make_unique<machine>();
        made->load(source);
        m = made.release();
    });
    return m;
}

void ptx_free(machine* m) { delete m; }

/// Names of all kernels, a line each.
const char* ptx_kernels(machine* m)
{
    text.clear();
    for (const auto& [name, f] : m->program.functions)
        if (f.is_entry)
            text += name + "\n";
    return text.c_str();
}

/// Opcodes executed so far with their counts, a line each.
const char* ptx_counts(machine* m)
{
    text.clear();
    for (const auto& [name, count] : m->counts)
        text += name + " " + std::to_string(count) + "\n";
    return text.c_str();
}

std::uint64_t ptx_executed(machine* m) { return m->executed; }

std::uint64_t ptx_add_memory(machine* m, const char* name, const std::uint8_t* data, std::uint64_t size, int writable)
{
    return m->memory.add(name, data, size, writable != 0);
}

int ptx_read_memory(machine* m, std::uint64_t address, std::uint64_t size, std::uint8_t* bytes, std::uint8_t* states)
{
    return guarded([&] {
        const ptx::region& r = m->memory.find(address, size);
        const auto at = static_cast<std::ptrdiff_t>(address - r.base);
        std::copy_n(r.bytes.begin() + at, size, bytes);
        std::transform(r.states.begin() + at, r.states.begin() + at + static_cast<std::ptrdiff_t>(size), states,
                       [](ptx::byte_state s) { return static_cast<std::uint8_t>(s); });
    });
}

/// The 128 bytes that stand for a tensor map. numbers: base, type, rank, interleave, swizzle, fill, then 5 lengths, 5
/// strides in bytes, 5 of the box, 5 element strides; of im2col mode the pixels of a column, else 0, and 3 lower and 3 upper
/// corners.
int ptx_add_tensor_map(machine* m, const std::uint64_t* numbers, std::uint8_t* bytes)
{
    return guarded([&] {
        ptx::tensor_map_record r;
        r.base = numbers[0];
        r.type = static_cast<int>(numbers[1]);
        r.rank = static_cast<int>(numbers[2]);
        r.interleave = static_cast<int>(numbers[3]);
        r.swizzle = static_cast<int>(numbers[4]);
        r.fill = static_cast<int>(numbers[5]);
        for (std::size_t i = 0; i < 5; ++i) {
            r.lengths[i] = numbers[6 + i];
            r.strides[i] = numbers[11 + i];
            r.box[i] = static_cast<std::uint32_t>(numbers[16 + i]);
            r.element_strides[i] = static_cast<std::uint32_t>(numbers[21 + i]);
        }
        r.pixels = static_cast<int>(numbers[26]);
        for (std::size_t i = 0; i < 3; ++i) {
            r.lower[i] = static_cast<int>(numbers[27 + i]);
            r.upper[i] = static_cast<int>(numbers[30 + i]);
        }
        ptx::check_tensor_map(r);
        std::memset(bytes, 0, 128);
        const std::uint64_t number = m->tensor_maps.size();
        std::memcpy(bytes, &ptx::tensor_map_mark, 8);
        std::memcpy(bytes + 8, &number, 8);
        m->tensor_maps.push_back(r);
    });
}

/// sizes: grid x y z, block x y z, cluster x y z, dynamic shared bytes, seed, limit of instructions, whether it is launched
/// behind another one, level of reports.
int ptx_launch(machine* m, const char* kernel, const std::uint8_t* arguments, std::uint64_t bytes,
               const std::uint64_t* sizes)
{
    return guarded([&] {
        ptx::launch_options o;
        for (std::size_t i = 0; i < 3; ++i) {
            o.grid[i] = static_cast<std::uint32_t>(sizes[i]);
            o.block[i] = static_cast<std::uint32_t>(sizes[3 + i]);
            o.cluster[i] = static_cast<std::uint32_t>(sizes[6 + i]);
        }
        o.shared_bytes = sizes[9];
        o.seed = sizes[10];
        o.limit = sizes[11];
        o.behind = sizes[12] != 0;
        o.reports = static_cast<ptx::level>(sizes[13]);
        m->launch(kernel, {arguments, arguments + bytes}, o);
    });
}

/// Checks that the machine knows every instruction of a kernel.
int ptx_decode(machine* m, const char* kernel)
{
    return guarded([&] {
        const auto found = m->program.functions.find(kernel);
        if (found == m->program.functions.end())
            throw ptx::fault(std::string("no kernel ") + kernel);
        m->kernel = nullptr;
        ptx::assemble(*m, found->second);
    });
}

} // extern "C"
