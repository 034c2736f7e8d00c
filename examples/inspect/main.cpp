// tegula-inspect: shows tile distributions and the operands of matrix instructions.
//
//     tegula-inspect encoding '{"rs":[],"hs":[[2,4],[8,4]],"ps":[[[1,1]],[[2,0]]],"ys":[[1,0],[2,1]]}' --svg tile.svg
//     tegula-inspect mma gfx942 v_mfma_f32_32x32x8_f16 --ascii
//     tegula-inspect mma --list --json
//
// Bad input ends with status 2 and a line that says what would be right; then nothing is written.

#include "commands.hpp"
#include "output.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string>

namespace {

void add_output_options(CLI::App& command, inspect::output_choice& output)
{
    auto* json = command.add_flag("--json", output.json, "Print the answer as JSON");
    command.add_flag("--ascii", output.ascii, "Print a table, one cell an element: lane:register")->excludes(json);
    command.add_option("--svg", output.svg_file, "Write a picture to this file")
        ->type_name("FILE")
        ->check([](const std::string& name) { return name.empty() ? "--svg needs a file name" : ""; });
}

/// Each line on standard error, with the name of the library in front.
void complain(const std::string& message)
{
    std::istringstream lines(message);
    for (std::string line; std::getline(lines, line);)
        std::fprintf(stderr, "tegula: %s\n", line.c_str());
}

int run(int argc, char** argv)
{
    CLI::App app("Shows which lane of which wave holds which element of a tile, in which register.", "tegula-inspect");
    app.require_subcommand(1);

    inspect::encoding_request encoding;
    auto* encoding_command = app.add_subcommand("encoding", "A tile distribution encoding");
    encoding_command
        ->add_option("JSON", encoding.json,
                     "The encoding: {\"rs\":[..],\"hs\":[[..],..],\"ps\":[[[major,"
                     "minor],..],..],\"ys\":[[major,minor],..]}, or @FILE")
        ->required();
    add_output_options(*encoding_command, encoding.output);

    inspect::mma_request mma;
    auto* mma_command = app.add_subcommand("mma", "A matrix instruction, or the list of them");
    mma_command->add_option("ARCH", mma.arch, "Architecture: gfx942, sm_80, ...");
    mma_command->add_option("INSTRUCTION", mma.instruction, "Its mnemonic");
    mma_command->add_flag("--list", mma.list, "List the instructions, of ARCH or of all");
    mma_command->add_flag("--markdown", mma.markdown, "With --list: the page docs/instructions.md");
    mma_command->add_option("--wave", mma.wave, "Lanes: 32 or 64 where there are two forms");
    mma_command->add_option("--variant", mma.variant, "Form of that name: opsel_hi, fp8_fp8, ...");
    add_output_options(*mma_command, mma.output);

    if (argc > 1 && argv[1][0] != '-' && std::string(argv[1]) != "encoding" && std::string(argv[1]) != "mma")
        throw inspect::bad_input("there is no command \"" + std::string(argv[1]) + "\"; there are encoding and mma");
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& error) {
        std::string message = error.what();
        std::replace(message.begin(), message.end(), '\n', ' ');
        throw inspect::bad_input(message + "; --help shows the options");
    }
    if (encoding_command->parsed())
        inspect::run_encoding(encoding);
    else
        inspect::run_mma(mma);
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    try {
        return run(argc, argv);
    } catch (const inspect::bad_input& error) {
        complain(error.what());
        return 2;
    } catch (const std::exception& error) {
        complain(error.what());
        return 1;
    }
}
