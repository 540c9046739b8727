#include "app/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>

namespace plush::app {

namespace {

using Json = nlohmann::ordered_json;

/// 0 or the error number. No buffer in between: a failed write is noticed here and not after main().
int write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(descriptor, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return 0;
}

}  // namespace

int print(std::string_view text, int status) {
    const int error_number = write_all(STDOUT_FILENO, text);
    if (error_number == 0) return status;
    say("standard output: " + std::generic_category().message(error_number));
    return status == done ? failed : status;
}

int print_json(const Json& document, int status) {
    return print(document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n", status);
}

void say(std::string_view message) {
    // Nobody is left to tell when standard error is gone too.
    static_cast<void>(write_all(STDERR_FILENO, "plush: " + std::string(message) + "\n"));
}

void say(const Error& error) {
    say(error.what());
}

Json to_json(const Error& error) {
    return {{"file", error.file()},
            {"place", error.place()},
            {"problem", error.problem()},
            {"cure", error.cure()}};
}

int report(std::span<const Error> errors, bool json, int status) {
    Json list = Json::array();
    for (const Error& error : errors) {
        say(error);
        list.push_back(to_json(error));
    }
    return json ? print_json({{"errors", list}}, status) : status;
}

int report(const Error& error, bool json, int status) {
    return report(std::span(&error, 1), json, status);
}

}  // namespace plush::app
