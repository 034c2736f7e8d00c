// tegula-inspect: shows tile distributions and the operands of matrix instructions.
//
//     tegula-inspect encoding '{"rs":[],"hs":[[2,4],[8,4]],"ps":[[[1,1]],[[2,0]]],"ys":[[1,0],[2,1]]}' --svg tile.svg
//     tegula-inspect nested @layout.json --json
//     tegula-inspect convert SRC DST --arch sm_80 --bits 16
//     tegula-inspect mma gfx942 v_mfma_f32_32x32x8_f16 --ascii
//     tegula-inspect mma --list --json
//
// Bad input ends with status 2 and a line that says what would be right; then nothing is written.

#include "commands.hpp"
#include "output.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <limits>
#include <memory>
#include <sstream>
#include <string>

namespace {

void add_output_options(CLI::App& command, inspect::output_choice& output)
{
    auto* json = command.add_flag("--json", output.json, "Print the answer as JSON");
    command.add_flag("--ascii", output.ascii, "Print a table, one cell an element: lane:register")->excludes(json);
    const auto add_file = [&](const char* name, std::string& file, const char* description) {
        command.add_option(name, file, description)->type_name("FILE")->check([name](const std::string& given) {
            return given.empty() ? std::string(name) + " needs a file name" : std::string();
        });
    };
    add_file("--svg", output.svg_file, "Write a picture to this file");
    add_file("--html", output.html_file, "Write a page to explore it in a browser to this file");
}

/// Refuses what is no whole number from 1 to `most`; the parser alone would take 10^20 for 2^63 - 1.
auto whole_number_up_to(long most)
{
    return [most](const std::string& given) {
        long number = 0;
        const char* end = given.data() + given.size();
        const auto [stop, error] = std::from_chars(given.data(), end, number);
        const bool good = error == std::errc() && stop == end && 1 <= number && number <= most;
        return good ? std::string() : "\"" + given + "\" is no whole number from 1 to " + std::to_string(most);
    };
}
constexpr long most_int = std::numeric_limits<int>::max();
constexpr long most_long = std::numeric_limits<long>::max();

/// Each line on standard error, with the name of the library in front.
void complain(const std::string& message)
{
    std::istringstream lines(message);
    for (std::string line; std::getline(lines, line);) {
        for (char& c : line)
            c = static_cast<unsigned char>(c) < ' ' || c == 127 ? '?' : c;
        std::fprintf(stderr, "tegula: %s\n", line.c_str());
    }
}

/// Adds a command whose request is filled by the options that `add` gives it, and which `run` answers.
template <class Request, class Add>
void add_command(CLI::App& app, const char* name, const char* description, void (*run)(const Request&), Add&& add)
{
    auto request = std::make_shared<Request>();
    CLI::App& command = *app.add_subcommand(name, description);
    add(command, *request);
    add_output_options(command, request->output);
    command.callback([request, run] { run(*request); });
}

void add_encoding(CLI::App& app)
{
    add_command(app, "encoding", "A tile distribution encoding", &inspect::run_encoding,
                [](CLI::App& command, inspect::encoding_request& request) {
                    command
                        .add_option("ENCODING", request.json,
                                    "The encoding as JSON, {\"rs\":[..],\"hs\":[[..],..],"
                                    "\"ps\":[[[major,minor],..],..],\"ys\":[[major,minor],..]}, as its C++ type, "
                                    "tile_distribution_encoding<sequence<..>, ..>, or @FILE with one of them")
                        ->required();
                    command.add_option("--arch", request.arch, "With --bits: what it costs on this chip (gfx942, ...)");
                    command.add_option("--bits", request.bits, "Bits of an element: 4, 8, 16, 32 or 64")
                        ->check(whole_number_up_to(most_int));
                    command.add_flag("--column-major", request.column_major, "The tensor's columns are contiguous");
                });
}

void add_mma(CLI::App& app)
{
    add_command(app, "mma", "A matrix instruction, or the list of them", &inspect::run_mma,
                [](CLI::App& command, inspect::mma_request& request) {
                    command.add_option("ARCH", request.arch, "Architecture: gfx942, sm_80, ...");
                    command.add_option("INSTRUCTION", request.instruction, "Its mnemonic");
                    command.add_flag("--list", request.list, "List the instructions, of ARCH or of all");
                    command.add_flag("--markdown", request.markdown, "With --list: the page docs/instructions.md");
                    command.add_option("--wave", request.wave, "Lanes: 32 or 64 if there are two forms")
                        ->check(whole_number_up_to(most_int));
                    command.add_option("--variant", request.variant, "Form of that name: opsel_hi, fp8_fp8, ...");
                });
}

void add_convert(CLI::App& app)
{
    add_command(
        app, "convert", "The change from one distribution of a tile to another", &inspect::run_convert,
        [](CLI::App& command, inspect::convert_request& request) {
            command.add_option("SRC", request.source, "The encoding it has, as JSON or C++, or @FILE")->required();
            command.add_option("DST", request.destination, "The encoding it gets, likewise");
            command.add_option("--arch", request.arch, "Architecture: gfx942, sm_80, ...")->required();
            command.add_option("--bits", request.bits, "Bits of an element: 4, 8, 16, 32 or 64")
                ->required()
                ->check(whole_number_up_to(most_int));
            command.add_option("--force", request.force, "shared: through shared memory in any case");
            command.add_option("--mma", request.operand, "INSTRUCTION:A, :B or :C, in the place of DST");
            command.add_option("--shared-bytes", request.shared_bytes, "Shared memory for it, else all")
                ->check(whole_number_up_to(most_long));
        });
}

void add_nested(CLI::App& app)
{
    add_command(app, "nested", "A nested layout over a workgroup", &inspect::run_nested,
                [](CLI::App& command, inspect::nested_request& request) {
                    command
                        .add_option("JSON", request.json,
                                    "The layout: {\"subgroup_tile\":[..],\"batch_tile\":[..],\"outer_tile\":[..],"
                                    "\"thread_tile\":[..],\"element_tile\":[..],\"subgroup_strides\":[..],"
                                    "\"thread_strides\":[..],\"subgroup_size\":64,\"subgroups\":4}, the C++ type "
                                    "nested_encoding<nested_layout<subgroup_tile<..>, ..>, 64, 4>, or @FILE")
                        ->required();
                });
}

void add_layout(CLI::App& app)
{
    add_command(
        app, "layout", "A layout in any notation, and the same in the others", &inspect::run_layout,
        [](CLI::App& command, inspect::layout_request& request) {
            command
                .add_option("TEXT", request.text,
                            "shape:stride (4,(2,8)):(1,(64,4)); bases register[(0,1)] lane[(1,0)] -> x0[2] x1[2]; "
                            "Sw<3,4,3> o (8,64):(64,1); JSON of an encoding or {\"bases\":[[\"lane\",[[1,0]]],..],"
                            "\"out_dims\":[[\"x0\",2],..]}; or @FILE")
                ->required();
            command.add_option("--shape", request.shape, "Of shape:stride (threads,values): the tile's lengths, 16,8")
                ->delimiter(',')
                ->check(whole_number_up_to(most_long));
            command
                .add_option("--lanes", request.lanes, "Of shape:stride: split the threads into waves of so many lanes")
                ->check(whole_number_up_to(most_long));
            command.add_option("--op", request.operation, inspect::layout_operations());
            command.add_option("--with", request.operand, "The second operand of --op: a layout, or a number");
            command.add_option("--to", request.to, "Print this form only: encoding, linear, shape_stride or swizzle");
        });
}

/// Refuses a first word that is no command with the list of those there are.
void require_command(const CLI::App& app, const std::string& name)
{
    std::string all;
    for (const CLI::App* command : app.get_subcommands({})) {
        if (command->get_name() == name)
            return;
        all += (all.empty() ? "" : ", ") + command->get_name();
    }
    throw inspect::bad_input("there is no command \"" + name + "\"; there are " + all);
}

void run(int argc, char** argv)
{
    CLI::App app("Shows which lane of which wave holds which element of a tile, in which register.", "tegula-inspect");
    app.require_subcommand(1);
    add_encoding(app);
    add_convert(app);
    add_layout(app);
    add_mma(app);
    add_nested(app);
    if (argc > 1 && argv[1][0] != '-')
        require_command(app, argv[1]);
    try {
        app.parse(argc, argv); // runs the command
    } catch (const CLI::Success& help) {
        app.exit(help);
    } catch (const CLI::ParseError& error) {
        std::string message = error.what();
        std::replace(message.begin(), message.end(), '\n', ' ');
        throw inspect::bad_input(message + "; --help shows the options");
    }
}

} // namespace

int main(int argc, char** argv)
{
    try {
        run(argc, argv);
        return 0;
    } catch (const inspect::bad_input& error) {
        complain(error.what());
        return 2;
    } catch (const std::exception& error) {
        complain(error.what());
        return 1;
    }
}
