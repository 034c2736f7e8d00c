#pragma once

#include <tegula/core/config.hpp>
#include <tegula/core/status.hpp>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/// The features of this machine, which are queried when the program runs.

namespace tegula::x86 {

/// Instruction set extensions, as far as the library tells machines apart by them.
enum class feature : unsigned {
    avx2 = 1,        ///< AVX2, FMA and F16C, which came together
    avx_vnni = 2,    ///< vpdpbusd on 256 bits without AVX-512
    avx512 = 4,      ///< AVX-512 F, BW, DQ and VL
    avx512_vnni = 8, ///< vpdpbusd on 512 bits
    avx512_bf16 = 16,
    avx512_fp16 = 32,
    amx_tile = 64,
    amx_bf16 = 128,
    amx_int8 = 256,
    amx_fp16 = 512,
};

inline constexpr int num_features = 10;

constexpr const char* name_of(feature f)
{
    constexpr const char* names[num_features] = {"AVX2 and FMA", "AVX-VNNI",     "AVX-512 (F, BW, DQ, VL)",
                                                 "AVX-512 VNNI", "AVX-512 BF16", "AVX-512 FP16",
                                                 "AMX tiles",    "AMX-BF16",     "AMX-INT8",
                                                 "AMX-FP16"};
    int i = 0;
    while (static_cast<unsigned>(f) >> (i + 1) != 0)
        ++i;
    return names[i];
}

/// A set of features.
struct feature_set
{
    unsigned bits = 0;

