#pragma once

// Answers and complaints of tegula-inspect.

#include <cstdio>
#include <stdexcept>
#include <string>

namespace inspect {

/// One or more lines that say what is wrong with the input and what would be right. Ends the program with status 2.
struct bad_input : std::runtime_error
{
    using std::runtime_error::runtime_error;
};

/// The answer could not be written. Ends the program with status 1.
struct write_failure : std::runtime_error
{
    using std::runtime_error::runtime_error;
};

/// A sink for tegula's text and drawing functions that writes to standard output in large pieces.
class standard_output
{
public:
    void write(const char* text, int size) { std::fwrite(text, 1, static_cast<std::size_t>(size), stdout); }
    /// Everything is out, or a write_failure says that it is not.
    void finish();
};

/// A sink that keeps everything.
struct text_buffer
{
    std::string text;
    void write(const char* part, int size) { text.append(part, static_cast<std::size_t>(size)); }
};

/// Writes a file under a temporary name and renames it, so that the name never holds half a picture.
void write_file(const std::string& name, const std::string& content);

} // namespace inspect
