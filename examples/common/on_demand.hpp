#pragma once

// Kernels that a program compiles when it needs them.

#include "gpus.hpp"

#include <span>
#include <string>

namespace examples {

/// How kernels of a kind are added. cmake/kernels.py writes each program's recipes from kernels.json.
struct recipe
{
    const char* family;
    const char* consumer; ///< name_of(device)
    const char* schedule;
    const char* form;
    const char* choices;  ///< tiles of a GEMM, most columns of attention, the fewest first; separated by blanks
    const char* elements; ///< TYPE=ELEMENT, the types in C++; separated by blanks
    const char* headers;  ///< separated by blanks
    const char* call;     ///< with @short@, @rest@, @element@, @tile@ and @columns@ for the kernel's own words
};

/// A kernel in the words of kernels.json; a family leaves out those that it has not.
struct wanted_kernel
{
    std::string family, arch, type, schedule, form, tile, columns;
    device where;
};

/// A kernel of kernels.json that a program does not have built in. cmake/kernels.py writes each program's list.
struct listed_kernel
{
    const char* family;
    const char* consumer; ///< name_of(device)
    const char* arch;
    const char* type;
    const char* choice; ///< the tile of a GEMM, the most columns of attention
    const char* form;
};

/// Whether the program may compile the kernel: there are a recipe with its tile or columns, a compiler and the headers.
bool can_compile(std::span<const recipe> recipes, const wanted_kernel& k);

/// Why there is no compiler for a kernel's target, or no headers, as the end of a message; empty where both are there.
std::string why_not_compiled(const std::string& arch, device where);

/// The fewest columns of the kernel's recipe that have room for so many; empty where none have.
std::string find_columns(std::span<const recipe> recipes, const wanted_kernel& k, long columns);

/// The most columns of the kernel's recipe; 0 where it has none.
long most_columns(std::span<const recipe> recipes, const wanted_kernel& k);

/// Compiles the kernel and adds it to those of the program, or takes it from the cache. Precondition: can_compile().
/// Throws bad_input where it does not compile.
void compile_kernel(std::span<const recipe> recipes, const wanted_kernel& k);

} // namespace examples
