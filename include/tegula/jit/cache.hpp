#pragma once

#include <tegula/core/status.hpp>
#include <tegula/jit/process.hpp>
#include <tegula/jit/sha256.hpp>

#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

namespace tegula::jit {

/// All of a file; nothing if it cannot be read.
inline std::optional<std::string> read_file(const std::string& path)
{
    std::error_code error;
    std::ifstream file(path, std::ios::binary);
    if (!file || !std::filesystem::is_regular_file(path, error))
        return {};
    std::string text{std::istreambuf_iterator<char>(file), {}};
    return file.bad() ? std::nullopt : std::optional(std::move(text));
}

/// Writes a file that is complete or absent: first under another name, then renamed.
inline bool write_file(const std::string& path, const std::string& text)
{
    const std::string other = path + "." + std::to_string(getpid()) + ".part";
    {
        std::ofstream file(other, std::ios::binary);
        file << text;
        file.flush();
        if (!file) {
            unlink(other.c_str());
            return false;
        }
    }
    if (std::rename(other.c_str(), path.c_str()) == 0)
        return true;
    unlink(other.c_str());
    return false;
}

/// A file that a compilation read, in its state at that time.
struct dependency
{
    std::string path;
    long long size = 0;
    long long changed = 0; ///< nanoseconds since 1970
    std::string content;   ///< its SHA-256
};

/// Size and time of a file; size -1 if there is none.
inline dependency look_at(const std::string& path)
{
    struct stat s = {};
    if (stat(path.c_str(), &s) != 0)
        return {path, -1, 0, {}};
    return {path, static_cast<long long>(s.st_size), s.st_mtim.tv_sec * 1000000000LL + s.st_mtim.tv_nsec, {}};
}

inline long long nanoseconds_now()
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

/// The cache's record of a request: the module's file and the files that it was compiled from. As text it has one line
/// per field, and ends with the line `end`, which a cut file lacks.
struct manifest
{
    static constexpr const char* first_line = "tegula-jit 1";
    /// In nanoseconds. A younger file may change once more within its time stamp, so that its content decides.
    static constexpr long long settled = 2000000000;

    std::string about;   ///< a line for people
    std::string content; ///< SHA-256 of the module
    long long written = 0;
    std::vector<dependency> files;

    std::string text() const
    {
        std::string t = std::string(first_line) + "\nabout " + about + "\ncontent " + content + "\nwritten " +
                        std::to_string(written) + "\n";
        for (const dependency& d : files)
            t += "file " + d.content + " " + std::to_string(d.size) + " " + std::to_string(d.changed) + " " + d.path +
                 "\n";
        return t + "end\n";
    }

    static std::optional<manifest> parse(const std::string& text)
    {
        manifest m;
        bool first = true;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t newline = text.find('\n', at);
            if (newline == std::string::npos)
                return {};
            const std::string line = text.substr(at, newline - at);
            at = newline + 1;
            if (first && line != first_line)
                return {};
            if (line == "end")
                return at == text.size() ? std::optional(m) : std::nullopt;
            if (!first && !m.take(line))
                return {};
            first = false;
        }
        return {};
    }

    /// Whether no file has changed.
    bool holds() const
    {
        return std::all_of(files.begin(), files.end(), [&](const dependency& was) {
            const dependency is = look_at(was.path);
            if (is.size != was.size)
                return false;
            if (is.changed == was.changed && is.changed + settled < written)
                return true;
            const auto now = read_file(was.path);
            return now && sha256().add(*now).digits() == was.content;
        });
    }

private:
    bool take(const std::string& line)
    {
        const std::size_t blank = line.find(' ');
        if (blank == std::string::npos)
            return false;
        const std::string word = line.substr(0, blank), rest = line.substr(blank + 1);
        if (word == "about")
            about = rest;
        else if (word == "content")
            content = rest;
        else if (word == "written")
            written = std::strtoll(rest.c_str(), nullptr, 10);
        else if (word == "file") {
            dependency d;
            const std::size_t a = rest.find(' '), b = rest.find(' ', a + 1), c = rest.find(' ', b + 1);
            if (a == std::string::npos || b == std::string::npos || c == std::string::npos)
                return false;
            d.content = rest.substr(0, a);
            d.size = std::strtoll(rest.c_str() + a, nullptr, 10);
            d.changed = std::strtoll(rest.c_str() + b, nullptr, 10);
            d.path = rest.substr(c + 1);
            files.push_back(d);
        } else
            return false;
        return true;
    }
};

