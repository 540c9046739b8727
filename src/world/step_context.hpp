#pragma once

#include <functional>

#include "core/parallel.hpp"
#include "plush/world/world.hpp"

namespace plush {

/// The state that a step started from. A step that cannot be finished puts it back and throws.
class Rollback {
public:
    explicit Rollback(std::function<void()> restore) : restore_(std::move(restore)) {}
    void restore() const { restore_(); }
    [[noreturn]] void fail(const Error& error) const {
        restore_();
        throw error;
    }

private:
    std::function<void()> restore_;
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
