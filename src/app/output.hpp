#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>

#include "plush/core/error.hpp"

// Standard output carries results and nothing else; standard error carries messages.

namespace plush::app {

/// How a command ends: scripts depend on these.
enum Status : int {
    done = 0,      ///< and, for check and validate, all passed
    failed = 1,    ///< the simulation, a check or a write went wrong, or Ctrl-C
    unusable = 2,  ///< wrong usage, or input that cannot be used
};

/// Writes a result to standard output. Returns `status`, or failed, with a message, where nobody takes the
/// text (a closed pipe, a full disk).
[[nodiscard]] int print(std::string_view text, int status = done);
/// The same with a JSON document. Bytes that are not UTF-8 (file names may have them) become U+FFFD.
[[nodiscard]] int print_json(const nlohmann::ordered_json& document, int status = done);

/// A message on standard error, as "plush: …".
void say(std::string_view message);
void say(const Error& error);

/// Says each error; with --json also prints {"errors": [{"file", "place", "problem", "cure"}]}.
[[nodiscard]] int report(std::span<const Error> errors, bool json, int status = unusable);
[[nodiscard]] int report(const Error& error, bool json, int status = unusable);

nlohmann::ordered_json to_json(const Error& error);

}  // namespace plush::app
