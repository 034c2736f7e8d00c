#include "tokens.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace ptx {

std::string statement::text() const
{
    std::string text = opcode;
    for (const std::string& m : modifiers)
        text += "." + m;
    return text;
}

std::string module::line_of(const statement& s) const
{
    const auto name = [&](const source_line& at) {
        const auto file = files.find(at.file);
        return (file == files.end() ? "file " + std::to_string(at.file) : file->second) + ":" + std::to_string(at.line);
    };
    std::string text = "line " + std::to_string(s.line);
    if (s.from.line != 0)
        text += " (" + name(s.from) + (s.inlined_at.line != 0 ? ", called at " + name(s.inlined_at) : "") + ")";
    return text;
}

std::size_t function::find_label(const std::string& label, int scope) const
{
    for (; scope >= 0; scope = parents[static_cast<std::size_t>(scope)]) {
        const auto& own = labels[static_cast<std::size_t>(scope)];
        if (const auto found = own.find(label); found != own.end())
            return found->second;
    }
    throw fault("no label " + label + " in " + name);
}

register_type parse_type(const std::string& name)
{
    if (name == "pred")
        return {'p', 1};
    const std::string kinds = "bsuf";
    char* end = nullptr;
    const long bits = name.size() > 1 ? std::strtol(name.c_str() + 1, &end, 10) : 0;
    if (bits == 0 || *end != 0 || kinds.find(name[0]) == std::string::npos)
        throw fault("unknown type ." + name);
    return {name[0], static_cast<int>(bits)};
}

namespace {

class parser
{
public:
    explicit parser(const std::string& text) : tokens_(split(text)) {}

    module run()
    {
        while (at_ < tokens_.size())
            parse_directive();
        return std::move(module_);
    }

private:
    // Tokens

    const std::string& peek() const
    {
        static const std::string nothing;
        return at_ < tokens_.size() ? tokens_[at_].text : nothing;
    }
    std::string next()
    {
        if (at_ >= tokens_.size())
            throw fault("the file ends in the middle of a statement");
        return tokens_[at_++].text;
    }
    bool take(const std::string& text)
    {
        if (peek() != text)
            return false;
        ++at_;
        return true;
    }
    void expect(const std::string& text)
    {
        if (!take(text))
            wrong("expected " + text + " in front of " + peek());
    }
    int line() const { return tokens_[at_ < tokens_.size() ? at_ : tokens_.size() - 1].line; }
    [[noreturn]] void wrong(const std::string& what) const
    {
        throw fault("line " + std::to_string(line()) + ": " + what);
    }

    std::uint64_t integer()
    {
        const bool negative = take("-");
        std::string word = next();
        while (!word.empty() && (word.back() == 'U' || word.back() == 'u'))
            word.pop_back();
        char* end = nullptr;
        const bool binary = word.size() > 2 && word[0] == '0' && (word[1] == 'b' || word[1] == 'B');
        const std::uint64_t value = std::strtoull(word.c_str() + (binary ? 2 : 0), &end, binary ? 2 : 0);
        if (*end != 0)
            wrong(word + " is no number");
        return negative ? 0 - value : value;
    }

    // Directives

    void parse_directive()
    {
        const std::string word = peek();
        if (word == ".version" || word == ".address_size") {
            at_ += 2;
        } else if (word == ".target") {
            ++at_;
            module_.target = next();
            while (take(","))
                next();
        } else if (word == ".file") {
            parse_file();
        } else if (word == ".section") {
            skip_section();
        } else if (word == ".loc") {
            parse_location();
        } else {
            bool external = false;
            for (;; ++at_) {
                if (peek() == ".extern")
                    external = true;
                else if (peek() != ".visible" && peek() != ".weak" && peek() != ".common")
                    break;
            }
            if (peek() == ".entry" || peek() == ".func")
                parse_function();
            else
                module_.variables.push_back(parse_variable(external));
        }
    }

    // Debugging directives: they end with their line, not with a semicolon.

