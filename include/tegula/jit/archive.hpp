#pragma once

#include <tegula/jit/compile.hpp>

#include <sys/mman.h>

namespace tegula::jit {

/// The name of a request in an archive; it does not depend on the compiler.
inline std::string name_of(const request& r)
{
    return sha256().add_field(r.source).add_field(r.kernel).add_field(r.target).add_field(name_of(r.device)).digits();
}

/// Compiled modules in one file, for machines without a compiler. The file is a line `tegula-jit archive 1`, a line
/// NAME SHA-256 BYTES for each module, an empty line, and the modules one after the other.
class archive
{
public:
    static constexpr const char* first_line = "tegula-jit archive 1";
    /// The name of the emulator's engine.
    static constexpr const char* engine = "engine";

    /// Reads an archive. Errors: invalid_argument for a file that is no archive, or is cut.
    static archive read(const std::string& path)
    {
        archive a;
        const auto text = read_file(path);
        a.status_ = status(status_code::invalid_argument, path.c_str());
        if (!text) {
            a.status_ << " cannot be read; let TEGULA_ARCHIVE name a file that tegula-jit build wrote";
            return a;
        }
        const std::size_t head = text->find("\n\n");
        std::size_t at = text->find('\n');
        if (head == std::string::npos || text->substr(0, at) != first_line) {
            a.status_ << " is no archive; write one with tegula-jit build";
            return a;
        }
        std::size_t begin = head + 2;
        while (at < head) {
            const std::size_t end = text->find('\n', at + 1);
            const std::vector<std::string> words = split_words(text->substr(at + 1, end - at - 1));
            const std::size_t bytes = words.size() == 3 ? std::strtoull(words[2].c_str(), nullptr, 10) : 0;
            if (words.size() != 3 || bytes > text->size() - begin) {
                a.status_ << " is cut; write it again with tegula-jit build";
                return a;
            }
            a.modules_[words[0]] = {words[1], text->substr(begin, bytes)};
            begin += bytes;
            at = end;
        }
        a.status_ = {};
        return a;
    }

    const tegula::status& state() const { return status_; }
    int size() const { return static_cast<int>(modules_.size()); }

    /// Adds a module's file. Errors: out_of_memory if it cannot be read.
    tegula::status add(const std::string& name, const std::string& file)
    {
        auto bytes = read_file(file);
        if (!bytes)
            return tegula::status(status_code::out_of_memory, file.c_str()) << " cannot be read";
        std::string content = sha256().add(*bytes).digits();
        modules_[name] = {std::move(content), std::move(*bytes)};
        return {};
    }

    /// Writes all of the archive or nothing. Errors: out_of_memory.
    tegula::status write(const std::string& path) const
    {
        std::string head = std::string(first_line) + "\n", body;
        for (const auto& [name, m] : modules_) {
            head += name + " " + m.content + " " + std::to_string(m.bytes.size()) + "\n";
            body += m.bytes;
        }
        if (write_file(path, head + "\n" + body))
            return {};
        return tegula::status(status_code::out_of_memory, path.c_str())
               << " cannot be written (" << std::strerror(errno) << "); name a file in a folder with room";
    }

    /// The path of a module as a file in this process's memory, to be loaded; empty if the archive lacks it or its
    /// bytes changed. The file stays open, since a loader takes two files of one name for the same.
    std::string open(const std::string& name) const
    {
        const auto found = modules_.find(name);
        if (found == modules_.end() || sha256().add(found->second.bytes).digits() != found->second.content)
            return {};
        const int descriptor = memfd_create("tegula", MFD_CLOEXEC);
        const std::string& bytes = found->second.bytes;
        for (std::size_t done = 0; descriptor >= 0 && done < bytes.size();) {
            const ssize_t n = ::write(descriptor, bytes.data() + done, bytes.size() - done);
            if (n <= 0) {
                close(descriptor);
                return {};
            }
            done += static_cast<std::size_t>(n);
        }
        return descriptor < 0 ? std::string() : "/proc/self/fd/" + std::to_string(descriptor);
    }

private:
    struct module
    {
        std::string content, bytes;
    };
    tegula::status status_;
    std::map<std::string, module> modules_;
};

} // namespace tegula::jit
