#pragma once

// The words of a .ptx file. PTX ISA: "Syntax".

#include "program.hpp"

#include <cctype>

namespace ptx {

struct token
{
    std::string text;
    int line;
};

inline bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%'; }

/// The words and signs of a file; comments are left out.
inline std::vector<token> split(const std::string& text)
{
    std::vector<token> tokens;
    int line = 1;
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        if (c == '\n') {
            ++line;
            ++i;
        } else if (std::isspace(static_cast<unsigned char>(c))) {
            ++i;
        } else if (text.compare(i, 2, "//") == 0) {
            while (i < text.size() && text[i] != '\n')
                ++i;
        } else if (text.compare(i, 2, "/*") == 0) {
            for (; i < text.size() && text.compare(i, 2, "*/") != 0; ++i)
                line += text[i] == '\n';
            i += 2;
        } else if (c == '"') {
            const std::size_t end = text.find('"', i + 1);
            tokens.push_back({text.substr(i, end + 1 - i), line});
            i = end + 1;
        } else if (is_word(c) || c == '.') {
            // A word keeps its points and, between letters, the :: of modifiers.
            const std::size_t begin = i++;
            while (i < text.size()) {
                if (is_word(text[i]) || text[i] == '.')
                    ++i;
                else if (text.compare(i, 2, "::") == 0)
                    i += 2;
                else
                    break;
            }
            tokens.push_back({text.substr(begin, i - begin), line});
        } else {
            tokens.push_back({std::string(1, c), line});
            ++i;
        }
    }
    return tokens;
}

/// "add.s32" as "add", "s32".
inline std::vector<std::string> split_points(const std::string& word)
{
    std::vector<std::string> parts(1);
    for (const char c : word) {
        if (c == '.')
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

} // namespace ptx
