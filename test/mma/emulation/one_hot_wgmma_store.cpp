// Stores of the accumulators of wgmma, which every form of one width shares.

#include "test/mma/emulation/one_hot_wgmma.hpp"

namespace tegula::test {
namespace {

template <class Word, int N>
void store(std::uint8_t* c, const void* accumulators)
{
    using atom = wgmma_atom<arch::sm_90a, half, half, std::conditional_t<sizeof(Word) == 2, half, float>, N>;
    store_operand<arch::sm_90a, typename atom::c_encoding>(
        c, *static_cast<const array<Word, atom::c_count>*>(accumulators));
}

template <class Word>
struct stores_of
{
    wgmma_store by_width[32];

    constexpr stores_of() : by_width{}
    {
        static_for<32>([this](auto i) {
            constexpr int n = decltype(i)::value * 8 + 8;
            if constexpr (takes_wgmma_width(n))
                by_width[i] = store<Word, n>;
        });
    }
};

} // namespace

wgmma_store wgmma_store_of(int word_bytes, int n)
{
    static constexpr stores_of<std::uint16_t> halves;
    static constexpr stores_of<std::uint32_t> words;
    return (word_bytes == 2 ? halves.by_width : words.by_width)[n / 8 - 1];
}

} // namespace tegula::test
