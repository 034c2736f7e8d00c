#pragma once

/// Pages of any number of keys, on the emulator.

#include "test/kernel/attention/forms.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace tegula::test {

/// Numbers behind which memory that nobody may touch begins.
class guarded_numbers
{
public:
    explicit guarded_numbers(std::size_t count)
        : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
          whole_(ceil_div(count * sizeof(index_t), page_) * page_)
    {
        memory_ = static_cast<std::byte*>(
            mmap(nullptr, whole_ + page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        REQUIRE(memory_ != MAP_FAILED);
        REQUIRE(mprotect(memory_ + whole_, page_, PROT_NONE) == 0);
        first_ = reinterpret_cast<index_t*>(memory_ + whole_) - count;
    }
    guarded_numbers(const guarded_numbers&) = delete;
    ~guarded_numbers() { munmap(memory_, whole_ + page_); }

    index_t* data() const { return first_; }

private:
    std::size_t page_, whole_;
    std::byte* memory_;
    index_t* first_;
};

/// Sequences of several lengths in pages of so many keys, which lie in no order. The table ends with the last page that has
/// a key; entries without one name no page. Keys are hidden by a causal band, with odd pages by a window.
///
///   check  runs a problem and compares
template <class Kernel, class Check>
void check_page_length(index_t page, const Check& check)
{
    INFO("pages of " << page << " keys");
    constexpr index_t keys = 240, batch = 3;
    const index_t each = ceil_div(keys, page), pages = batch * keys / page;
    attention_data<Kernel> data(9, keys, 4, 1, batch);
    auto& args = data.args;
    // The cache has batch * keys rows; where they are not whole pages, the last page of a sequence is one of its first.
    const std::vector<index_t> key_lengths = {keys, page == 7 ? 0 : 5, 130};
    guarded_numbers table(static_cast<std::size_t>((batch - 1) * each + ceil_div(key_lengths.back(), page)));
    for (index_t b = 0; b < batch; ++b)
        for (index_t i = 0, used = ceil_div(key_lengths[b], page); i < (b + 1 < batch ? each : used); ++i)
            table.data()[b * each + i] = i < used ? ((b * each + i) * 7 + 5) % pages : 1 << 30;
    args.lengths.key_lengths = key_lengths.data();
    args.pages = {table.data(), each, page, pages};
    args.k.batch_stride = page * args.k.row_stride;
    args.v.batch_stride = page * args.v.row_stride;
    args.band.right = 0;
    if (page % 2 == 1)
        args.band.left = 70;
    check(data);
}

/// Kernel: of attention_cache::paged_by_key and a band.
template <class Kernel, class Check>
void check_page_lengths(const Check& check)
{
    for (const index_t page : {1, 3, 7, 16, 48, 240})
        check_page_length<Kernel>(page, check);
    // The last key has an infinite value, which all queries see: rows past it are zeros, not this one once more.
    check_page_length<Kernel>(48, [&](auto& data) {
        using element = typename Kernel::tile::element;
        const auto& pages = data.args.pages;
        const index_t key = data.args.lengths.key_lengths[2] - 1;
        const index_t page = pages.table[2 * pages.batch_stride + key / pages.page_length];
        data.v[static_cast<std::size_t>(page * data.args.v.batch_stride +
                                        key % pages.page_length * data.args.v.row_stride)] =
            convert<element>(std::numeric_limits<float>::infinity());
        data.args.band = {};
        check(data);
    });
}

using band_by_key = attention_variant<attention_mask::band, attention_bias::none, attention_weights::all,
                                      attention_cache::paged_by_key>;

template <class Target, class T = half>
void check_pages_of_any_length()
{
    check_page_lengths<test_attention<Target, T, 64, 64, band_by_key>>([](auto& data) { check_attention(data); });
}

} // namespace tegula::test
