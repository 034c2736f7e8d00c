#include "options.hpp"

#include "examples/common/command_line.hpp"
#include "examples/common/counters.hpp"
#include "examples/common/named_files.hpp"

#include <cmath>
#include <cstdlib>

namespace attention_example {

using namespace examples;

namespace {

const words_of_option archs = {"gfx90a", "gfx942",  "gfx950",  "gfx1100", "gfx1201",  "gfx1250",    "sm_80", "sm_89",
                               "sm_90a", "sm_100a", "sm_103a", "sm_120a", "x86_avx2", "x86_avx512", "host"};
const words_of_option types = {"f16", "bf16", "fp8_e4m3", "fp8_e5m2", "f32"};
const words_of_option devices = {"auto", "gpu", "cpu", "emulator"};

/// Words that are looked up once everything is read.
struct words
{
    std::string checks = "on", splits = "auto";
    std::optional<std::string> window;
    bool causal = false, top_left = false;
};

void add_options(CLI::App& app, options& o, words& w)
{
    const auto file = [&](const char* name, std::string& path, const char* text) { add_file(app, name, path, text); };
    file("--q", o.q, "Q, (batch, heads, seq_q, d): a .npy file of floats");
    file("--k", o.k, "K, (batch, kv_heads, seq_k, d); heads must be a multiple of kv_heads");
    file("--v", o.v, "V, (batch, kv_heads, seq_k, d_v)");
    file("--bias", o.bias,
         "Added to the scaled scores: up to four dimensions, each 1 or that of (batch, heads, seq_q, seq_k)");
    file("--mask", o.mask,
         "Which query sees which key: booleans or integers (not 0: seen), of up to four dimensions as --bias");
    file("--key-lengths", o.key_lengths,
         "Integers, (batch): the keys of each sequence, the first of seq_k; the diagonal ends at the last of them");
    file("--page-table", o.page_table,
         "Integers, (batch, pages of a sequence): K and V are caches of pages, (pages, kv_heads, keys of a page, d), "
         "and "
         "the table names each sequence's, in order; forward alone");
    file("--out", o.out, "Where O goes: a .npy file of float32, (batch, heads, seq_q, d_v)");
    file("--lse", o.lse, "Where the logarithms of the sums go: float32, (batch, heads, seq_q)");
    file("--dout", o.d_o, "dO, shaped like O: runs the backward pass");
    file("--dq", o.dq, "Where its gradients go: float32, shaped like Q, K and V");
    file("--dk", o.dk, "");
    file("--dv", o.dv, "");
    app.add_option("--batch", o.batch, "Sequences, where there are no files: the data then is random [1]");
    app.add_option("--heads", o.heads, "Heads of Q [1]");
    app.add_option("--kv-heads", o.kv_heads, "Heads of K and V [those of Q]");
    app.add_option("--seq-q", o.seq_q, "Queries of a sequence");
    app.add_option("--seq-k", o.seq_k, "Keys of a sequence [as many as queries]");
    app.add_option("--head-dim", o.head_dim, "Columns of Q and K");
    app.add_option("--value-dim", o.value_dim, "Columns of V [those of Q and K]");
    app.add_option("--seed", o.seed, "Of the random data [1]");
    app.add_flag("--causal", w.causal, "Query i sees the keys up to i + seq_k - seq_q");
    app.add_flag("--causal-top-left", w.top_left, "Query i sees the keys up to i");
    app.add_option("--window", w.window,
                   "LEFT,RIGHT: query i sees that many keys to each side of its own, i + seq_k - seq_q, or i with "
                   "--causal-top-left; -1: all of that side");
    app.add_option("--scale", o.scale, "What Q K^T is multiplied by [1 / sqrt(d)]");
    app.add_option("--q-scale", o.q_scale,
                   "With fp8 types: Q is divided by it before it is rounded, and the kernel multiplies by it [1]");
    app.add_option("--k-scale", o.k_scale, "As --q-scale, for K [1]");
    app.add_option("--v-scale", o.v_scale, "As --q-scale, for V [1]");
    app.add_option("--softcap", o.cap, "Scaled scores become softcap * tanh(score / softcap) [0: they stay]");
    app.add_option(
        "--dropout", o.dropout,
        "The chance of a probability to be dropped, rounded to a multiple of 2^-16; others are divided by the "
        "rest of 1 [0]");
    app.add_option("--dropout-seed", o.dropout_seed, "Of what is dropped, the same forward and backward [1]");
    app.add_option(
        "--splits", w.splits,
        "How many blocks share the keys of a tile of queries: a number, or auto: as many as help where a tile "
        "has room for all queries that share keys [auto]");
    app.add_option("--type", o.type,
                   "What Q, K and V are rounded to: f16, bf16; on GPUs with fp8 instructions fp8_e4m3, fp8_e5m2; on "
                   "CPUs f32 [bf16]");
    app.add_option("--arch", o.arch, list_words(archs) + " [that of the GPU here, else host, of the emulator gfx942]");
    app.add_option("--device", o.device,
                   list_words(devices) +
                       " [auto: the GPU where one of that architecture is, else the CPU for what it has "
                       "kernels for]");
    app.add_option("--checks", w.checks, "off: the emulator looks for no misuse and counts no memory access [on]");
    app.add_flag("--verify", o.verify, "Compare with a 64-bit reference; exit status 1 past the error bound");
    file("--counters", o.counters, "Where the emulator's counters go: a JSON file");
    app.add_flag("--json", o.json, "Print the result as JSON");
    app.add_flag("!--no-jit", o.compiles, "Refuse what is not built in, where a kernel would be compiled");
    app.add_flag("--list-tiles", o.list_tiles, "List the kernels that are built, of --arch and --device or of all");
}

/// Two numbers, "16,0".
void read_window(const std::string& text, tegula::attention_band& band)
{
    const std::size_t comma = text.find(',');
    char *end_left = nullptr, *end_right = nullptr;
    const std::string left = text.substr(0, comma), right = comma == std::string::npos ? "" : text.substr(comma + 1);
    const long l = std::strtol(left.c_str(), &end_left, 10), r = std::strtol(right.c_str(), &end_right, 10);
    constexpr long least = -1, most = INT32_MAX;
    if (left.empty() || right.empty() || *end_left != 0 || *end_right != 0 || l < least || l > most || r < least ||
        r > most)
        throw bad_input("--window is \"" + text + "\"; it must be two numbers from -1 (all of that side) to " +
                        std::to_string(most) + ", such as 128,0");
    band.left = static_cast<index_t>(l);
    band.right = static_cast<index_t>(r);
}

/// A number from 1, or "auto".
index_t read_splits(const std::string& text)
{
    if (text == "auto")
        return 0;
    char* end = nullptr;
    const long n = std::strtol(text.c_str(), &end, 10);
    constexpr long most = 1024;
    if (text.empty() || *end != 0 || n < 1 || n > most)
        throw bad_input("--splits is \"" + text + "\"; it must be auto or a number from 1 to " + std::to_string(most));
    return static_cast<index_t>(n);
}

void make_band(const words& w, options& o)
{
    if (w.causal && w.top_left)
        throw bad_input("--causal and --causal-top-left are two masks; give one");
    if (w.window)
        read_window(*w.window, o.band);
    if (w.causal || w.top_left)
        o.band.right = 0; // of a window the left part stays
    if (w.top_left)
        o.band.diagonal = tegula::attention_diagonal::top_left;
}

void check_files(const options& o)
{
    const bool sizes = o.batch || o.heads || o.kv_heads || o.seq_q || o.seq_k || o.head_dim || o.value_dim;
    if (o.reads_files()) {
        for (const auto& [name, path] : {std::pair{"--q", &o.q}, {"--k", &o.k}, {"--v", &o.v}})
            if (path->empty())
                throw bad_input(std::string(name) + " is missing; attention needs --q, --k and --v, or --seq-q and "
                                                    "--head-dim for random data");
        if (sizes)
            throw bad_input("--batch, --heads, --kv-heads, --seq-q, --seq-k, --head-dim and --value-dim are for random "
                            "data; with --q, --k and --v the files give the sizes");
    } else if (!o.seq_q || !o.head_dim) {
        throw bad_input("no queries are given; give --q, --k and --v, or --seq-q and --head-dim for random data");
    }
    examples::check_named_files({{"--out", o.out},
                                 {"--lse", o.lse},
                                 {"--dq", o.dq},
                                 {"--dk", o.dk},
                                 {"--dv", o.dv},
                                 {"--counters", o.counters}},
                                {{"--q", o.q},
                                 {"--k", o.k},
                                 {"--v", o.v},
                                 {"--bias", o.bias},
                                 {"--mask", o.mask},
                                 {"--key-lengths", o.key_lengths},
                                 {"--page-table", o.page_table},
                                 {"--dout", o.d_o}});
    if (o.d_o.empty() && !(o.dq.empty() && o.dk.empty() && o.dv.empty()))
        throw bad_input("--dq, --dk and --dv need the gradient of O; give --dout");
}

void check_features(const options& o)
{
    // Not below it: a NaN.
    if (const double p = o.dropout.value_or(0); !(p >= 0) || !(p * 65536 + 0.5 < 65536))
        throw bad_input("--dropout is " + std::to_string(p) +
                        "; it must be a chance from 0 to 65535/65536, what is left of 1 being kept");
    if (o.dropout_seed && !o.dropout)
        throw bad_input("--dropout-seed is " + std::to_string(*o.dropout_seed) +
                        ", but nothing is dropped; give --dropout, too");
    if (o.page_table.empty())
        return;
    if (!o.reads_files())
        throw bad_input("--page-table \"" + o.page_table + "\" has no cache; give --q, --k and --v");
    if (!o.d_o.empty())
        throw bad_input("--page-table \"" + o.page_table +
                        "\" has no backward pass; leave out --dout, or give K and V of each sequence");
    if (o.dropout.value_or(0) != 0)
        throw bad_input("--dropout is " + std::to_string(*o.dropout) +
                        ", and no kernel drops probabilities over pages; leave it or --page-table out");
}

void check_numbers(const options& o)
{
    const auto finite = [](const char* name, float x) {
        if (!std::isfinite(x))
            throw bad_input(std::string(name) + " is " + std::to_string(x) + "; it must be a finite float32");
    };
    finite("--scale", o.scale.value_or(0));
    for (const auto& [name, scale] :
         {std::pair{"--q-scale", o.q_scale}, {"--k-scale", o.k_scale}, {"--v-scale", o.v_scale}}) {
        finite(name, scale.value_or(1));
        if (scale && !(*scale > 0))
            throw bad_input(std::string(name) + " is " + std::to_string(*scale) + "; it must be positive");
        if (scale && !o.has_8_bits())
            throw bad_input(std::string(name) + " is " + std::to_string(*scale) + ", but --type is " + o.type +
                            "; scales are for fp8_e4m3 and fp8_e5m2");
    }
    if (o.has_8_bits() && !o.d_o.empty())
        throw bad_input("--dout is given, but --type is " + o.type + "; the backward pass is for f16, bf16 and f32");
    finite("--softcap", o.cap);
    if (o.cap < 0)
        throw bad_input("--softcap is " + std::to_string(o.cap) + "; it must be positive, or 0 for none");
    examples::check_counters(o.counters, o.checks, o.device);
}

} // namespace

std::vector<std::string> names_of_archs() { return archs; }

std::optional<options> read_options(int argc, char** argv)
{
    options o;
    words w;
    CLI::App app("Attention: O = softmax(scale Q K^T + bias) V, on a GPU, on the CPU or on the emulator.", "attention");
    add_options(app, o, w);
    if (!parse(app, argc, argv))
        return {};
    o.checks = choose<bool>("--checks", w.checks, {{"on", true}, {"off", false}});
    require_word("--type", o.type, types);
    require_word("--device", o.device, devices);
    if (!o.arch.empty())
        require_word("--arch", o.arch, archs);
    make_band(w, o);
    o.splits = read_splits(w.splits);
    if (!o.list_tiles) {
        check_files(o);
        check_numbers(o);
        check_features(o);
    }
    return o;
}

} // namespace attention_example
