#include "app/interrupt.hpp"

#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "app/output.hpp"
#include "core/stop.hpp"

namespace plush::app {

/// What is left to say where the program ends at once. Lock-free: a signal handler may read it.
struct LastWords {
    std::string_view message, document;
};

namespace {

volatile std::sig_atomic_t flag = 0;
volatile std::sig_atomic_t heard = 0;  ///< whoever asked interrupted() knows of it

/// What does not answer within this time is ended. s
constexpr double patience = 0.7;

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

LastWords words_in_between;
std::atomic<bool> in_between = false, leaves_loops = false;

void lose_patience(int) {
    if (!heard && in_between) end_at_once(words_in_between);
}

void raise_flag(int) {
    flag = 1;
    if (const LastWords* words = ends_at_once) end_at_once(*words);
    if (leaves_loops) plush::request_stop();
    itimerval timer{};
    timer.it_value.tv_usec = static_cast<suseconds_t>(patience * 1e6);
    ::setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace

void catch_signals() {
    struct sigaction action {};
    action.sa_handler = raise_flag;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        // A signal that the parent told us to ignore (nohup and the like) stays ignored.
        struct sigaction old {};
        if (sigaction(number, nullptr, &old) == 0 && old.sa_handler == SIG_IGN) continue;
        sigaction(number, &action, nullptr);
    }
    struct sigaction alarm {};
    alarm.sa_handler = lose_patience;
    alarm.sa_flags = static_cast<int>(SA_RESTART);
    sigaction(SIGALRM, &alarm, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

bool interrupted() {
    if (flag != 0) heard = 1;
    return flag != 0;
}

namespace {

std::string document_of(const Error& error) {
    return nlohmann::ordered_json{{"errors", nlohmann::ordered_json::array({to_json(error)})}}.dump(2) + "\n";
}

}  // namespace

EndsAtOnce::EndsAtOnce(std::string_view what, bool json, std::string_view cure) : before_(ends_at_once) {
    const Error error({.problem = std::string(what) + " was stopped by a signal before its end",
                       .cure = std::string(cure)});
    message_ = "plush: " + std::string(error.what()) + "\n";
    if (json) document_ = document_of(error);
    words_ = std::make_unique<LastWords>(LastWords{message_, document_});
    ends_at_once = words_.get();
    if (flag != 0) end_at_once(*words_);
}

EndsAtOnce::~EndsAtOnce() {
    ends_at_once = before_;
}

HearsSignals::HearsSignals(const Error& otherwise, bool json, bool loops) : before_(ends_at_once) {
    message_ = "plush: " + std::string(otherwise.what()) + "\n";
    if (json) document_ = document_of(otherwise);
    words_in_between = {message_, document_};
    in_between = true, leaves_loops = loops;
    ends_at_once = nullptr;
}

HearsSignals::~HearsSignals() {
    in_between = leaves_loops = false;
    ends_at_once = before_;
}

}  // namespace plush::app
