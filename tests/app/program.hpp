#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace plush::test {

struct Outcome {
    int status = -1;  ///< of the exit; −1 for a signal
    std::string out{}, err{};
};

/// Runs the real program in `folder`. `prepare` is called in the child before the program starts; `running`
/// while it runs, with its process id.
inline Outcome plush(const std::filesystem::path& folder, std::vector<std::string> words,
                     const std::function<void()>& prepare = {},
                     const std::function<void(pid_t)>& running = {}) {
    int out[2], err[2];
    if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0) return {};
    words.insert(words.begin(), PLUSH_PROGRAM);
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(out[1], STDOUT_FILENO);
        ::dup2(err[1], STDERR_FILENO);
        if (::chdir(folder.c_str()) != 0) ::_exit(99);
        if (prepare) prepare();
        std::vector<char*> argv;
        for (std::string& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        ::execv(PLUSH_PROGRAM, argv.data());
        ::_exit(98);
    }
    ::close(out[1]), ::close(err[1]);
    if (running) running(child);
    Outcome outcome;
    // Both at once: a program that fills one pipe while we wait for the other would hang.
    pollfd ends[2] = {{out[0], POLLIN, 0}, {err[0], POLLIN, 0}};
    std::string* texts[2] = {&outcome.out, &outcome.err};
    for (int open = 2; open > 0;) {
        ::poll(ends, 2, -1);
        for (int i = 0; i < 2; ++i) {
            if (ends[i].fd < 0 || ends[i].revents == 0) continue;
            char buffer[65536];
            const ssize_t n = ::read(ends[i].fd, buffer, sizeof buffer);
            if (n > 0) {
                texts[i]->append(buffer, static_cast<std::size_t>(n));
            } else {
                ::close(ends[i].fd);
                ends[i].fd = -1;
                --open;
            }
        }
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status)) outcome.status = WEXITSTATUS(status);
    return outcome;
}

}  // namespace plush::test
