#include "choose_cpu.hpp"

#include "bad_input.hpp"

#include <tegula/arch/x86/features.hpp>

namespace examples {

bool is_cpu(const std::string& arch) { return arch == "host" || arch.starts_with("x86_"); }

bool goes_to_cpu(const gpu_wish& wish, bool wants_emulator, bool built)
{
    if (wish.device != "auto" || !wish.arch.empty())
        return wish.device == "cpu" || (wish.device == "auto" && is_cpu(wish.arch));
    return !wants_emulator && built && tegula::x86::host_features().contains(tegula::x86::feature::avx2);
}

std::string cpu_arch(const std::string& arch, bool has_tiles)
{
    namespace x86 = tegula::x86;
    const x86::feature_set tiles_needed = x86::feature::avx512 | x86::feature::amx_tile;
    const bool wide = x86::host_features().contains(x86::feature::avx512);
    if ((arch.empty() || arch == "host") && has_tiles && x86::host_features().contains(tiles_needed))
        return "x86_amx";
    if (arch.empty() || arch == "host")
        return wide ? "x86_avx512" : "x86_avx2";
    if (!is_cpu(arch))
        throw bad_input("--device cpu is for --arch host, x86_avx2, x86_avx512 and x86_amx, not for " + arch +
                        "; take --device emulator");
    const x86::feature_set needed = arch == "x86_avx2"  ? x86::feature_set(x86::feature::avx2)
                                    : arch == "x86_amx" ? tiles_needed
                                                        : x86::feature_set(x86::feature::avx512);
    if (const tegula::status s = x86::check_features(needed, x86::host_features(), arch.c_str()); !s)
        throw bad_input(s.message());
    return arch;
}

} // namespace examples
