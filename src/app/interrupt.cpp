#include "app/interrupt.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "app/output.hpp"

namespace plush::app {

namespace {

volatile std::sig_atomic_t flag = 0;

/// What is left to say where the program ends at once. Lock-free: a signal handler may read it.
struct LastWords {
    std::string_view message, document;
};
LastWords last_words;
std::atomic<const LastWords*> ends_at_once = nullptr;
static_assert(std::atomic<const LastWords*>::is_always_lock_free);

void write_once(int to, std::string_view text) {
    [[maybe_unused]] const ssize_t written = text.empty() ? 0 : ::write(to, text.data(), text.size());
}

/// Calls nothing that is not safe in a handler.
[[noreturn]] void end_at_once(const LastWords& words) {
    write_once(STDERR_FILENO, words.message);
    write_once(STDOUT_FILENO, words.document);
    ::_exit(failed);
}

void raise_flag(int) {
    flag = 1;
    if (const LastWords* words = ends_at_once) end_at_once(*words);
}

}  // namespace

void catch_signals() {
    struct sigaction action {};
    action.sa_handler = raise_flag;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    for (const int number : {SIGINT, SIGTERM}) {
        // A signal that the parent told us to ignore (nohup and the like) stays ignored.
        struct sigaction old {};
        if (sigaction(number, nullptr, &old) == 0 && old.sa_handler == SIG_IGN) continue;
        sigaction(number, &action, nullptr);
    }
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

bool interrupted() {
    return flag != 0;
}

EndsAtOnce::EndsAtOnce(std::string_view what, bool json) {
    const Error error({.problem = std::string(what) + " was stopped by a signal before its end",
                       .cure = "start it again: nothing was written"});
    message_ = "plush: " + std::string(error.what()) + "\n";
    if (json)
        document_ =
            nlohmann::ordered_json{{"errors", nlohmann::ordered_json::array({to_json(error)})}}.dump(2) +
            "\n";
    last_words = {message_, document_};
    ends_at_once = &last_words;
    if (interrupted()) end_at_once(last_words);
}

EndsAtOnce::~EndsAtOnce() {
    ends_at_once = nullptr;
}

}  // namespace plush::app