    void parse_file()
    {
        expect(".file");
        const int number = static_cast<int>(integer());
        const std::string quoted = next();
        module_.files[number] = quoted.substr(1, quoted.size() - 2);
        while (take(",")) // time and size
            integer();
    }
    source_line parse_source_line()
    {
        source_line at;
        at.file = static_cast<int>(integer());
        at.line = static_cast<int>(integer());
        integer(); // the column
        return at;
    }
    void parse_location()
    {
        expect(".loc");
        from_ = parse_source_line();
        inlined_at_ = {};
        while (take(","))
            if (take("function_name")) {
                next();
                if (take("+"))
                    integer();
            } else {
                expect("inlined_at");
                inlined_at_ = parse_source_line();
            }
    }
    void skip_section()
    {
        expect(".section");
        next();
        expect("{");
        while (!take("}"))
            next();
    }

    /// .space .align n .type name[n] = {...}, up to what follows it.
    variable parse_variable(bool external)
    {
        variable v;
        v.external = external;
        std::vector<std::string> spaces = {".param", ".shared", ".local", ".global", ".const"};
        register_type type{'b', 0};
        std::uint64_t elements = 1;
        while (!peek().empty() && peek()[0] == '.') {
            const std::string word = next();
            if (word == ".align")
                v.alignment = integer();
            else if (word == ".ptr" || word == ".shared::cta")
                continue;
            else if (word == ".v2" || word == ".v4")
                elements = word == ".v2" ? 2 : 4;
            else if (std::find(spaces.begin(), spaces.end(), word) != spaces.end() && v.space.empty())
                v.space = word.substr(1);
            else if (std::find(spaces.begin(), spaces.end(), word) != spaces.end())
                continue; // the space a pointer parameter points to
            else
                type = parse_type(word.substr(1));
        }
        v.element_bytes = static_cast<std::uint64_t>(type.bits + 7) / 8;
        v.alignment = std::max(v.alignment, v.element_bytes);
        v.name = next();
        while (take("[")) {
            elements *= peek() == "]" ? 0 : integer();
            expect("]");
        }
        v.bytes = elements * v.element_bytes;
        if (take("=")) {
            const bool list = take("{");
            do {
                if (list && peek() == "}")
                    break;
                v.initial.push_back(immediate().bits);
            } while (take(","));
            if (list)
                expect("}");
        }
        take(";");
        return v;
    }

    std::vector<variable> parse_parameters()
    {
        std::vector<variable> list;
        if (!take("("))
            return list;
        while (!take(")")) {
            list.push_back(parse_variable(false));
            take(",");
        }
        return list;
    }

    void parse_function()
    {
        function_ = {};
        from_ = inlined_at_ = {};
        function_.is_entry = next() == ".entry";
        function_.results = parse_parameters();
        function_.name = next();
        function_.parameters = parse_parameters();
        while (!peek().empty() && peek()[0] == '.') {
            const std::string name = next().substr(1);
            auto& values = function_.directives[name];
            while (std::isdigit(static_cast<unsigned char>(peek()[0]))) {
                values.push_back(integer());
                take(",");
            }
        }
        if (!take(";")) {
            function_.has_body = true;
            scopes_.clear();
            parse_block(-1);
        }
        auto& known = module_.functions[function_.name];
        if (!known.has_body)
            known = std::move(function_);
    }

    // Bodies

    void parse_block(int parent)
    {
        expect("{");
        const int scope = static_cast<int>(function_.parents.size());
        function_.parents.push_back(parent);
        function_.labels.emplace_back();
        scopes_.emplace_back();
        while (!take("}")) {
            if (peek() == "{")
                parse_block(scope);
            else if (peek() == ".reg")
                parse_registers();
            else if (peek() == ".pragma")
                at_ += 3;
            else if (peek() == ".loc")
                parse_location();
            else if (peek()[0] == '.')
                function_.variables.push_back(parse_variable(false));
            else if (at_ + 1 < tokens_.size() && tokens_[at_ + 1].text == ":")
                parse_label(scope);
            else if (!take(";"))
                function_.body.push_back(parse_statement(scope));
        }
        scopes_.pop_back();
    }

    void parse_label(int scope)
    {
        const std::string name = next();
        expect(":");
        if (peek() == ".branchtargets") {
            ++at_;
            do
                function_.branch_targets[name].push_back(next());
            while (take(","));
            expect(";");
        } else {
            function_.labels[static_cast<std::size_t>(scope)][name] = function_.body.size();
        }
    }

