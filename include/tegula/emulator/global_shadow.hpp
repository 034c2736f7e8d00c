#pragma once

#include <tegula/emulator/memory_ranges.hpp>
#include <tegula/emulator/memory_shadow.hpp>

#include <memory>
#include <vector>

namespace tegula::emulator::detail {

/// The shadow of the global memory that a launch may write, as one cluster sees it: pages, made when they are touched.
/// Addresses that a page holds count from a multiple of its size, so that aligned accesses fill granules.
class global_shadow
{
public:
    void begin_launch(const range_groups& groups)
    {
        groups_ = &groups;
        pages_of_.assign(static_cast<std::size_t>(groups.size()), {});
        touched_.clear();
        used_ = 0;
        sets_.clear();
        for (const auto& page : pages_)
            page->widen();
    }
    void begin_cluster()
    {
        for (const place& p : touched_)
            pages_of_[static_cast<std::size_t>(p.group)][p.page] = 0;
        touched_.clear();
        used_ = 0;
        sets_.clear();
    }

    /// Calls `act(memory_shadow&, offset, bytes)` for the parts of a run of bytes of a group, page by page, until one
    /// returns a clash; its offset then counts from the group's first byte.
    template <class Act>
    shadow_verdict for_pages(int group, std::size_t at, std::size_t bytes, const Act& act)
    {
        const auto before = static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>((*groups_)[group].begin) &
                                                     (page_bytes - 1)); // of its first page
        for (std::size_t from = at + before; from < at + before + bytes;) {
            const std::size_t page = from / page_bytes;
            const std::size_t end = (page + 1) * page_bytes;
            const std::size_t part = (end < at + before + bytes ? end : at + before + bytes) - from;
            shadow_verdict v =
                act(page_of(group, page), static_cast<long>(from - page * page_bytes), static_cast<int>(part));
            if (v.clash != shadow_clash::none) {
                v.offset += static_cast<long>(page * page_bytes) - static_cast<long>(before);
                if (v.offset < static_cast<long>(at))
                    v.offset = static_cast<long>(at);
                return v;
            }
            from += part;
        }
        return {};
    }

    /// Calls `act(group, at, bytes, clash, entry)` for the cluster's last accesses: see memory_shadow.
    template <class Act>
    void for_each_access(const Act& act) const
    {
        for (const place& p : touched_) {
            const auto before = static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>((*groups_)[p.group].begin) &
                                                         (page_bytes - 1));
            const memory_shadow& page = *pages_[pages_of_[static_cast<std::size_t>(p.group)][p.page] - 1];
            page.for_each_access([&](long offset, int bytes, shadow_clash clash, const access_sets::entry& e) {
                const std::size_t from = p.page * page_bytes + static_cast<std::size_t>(offset);
                const std::size_t begin = from < before ? 0 : from - before;
                act(p.group, begin, from + static_cast<std::size_t>(bytes) - before - begin, clash, e);
            });
        }
    }

private:
    static constexpr std::size_t page_bytes = 256;

    memory_shadow& page_of(int group, std::size_t page)
    {
        std::vector<std::uint32_t>& pages = pages_of_[static_cast<std::size_t>(group)];
        if (page < pages.size() && pages[page] != 0)
            return *pages_[pages[page] - 1];
        if (page >= pages.size())
            pages.resize((*groups_)[group].bytes / page_bytes + 2);
        if (used_ == pages_.size())
            pages_.push_back(std::make_unique<memory_shadow>());
        memory_shadow& shadow = *pages_[used_];
        shadow.begin(page_bytes, sets_, true,
                     (*groups_)[group].uninitialized ? memory_shadow::state::never_written
                                                     : memory_shadow::state::written);
        pages[page] = static_cast<std::uint32_t>(++used_);
        touched_.push_back({group, page});
        return shadow;
    }

    struct place
    {
        int group;
        std::size_t page;
    };

    const range_groups* groups_ = nullptr;
    std::vector<std::vector<std::uint32_t>> pages_of_; // by group and page: 1 + place in pages_, 0 if untouched
    std::vector<place> touched_;
    std::vector<std::unique_ptr<memory_shadow>> pages_; // kept for later clusters
    std::size_t used_ = 0;
    access_sets sets_;
};

} // namespace tegula::emulator::detail
