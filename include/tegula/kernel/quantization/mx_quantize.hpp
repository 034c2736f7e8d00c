#pragma once

#include <tegula/arch/gpu_target.hpp>
#include <tegula/arch/raw_vector.hpp>
#include <tegula/core/convert.hpp>
#include <tegula/core/static_for.hpp>
#include <tegula/kernel/gemm/can_implement.hpp>
#include <tegula/kernel/gemm/microscaled/layout.hpp>

namespace tegula {

/// A matrix and where its quantised rows go. Strides in elements of X, of any sign.
///
/// values  [rows] packed rows, value_stride bytes apart: a multiple of 16, at least mx_row_bytes<T>(k)
/// scales  mx_scale_bytes(rows, k) bytes
template <class X>
struct mx_quantize_arguments
{
    const X* x = nullptr;
    long_index_t rows = 0, k = 0;
    long_index_t row_stride = 0, k_stride = 0;
    std::uint8_t* values = nullptr;
    long_index_t value_stride = 0;
    std::uint8_t* scales = nullptr;
};

/// Whether the arguments describe a matrix that can be quantised to T.
template <class T, class X>
status can_implement(const mx_quantize_arguments<X>& g)
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
    return {};
}

/// Quantises rows to T, float8_e4m3, float8_e5m2, float6_e2m3, float6_e3m2 or float4_e2m1, by the rule of the Microscaling
/// formats (mx_scale, mx_element), and writes values and scales as microscaled_gemm reads them, zeros past k. X is read
/// once. A lane takes 8 neighbours along k, 4 lanes a block of 32. A block with NaN or an infinity gets the scale NaN.
template <class Target, class T, class X, mx_rule Rule = mx_rule::floor>
struct mx_quantize
{
    using target = Target;
    using arguments = mx_quantize_arguments<X>;
    static constexpr int block_threads = 256;
    static constexpr int elements = 8; ///< of a lane

    static constexpr TEGULA_HOST_DEVICE long_index_t lanes_of_row(long_index_t k)
    {
        return ceil_div(k, mx_scale_span) * (mx_scale_span / elements);
    }
    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        return ceil_div(args.rows * lanes_of_row(args.k), block_threads);
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        const long_index_t number =
            Target::block_id()[0] * static_cast<long_index_t>(block_threads) + Target::thread_id();
        const long_index_t lanes = lanes_of_row(args.k);
        const bool active = number < args.rows * lanes;
        const long_index_t row = active ? number / lanes : 0;
        const long_index_t first = number % lanes * elements; // of k

        const array<float, elements> x = load(args, row, first, active);
        float largest = 0;
        static_for<elements>([&](auto i) { largest = greater(largest, x[i] < 0 ? -x[i] : x[i]); });
        largest = greater(largest, Target::template shuffle_xor<1>(largest));
        largest = greater(largest, Target::template shuffle_xor<2>(largest));
        const float8_e8m0 scale = mx_scale<T>(largest, Rule);

        const long_index_t bytes_before = first * T::format::width / 8;
        const bool stored = active && first < ceil_div(args.k, mx_step) * mx_step;
        store(args.values + row * args.value_stride + bytes_before, pack(x, scale), stored);
        const bool leads = active && first % mx_block == 0;
        using byte = raw_vector<1>;
        Target::store_global(
            reinterpret_cast<byte*>(args.scales + (leads ? mx_scale_offset(row, first / mx_block, args.rows) : 0)),
            __builtin_bit_cast(byte, scale.bits), leads);
    }

private:
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

    /// The greater of two magnitudes, NaN where one is.
    static TEGULA_INLINE float greater(float a, float b) { return a != a || b < a ? a : b; }

    static TEGULA_INLINE std::uint64_t pack(const array<float, elements>& x, float8_e8m0 scale)
    {
        std::uint64_t word = 0;
        static_for<elements>([&](auto i) {
            word |= static_cast<std::uint64_t>(mx_element<T>(x[i], scale).bits) << T::format::width * i;
        });
        return word;
    }

    /// The lane's bytes, as many as T is wide, in the widest pieces that lie at multiples of their size.
    static TEGULA_INLINE void store(std::uint8_t* to, std::uint64_t word, bool active)
    {
        constexpr int bytes = T::format::width;
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
