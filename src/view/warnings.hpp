#pragma once

#include <mutex>
#include <nlohmann/json.hpp>

#include "plush/world/world.hpp"

// What a person should know of a world that runs, in words and with the fix.

namespace plush::view {

class Warnings {
public:
    void clear();
    /// After each step.
    void after_step(const World& world);
    /// A message of the engine's log, from any thread.
    void log(std::string_view message);
    nlohmann::json to_json() const;

private:
    struct Warning {
        std::string id{}, text{}, fix{};
        long long count = 0, first_step = 0, last_step = 0;
        std::optional<std::uint32_t> body{};
    };
    void add(std::string id, std::optional<std::uint32_t> body, std::string text, std::string fix);
    void warn_convergence(const StepReport& report);
    void warn_fast(const World& world);
    void warn_inverted(const World& world);

    mutable std::mutex mutex_;
    std::vector<Warning> list_;
    long long step_ = 0;
    std::vector<double> sizes_;  ///< of bodies, m
};

}  // namespace plush::view
