#include "app/interrupt.hpp"

#include <csignal>
#include <initializer_list>

namespace plush::app {

namespace {

volatile std::sig_atomic_t flag = 0;

void raise_flag(int) {
    flag = 1;
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

}  // namespace plush::app
