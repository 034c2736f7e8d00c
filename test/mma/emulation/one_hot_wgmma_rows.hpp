#pragma once

#include "test/mma/emulation/one_hot_wgmma.hpp"

#include <tegula/arch/nvidia/mbarrier.hpp>

namespace tegula::test {

/// The row-major matrix into the operand's tile, 16 bytes of a row at a time.
template <class Target, class Operand>
[[gnu::noinline]] void copy_to_shared(typename Operand::element_type* tile, const std::uint8_t* matrix)
{
    constexpr int run = 16 / static_cast<int>(sizeof(*tile));
    for (int i = Target::thread_id(); i < Operand::elements / run; i += 128) {
        auto* to = tile + Operand::offset(i * run / Operand::k, i * run % Operand::k);
        Target::store_shared(reinterpret_cast<raw_vector<16>*>(to),
                             Target::load_global(reinterpret_cast<const raw_vector<16>*>(matrix) + i));
    }
}

/// A zero C, plus A B; shared memory holds A and, after it, B.
template <class Atom, bool AInShared>
void multiply_warpgroup(const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* c)
{
    using target = typename Atom::target;
    using a_type = typename Atom::a_type;
    using b_type = typename Atom::b_type;
    using a_tile = wgmma_operand<a_type, Atom::m, Atom::k, operand_order::k_contiguous, swizzle_mode::bytes_32>;
    using b_tile = wgmma_operand<b_type, Atom::n, Atom::k, operand_order::k_contiguous, swizzle_mode::bytes_32>;
    auto* const a_memory = reinterpret_cast<a_type*>(target::shared_memory());
    auto* const b_memory = reinterpret_cast<b_type*>(target::shared_memory() + a_tile::bytes);
    copy_to_shared<target, b_tile>(b_memory, b);
    if constexpr (AInShared)
        copy_to_shared<target, a_tile>(a_memory, a);
    arch::nvidia::fence_proxy_async();
    target::block_barrier();

    typename Atom::accumulators sum{};
    typename Atom::a_registers left{};
    if constexpr (!AInShared)
        left = __builtin_bit_cast(typename Atom::a_registers,
                                  load_operand<target, typename Atom::a_encoding, 1, word_of<sizeof(a_type)>>(a));
    arch::nvidia::wgmma_fence();
    if constexpr (AInShared)
        Atom::multiply(sum, a_tile::descriptor(a_memory), b_tile::descriptor(b_memory), true);
    else
        Atom::multiply(sum, left, b_tile::descriptor(b_memory), true);
    arch::nvidia::wgmma_commit();
    arch::nvidia::wgmma_wait<0>();
    wgmma_store_of(sizeof(typename Atom::c_type), Atom::n)(c, &sum);
}

template <int Form>
void add_wgmma_rows(std::vector<wgmma_row_products>& rows)
{
    static_for<32>([&](auto place) {
        constexpr int n = decltype(place)::value * 8 + 8;
        if constexpr (takes_wgmma_row(Form, n)) {
            using atom = wgmma_atom_of<Form, n>;
            rows.push_back({atom::row::value, multiply_warpgroup<atom, true>, multiply_warpgroup<atom, false>});
        }
    });
}

} // namespace tegula::test