    void parse_registers()
    {
        expect(".reg");
        const register_type type = parse_type(next().substr(1));
        do {
            const std::string name = next();
            if (take("<")) {
                const std::uint64_t count = integer();
                expect(">");
                for (std::uint64_t i = 0; i < count; ++i)
                    add_register(name + std::to_string(i), type);
            } else {
                add_register(name, type);
            }
        } while (take(","));
        expect(";");
    }
    void add_register(const std::string& name, register_type type)
    {
        scopes_.back()[name] = static_cast<int>(function_.registers.size());
        function_.registers.push_back(type);
    }
    int find_register(const std::string& name) const
    {
        for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
            if (const auto found = scope->find(name); found != scope->end())
                return found->second;
        return -1;
    }

    statement parse_statement(int scope)
    {
        statement s;
        s.line = line();
        s.from = from_;
        s.inlined_at = inlined_at_;
        s.scope = scope;
        if (take("@")) {
            s.guard_negated = take("!");
            s.guard = find_register(next());
            if (s.guard < 0)
                wrong("a guard that is no register");
        }
        std::vector<std::string> words = split_points(next());
        s.opcode = words[0];
        s.modifiers.assign(words.begin() + 1, words.end());
        while (!take(";")) {
            s.operands.push_back(parse_operand());
            take(",");
        }
        return s;
    }

    operand immediate()
    {
        operand o;
        o.what = operand::kind::immediate;
        const std::string& word = peek() == "-" ? tokens_[at_ + 1].text : peek();
        const bool hex_float =
            word.size() > 2 && word[0] == '0' && std::string("fFdD").find(word[1]) != std::string::npos;
        if (hex_float) {
            const bool negative = take("-");
            const std::string digits = next();
            o.float_bits = std::tolower(digits[1]) == 'f' ? 32 : 64;
            o.bits = std::strtoull(digits.c_str() + 2, nullptr, 16);
            if (negative)
                o.bits ^= std::uint64_t{1} << (o.float_bits - 1);
        } else if (word.find('.') != std::string::npos) {
            const bool negative = take("-");
            const double value = std::strtod(next().c_str(), nullptr);
            o.float_bits = 64;
            o.bits = std::bit_cast<std::uint64_t>(negative ? -value : value);
        } else if (word == "WARP_SZ") {
            next();
            o.bits = 32;
        } else {
            o.bits = integer();
        }
        return o;
    }

    operand parse_list(const std::string& end)
    {
        operand o;
        o.what = operand::kind::list;
        while (!take(end)) {
            o.elements.push_back(parse_operand());
            take(",");
        }
        return o;
    }

    operand parse_address()
    {
        operand o;
        o.what = operand::kind::address;
        if (std::isdigit(static_cast<unsigned char>(peek()[0]))) {
            o.offset = static_cast<std::int64_t>(integer());
        } else {
            const std::string base = next();
            o.reg = find_register(base);
            if (o.reg < 0)
                o.symbol = base;
        }
        if (take("+"))
            o.offset += static_cast<std::int64_t>(integer());
        else if (peek() == "-")
            o.offset += static_cast<std::int64_t>(integer());
        while (take(","))
            o.elements.push_back(parse_operand());
        expect("]");
        return o;
    }

    operand parse_operand()
    {
        operand o;
        if (take("{"))
            return parse_list("}");
        if (take("("))
            return parse_list(")");
        if (take("["))
            return parse_address();
        const std::string word = peek();
        if (word == "-" || std::isdigit(static_cast<unsigned char>(word[0])) || word == "WARP_SZ")
            return immediate();
        o.negated = take("!");
        const std::string name = next();
        o.reg = find_register(name);
        if (o.reg >= 0) {
            o.what = operand::kind::reg;
        } else if (name != "_") {
            o.what = operand::kind::symbol;
            o.symbol = name;
            if (take("+"))
                o.offset = static_cast<std::int64_t>(integer());
        }
        if (take("|")) {
            operand both;
            both.what = operand::kind::list;
            both.alternative = true;
            both.elements = {o, parse_operand()};
            return both;
        }
        return o;
    }

    std::vector<token> tokens_;
    std::size_t at_ = 0;
    module module_;
    function function_;
    source_line from_, inlined_at_; ///< of the last .loc
    std::vector<std::map<std::string, int>> scopes_;
};

} // namespace

module parse(const std::string& text) { return parser(text).run(); }

} // namespace ptx
