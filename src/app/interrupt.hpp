#pragma once

#include <string>
#include <string_view>

namespace plush::app {

/// From here on Ctrl-C and a request to terminate only raise a flag; a second one ends the program at once.
/// Writes to closed pipes and past file size limits fail with an error instead of ending the program.
void catch_signals();

/// Whether the flag is up.
bool interrupted();

/// While it lives the first signal ends the program at once with status `failed` and a message (with --json a
/// document of errors too): for long work that writes nothing before its end and has nothing to go on from.
class EndsAtOnce {
public:
    /// `what` is stopped: "the study".
    EndsAtOnce(std::string_view what, bool json);
    ~EndsAtOnce();
    EndsAtOnce(const EndsAtOnce&) = delete;
    EndsAtOnce& operator=(const EndsAtOnce&) = delete;

private:
    std::string message_, document_;
};

}  // namespace plush::app
