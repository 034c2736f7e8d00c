/// gpu_checks without a GPU: the machine for PTX (test/ptx) plays it, and runs the PTX of each kernel that is launched. The host
/// evaluates the formulas that results are compared with.
/// TEGULA_MACHINE_SEED chooses the order of blocks and warps (default 0).

#include "test/gpu/formula.hpp"
#include "test/gpu/watching_runtime/watching_runtime.hpp"
#include "test/ptx/machine/tensor_map.hpp"

#include <cuda_runtime_api.h>
#include <fatbinary_section.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

#include <sys/mman.h>

namespace tegula::test {
namespace {

/// Header of a fat binary, and of each piece of code in it. NVIDIA does not document them; nvcc 12 and 13 write these.
struct fat_binary
{
    std::uint32_t magic;
    std::uint16_t version, header_bytes;
    std::uint64_t bytes; ///< behind the header
};
struct fat_binary_piece
{
    std::uint16_t kind, version;
    std::uint32_t header_bytes;
    std::uint64_t bytes; ///< behind the header
    std::uint32_t compressed_bytes;
};
constexpr std::uint32_t fat_binary_magic = 0xba55ed50;
constexpr std::uint16_t ptx_kind = 1;

template <class T>
T read(const char* from)
{
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

/// The PTX in what nvcc registers. Errors: ptx::fault if there is none.
std::string find_ptx(const void* module)
{
    const char* at = reinterpret_cast<const char*>(static_cast<const __fatBinC_Wrapper_t*>(module)->data);
    const auto whole = read<fat_binary>(at);
    if (whole.magic != fat_binary_magic)
        throw ptx::fault("what nvcc registered is no fat binary that this program knows");
    at += whole.header_bytes;
    for (const char* const end = at + whole.bytes; at < end;) {
        const auto piece = read<fat_binary_piece>(at);
        at += piece.header_bytes;
        if (piece.kind == ptx_kind && piece.compressed_bytes != 0)
            throw ptx::fault("the PTX is compressed; compile it with nvcc --no-compress");
        if (piece.kind == ptx_kind)
            return std::string(at, strnlen(at, piece.bytes));
        at += piece.bytes;
    }
    throw ptx::fault("a kernel was compiled without PTX; the machine runs no other code");
}

/// The bytes of a kernel's parameters, from a pointer to each.
std::vector<std::uint8_t> pack_parameters(const ptx::function& kernel, void** arguments)
{
    std::vector<std::uint8_t> packed;
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
        const ptx::variable& p = kernel.parameters[i];
        const auto* const bytes = static_cast<const std::uint8_t*>(arguments[i]);
        packed.resize((packed.size() + p.alignment - 1) / p.alignment * p.alignment);
        packed.insert(packed.end(), bytes, bytes + p.bytes);
    }
    return packed;
}

class executing_gpu : public played_gpu
{
public:
    void* allocate(std::size_t bytes) override
    {
        const std::string name =
            "allocation " + std::to_string(++allocations_) + " of " + std::to_string(bytes) + " bytes";
        return reinterpret_cast<void*>(memory_.add(name, nullptr, bytes, true));
    }
    void release(void* memory) override { memory_.remove(reinterpret_cast<std::uint64_t>(memory)); }

    int copy(void* to, const void* from, std::size_t bytes) override
    {
        return report([&] {
            if (ptx::region* const target = on_gpu(to, bytes)) {
                const auto at = static_cast<std::ptrdiff_t>(reinterpret_cast<std::uint64_t>(to) - target->base);
                std::copy_n(static_cast<const std::uint8_t*>(from), bytes, target->bytes.begin() + at);
                std::fill_n(target->states.begin() + at, bytes, ptx::byte_state::valid);
            } else if (ptx::region* const source = on_gpu(from, bytes)) {
                const auto at = static_cast<std::ptrdiff_t>(reinterpret_cast<std::uint64_t>(from) - source->base);
                std::copy_n(source->bytes.begin() + at, bytes, static_cast<std::uint8_t*>(to));
                const auto first = source->states.begin() + at, last = first + static_cast<std::ptrdiff_t>(bytes);
                const auto none =
                    std::find_if(first, last, [](ptx::byte_state s) { return s != ptx::byte_state::valid; });
                if (none != last)
                    throw ptx::fault("byte " + std::to_string(none - source->states.begin()) + " of " + source->name +
                                     " is copied to the host, " + ptx::describe(*none));
            } else {
                std::memcpy(to, from, bytes);
            }
        });
    }

    int start(const asked_launch& asked) override
    {
        return report([&] {
            ptx::machine& machine = machine_of(asked.module);
            const auto found = machine.program.functions.find(asked.kernel);
            if (found == machine.program.functions.end())
                throw ptx::fault(std::string("no kernel ") + asked.kernel);
            pending_launch launch{&machine, asked.kernel, pack_parameters(found->second, asked.arguments), {}};
            launch.options.grid = asked.grid;
            launch.options.block = asked.block;
            launch.options.cluster = asked.cluster;
            launch.options.shared_bytes = asked.shared_bytes;
            launch.options.behind = asked.overlaps;
            if (asked.captured)
                captured_.push_back(std::move(launch));
            else
                run(launch);
        });
    }

