#pragma once

#include <tegula/block/operand_loader.hpp>

namespace tegula {

/// Reads the slices [rows, slice_k] of a tile in shared memory by vectors of 4 to 16 bytes, as operand_loader::read does.
/// The place of a slice is found from the lane's by one XOR, so that it need not be kept in a register.
///
///   Distribution  the slice's
///   Shared        an operand_shared_layout
template <class Target, class Element, class Distribution, class Shared>
struct slice_reader
{
    static constexpr int vector = 16 / static_cast<int>(sizeof(Element));
    using plan = access_plan<Distribution, 1, vector>;
    using places = detail::shared_places<Shared, Element>;
    using slice = distributed_tensor<Element, Distribution>;
    /// Registers of 32 bits that a vector fills.
    static constexpr int vector_words = plan::vector * static_cast<int>(sizeof(Element)) / 4;
    /// Whether vectors of 16 bytes are the registers of a slice in order.
    static consteval bool reads_vectors()
    {
        for (int a = 0; a < plan::accesses; ++a)
            for (int j = 0; j < plan::vector; ++j)
                if (plan::register_of(a, j) != a * plan::vector + j)
                    return false;
        return plan::vector == vector;
    }

    const std::byte* tile;
    std::uint32_t lane_place; ///< place of the lane's first element in a tile, in bytes

    /// With waves of 32 lanes the place is opaque to the compiler. Otherwise it would keep the places of all slices
    /// across a loop, and there are no registers for them.
    TEGULA_INLINE explicit slice_reader(const Element* first)
        : tile(reinterpret_cast<const std::byte*>(first)), lane_place(place_of(partition_index<Target, Distribution>()))
    {
        if constexpr (Target::wave_size == 32)
            Target::make_opaque(lane_place);
    }

    /// The registers of part `Part` of `Parts` of the slice from element K0 of k on.
    template <int K0, int Part = 0, int Parts = 1>
    TEGULA_INLINE auto read() const
    {
        constexpr int accesses = plan::accesses / Parts;
        constexpr int first_register = register_word<Part * accesses>();
        static_assert(plan::accesses % Parts == 0);
        static_assert(vector_words > 0);
        array<std::uint32_t, sizeof(slice) / 4 / Parts> words;
        static_for<accesses>([&](auto a) {
            constexpr int access = Part * accesses + decltype(a)::value;
            constexpr index_t step = step_place(access, K0);
            const std::uint32_t place = (lane_place ^ static_cast<std::uint32_t>(step & places::chunk_bits)) +
                                        static_cast<std::uint32_t>(step & ~places::chunk_bits);
            const auto vector =
                Target::load_shared(reinterpret_cast<const raw_vector<4 * vector_words>*>(tile + place));
            const auto read = __builtin_bit_cast(array<std::uint32_t, vector_words>, vector);
            constexpr int first = register_word<access>() - first_register;
            static_for<vector_words>([&](auto w) { words[first + w] = read[w]; });
        });
        return words;
    }

    /// Whether every place in tiles of k is found this way.
    static consteval bool places_divide(index_t k)
    {
        for (index_t wave = 0; wave < Distribution::p_length(0); ++wave) {
            if (wave > 0 && Distribution::origin({wave, 0})[0] == Distribution::origin({0, 0})[0])
                continue; // reads what wave 0 does
            for (index_t lane = 0; lane < Distribution::p_length(1); ++lane) {
                const auto x = Distribution::origin({wave, lane});
                const index_t own = places::place(x[0], x[1]);
                for (index_t k0 = 0; k0 < k; k0 += Distribution::x_length(1))
                    for (int a = 0; a < plan::accesses; ++a) {
                        const auto step = plan::step(a);
                        const index_t along = places::place(step[0], step[1] + k0);
                        if ((own ^ (along & places::chunk_bits)) + (along & ~places::chunk_bits) !=
                            places::place(x[0] + step[0], x[1] + step[1] + k0))
                            return false;
                    }
            }
        }
        return true;
    }

    /// Bank conflicts of wave 0 when it reads a tile of k once.
    static consteval int count_conflicts(index_t k)
    {
        int n = 0;
        for (index_t k0 = 0; k0 < k; k0 += Distribution::x_length(1))
            for (int a = 0; a < plan::accesses; ++a) {
                index_t addresses[64]{};
                for (int lane = 0; lane < Target::wave_size; ++lane) {
                    const auto x = Distribution::origin({0, lane});
                    addresses[lane] = places::place(x[0] + plan::step(a)[0], x[1] + plan::step(a)[1] + k0);
                }
                n += conflict_cycles(Target::chip(), access_kind::load, 16, addresses, ~std::uint64_t{0});
            }
        return n;
    }

private:
    template <int A>
    static consteval int register_word()
    {
        return plan::register_of(A, 0) * static_cast<int>(sizeof(Element)) / 4;
    }
    static consteval index_t step_place(int a, int k0)
    {
        return places::place(plan::step(a)[0], plan::step(a)[1] + k0);
    }
    static TEGULA_INLINE std::uint32_t place_of(const multi_index<2>& p)
    {
        const auto x = Distribution::origin(p);
        return static_cast<std::uint32_t>(places::place(x[0], x[1]));
    }
};

} // namespace tegula