    constexpr feature_set() = default;
    constexpr feature_set(feature f) : bits(static_cast<unsigned>(f)) {}
    constexpr bool contains(feature_set all) const { return (bits & all.bits) == all.bits; }
    friend constexpr feature_set operator|(feature_set a, feature_set b)
    {
        a.bits |= b.bits;
        return a;
    }
};
constexpr feature_set operator|(feature a, feature b) { return feature_set(a) | feature_set(b); }

/// The data caches that a core has to itself, and the one it shares, in bytes; 0 if the machine does not say.
struct cache_sizes
{
    long level1 = 0, level2 = 0, level3 = 0;
};

/// The maker of a processor, and its family and model as CPUID gives them, the extended parts added (Intel SDM, volume
/// 2, CPUID, leaf 1; AMD64 Architecture Programmer's Manual, volume 3, appendix E).
struct processor_model
{
    enum class vendor { other, intel, amd } made_by = vendor::other;
    int family = 0, model = 0;
};

/// Multiply-adds of vectors that a core begins in a cycle: on its ports, or in parts if registers are wider than those.
struct multiply_rates
{
    int of_32_bytes = 2, of_64_bytes = 2;
};

/// The rates of a processor's ports. CPUID has no field for them, so that they follow from its model. An unknown model
/// counts as two of each, as Intel's and AMD's cores with AVX2 have, and servers with AVX-512. Some Skylake and Cascade
/// Lake Xeons have one of 64 bytes, and their models are the same. Sources: LLVM's scheduling models (bdver4, znver1 to
/// znver4, icelake-client, tigerlake, rocketlake); Yee, "Zen5's AVX512 Teardown", 2024; for its laptops, measurements
/// by Huang, 2024. Servers alone have tiles: a virtual machine may give one the model of a client.
constexpr multiply_rates multiply_rates_of(const processor_model& x, bool has_tiles = false)
{
    if (x.made_by == processor_model::vendor::amd) {
        switch (x.family) {
        case 0x15: // Excavator
            return {1, 1};
        case 0x17:
            return {x.model < 0x30 ? 1 : 2, 1}; // Zen: two ports of 16 bytes; Zen 2: of 32
        case 0x19:                              // Zen 3; Zen 4: 64 bytes go through a port of 32 twice
            return {2, 1};
        case 0x1a: // Zen 5; Strix Point, for laptops, has the ports of Zen 4
            return {2, x.model >= 0x20 && x.model < 0x30 ? 1 : 2};
        default:
            return {};
        }
    }
    if (x.made_by == processor_model::vendor::intel && x.family == 6 && !has_tiles) {
        constexpr int clients[] = {0x66, 0x7d, 0x7e, 0x8c, 0x8d, 0xa7}; // Cannon, Ice, Tiger and Rocket Lake
        for (const int client : clients)
            if (x.model == client)
                return {2, 1};
    }
    return {};
}

namespace detail {

#if defined(__x86_64__)
struct cpuid_leaf
{
    unsigned a = 0, b = 0, c = 0, d = 0;
};

inline cpuid_leaf read_cpuid(unsigned leaf, unsigned part = 0)
{
    cpuid_leaf x;
    if (__get_cpuid_count(leaf, part, &x.a, &x.b, &x.c, &x.d) == 0)
        return {};
    return x;
}

/// Register state that the operating system keeps: bits of XCR0 (Intel SDM, volume 1, 13.3).
inline std::uint64_t read_kept_state()
{
    if ((read_cpuid(1).c >> 27 & 1) == 0) // OSXSAVE
        return 0;
    unsigned low = 0, high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return static_cast<std::uint64_t>(high) << 32 | low;
}

/// Asks the system to let this process use tile data, as Linux wants it (arch_prctl, ARCH_REQ_XCOMP_PERM); true if no
/// request is needed.
inline bool may_use_tiles()
{
#if defined(__linux__)
    constexpr long arch_prctl = 158, request = 0x1023, tile_data = 18; // numbers of x86-64
    long result = arch_prctl;
    asm volatile("syscall" : "+a"(result) : "D"(request), "S"(tile_data) : "rcx", "r11", "memory");
    return result == 0;
#else
    return true;
#endif
}

/// CPUID leaves 1 and 7 (Intel SDM, volume 2, CPUID).
inline feature_set find_features()
{
    constexpr std::uint64_t ymm = 0x6, zmm = 0xe6, tiles = 0x60000;
    const std::uint64_t kept = read_kept_state();
    const cpuid_leaf one = read_cpuid(1), seven = read_cpuid(7), more = read_cpuid(7, 1);
    feature_set found;
    const auto add = [&](feature f, bool has) { found = has ? found | f : found; };
    const auto bit = [](unsigned word, int i) { return (word >> i & 1) != 0; };
    const bool avx2 = (kept & ymm) == ymm && bit(seven.b, 5) && bit(one.c, 12) && bit(one.c, 29);
    const bool avx512 =
        avx2 && (kept & zmm) == zmm && bit(seven.b, 16) && bit(seven.b, 17) && bit(seven.b, 30) && bit(seven.b, 31);
    const bool amx = avx512 && (kept & tiles) == tiles && bit(seven.d, 24) && may_use_tiles();
    add(feature::avx2, avx2);
    add(feature::avx_vnni, avx2 && bit(more.a, 4));
    add(feature::avx512, avx512);
    add(feature::avx512_vnni, avx512 && bit(seven.c, 11));
    add(feature::avx512_bf16, avx512 && bit(more.a, 5));
    add(feature::avx512_fp16, avx512 && bit(seven.d, 23));
    add(feature::amx_tile, amx);
    add(feature::amx_bf16, amx && bit(seven.d, 22));
    add(feature::amx_int8, amx && bit(seven.d, 25));
    add(feature::amx_fp16, amx && bit(more.a, 21));
    return found;
}

/// CPUID leaf 4 of Intel, 0x8000001d of AMD, which are alike.
inline cache_sizes find_caches()
{
    cache_sizes sizes;
    const unsigned leaf = read_cpuid(4).a != 0 ? 4 : 0x8000001d;
    for (unsigned i = 0; i < 8; ++i) {
        const cpuid_leaf x = read_cpuid(leaf, i);
        const unsigned type = x.a & 31, level = x.a >> 5 & 7;
        if (type == 0)
            break;
        if (type == 2) // instructions
            continue;
        const long bytes = static_cast<long>((x.b >> 22) + 1) * ((x.b >> 12 & 1023) + 1) * ((x.b & 4095) + 1) *
                           (static_cast<long>(x.c) + 1);
        (level == 1 ? sizes.level1 : level == 2 ? sizes.level2 : sizes.level3) = bytes;
    }
    return sizes;
}

inline processor_model find_model()
{
    processor_model x;
    using enum processor_model::vendor;
    const unsigned who = read_cpuid(0).b, version = read_cpuid(1).a;
    x.made_by = who == 0x756e6547 ? intel : who == 0x68747541 ? amd : other; // Genu, Auth
    const int base = version >> 8 & 15;
    x.family = base == 15 ? base + static_cast<int>(version >> 20 & 255) : base;
    x.model = static_cast<int>(version >> 4 & 15);
    if (base == 15 || base == 6)
        x.model += static_cast<int>(version >> 16 & 15) << 4;
    return x;
}
#else
inline feature_set find_features() { return {}; }
inline cache_sizes find_caches() { return {}; }
inline processor_model find_model() { return {}; }
#endif

} // namespace detail

inline const feature_set& host_features()
{
    static const feature_set found = detail::find_features();
    return found;
}

inline const cache_sizes& host_caches()
{
    static const cache_sizes found = detail::find_caches();
    return found;
}

inline const processor_model& host_model()
{
    static const processor_model found = detail::find_model();
    return found;
}

inline const multiply_rates& host_multiply_rates()
{
    static const multiply_rates known = multiply_rates_of(host_model(), host_features().contains(feature::amx_tile));
    return known;
}

/// Whether Intel made the processor.
inline bool host_is_intel() { return host_model().made_by == processor_model::vendor::intel; }

/// Whether a machine with `present` runs what needs `needed`. Errors: unsupported, naming what is lacking.
inline status check_features(feature_set needed, feature_set present, const char* what)
{
    for (int i = 0; i < num_features; ++i) {
        const auto f = static_cast<feature>(1u << i);
        if (needed.contains(f) && !present.contains(f))
            return status(status_code::unsupported, what)
                   << " needs " << name_of(f) << ", which this machine has not; take arch host, which is the best of "
                   << "what it has, or the emulator";
    }
    return {};
}

} // namespace tegula::x86
