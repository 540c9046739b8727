#include "plush/core/log.hpp"

#include <cstdio>
#include <utility>

namespace plush {

void log_to_stderr(LogLevel level, std::string_view message) {
    static constexpr const char* names[] = {"debug", "info", "warning", "error"};
    std::fprintf(stderr, "plush: %s: %.*s\n", names[static_cast<int>(level)],
                 static_cast<int>(message.size()), message.data());
}

Logger::Logger(LogSink sink, LogLevel least) : sink_(std::move(sink)), least_(least) {}

void Logger::operator()(LogLevel level, std::string_view message) const {
    if (level >= least_ && sink_) sink_(level, message);
}

}  // namespace plush
