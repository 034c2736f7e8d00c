#pragma once

// The commands of tegula-inspect. Each throws bad_input before it has written anything.

#include <string>

namespace inspect {

/// How the answer is to be given; a readable summary where nothing is set.
struct output_choice
{
    bool json = false;
    bool ascii = false;
    std::string svg_file; ///< empty: no picture
    bool is_summary() const { return !json && !ascii && svg_file.empty(); }
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
    output_choice output;
};

void run_mma(const mma_request& request);
void write_instruction_page();
void run_encoding(const encoding_request& request);

} // namespace inspect
