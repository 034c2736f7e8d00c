#pragma once

#include <tegula/arch/gpu_target.hpp>
#include <tegula/arch/raw_vector.hpp>
#include <tegula/chip/chip_info.hpp>
#include <tegula/core/block_scale.hpp>
#include <tegula/core/convert.hpp>
#include <tegula/core/static_for.hpp>
#include <tegula/kernel/gemm/memory.hpp>
#include <tegula/kernel/gemm/microscaled/layout.hpp>

namespace tegula {

/// The order in memory in which a target's matrix products read the scales of blocks. On NVIDIA and gfx1250 they are in atoms of
/// 128 rows (scale_atom_offset), on gfx950 as its registers hold them (mx_scale_offset).
template <class Target, class Format>
struct scale_layout : scale_order<Format, Target::wave_size == 32>
{
    static_assert(
        Target::chip().vendor == vendor::nvidia || Format::block == mx_block,
        "tegula: the target has no products of this format's scales; NVFP4 is for sm_100a, sm_103a and sm_120a");
};

/// A matrix x, [rows, k], and the memory of its quantised rows. row_stride and k_stride are in elements of X, of any sign.
///
/// values        output: [rows] packed rows
/// value_stride  bytes from row to row of `values`: a multiple of 16, at least mx_row_bytes<element>(k)
/// scales        output: scale_layout::bytes(rows, k) bytes
/// tensor_scale  for NVFP4: nvfp4_tensor_scale of the tensor's largest magnitude. Not read for other formats.
template <class X>
struct block_quantize_arguments
{
    const X* x = nullptr;
    long_index_t rows = 0, k = 0;
    long_index_t row_stride = 0, k_stride = 0;
    std::uint8_t* values = nullptr;
    long_index_t value_stride = 0;
    std::uint8_t* scales = nullptr;
    float tensor_scale = 1;
};

/// Whether the arguments describe a matrix that can be quantised to elements of T.
template <class T, class X>
status can_implement(const block_quantize_arguments<X>& g)
{
    namespace checks = gemm_checks;
    if (status s = checks::check_size("rows", g.rows); !s)
        return s;
    if (status s = checks::check_size("k", g.k); !s)
        return s;
    if (g.rows == 0 || g.k == 0)
        return {};
    if (status s = checks::check_input("x", matrix_argument<const X>{g.x, g.row_stride, g.k_stride, 0}, g.rows, g.k, 1);
        !s)
        return s;
    if (g.values == nullptr || g.scales == nullptr)
        return checks::invalid(g.values == nullptr ? "values" : "scales")
               << " is a null pointer, but there are " << g.rows << " x " << g.k << " elements to quantise";
    const long_index_t least = mx_row_bytes<T>(g.k);
    if (!checks::is_aligned(g.values, 16) || g.value_stride % 16 != 0 || g.value_stride < least)
        return checks::invalid("values has rows ")
               << g.value_stride << " bytes apart; they must start at multiples of 16 bytes and be at least " << least
               << " bytes apart";
    if (!(g.tensor_scale >= 0x1p-126f && g.tensor_scale <= 0x1.fffffep127f))
        return checks::invalid("tensor_scale") << " is no normal number of float above 0; give nvfp4_tensor_scale of "
                                                  "the tensor's largest magnitude, 1 for "
                                                  "Microscaling formats";
    return {};
}

/// Quantises rows by Format, an mx_format or nvfp4_format, and writes values and scales as the target's products read
/// them, zeros past k. X is read once. A lane takes 8 neighbours along k; 4 lanes take a block of 32, 2 lanes one of
/// 16. A block with NaN or an infinity gets the scale NaN. X of 2 or 4 bytes is read in vectors of 16 bytes if its rows
/// are whole vectors at multiples of 16 bytes, else by elements.
template <class Target, class Format, class X>
struct block_quantize
{
    using target = Target;
    using format = Format;
    using element_type = typename Format::element_type;
    using scale_type = typename Format::scale_type;
    using layout = scale_layout<Target, Format>;
    using arguments = block_quantize_arguments<X>;
    static constexpr const char* name = "block_quantize";
    static constexpr int block_threads = 256;
    static constexpr int elements = 8; ///< elements that a lane takes

    /// Lanes of a row, for its stored elements and its scales.
    static constexpr TEGULA_HOST_DEVICE long_index_t lanes_of_row(long_index_t k)
    {
        const long_index_t stored = ceil_div(k, mx_step) * mx_step, scaled = layout::blocks(k) * Format::block;
        return (stored > scaled ? stored : scaled) / elements;
    }
    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        return args.rows == 0 || args.k == 0 ? 0
                                             : ceil_div(layout::rows(args.rows) * lanes_of_row(args.k), block_threads);
    }

