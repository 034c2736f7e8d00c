#pragma once

#include <tegula/core/status.hpp>

namespace tegula {

/// Reads a notation from text, token by token; blanks between tokens mean nothing.
class text_reader
{
public:
    constexpr explicit text_reader(const char* text) : text_(text) {}

    constexpr bool at_end()
    {
        skip_blanks();
        return text_[at_] == '\0';
    }
    /// Whether `c` comes next, without a step over it.
    constexpr bool sees(char c)
    {
        skip_blanks();
        return text_[at_] == c;
    }
    /// Steps over `c` if it comes next.
    constexpr bool take(char c)
    {
        const bool there = sees(c) && c != '\0';
        at_ += there ? 1 : 0;
        return there;
    }
    /// Steps over `word` if it comes next.
    constexpr bool take(const char* word)
    {
        skip_blanks();
        int n = 0;
        while (word[n] != '\0' && text_[at_ + n] == word[n])
            ++n;
        const bool there = word[n] == '\0';
        at_ += there ? n : 0;
        return there;
    }
    /// A whole number below 2^63, not negative. Nothing is read if there is none.
    constexpr bool take_number(std::int64_t& number)
    {
        skip_blanks();
        int n = 0;
        std::int64_t value = 0;
        for (; is_digit(text_[at_ + n]); ++n) {
            const int digit = text_[at_ + n] - '0';
            if (value > (INT64_MAX - digit) / 10)
                return false;
            value = value * 10 + digit;
        }
        if (n == 0)
            return false;
        at_ += n;
        number = value;
        return true;
    }
    /// A name of letters, digits and underscores that starts with a letter: at most `capacity` - 1 characters of it go
    /// to `name`. Returns its length, 0 if there is none.
    constexpr int take_name(char* name, int capacity)
    {
        skip_blanks();
        if (!is_letter(text_[at_]))
            return 0;
        int n = 0;
        for (; is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '_'; ++at_, ++n)
            if (n + 1 < capacity)
                name[n] = text_[at_];
        name[n < capacity ? n : capacity - 1] = '\0';
        return n;
    }
    /// "at character 4, before ":3": `expected` is expected".
    constexpr status error(const char* expected) const
    {
        char rest[12]{};
        for (int i = 0; i < 11 && text_[at_ + i] != '\0'; ++i)
            rest[i] = text_[at_ + i] >= 0 && (text_[at_ + i] < ' ' || text_[at_ + i] == 127) ? '?' : text_[at_ + i];
        status s(status_code::invalid_argument, "at character ");
        s << at_ + 1;
        if (rest[0] == '\0')
            return s << ", the end: " << expected << " is expected";
        return s << ", before \"" << rest << "\": " << expected << " is expected";
    }

private:
    constexpr void skip_blanks()
    {
        while (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')
            ++at_;
    }
    static constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
    static constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

    const char* text_;
    int at_ = 0;
};

} // namespace tegula
