#pragma once

// How every program handles wrong input.

#include <new>
#include <stdexcept>
#include <string>

namespace examples {

/// A line that says what is wrong with the input and what would be right. Ends the program with status 2.
struct bad_input : std::runtime_error
{
    using std::runtime_error::runtime_error;
};

/// Says on standard error, in one line, what is wrong. Returns 2.
int complain(std::string line);

/// The exit status of run(), all that a program does; 2 with a line on standard error where it throws bad_input, and
/// where there is not enough memory for `what`.
template <class Run>
int run_program(const char* what, const Run& run)
{
    try {
        return run();
    } catch (const bad_input& error) {
        return complain(error.what());
    } catch (const std::bad_alloc&) {
        return complain(std::string("there is not enough memory for ") + what + " of this size; take smaller ones");
    }
}

} // namespace examples