/// The files that a compiler's dependency file (`-MD`) names with an absolute path. Nothing if it cannot be read.
inline std::optional<std::vector<std::string>> read_dependencies(const std::string& file)
{
    const auto text = read_file(file);
    if (!text)
        return {};
    std::vector<std::string> paths;
    std::string word;
    const auto end_word = [&] {
        if (!word.empty() && word[0] == '/' && word.back() != ':')
            paths.push_back(std::filesystem::path(word).lexically_normal().string());
        word.clear();
    };
    for (std::size_t i = 0; i < text->size(); ++i) {
        const char c = (*text)[i], next = i + 1 < text->size() ? (*text)[i + 1] : '\n';
        if (c == '\\' && (next == '\n' || next == ' ' || next == '#')) {
            if (next == '\n')
                end_word();
            else
                word += next;
            ++i;
        } else if (c == '$' && next == '$')
            word += c, ++i;
        else if (c == ' ' || c == '\n' || c == '\t')
            end_word();
        else
            word += c;
    }
    end_word();
    std::sort(paths.begin(), paths.end());
    paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
    return paths;
}

/// A lock that processes share by a file. It is released when the object or its process ends.
class file_lock
{
public:
    explicit file_lock(const std::string& path) : file_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600))
    {
        if (file_ >= 0)
            while (flock(file_, LOCK_EX) != 0 && errno == EINTR) {
            }
    }
    file_lock(const file_lock&) = delete;
    file_lock& operator=(const file_lock&) = delete;
    ~file_lock()
    {
        if (file_ >= 0)
            close(file_);
    }

private:
    int file_;
};

/// A folder of compiled modules. An entry is KEY.manifest and KEY.so; KEY is the SHA-256 of the request, the compiler
/// and its flags. An entry is used only if the manifest is whole, no compiled file has changed, and the module has the
/// recorded content. Many processes may use a folder at once.
class cache
{
public:
    /// TEGULA_CACHE, else XDG_CACHE_HOME/tegula, else HOME/.cache/tegula; empty if no variable is set.
    static std::string default_folder()
    {
        if (const std::string folder = environment("TEGULA_CACHE"); !folder.empty())
            return folder;
        if (const std::string folder = environment("XDG_CACHE_HOME"); !folder.empty())
            return folder + "/tegula";
        const std::string home = environment("HOME");
        return home.empty() ? home : home + "/.cache/tegula";
    }

    /// Bytes that the modules may take: TEGULA_CACHE_BYTES, else 2 GB.
    static long long default_most_bytes()
    {
        const long long given = std::strtoll(environment("TEGULA_CACHE_BYTES").c_str(), nullptr, 10);
        return given > 0 ? given : 2000000000LL;
    }

    explicit cache(std::string folder = default_folder(), long long most_bytes = default_most_bytes())
        : folder_(std::move(folder)), most_bytes_(most_bytes)
    {
        make_folder();
    }

    const std::string& folder() const { return folder_; }
    /// Why nothing is kept: the folder cannot be made, or others can write to it.
    const status& usable() const { return usable_; }

    std::string file(const std::string& key, const char* suffix) const { return folder_ + "/" + key + suffix; }

    /// The manifest of a key, if its module file(key, ".so") may be loaded.
    std::optional<manifest> find(const std::string& key) const
    {
        if (!usable_)
            return {};
        const auto text = read_file(file(key, ".manifest"));
        const auto found = text ? manifest::parse(*text) : std::nullopt;
        if (!found || !found->holds())
            return {};
        const auto bytes = read_file(file(key, ".so"));
        if (!bytes || sha256().add(*bytes).digits() != found->content)
            return {};
        utimensat(AT_FDCWD, file(key, ".manifest").c_str(), nullptr, 0); // make_room() drops the oldest first
        return found;
    }

