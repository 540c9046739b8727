#pragma once

#include <chrono>
#include <cmath>
#include <cstddef>

namespace plush::view {

/// When the next step is due, so that simulated time runs `speed` times as fast as real time. What is late stays late: no
/// burst of steps follows a slow one.
class Pace {
public:
    using Clock = std::chrono::steady_clock;

    void set_speed(double speed) { speed_ = speed, anchored_ = false; }
    double speed() const { return speed_; }
    void restart() { anchored_ = false; }

    /// When the world, now at `time`, shall be at `time + interval`.
    Clock::time_point due(double time, double interval, Clock::time_point now) {
        if (!(speed_ > 0)) return now;
        if (!anchored_) anchor_ = now, from_ = time, anchored_ = true;
        const auto at = anchor_ + to_clock((time + interval - from_) / speed_);
        if (now - at <= max_lag) return at;
        anchor_ = now, from_ = time;
        return now;
    }
    /// How many intervals may be left out, of what can be left out: at least one is due.
    std::size_t late_by(double time, double interval, Clock::time_point now) const {
        if (!(speed_ > 0) || !anchored_ || !(interval > 0)) return 1;
        const double target = from_ + speed_ * std::chrono::duration<double>(now - anchor_).count();
        return static_cast<std::size_t>(std::fmax(1.0, std::floor((target - time) / interval + 1e-6)));
    }

private:
    static constexpr std::chrono::milliseconds max_lag{250};
    static Clock::duration to_clock(double seconds) {
        return std::chrono::duration_cast<Clock::duration>(
            std::chrono::duration<double>(std::fmin(seconds, 1e6)));
    }
    double speed_ = 1, from_ = 0;
    bool anchored_ = false;
    Clock::time_point anchor_{};
};

}  // namespace plush::view
