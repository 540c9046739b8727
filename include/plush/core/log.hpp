#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "plush/core/export.hpp"

namespace plush {

enum class LogLevel { debug, info, warning, error };

/// Where messages go. An embedder gives its own; the default writes warnings and errors to standard error.
/// Called from the thread that called into Plush, never from a worker.
using LogSink = std::function<void(LogLevel, std::string_view message)>;

/// The default sink.
PLUSH_API void log_to_stderr(LogLevel level, std::string_view message);

/// A sink with a threshold. Every world has its own: there is no global logger.
class PLUSH_API Logger {
public:
    explicit Logger(LogSink sink = log_to_stderr, LogLevel least = LogLevel::warning);

    void operator()(LogLevel level, std::string_view message) const;
    void warning(std::string_view message) const { (*this)(LogLevel::warning, message); }
    void info(std::string_view message) const { (*this)(LogLevel::info, message); }

private:
    LogSink sink_;
    LogLevel least_;
};

}  // namespace plush
