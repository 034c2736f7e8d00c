// A kernel that says nothing of itself but its arguments: a sentence for each missing member.
//
// expect: tegula: the kernel needs 'static status check(const arguments&)'
// expect: tegula: the kernel needs 'static arguments normalize(const arguments&)'
// expect: tegula: the kernel needs 'template <class Memory> static void memory(const arguments&, Memory&)'
// expect: tegula: the kernel needs 'blocks(const arguments&)' and a 'name' if it is one launch

#include <tegula/host/emulated_device.hpp>

using namespace tegula;

struct fill_zeros
{
    using target = arch::gfx942;
    static constexpr int block_threads = 64;
    struct arguments
    {
        float* to = nullptr;
        index_t count = 0;
    };

#ifdef TEGULA_CONTROL
    static constexpr const char* name = "fill zeros";
    static status check(const arguments&) { return {}; }
    static arguments normalize(const arguments& args) { return args; }
    template <class Memory>
    static void memory(const arguments& args, Memory& memory)
    {
        memory.write(args.to, static_cast<std::size_t>(args.count) * sizeof(float), "to");
    }
    static long_index_t blocks(const arguments& args) { return (args.count + 63) / 64; }
#endif

    TEGULA_HOST_DEVICE void operator()(const arguments& args) const
    {
        const index_t at = target::block_id()[0] * 64 + target::thread_id();
        if (at < args.count)
            args.to[at] = 0;
    }
};

status run(float* to, index_t count)
{
    emulated_device device;
    return launch(device, fill_zeros{}, {to, count});
}
