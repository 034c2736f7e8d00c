#pragma once

#include <tegula/core/config.hpp>

namespace tegula {

enum class status_code {
    ok,
    invalid_argument, ///< a value the caller passed is wrong
    unsupported,      ///< valid, but not on this target or with this tile
    out_of_memory,
    device_error, ///< the run-time system or the emulator stopped the kernel
};

/// A code and one sentence that names the value, the limit and the remedy. The text is kept inside, so that a status
/// needs no allocation; longer text is cut.
class [[nodiscard]] status
{
public:
    constexpr status() = default;
    constexpr status(status_code code, const char* message) : code_(code) { append(message); }

    /// Whether nothing went wrong. A status as a condition is true then.
    constexpr bool ok() const { return code_ == status_code::ok; }
    constexpr explicit operator bool() const { return ok(); }
    constexpr status_code code() const { return code_; }
    /// The sentence, ended by a zero: what is wrong, the value, the limit and the remedy; empty if ok(). At most 511
    /// characters, and valid as long as the status.
    constexpr const char* message() const { return text_; }

    /// Builds a message piecewise: status(code, "tile ") << 256 << " needs ...".
    constexpr status& operator<<(const char* text)
    {
        append(text);
        return *this;
    }
    constexpr status& operator<<(long long value)
    {
        char digits[24]{};
        int n = 0;
        unsigned long long rest = value < 0 ? 0ULL - static_cast<unsigned long long>(value) : value;
        do
            digits[n++] = static_cast<char>('0' + rest % 10);
        while (rest /= 10);
        if (value < 0)
            digits[n++] = '-';
        while (n > 0)
            push(digits[--n]);
        return *this;
    }
    constexpr status& operator<<(long value) { return *this << static_cast<long long>(value); }
    constexpr status& operator<<(int value) { return *this << static_cast<long long>(value); }

private:
    constexpr void push(char c)
    {
        if (size_ + 1 < capacity)
            text_[size_++] = c;
    }
    constexpr void append(const char* text)
    {
        while (*text)
            push(*text++);
    }

    static constexpr int capacity = 512;
    status_code code_ = status_code::ok;
    int size_ = 0;
    char text_[capacity]{};
};

} // namespace tegula
