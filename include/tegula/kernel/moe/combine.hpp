#pragma once

#include <tegula/core/convert.hpp>
#include <tegula/core/math.hpp>
#include <tegula/kernel/gemm/memory.hpp>
#include <tegula/kernel/tensor_protocol.hpp>
#include <tegula/tensor/vector_access.hpp>

namespace tegula {

/// out[token, :] = the sum of the token's k slots, the weighted results of its experts, which other blocks wrote. They
/// are added in order and without atomic additions, so results are the same from run to run.
///
///   Vector  columns that a lane writes at a time: 16 bytes of Out if columns, strides and addresses allow it, else 4
///           or 1
template <class Target, class Out, int Vector>
struct moe_combine
{
    using target = Target;
    static constexpr int block_threads = Target::wave_size == 1 ? 1 : 256;
    static constexpr int vector = Vector;
    /// Vectors that a lane adds one after the other; on a CPU, as many as all threads of a GPU's block add.
    static constexpr index_t vectors_of_lane = 256 / block_threads;

    struct arguments
    {
        long_index_t tokens = 0;
        long_index_t columns = 0;
        index_t k = 1;
        const float* parts = nullptr; ///< [tokens * k, columns], packed
        Out* out = nullptr;           ///< [tokens, columns]
        long_index_t out_stride = 0;  ///< from token to token
    };

    static constexpr TEGULA_HOST_DEVICE long_index_t blocks_of_row(const arguments& args)
    {
        return ceil_div(args.columns, block_threads * vectors_of_lane * Vector);
    }
    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        return args.tokens * blocks_of_row(args);
    }

    static constexpr const char* name = "moe_combine";
    /// Whether columns, stride and address allow vectors of this length.
    static bool suits(const arguments& args)
    {
        return args.columns % Vector == 0 && (args.out_stride % Vector == 0 || args.tokens <= 1) &&
               gemm_checks::is_aligned(args.out, Vector * sizeof(Out));
    }
    /// Errors: wrong sizes or pointers; unsupported if vectors of this length do not fit.
    static status check(const arguments& args)
    {
        if (status s = gemm_checks::check_size("tokens", args.tokens); !s)
            return s;
        if (status s = gemm_checks::check_size("columns", args.columns); !s)
            return s;
        if (args.k < 1)
            return gemm_checks::invalid("a token goes to ") << args.k << " experts; it must be at least 1";
        const long_index_t slots = args.tokens * args.k;
        if (status s = gemm_checks::check_size("the number of tokens times their experts", slots); !s)
            return s;
        const matrix_argument<const float> parts{args.parts, args.columns, 1, 0};
        if (status s = gemm_checks::check_input("the matrix of parts", parts, slots, args.columns, 1); !s)
            return s;
        if (status s = gemm_checks::check_output("out", out_matrix(args), args.tokens, args.columns, 1); !s)
            return s;
        if (!suits(args))
            return status(status_code::unsupported, "out has no vectors of ")
                   << Vector << " columns in every row; take a moe_combine of 1 column";
        return {};
    }
    static arguments normalize(const arguments& args) { return args; }
    template <class Memory>
    static void memory(const arguments& args, Memory& memory)
    {
        add_array(memory, args.parts, args.tokens * args.k * args.columns, "parts");
        add_matrix(memory, out_matrix(args), args.tokens, args.columns, 1, "out");
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        const index_t of_row = static_cast<index_t>(blocks_of_row(args));
        const index_t block = target::block_id()[0];
        const index_t token = block / of_row;
        const index_t first = (block % of_row * block_threads + target::thread_id()) * vectors_of_lane * Vector;
        if constexpr (vectors_of_lane == 1) {
            add(args, token, first);
        } else {
            for (index_t v = 0; v < vectors_of_lane; ++v)
                add(args, token, first + v * Vector);
        }
    }

private:
    static matrix_argument<Out> out_matrix(const arguments& args) { return {args.out, args.out_stride, 1, 0}; }

    /// Floats that a lane reads at a time. A lane that writes 8 columns does not read just these: the lanes' vectors of
    /// 4 floats would lie 32 bytes apart, in half sectors. Two neighbours read adjacent vectors instead, and exchange
    /// half of their sums.
    static constexpr bool exchanged = Target::wave_size > 1 && Vector > 4;
    static constexpr int read = exchanged ? 4 : Vector;
    static_assert(!exchanged || Vector == 2 * read, "tegula: moe_combine writes 1, 4 or 8 columns of a lane");

    static TEGULA_INLINE void add(const arguments& args, index_t token, index_t column)
    {
        const bool odd = exchanged && column % (2 * Vector) != 0;
        const index_t first = column - (odd ? read : 0);
        const float* from = args.parts + static_cast<long_index_t>(token) * args.k * args.columns + first;
        array<array<float, read>, Vector / read> sums{}; // of `read` columns, at `first` and `Vector` further
        TEGULA_ROLLED
        for (index_t i = 0; i < args.k; ++i) {
            static_for<sums.size()>([&](auto v) {
                constexpr index_t further = v * Vector;
                const auto part = internal::read_vector<target, address_space::global, read>(
                    from + further, first + further < args.columns);
                static_for<read>([&](auto j) { sums[v][j] += part[j]; });
            });
            from += args.columns;
        }
        array<Out, Vector> rounded;
        static_for<Vector>([&](auto j) { rounded[j] = convert<Out>(sums[j / read][j % read]); });
        if constexpr (exchanged) {
            constexpr int words = Vector * static_cast<int>(sizeof(Out)) / 8; // of half a vector
            auto halves = __builtin_bit_cast(array<array<std::uint32_t, words>, 2>, rounded);
            static_for<words>([&](auto w) {
                const std::uint32_t low = halves[0][w], high = halves[1][w];
                const std::uint32_t other = Target::template shuffle_xor<1>(odd ? low : high);
                halves[0][w] = odd ? other : low;
                halves[1][w] = odd ? high : other;
            });
            rounded = __builtin_bit_cast(array<Out, Vector>, halves);
        }
        internal::write_vector<target, address_space::global, Vector>(args.out + token * args.out_stride + column,
                                                                      rounded, column < args.columns);
    }
};

} // namespace tegula
