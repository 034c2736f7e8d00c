#include "output.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace inspect {

void standard_output::finish()
{
    if (std::fflush(stdout) != 0 || std::ferror(stdout))
        throw write_failure("standard output cannot be written: " + std::string(std::strerror(errno)));
}

namespace {

/// Writes everything and closes; errno says why where the result is false.
bool fill(int file, const std::string& content)
{
    for (std::size_t done = 0; done < content.size();) {
        const ssize_t n = ::write(file, content.data() + done, content.size() - done);
        if (n <= 0) {
            ::close(file);
            return false;
        }
        done += static_cast<std::size_t>(n);
    }
    return ::close(file) == 0;
}

mode_t default_mode()
{
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
}

} // namespace

void write_file(const std::string& name, const std::string& content)
{
    std::error_code ignored;
    const auto there = std::filesystem::status(name, ignored);
    if (exists(there) && !is_regular_file(there))
        throw bad_input("\"" + name + "\" is not a file that can be replaced; name a new or a regular file");
    std::string temporary = name + ".XXXXXX";
    const int file = ::mkstemp(temporary.data());
    if (file < 0)
        throw bad_input("\"" + name + "\" cannot be written: " + std::strerror(errno) +
                        "; name a file in a folder that exists");
    if (fill(file, content) && ::chmod(temporary.c_str(), default_mode()) == 0 &&
        std::rename(temporary.c_str(), name.c_str()) == 0)
        return;
    const int reason = errno;
    ::unlink(temporary.c_str());
    throw write_failure("\"" + name + "\" cannot be written: " + std::strerror(reason));
}

} // namespace inspect
