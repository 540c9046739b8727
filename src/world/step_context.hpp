#pragma once

#include <exception>
#include <functional>

#include "core/parallel.hpp"
#include "plush/world/world.hpp"

namespace plush {

/// The state that a step started from. A step that cannot be finished puts it back and throws.
class Rollback {
public:
    explicit Rollback(std::function<void()> restore) : restore_(std::move(restore)) {}
    Rollback(const Rollback&) = delete;
    Rollback& operator=(const Rollback&) = delete;
    /// Whatever is thrown out of a step, out of memory included, leaves the world as it was before.
    ~Rollback() {
        if (std::uncaught_exceptions() == entered_) return;
        try {
            restore_();
        } catch (...) {  // no memory even for that: what was thrown first is what is told
        }
    }
    [[noreturn]] void fail(const Error& error) const { throw error; }

private:
    std::function<void()> restore_;
    int entered_ = std::uncaught_exceptions();
};

/// What the phases of one step share. It is passed along and never stored.
struct StepContext {
    const WorldSettings& settings;
    const Parallel& parallel;
    StepReport& report;
    const Rollback& rollback;
    double h = 0;     ///< s
    double time = 0;  ///< of the world when the step begins, s
};

}  // namespace plush