    static status check(const arguments& args) { return can_implement<element_type>(args); }
    static arguments normalize(const arguments& args) { return args; }
    template <class Memory>
    static void memory(const arguments& args, Memory& memory)
    {
        add_matrix(memory, matrix_argument<const X>{args.x, args.row_stride, args.k_stride, 0}, args.rows, args.k, 1,
                   "x");
        add_matrix(memory, matrix_argument<std::uint8_t>{args.values, args.value_stride, 1, 0}, args.rows,
                   mx_row_bytes<element_type>(args.k), 1, "values");
        memory.write(args.scales, static_cast<std::size_t>(layout::bytes(args.rows, args.k)), "scales");
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        const long_index_t number =
            Target::block_id()[0] * static_cast<long_index_t>(block_threads) + Target::thread_id();
        const long_index_t lanes = lanes_of_row(args.k);
        const bool active = number < layout::rows(args.rows) * lanes;
        const long_index_t row = active ? number / lanes : 0;
        const long_index_t first = number % lanes * elements; // first column

        const bool there = active && row < args.rows;
        const array<float, elements> x =
            has_vectors(args) ? load_vectors(args, row, first, there) : load(args, row, first, there);
        float largest = 0;
        static_for<elements>([&](auto i) { largest = greater(largest, x[i] < 0 ? -x[i] : x[i]); });
        largest = greater(largest, Target::template shuffle_xor<1>(largest));
        if constexpr (Format::block == 32)
            largest = greater(largest, Target::template shuffle_xor<2>(largest));
        static_assert(Format::block == 32 || Format::block == 16);
        const scale_type scale = Format::scale(largest, args.tensor_scale);

        const long_index_t bytes_before = first * element_type::format::width / 8;
        const bool stored = active && row < args.rows && first < ceil_div(args.k, mx_step) * mx_step;
        store(args.values + (stored ? row * args.value_stride + bytes_before : 0), pack(x, scale, args.tensor_scale),
              stored);
        const bool leads = active && first % Format::block == 0 && first / Format::block < layout::blocks(args.k);
        using byte = raw_vector<1>;
        Target::store_global(
            reinterpret_cast<byte*>(args.scales +
                                    (leads ? layout::offset(row, first / Format::block, args.rows, args.k) : 0)),
            __builtin_bit_cast(byte, scale.bits), leads);
    }

private:
    static constexpr int vector = 16 / static_cast<int>(sizeof(X)); ///< elements of 16 bytes

    static TEGULA_INLINE bool has_vectors(const arguments& args)
    {
        if constexpr (vector != elements && 2 * vector != elements)
            return false;
        else
            return args.k_stride == 1 && args.k % vector == 0 && (args.rows == 1 || args.row_stride % vector == 0) &&
                   reinterpret_cast<std::uintptr_t>(args.x) % 16 == 0;
    }
    static TEGULA_INLINE array<X, vector> load_vector(const arguments& args, long_index_t row, long_index_t column,
                                                      bool active)
    {
        const bool inside = active && column < args.k;
        const X* const at = args.x + (inside ? row * args.row_stride + column : 0);
        return __builtin_bit_cast(array<X, vector>,
                                  Target::load_global(reinterpret_cast<const raw_vector<16>*>(at), inside));
    }
    /// As load, by all lanes of a wave. If elements have 4 bytes, the two vectors of a lane would lie 32 bytes from the
    /// next lane's. So two lanes read neighbouring vectors, and exchange one each.
    static TEGULA_INLINE array<float, elements> load_vectors(const arguments& args, long_index_t row,
                                                             long_index_t first, bool active)
    {
        array<float, elements> x;
        if constexpr (vector == elements) {
            const auto all = load_vector(args, row, first, active);
            static_for<elements>([&](auto i) { x[i] = static_cast<float>(all[i]); });
        } else if constexpr (2 * vector == elements) {
            const bool odd = first % (2 * elements) != 0;
            const long_index_t column = first - (odd ? vector : 0);
            const auto low = load_vector(args, row, column, active);
            const auto high = load_vector(args, row, column + elements, active);
            static_for<vector>([&](auto i) {
                const float mine = static_cast<float>(odd ? high[i] : low[i]);
                const float other = Target::template shuffle_xor<1>(static_cast<float>(odd ? low[i] : high[i]));
                x[i] = odd ? other : mine;
                x[vector + i] = odd ? mine : other;
            });
        }
        return x;
    }

    static TEGULA_INLINE array<float, elements> load(const arguments& args, long_index_t row, long_index_t first,
                                                     bool active)
    {
        using bits = raw_vector<static_cast<int>(sizeof(X))>;
        array<float, elements> x;
        static_for<elements>([&](auto i) {
            const bool inside = active && first + i < args.k;
            const X* const at = args.x + (inside ? row * args.row_stride + (first + i) * args.k_stride : 0);
            const bits one = Target::load_global(reinterpret_cast<const bits*>(at), inside);
            x[i] = static_cast<float>(__builtin_bit_cast(X, one));
        });
        return x;
    }

    /// The greater of two magnitudes, NaN if one is.
    static TEGULA_INLINE float greater(float a, float b) { return a != a || b < a ? a : b; }

    static TEGULA_INLINE std::uint64_t pack(const array<float, elements>& x, scale_type scale,
                                            [[maybe_unused]] float tensor_scale)
    {
        if constexpr (requires { requires Target::template has_scaled_conversion<element_type>; })
            if constexpr (!Format::has_tensor_scale)
                return Target::template convert_scaled<element_type>(x, scale);
        std::uint64_t word = 0;
        static_for<elements>([&](auto i) {
            word |= static_cast<std::uint64_t>(Format::element(x[i], scale, tensor_scale).bits)
                    << element_type::format::width * i;
        });
        return word;
    }

    /// The lane's bytes, as many as an element is wide, in the widest pieces that lie at multiples of their size.
    static TEGULA_INLINE void store(std::uint8_t* to, std::uint64_t word, bool active)
    {
        constexpr int bytes = element_type::format::width;
        constexpr int piece = bytes == 6 ? 2 : bytes;
        using raw = raw_vector<piece>;
        using value =
            std::conditional_t<piece == 2, std::uint16_t, std::conditional_t<piece == 4, std::uint32_t, std::uint64_t>>;
        static_for<bytes / piece>([&](auto p) {
            Target::store_global(reinterpret_cast<raw*>(to) + p,
                                 __builtin_bit_cast(raw, static_cast<value>(word >> 8 * piece * p)), active);
        });
    }
};

} // namespace tegula
