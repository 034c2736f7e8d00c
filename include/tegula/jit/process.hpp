#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

extern char** environ;

namespace tegula::jit {

/// How a program ended.
struct process_end
{
    int status = -1; ///< the exit status; -1: it did not start, or a signal ended it
    int signal = 0;  ///< the signal that ended it, or 0
    int error = 0;   ///< errno if it did not start
    bool ok() const { return status == 0; }
};

/// Runs a program in `folder` and waits for it. stdout and stderr go to the file `log`. No shell reads the words.
inline process_end run_program(const std::vector<std::string>& words, const std::string& folder, const std::string& log)
{
    std::vector<char*> arguments;
    for (const std::string& word : words)
        arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
    pid_t child = 0;
    process_end end;
    end.error = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (end.error != 0)
        return end;

    int ended = 0;
    while (waitpid(child, &ended, 0) < 0)
        if (errno != EINTR) {
            end.error = errno;
            return end;
        }
    if (WIFEXITED(ended))
        end.status = WEXITSTATUS(ended);
    else
        end.signal = WTERMSIG(ended);
    return end;
}

/// The path of a program: `name` itself if it has a slash, else the first match in PATH; empty if there is none.
inline std::string find_program(const std::string& name)
{
    if (name.empty())
        return {};
    if (name.find('/') != std::string::npos)
        return access(name.c_str(), X_OK) == 0 ? name : std::string();
    const char* const path = std::getenv("PATH");
    std::string rest = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
    while (!rest.empty()) {
        const std::size_t colon = rest.find(':');
        const std::string folder = rest.substr(0, colon);
        rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
        if (folder.empty() || folder[0] != '/')
            continue; // never take a compiler from the current folder
        const std::string file = folder + "/" + name;
        if (access(file.c_str(), X_OK) == 0)
            return file;
    }
    return {};
}

/// An environment variable; empty if it is not set.
inline std::string environment(const char* name)
{
    const char* const value = std::getenv(name);
    return value == nullptr ? std::string() : value;
}

/// The words of a text, separated by blanks.
inline std::vector<std::string> split_words(const std::string& text)
{
    std::vector<std::string> words;
    std::string word;
    for (const char c : text + " ")
        if (c != ' ' && c != '\t' && c != '\n')
            word += c;
        else if (!word.empty())
            words.push_back(std::exchange(word, {}));
    return words;
}

} // namespace tegula::jit
