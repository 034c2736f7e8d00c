#pragma once

#include <tegula/core/number_traits.hpp>
#include <tegula/core/static_for.hpp>
#include <tegula/emulator/interface.hpp>
#include <tegula/layout/digit_table.hpp>
#include <tegula/mma/table/instruction.hpp>

/// Matrix instructions on the CPU, derived from their encodings. The registers of all lanes are gathered into two small
/// matrices, these are multiplied, and the product is added to the accumulators. Host only.

namespace tegula::emulation {

/// Places of a wave's operand in a row-major matrix. The map from (lane, register) to the matrix is a sum of digits, so
/// it is a lane's offset plus a register's.
template <int Lanes, int Registers>
struct matrix_map
{
    int lane[Lanes]{};
    int element[Registers]{};
};

/// Encoding holds the operand as [X0, X1]; `transposed` gives offsets in the matrix [X1, X0].
template <class Encoding, bool Transposed>
consteval auto make_matrix_map()
{
    constexpr encoding_value e = Encoding::raw;
    constexpr int lanes = static_cast<int>(partition_size(e));
    constexpr int registers = static_cast<int>(registers_per_lane(e));
    static_assert(e.num_x() == 2 && e.num_p() == 1);
    matrix_map<lanes, registers> map;
    const digit_table t = make_digit_table(e);
    long_index_t stride[2] = {Transposed ? 1 : x_length(e, 1), Transposed ? x_length(e, 0) : 1};
    long_index_t y_stride = registers;
    for (int y = 0; y < e.num_y(); ++y) {
        y_stride /= y_length(e, y);
        for (const placed_digit& d : t.digits)
            if (d.y_dim == y)
                for (int r = 0; r < registers; ++r)
                    map.element[r] += static_cast<int>(r / y_stride % d.length * d.x_stride * stride[d.x_dim]);
    }
    for (const placed_digit& d : t.digits)
        if (d.p_dim == 0 && d.x_dim >= 0)
            for (int lane = 0; lane < lanes; ++lane)
                map.lane[lane] += static_cast<int>(lane / d.p_stride % d.length * d.x_stride * stride[d.x_dim]);
    return map;
}

template <class Encoding, bool Transposed>
inline constexpr auto map_of = make_matrix_map<Encoding, Transposed>();

/// Lanes whose registers cover the operand once; the others hold copies. R is the most significant digit of the lane.
template <class Encoding>
inline constexpr int distinct_lanes = static_cast<int>(partition_size(Encoding::raw) / replication(Encoding::raw));

namespace detail {

/// All values of an 8-bit format; filled when the program starts.
template <class T>
struct byte_values
{
    float of[256];
    byte_values()
    {
        for (int i = 0; i < 256; ++i)
            of[i] = static_cast<float>(T::from_bits(static_cast<std::uint8_t>(i)));
    }
};
template <class T>
inline const byte_values<T> value_of_byte;

/// static_cast<float>(x) in a form that compilers vectorise for plain SSE2: the exponent is raised by a multiplication,
/// which is exact for subnormals too.
inline float decode_half(half x)
{
    const std::uint32_t magnitude = (x.bits & 0x7fffu) << 13;
    const float finite = __builtin_bit_cast(float, magnitude) * 0x1p112f;
    const std::uint32_t special = magnitude >= 0x0f800000u ? 0x7f800000u : 0u;
    const std::uint32_t sign = (x.bits & 0x8000u) << 16;
    return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, finite) | special | sign);
}

/// The number of an element in the matrix. tf32 instructions ignore the last 13 bits.
template <class T>
inline auto decode(T x)
{
    if constexpr (std::is_same_v<T, double>)
        return x;
    else if constexpr (std::is_same_v<T, tfloat32>)
        return __builtin_bit_cast(float, x.bits & 0xffffe000u);
    else if constexpr (std::is_same_v<T, bfloat16>)
        return __builtin_bit_cast(float, static_cast<std::uint32_t>(x.bits) << 16);
    else if constexpr (std::is_same_v<T, half>)
        return decode_half(x);
    else if constexpr (!std::is_arithmetic_v<T> && sizeof(T) == 1)
        return value_of_byte<T>.of[x.bits];
    else
        return static_cast<float>(x);
}

} // namespace detail

/// matrix[row][column] = the operand that `registers(lane)` points to.
template <class Encoding, bool Transposed, class Number, class Registers>
inline void gather(Number* matrix, Registers&& registers)
{
    constexpr int count = static_cast<int>(registers_per_lane(Encoding::raw));
    for (int lane = 0; lane < distinct_lanes<Encoding>; ++lane) {
        const auto* from = registers(lane);
        Number* to = matrix + map_of<Encoding, Transposed>.lane[lane];
        Number values[count]; // a loop of its own, which compilers vectorise
        for (int i = 0; i < count; ++i)
            values[i] = detail::decode(from[i]);
        static_for<count>([&](auto i) { to[map_of<Encoding, Transposed>.element[i]] = values[i]; });
    }
}

/// Zero in place of numbers smaller than `least`.
template <class Number>
inline void flush(Number* numbers, int count, Number least)
{
    for (int i = 0; i < count; ++i)
        numbers[i] = flushed(numbers[i], least);
}

