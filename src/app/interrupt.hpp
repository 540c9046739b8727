#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "plush/core/error.hpp"

namespace plush::app {

/// From here on Ctrl-C, a request to terminate and a terminal that is closed only raise a flag; a second one ends the program
/// at once. Writes to closed pipes and past file size limits fail with an error instead of ending the program.
void catch_signals();

/// Whether the flag is up. Who asks must end within a second or so.
bool interrupted();

struct LastWords;

/// While it lives the first signal ends the program at once with status `failed` and a message (with --json a
/// document of errors too): for work that writes nothing before its end and has nothing to go on from.
class EndsAtOnce {
public:
    /// `what` is stopped: "the study".
    EndsAtOnce(std::string_view what, bool json,
               std::string_view cure = "start it again: nothing was written");
    ~EndsAtOnce();
    EndsAtOnce(const EndsAtOnce&) = delete;
    EndsAtOnce& operator=(const EndsAtOnce&) = delete;

private:
    const LastWords* before_;
    std::string message_, document_;
    std::unique_ptr<LastWords> words_;
};

/// While it lives, within an EndsAtOnce, signals raise the flag, for whoever asks interrupted(). Where nobody does soon the
/// program ends with this error. `loops`: long loops of the library are left (core/stop.hpp), for who expects that.
class HearsSignals {
public:
    HearsSignals(const Error& otherwise, bool json, bool loops = false);
    ~HearsSignals();
    HearsSignals(const HearsSignals&) = delete;
    HearsSignals& operator=(const HearsSignals&) = delete;

private:
    const LastWords* before_;
    std::string message_, document_;
};

}  // namespace plush::app
