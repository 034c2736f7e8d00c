#pragma once

/// A product of tcgen05.mma on the emulator: operands written by their layouts, the result read back by loads of one
/// shape.

#include "test/mma/atom_harness.hpp"

#include <tegula/mma/tcgen05.hpp>

#include "test/catch.hpp"

namespace tegula::test {

namespace nv = arch::nvidia;

/// The matrix [mn, k] from row `first` on into the operand's tile, by its layout.
template <class Target, class Operand>
void write_tcgen05_tile(typename Operand::element_type* tile, const matrix& m, int first)
{
    for (int i = Target::thread_id(); i < Operand::mn * Operand::k; i += 128) {
        const int row = i / Operand::k;
        const int k = i % Operand::k;
        Target::store_shared(tile + Operand::offset(row, k),
                             static_cast<typename Operand::element_type>(static_cast<float>(m.at(first + row, k))));
    }
}

template <class Target, class A, class B, class C, int M, int N, int Blocks, operand_order OrderA, operand_order OrderB,
          swizzle_mode SwizzleA = swizzle_mode::bytes_128, swizzle_mode SwizzleB = swizzle_mode::bytes_128>
struct tcgen05_product
{
    using target = Target;
    using atom = tcgen05_atom<Target, A, B, C, M, N, Blocks, OrderA, OrderB>;
    static constexpr index_t k = 128 / static_cast<index_t>(sizeof(A));
    using a_tile = tcgen05_operand<A, atom::block_m, k, OrderA, SwizzleA>;
    using b_tile = tcgen05_operand<B, atom::block_n, k, OrderB, SwizzleB>;
    static constexpr int steps = k / atom::k;
    static constexpr index_t b_at = (a_tile::bytes + 1023) / 1024 * 1024;
    static constexpr index_t control_at = (b_at + b_tile::bytes + 1023) / 1024 * 1024;
    static constexpr int columns = atom::columns < 32 ? 32 : atom::columns;

    matrix a = random_matrix(M, k, 1, !std::is_unsigned_v<A>);
    matrix b = random_matrix(N, k, 2, !std::is_unsigned_v<B>);
    matrix c = random_matrix(M, N, 3);
    matrix result = matrix(M, N);

    /// Whether C + A B comes out, C stored to tensor memory before.
    bool agrees()
    {
        emulator::run_config config;
        config.chip = &chip_of<Target>;
        config.block_threads = 128;
        config.shared_bytes = control_at + 64;
        config.grid = config.cluster = {Blocks, 1, 1};
        config.cpu_threads = 1;
        const auto launched = emulator::launch(config, [&] { kernel(); });
        INFO(launched.report << launched.status.message());
        CHECK(launched.status.ok());
        CHECK(launched.counters.mma_instructions == steps);
        matrix expected = c;
        for (int i = 0; i < M; ++i)
            for (int j = 0; j < N; ++j)
                for (int kk = 0; kk < k; ++kk)
                    expected.at(i, j) += a.at(i, kk) * b.at(j, kk);
        return result == expected;
    }

    void kernel()
    {
        std::byte* const memory = target::shared_memory();
        auto* const a_memory = reinterpret_cast<A*>(memory);
        auto* const b_memory = reinterpret_cast<B*>(memory + b_at);
        auto* const barrier = reinterpret_cast<nv::mbarrier*>(memory + control_at);
        const int rank = Blocks == 2 ? nv::cluster_rank() : 0;
        write_tcgen05_tile<target, a_tile>(a_memory, a, rank * atom::block_m);
        write_tcgen05_tile<target, b_tile>(b_memory, b, rank * atom::block_n);
        nv::fence_proxy_async();
        if (target::thread_id() == 0) {
            nv::mbarrier_init(barrier, 1);
            nv::fence_mbarrier_init();
        }
        const nv::tensor_memory_scope<target, columns, Blocks> space(reinterpret_cast<std::uint32_t*>(barrier + 1));
        const std::uint32_t own = space.address(0, 32 * target::wave_id());
        const auto where = owners(rank);
        array<std::uint32_t, columns> words{};
        each_word(where, [&](int i, int row, int column) { words[i] = bits_of(c.at(row, column)); });
        nv::tensor_store<tensor_access::lanes_32x32b, columns>(own, words);
        nv::tensor_wait_stores();
        nv::tensor_fence_before();
        if constexpr (Blocks == 2)
            nv::cluster_barrier();
        else
            target::block_barrier();
        if (rank == 0 && target::thread_id() == 0) {
            nv::tensor_fence_after();
            const std::uint64_t da = a_tile::descriptor(a_memory), db = b_tile::descriptor(b_memory);
            static_for<steps>([&](auto s) {
                constexpr index_t k0 = s * atom::k;
                atom::multiply(space.address(), a_tile::moved(da, a_tile::template part<0, k0>()),
                               b_tile::moved(db, b_tile::template part<0, k0>()), true);
            });
            if constexpr (Blocks == 2)
                nv::tensor_commit_multicast<Blocks>(barrier, 3);
            else
                nv::tensor_commit<Blocks>(barrier);
        }
        nv::mbarrier_wait(barrier, 0);
        nv::tensor_fence_after();
        target::wave_barrier();
        nv::tensor_load<tensor_access::lanes_32x32b, columns>(words, own);
        nv::tensor_wait_loads(words);
        each_word(where, [&](int i, int row, int column) { result.at(row, column) = value_of(words[i]); });
    }

private:
    /// The element of C in each word of this thread's lane; -1: none.
    static std::vector<int> owners(int rank)
    {
        std::vector<int> elements(columns, -1);
        for (int row = rank * atom::block_m; row < (rank + 1) * atom::block_m; ++row)
            for (int column = 0; column < N; ++column)
                if (const tensor_memory_place at = atom::shape.place(row, column); at.lane == target::thread_id())
                    elements[static_cast<std::size_t>(at.column)] = row * N + column;
        return elements;
    }
    template <class F>
    static void each_word(const std::vector<int>& elements, const F& f)
    {
        for (std::size_t i = 0; i < elements.size(); ++i)
            if (elements[i] >= 0)
                f(static_cast<int>(i), elements[i] / N, elements[i] % N);
    }
    static std::uint32_t bits_of(double x)
    {
        const auto value = static_cast<C>(static_cast<float>(x));
        if constexpr (sizeof(C) == 2)
            return __builtin_bit_cast(std::uint16_t, value);
        else
            return __builtin_bit_cast(std::uint32_t, value);
    }
    static double value_of(std::uint32_t word)
    {
        if constexpr (sizeof(C) == 2)
            return static_cast<float>(__builtin_bit_cast(C, static_cast<std::uint16_t>(word)));
        else
            return static_cast<double>(__builtin_bit_cast(C, word));
    }
};

} // namespace tegula::test