    /// Keeps a module. Errors: out_of_memory if the folder takes no file; nothing of the entry is left then.
    status keep(const std::string& key, const std::string& module, manifest m) const
    {
        if (!usable_)
            return usable_;
        const auto bytes = read_file(module);
        if (bytes) {
            m.content = sha256().add(*bytes).digits();
            m.written = nanoseconds_now();
            if (write_file(file(key, ".so"), *bytes) && write_file(file(key, ".manifest"), m.text())) {
                make_room(key);
                return {};
            }
        }
        remove(key);
        return status(status_code::out_of_memory, "the cache ")
               << folder_.c_str() << " takes no file (" << std::strerror(errno)
               << "); the kernel is compiled in each process until TEGULA_CACHE names a folder that can be written";
    }

    void remove(const std::string& key) const
    {
        for (const char* suffix : {".manifest", ".so", ".lock", ".log"})
            unlink(file(key, suffix).c_str());
    }

    struct entry
    {
        std::string key, about;
        long long bytes = 0, used = 0; ///< bytes of the module; time of last use in nanoseconds since 1970
    };

    /// The entries, the one used last first.
    std::vector<entry> entries() const
    {
        std::vector<entry> all;
        std::error_code error;
        for (const auto& f : std::filesystem::directory_iterator(folder_, error)) {
            if (f.path().extension() != ".manifest")
                continue;
            const std::string key = f.path().stem().string();
            const auto text = read_file(f.path().string());
            const auto m = text ? manifest::parse(*text) : std::nullopt;
            const dependency module = look_at(file(key, ".so"));
            all.push_back(
                {key, m ? m->about : "damaged", std::max(0LL, module.size), look_at(f.path().string()).changed});
        }
        std::sort(all.begin(), all.end(), [](const entry& a, const entry& b) { return a.used > b.used; });
        return all;
    }

    /// Removes everything that the library put into the folder; returns the number of modules.
    int clear() const
    {
        int modules = 0;
        std::error_code error;
        for (const auto& f : std::filesystem::directory_iterator(folder_, error)) {
            const std::string suffix = f.path().extension().string();
            if (suffix == ".manifest" || suffix == ".so" || suffix == ".lock" || suffix == ".log" || suffix == ".part")
                modules += std::filesystem::remove(f.path(), error) && suffix == ".so";
        }
        return modules;
    }

private:
    void make_folder()
    {
        const auto refuse = [&](const char* why, const char* remedy) {
            usable_ = status(status_code::unsupported, "the cache ") << folder_.c_str() << " " << why << "; " << remedy;
        };
        if (folder_.empty()) {
            usable_ = status(status_code::unsupported, "there is no folder for a cache; set TEGULA_CACHE or HOME");
            return;
        }
        std::error_code error;
        const std::filesystem::path path(folder_);
        if (!path.parent_path().empty())
            std::filesystem::create_directories(path.parent_path(), error);
        if (mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST)
            return refuse("cannot be made", "let TEGULA_CACHE name a folder that can");
        struct stat s = {};
        if (stat(folder_.c_str(), &s) != 0 || !S_ISDIR(s.st_mode))
            return refuse("is no folder", "let TEGULA_CACHE name one");
        if (s.st_uid != geteuid())
            return refuse("belongs to another user", "let TEGULA_CACHE name a folder of your own");
        if ((s.st_mode & 022) != 0)
            return refuse("can be written by others", "take that right away with chmod 700");
    }

    /// Drops the least recently used entries until the rest fits; the entry of `key` stays.
    void make_room(const std::string& key) const
    {
        long long bytes = 0;
        for (const entry& e : entries()) {
            bytes += e.bytes;
            if (bytes > most_bytes_ && e.key != key)
                remove(e.key);
        }
    }

    std::string folder_;
    long long most_bytes_;
    status usable_;
};

} // namespace tegula::jit