    void begin_capture() override { captured_.clear(); }
    int replay() override
    {
        return report([&] {
            for (pending_launch& launch : captured_)
                run(launch);
        });
    }

    int encode(std::uint64_t* map, const asked_tensor_map& asked) override
    {
        return report([&] {
            ptx::tensor_map_record r;
            r.base = reinterpret_cast<std::uint64_t>(asked.base);
            r.type = asked.type;
            r.rank = asked.rank;
            r.interleave = asked.interleave;
            r.swizzle = asked.swizzle;
            r.fill = asked.fill;
            for (std::size_t i = 0; i < static_cast<std::size_t>(asked.rank); ++i) {
                r.lengths[i] = asked.lengths[i];
                r.strides[i] = i == 0 ? 0 : asked.strides[i - 1];
                r.box[i] = asked.box[i];
                r.element_strides[i] = asked.element_strides[i];
            }
            ptx::check_tensor_map(r);
            map[0] = ptx::tensor_map_mark;
            map[1] = tensor_maps_.size();
            tensor_maps_.push_back(r);
        });
    }

    /// f() while each allocation can be read at its address. Bytes without a value are 0xff: NaN in floating-point formats with
    /// one, -1 as an integer.
    template <class F>
    void lend_to_host(const F& f)
    {
        constexpr std::uint64_t page = 4096;
        struct pages
        {
            std::vector<std::pair<void*, std::size_t>> all;
            ~pages()
            {
                for (const auto& [at, bytes] : all)
                    munmap(at, bytes);
            }
        } lent;
        for (const auto& r : memory_.all()) {
            if (r->bytes.empty())
                continue;
            const std::uint64_t first = r->base / page * page, bytes = r->base + r->bytes.size() - first;
            void* const at = mmap(reinterpret_cast<void*>(first), bytes, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
            if (at != reinterpret_cast<void*>(first))
                throw std::runtime_error("the host has something else at the address of " + r->name);
            lent.all.emplace_back(at, bytes);
            auto* const to = reinterpret_cast<std::uint8_t*>(r->base);
            for (std::size_t i = 0; i < r->bytes.size(); ++i)
                to[i] = r->states[i] == ptx::byte_state::valid ? r->bytes[i] : 0xff;
        }
        f();
    }

    const char* describe(int error) override { return error == cudaErrorLaunchFailure ? why_.c_str() : nullptr; }

private:
    struct pending_launch
    {
        ptx::machine* machine;
        std::string kernel;
        std::vector<std::uint8_t> arguments;
        ptx::launch_options options;
    };

    /// CUDA's error for what f reports.
    template <class F>
    int report(const F& f)
    {
        try {
            f();
            return cudaSuccess;
        } catch (const ptx::fault& fault) {
            why_ = std::string("the machine for PTX reports: ") + fault.what();
            return cudaErrorLaunchFailure;
        }
    }

    /// Null for memory of the host.
    ptx::region* on_gpu(const void* memory, std::size_t bytes)
    {
        const auto address = reinterpret_cast<std::uint64_t>(memory);
        return (address & ptx::window::mask) == ptx::window::global ? &memory_.find(address, bytes) : nullptr;
    }

    ptx::machine& machine_of(const void* module)
    {
        std::unique_ptr<ptx::machine>& m = machines_[module];
        if (m == nullptr) {
            auto made = std::make_unique<ptx::machine>();
            with_memory(*made, [&] { made->load(find_ptx(module)); });
            m = std::move(made);
        }
        return *m;
    }

    /// f() while the machine has the memory and the tensor maps, which all modules share.
    template <class F>
    void with_memory(ptx::machine& machine, const F& f)
    {
        struct loan
        {
            executing_gpu& gpu;
            ptx::machine& machine;
            loan(executing_gpu& gpu, ptx::machine& machine) : gpu(gpu), machine(machine) { swap(); }
            ~loan() { swap(); }
            void swap()
            {
                std::swap(machine.memory, gpu.memory_);
                std::swap(machine.tensor_maps, gpu.tensor_maps_);
            }
        } lent(*this, machine);
        f();
    }

    void run(pending_launch& launch)
    {
        // One of four seeds cuts turns short. There the machine takes the long formulas of checks for a deadlock.
        launch.options.seed = seed_ + seed_ / 3;
        ++seed_;
        with_memory(*launch.machine, [&] { launch.machine->launch(launch.kernel, launch.arguments, launch.options); });
    }

    ptx::global_memory memory_;
    std::vector<ptx::tensor_map_record> tensor_maps_;
    std::map<const void*, std::unique_ptr<ptx::machine>> machines_; ///< by module
    std::vector<pending_launch> captured_;
    std::string why_;
    int allocations_ = 0;
    std::uint64_t seed_ = std::getenv("TEGULA_MACHINE_SEED") == nullptr
                              ? 0
                              : std::strtoull(std::getenv("TEGULA_MACHINE_SEED"), nullptr, 10);
} executes;

[[maybe_unused]] const bool plays = (the_runtime().played = &executes, true);

} // namespace
} // namespace tegula::test

void tegula_read_on_host(void (*compare)(void* what), void* what)
{
    tegula::test::executes.lend_to_host([&] { compare(what); });
}
