#pragma once

/// Runs an atom on the emulator: matrices are spread over lanes by the encodings alone, and read back the same way.

#include <tegula/emulator/launch.hpp>
#include <tegula/mma.hpp>

#include <vector>

namespace tegula::test {

/// Registers of every lane of a wave.
template <class T, int Count>
using wave_registers = std::vector<array<T, Count>>;

/// The matrix position of each (lane, register) as {x0, x1}, straight from the definition of an encoding.
struct position
{
    int x0;
    int x1;
};

inline std::vector<std::vector<position>> positions(const encoding_value& e)
{
    const digit_table t = make_digit_table(e);
    std::vector<std::vector<position>> all(static_cast<std::size_t>(partition_size(e)));
    for (std::size_t lane = 0; lane < all.size(); ++lane)
        for (long_index_t r = 0; r < registers_per_lane(e); ++r) {
            const long_indices p = {static_cast<long_index_t>(lane)};
            const long_indices x = calculate_index(t, p, unflatten(r, y_lengths(e), e.num_y()));
            all[lane].push_back({static_cast<int>(x[0]), static_cast<int>(x[1])});
        }
    return all;
}

/// A row-major matrix of doubles.
struct matrix
{
    int rows = 0;
    int columns = 0;
    std::vector<double> values;

    matrix(int r, int c) : rows(r), columns(c), values(static_cast<std::size_t>(r) * c) {}
    double& at(int i, int j) { return values[static_cast<std::size_t>(i) * columns + j]; }
    double at(int i, int j) const { return values[static_cast<std::size_t>(i) * columns + j]; }
    friend bool operator==(const matrix&, const matrix&) = default;
};

/// Small integers, which every element type and every sum of products holds exactly.
inline matrix random_matrix(int rows, int columns, unsigned seed, bool negative = true)
{
    matrix m(rows, columns);
    for (double& x : m.values) {
        seed = seed * 1664525u + 1013904223u;
        x = static_cast<double>((seed >> 24) % 5) - (negative ? 2 : 0);
    }
    return m;
}

inline void add_product(matrix& c, const matrix& a, const matrix& b)
{
    for (int i = 0; i < c.rows; ++i)
        for (int j = 0; j < c.columns; ++j)
            for (int k = 0; k < a.columns; ++k)
                c.at(i, j) += a.at(i, k) * b.at(k, j);
}

inline matrix transposed(const matrix& m)
{
    matrix t(m.columns, m.rows);
    for (int i = 0; i < m.rows; ++i)
        for (int j = 0; j < m.columns; ++j)
            t.at(j, i) = m.at(i, j);
    return t;
}

template <class Encoding, class T, int Count>
[[gnu::noinline]] wave_registers<T, Count> spread(const matrix& m)
{
    static const auto where = positions(Encoding::raw);
    wave_registers<T, Count> lanes(where.size());
    for (std::size_t lane = 0; lane < where.size(); ++lane)
        for (int r = 0; r < Count; ++r)
            lanes[lane][r] = convert<T>(m.at(where[lane][r].x0, where[lane][r].x1));
    return lanes;
}

template <class Encoding, class T, int Count>
void collect(matrix& m, const wave_registers<T, Count>& lanes)
{
    static const auto where = positions(Encoding::raw);
    for (std::size_t lane = 0; lane < where.size(); ++lane)
        for (int r = 0; r < Count; ++r)
            m.at(where[lane][r].x0, where[lane][r].x1) = static_cast<double>(lanes[lane][r]);
}

/// Whether an atom takes B as [N, K].
template <class Atom>
inline constexpr bool takes_b_transposed = requires { typename Atom::column_operand; };

/// An atom's operands in registers; B is given as [K, N].
template <class Atom>
struct operands
{
    wave_registers<typename Atom::a_type, Atom::a_count> a;
    wave_registers<typename Atom::b_type, Atom::b_count> b;
    wave_registers<typename Atom::c_type, Atom::c_count> c;

    operands(const matrix& ma, const matrix& mb, const matrix& mc)
        : a(spread<typename Atom::a_encoding, typename Atom::a_type, Atom::a_count>(ma)),
          b(spread<typename Atom::b_encoding, typename Atom::b_type, Atom::b_count>(
              takes_b_transposed<Atom> ? transposed(mb) : mb)),
          c(spread<typename Atom::c_encoding, typename Atom::c_type, Atom::c_count>(mc))
    {}

    matrix result() const
    {
        matrix m(Atom::m, Atom::n);
        collect<typename Atom::c_encoding>(m, c);
        return m;
    }
};

/// Runs multiply(object, lane) in the lanes of one wave.
inline emulator::launch_result run_one_wave(const chip_info& chip, int lanes, void* object,
                                            void (*multiply)(void* object, std::size_t lane))
{
    emulator::run_config config;
    config.chip = &chip;
    config.kernel_name = "multiply";
    config.block_threads = lanes;
    return emulator::launch(config, [&] { multiply(object, static_cast<std::size_t>(emulator::lane_id())); });
}

/// One wave that multiplies once.
template <class Atom>
emulator::launch_result multiply_on_emulator(operands<Atom>& o)
{
    return run_one_wave(chip_of<typename Atom::target>, Atom::wave_size, &o, [](void* object, std::size_t lane) {
        auto& registers = *static_cast<operands<Atom>*>(object);
        Atom::multiply(registers.c[lane], registers.a[lane], registers.b[lane]);
    });
}

} // namespace tegula::test
