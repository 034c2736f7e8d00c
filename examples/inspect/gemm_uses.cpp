#include "gemm_uses.hpp"

#include "examples/gemm/shipped.hpp"

#include <tegula/kernel/gemm/warp_specialized/kernel.hpp>
#include <tegula/mma/scaled_warp_atom.hpp>

#include <algorithm>
#include <iterator>

namespace inspect {

namespace {

using gemm_example::type_list;
using tegula::bfloat16, tegula::half, tegula::tfloat32;
using tegula::float8_e4m3, tegula::float8_e4m3_fnuz, tegula::float8_e5m2, tegula::float8_e5m2_fnuz;
using tegula::index_t;
using namespace tegula::arch;

template <class Target, class A, class B = A>
struct product
{};

template <class T, class List>
inline constexpr bool is_in = false;
template <class T, class... Items>
inline constexpr bool is_in<T, type_list<Items...>> = (std::is_same_v<T, Items> || ...);

template <class T, class Inputs>
inline constexpr bool is_type_of = false;
template <class T, class... Inputs>
inline constexpr bool is_type_of<T, type_list<Inputs...>> = (std::is_same_v<T, typename Inputs::type> || ...);

using program_targets =
    type_list<gfx90a, gfx942, gfx950, gfx1100, gfx1201, gfx1250, sm_80, sm_89, sm_90a, sm_100a, sm_103a, sm_120a>;

// Further products that the GEMM tests multiply. test/programs/instructions.py compares the page with the program and
// the tests.
using tested = type_list<product<gfx942, float>, product<gfx942, float8_e5m2_fnuz>,
                         product<gfx942, float8_e5m2_fnuz, float8_e4m3_fnuz>, product<gfx1201, float8_e5m2>,
                         product<gfx1201, float8_e4m3, float8_e5m2>, product<sm_89, float8_e5m2>,
                         product<sm_90a, float8_e4m3, float8_e5m2>, product<gfx950, float8_e5m2>,
                         product<gfx1250, float8_e5m2>, product<sm_120a, float8_e5m2>>;
using tested_by_warpgroups = type_list<product<sm_90a, float8_e5m2>, product<sm_90a, float8_e5m2, float8_e4m3>>;

template <class Target, class A, class B, class Tested>
constexpr use_kind find_kind()
{
    if constexpr (std::is_same_v<A, B> && is_in<Target, program_targets>)
        if (is_type_of<A, gemm_example::shipped_inputs<Target>>)
            return use_kind::shipped;
    return is_in<product<Target, A, B>, Tested> ? use_kind::tested : use_kind::possible;
}

/// Compiles where the library takes a tile of these inputs; the tests and the program show it of the other kinds. Takes
/// longer than all the rest, so test/static/gemm_uses.cpp alone compiles it.
template <class Target, class A, class Atom>
constexpr bool compiles_tile()
{
    constexpr index_t slice = tegula::mma_tile<Target, Atom, 64, 64, 2, 2>::slice_k;
    using tile = tegula::gemm_tile<Target, Atom, 64, 64, std::max(slice, static_cast<index_t>(64 / sizeof(A))), 2, 2>;
    return tile::template check<tegula::operand_order::k_contiguous, tegula::operand_order::k_contiguous>();
}

template <class Target, class A, class B>
void add_use(std::vector<gemm_use>& uses)
{
    if constexpr (tegula::has_matrix_instruction<Target, A, B>) {
        constexpr use_kind kind = find_kind<Target, A, B, tested>();
        using atom = tegula::pair_atom<Target, A, B>;
#ifdef TEGULA_CHECK_TILES
        if constexpr (kind == use_kind::possible)
            static_assert(compiles_tile<Target, A, atom>());
#endif
        uses.push_back({kind, tegula::number_traits<A>::name(), tegula::number_traits<B>::name(),
                        tegula::arch_of<Target>(), atom::row::value});
    }
}

/// As add_use, for the warp-specialised kernels.
template <class A, class B>
void add_warpgroup_use(std::vector<gemm_use>& uses)
{
    using accumulator = tegula::accumulator_of<A>;
    if constexpr (tegula::has_wgmma<sm_90a, A, B, accumulator, 128>) {
        using tile = tegula::warp_specialized_tile<sm_90a, A, B, accumulator, 64, 64, 128 / sizeof(A), 1,
                                                   tegula::consumer_mode::cooperative, 1, 1, 3>;
        using kernel = tegula::warp_specialized_gemm<tile, tegula::operand_order::k_contiguous,
                                                     tegula::operand_order::k_contiguous, accumulator,
                                                     tegula::epilogue::none, tegula::output_store::tensor_copies>;
        static_assert(kernel::block_threads > 0); // complete: its tile is taken
        uses.push_back({find_kind<sm_90a, A, B, tested_by_warpgroups>(), tegula::number_traits<A>::name(),
                        tegula::number_traits<B>::name(), tegula::gpu_arch::sm_90a, kernel::atom::row::value});
    }
}

template <class A, class B = A>
void add_types(std::vector<gemm_use>& uses)
{
    add_use<gfx90a, A, B>(uses);
    add_use<gfx942, A, B>(uses);
    add_use<gfx950, A, B>(uses);
    add_use<gfx1100, A, B>(uses);
    add_use<gfx1200, A, B>(uses);
    add_use<gfx1201, A, B>(uses);
    add_use<gfx1250, A, B>(uses);
    add_use<sm_80, A, B>(uses);
    add_use<sm_89, A, B>(uses);
    add_use<sm_90a, A, B>(uses);
    add_use<sm_100a, A, B>(uses);
    add_use<sm_103a, A, B>(uses);
    add_use<sm_120a, A, B>(uses);
    add_warpgroup_use<A, B>(uses);
}

template <class A, class B>
void add_pairs(std::vector<gemm_use>& uses)
{
    add_types<A>(uses);
    add_types<B>(uses);
    add_types<A, B>(uses);
    add_types<B, A>(uses);
}

/// A Microscaling product of the program, by the name of its --type.
template <class T>
void add_microscaled_use(std::vector<gemm_use>& uses, const char* type)
{
    uses.push_back(
        {use_kind::shipped, type, type, tegula::gpu_arch::gfx950, tegula::scaled_mma_atom<gfx950, T, T>::row::value});
    uses.push_back(
        {use_kind::shipped, type, type, tegula::gpu_arch::gfx1250, tegula::scaled_mma_atom<gfx1250, T, T>::row::value});
}
template <class Format>
void add_scaled_warp_use(std::vector<gemm_use>& uses, const char* type)
{
    uses.push_back({use_kind::shipped, type, type, tegula::gpu_arch::sm_120a,
                    tegula::scaled_warp_atom<sm_120a, Format, Format>::row::value});
}

} // namespace

std::vector<gemm_use> find_gemm_uses()
{
    std::vector<gemm_use> uses;
    add_types<half>(uses);
    add_types<bfloat16>(uses);
    add_types<tfloat32>(uses);
    add_types<float>(uses);
    add_types<double>(uses);
    add_pairs<std::int8_t, std::uint8_t>(uses);
    add_pairs<float8_e4m3, float8_e5m2>(uses);
    add_pairs<float8_e4m3_fnuz, float8_e5m2_fnuz>(uses);
    add_microscaled_use<float8_e4m3>(uses, "mxfp8_e4m3");
    add_microscaled_use<tegula::float6_e2m3>(uses, "mxfp6_e2m3");
    add_microscaled_use<tegula::float4_e2m1>(uses, "mxfp4");
    add_scaled_warp_use<tegula::mx_format<float8_e4m3>>(uses, "mxfp8_e4m3");
    add_scaled_warp_use<tegula::mx_format<tegula::float6_e2m3>>(uses, "mxfp6_e2m3");
    add_scaled_warp_use<tegula::mx_format<tegula::float4_e2m1>>(uses, "mxfp4");
    add_scaled_warp_use<tegula::nvfp4_format>(uses, "nvfp4");
    // Not std::stable_sort: clang warns of a function that libstdc++ 12 calls there.
    std::vector<gemm_use> by_kind;
    for (int kind = 0; by_kind.size() < uses.size(); ++kind)
        std::copy_if(uses.begin(), uses.end(), std::back_inserter(by_kind),
                     [&](const gemm_use& use) { return static_cast<int>(use.kind) == kind; });
    return by_kind;
}

} // namespace inspect
