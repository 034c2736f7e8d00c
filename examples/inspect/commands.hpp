#pragma once

// The commands of tegula-inspect. Each throws bad_input before it has written anything.

#include <string>
#include <vector>

namespace inspect {

/// How the answer is to be given; a readable summary where nothing is set.
struct output_choice
{
    bool json = false;
    bool ascii = false;
    std::string svg_file;  ///< empty: no picture
    std::string html_file; ///< empty: no page
    bool is_summary() const { return !json && !ascii && svg_file.empty() && html_file.empty(); }
    bool is_drawn() const { return ascii || !svg_file.empty() || !html_file.empty(); }
};

struct mma_request
{
    bool list = false;
    bool markdown = false;   ///< the list as the page docs/instructions.md
    std::string arch;        ///< empty in a list: all
    std::string instruction; ///< unused in a list
    int wave = 0;            ///< 0: the first form of that name
    std::string variant;     ///< empty: none
    output_choice output;
};

struct encoding_request
{
    std::string json; ///< the text, or @file
    std::string arch; ///< the chip to analyse it for; empty: none
    int bits = 0;     ///< of an element, with arch
    bool column_major = false;
    output_choice output;
};

struct nested_request
{
    std::string json; ///< the text, or @file
    output_choice output;
};

struct layout_request
{
    std::string text;        ///< in any notation: the text, or @file
    std::vector<long> shape; ///< the tile's lengths, of a shape:stride layout; empty: one dimension
    long lanes = 0;          ///< of a wave, of a shape:stride layout; 0: threads are not split
    std::string operation;   ///< done first; empty: none
    std::string operand;     ///< the second one of the operation, where it has one
    std::string to;          ///< the one form to print; empty: all
    output_choice output;
};

struct convert_request
{
    std::string source;      ///< an encoding: the text, or @file
    std::string destination; ///< the same; empty where `operand` names it
    std::string arch;
    int bits = 0;
    std::string force;     ///< "shared": through shared memory in any case
    std::string operand;   ///< INSTRUCTION:A, :B or :C
    long shared_bytes = 0; ///< memory for the staging; 0: what the chip has
    output_choice output;
};

void run_mma(const mma_request& request);
void write_instruction_page();
void run_encoding(const encoding_request& request);
void run_convert(const convert_request& request);
void run_nested(const nested_request& request);
void run_layout(const layout_request& request);
/// The operations that --op takes, for --help.
std::string layout_operations();

} // namespace inspect
