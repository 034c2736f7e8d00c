#pragma once

// The text of a .ptx file as statements. PTX ISA: "Syntax", "State Spaces, Types, and Variables".

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace ptx {

/// A report of the machine on a wrong program; the text says where and why.
struct fault : std::runtime_error
{
    using std::runtime_error::runtime_error;
};

struct operand
{
    enum class kind { reg, immediate, symbol, address, list, sink };

    kind what = kind::sink;
    int reg = -1;                  ///< reg, and the base of an address
    bool negated = false;          ///< !%p
    std::uint64_t bits = 0;        ///< immediate
    int float_bits = 0;            ///< of a floating-point immediate: 32 or 64
    std::string symbol;            ///< symbol, special register, and the base of an address
    std::int64_t offset = 0;       ///< address
    std::vector<operand> elements; ///< {a, b}, (a, b), a|b; of an address: the coordinates of a tensor
    bool alternative = false;      ///< a|b
};

/// A line of the program that the compiler read. PTX ISA: "Debugging Directives: .loc", ".file".
struct source_line
{
    int file = 0, line = 0; ///< file: its number in module::files; line 0: not known
};

struct statement
{
    int line = 0;
    source_line from;       ///< what it was compiled from
    source_line inlined_at; ///< and where that function was called, if it stands in its caller's place
    int scope = 0;
    int guard = -1; ///< register of @%p
    bool guard_negated = false;
    std::string opcode; ///< its first word
    std::vector<std::string> modifiers;
    std::vector<operand> operands;

    std::string text() const;
};

struct register_type
{
    char kind; ///< p, b, s, u, f
    int bits;
};

struct variable
{
    std::string name;
    std::string space; ///< param, shared, local, global, const
    std::uint64_t alignment = 1;
    std::uint64_t bytes = 0; ///< 0 for an array of unknown length
    std::uint64_t element_bytes = 1;
    bool external = false;
    std::vector<std::uint64_t> initial; ///< elements
};

struct function
{
    std::string name;
    bool is_entry = false;
    bool has_body = false;
    std::vector<variable> results, parameters;
    std::vector<variable> variables; ///< of the body
    std::vector<register_type> registers;
    std::vector<statement> body;
    std::vector<std::map<std::string, std::size_t>> labels;         ///< by scope
    std::vector<int> parents;                                       ///< of each scope
    std::map<std::string, std::vector<std::string>> branch_targets; ///< lists for brx.idx
    std::map<std::string, std::vector<std::uint64_t>> directives;   ///< maxntid, reqntid, reqnctapercluster

    std::size_t find_label(const std::string& label, int scope) const;
};

struct module
{
    std::string target; ///< sm_90a
    std::map<std::string, function> functions;
    std::vector<variable> variables;
    std::map<int, std::string> files; ///< of the source, by the number that .loc names

    /// "line 12", and of files with .loc the source's "(kernel.cu:3)".
    std::string line_of(const statement& s) const;
};

/// Errors: fault, naming the line.
module parse(const std::string& text);

/// Kind and width of a type's name (".b32" without the point). Errors: fault.
register_type parse_type(const std::string& name);

} // namespace ptx
