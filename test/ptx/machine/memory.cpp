#include "memory.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace ptx {

const char* describe(byte_state state)
{
    switch (state) {
    case byte_state::valid:
        return "valid";
    case byte_state::unwritten:
        return "which nothing has written";
    case byte_state::in_flight:
        return "which an asynchronous copy is still writing";
    case byte_state::poison:
        return "to which a register without a value was stored";
    case byte_state::barrier:
        return "which belongs to an mbarrier object";
    }
    return "";
}

std::string hex(std::uint64_t value)
{
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

std::uint64_t global_memory::add(const std::string& name, const std::uint8_t* data, std::size_t size, bool writable)
{
    constexpr std::uint64_t gap = 1 << 16;
    auto r = std::make_unique<region>(name, end_ + gap, size);
    r->writable = writable;
    if (data != nullptr) {
        std::copy_n(data, size, r->bytes.begin());
        std::fill(r->states.begin(), r->states.end(), byte_state::valid);
    }
    end_ = (r->base + size + 255) / 256 * 256;
    regions_.push_back(std::move(r));
    return regions_.back()->base;
}

void global_memory::remove(std::uint64_t address)
{
    std::erase_if(regions_, [address](const auto& r) { return r->base == address; });
    last_ = nullptr;
}

region& global_memory::find(std::uint64_t address, std::uint64_t size)
{
    if (last_ == nullptr || address < last_->base || !last_->holds(address - last_->base, size)) {
        const auto after = std::upper_bound(regions_.begin(), regions_.end(), address,
                                            [](std::uint64_t a, const auto& r) { return a < r->base; });
        if (after == regions_.begin())
            throw fault("no memory at " + hex(address));
        last_ = std::prev(after)->get();
    }
    const std::uint64_t offset = address - last_->base;
    if (!last_->holds(offset, size))
        throw fault(std::to_string(size) + " bytes at " + hex(address) + " are not in memory: " + last_->name +
                    " ends after " + std::to_string(last_->bytes.size()) + " bytes, this is byte " +
                    std::to_string(offset));
    return *last_;
}

} // namespace ptx