/// accumulator += matrix, element by element. int32 wraps. Flushed: subnormal accumulators count as zero, before and
/// after the addition.
template <class Encoding, bool Transposed, bool Flushed, class Number, class Registers>
inline void scatter_add(const Number* matrix, Registers&& registers)
{
    constexpr int count = static_cast<int>(registers_per_lane(Encoding::raw));
    for (int lane = 0; lane < distinct_lanes<Encoding>; ++lane) {
        auto* to = registers(lane);
        using accumulator = std::remove_reference_t<decltype(*to)>;
        const Number* from = matrix + map_of<Encoding, Transposed>.lane[lane];
        if constexpr (Flushed)
            flush(to, count, least_sum);
        static_for<count>([&](auto i) {
            const Number x = from[map_of<Encoding, Transposed>.element[i]];
            if constexpr (std::is_same_v<accumulator, std::int32_t>)
                to[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(to[i]) +
                                                  static_cast<std::uint32_t>(static_cast<std::int32_t>(x)));
            else
                to[i] += x;
        });
        if constexpr (Flushed)
            flush(to, count, least_sum);
    }
}

template <class Number>
struct vector_of;
template <>
struct vector_of<float>
{
    typedef float type __attribute__((vector_size(16), may_alias));
};
template <>
struct vector_of<double>
{
    typedef double type __attribute__((vector_size(16), may_alias));
};

/// product = left * right, row major; left [Rows, K], right [K, Columns]. Each element is summed from zero in ascending
/// k, every product and every sum rounded.
template <int Rows, int Columns, int K, class Number>
inline void multiply(Number* product, const Number* left, const Number* right)
{
    constexpr int width = 16 / sizeof(Number);
    constexpr int rows = Rows % 4 == 0 ? 4 : 1;
    constexpr int vectors = 2;
    static_assert(Rows % rows == 0 && Columns % (vectors * width) == 0);
    using vector = typename vector_of<Number>::type;
    for (int column = 0; column < Columns; column += vectors * width)
        for (int row = 0; row < Rows; row += rows) {
            vector sum[rows][vectors] = {};
            for (int k = 0; k < K; ++k) {
                const auto* b = reinterpret_cast<const vector*>(right + k * Columns + column);
                const vector b0 = b[0], b1 = b[1];
                static_for<rows>([&](auto i) {
                    const Number a = left[(row + i) * K + k];
                    sum[i][0] += a * b0;
                    sum[i][1] += a * b1;
                });
            }
            static_for<rows>([&](auto i) {
                auto* to = reinterpret_cast<vector*>(product + (row + i) * Columns + column);
                to[0] = sum[i][0];
                to[1] = sum[i][1];
            });
        }
}

/// One lane's arguments of a matrix instruction.
template <class Atom>
struct arguments
{
    array<typename Atom::c_type, Atom::c_count>* c;
    const array<typename Atom::a_type, Atom::a_count>* a;
    const array<typename Atom::b_type, Atom::b_count>* b;
};

/// Whether the registers of a lane's accumulator run along rows: in the transposed product they are neighbours.
template <class Encoding>
constexpr bool runs_along_rows()
{
    constexpr encoding_value e = Encoding::raw;
    return e.num_y() > 0 && e.ys.back().major == 1 && y_length(e, e.num_y() - 1) > 1;
}

/// One matrix instruction of a whole wave: C += A B.
///
/// f32 and f64 as multiply() states, then one rounded addition to C. 8-bit integers and their sums are exact in f32 for
/// every K of the table. Inputs below Atom::least_input count as zero, and then subnormal sums do too.
template <class Atom>
inline void emulate(arguments<Atom>* const* lanes)
{
    using number = std::conditional_t<std::is_same_v<typename Atom::c_type, double>, double, float>;
    constexpr bool turned = runs_along_rows<typename Atom::c_encoding>();
    constexpr int m = Atom::m, n = Atom::n, k = Atom::k;
    static_assert(!std::is_integral_v<typename Atom::a_type> || k * 255 * 255 <= 1 << 24);
    alignas(16) number a[m * k];
    alignas(16) number b[k * n];
    alignas(16) number c[m * n];
    gather<typename Atom::a_encoding, turned>(a, [&](int lane) { return lanes[lane]->a->values; });
    gather<typename Atom::b_encoding, turned>(b, [&](int lane) { return lanes[lane]->b->values; });
    constexpr auto least = static_cast<number>(Atom::least_input);
    if constexpr (least > 0) {
        flush(a, m * k, least);
        flush(b, k * n, least);
    }
    if constexpr (turned)
        multiply<n, m, k>(c, b, a);
    else
        multiply<m, n, k>(c, a, b);
    scatter_add<typename Atom::c_encoding, turned, (least > 0)>(c, [&](int lane) { return lanes[lane]->c->values; });
}

/// Whether every lane that holds a copy of an operand holds the same bits as the first.
template <class Encoding, class Registers>
inline bool copies_agree(Registers&& registers)
{
    for (int lane = distinct_lanes<Encoding>; lane < partition_size(Encoding::raw); ++lane)
        if (__builtin_memcmp(registers(lane), registers(lane % distinct_lanes<Encoding>), sizeof(*registers(lane))) !=
            0)
            return false;
    return true;
}

/// Ends the launch because copies_agree() is false.
[[noreturn]] inline void fail_unequal_copies()
{
    emulator::fail("the lanes that hold copies of a matrix operand hold different values",
                   "load A and B with the atom's encodings, whose R digit repeats them in every lane group");
}

} // namespace tegula::emulation
