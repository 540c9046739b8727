#pragma once

#include <filesystem>
#include <fstream>

#include "plush/scene/scene.hpp"
#include "view/world_actions.hpp"

// A record of what was done to a world: lines of JSON, each whole when it is written, so that a program that is killed
// leaves all but its last moment. The first line names the scene, each further one is a command with the number of steps
// that were done before it, and the last has the hash of the state at the end.

namespace plush::view {

class InputRecord {
public:
    /// Keeps it in memory, and in a file too where one is named. Begins anew at each call.
    Result<void> begin(const std::filesystem::path& file, const Scene* scene, long long first_step);
    void add(long long step, const Command& command);
    void end(long long step, std::uint64_t state_hash);

    /// As a file would have it, with its end here.
    std::string text(long long step, std::uint64_t state_hash) const;
    std::size_t commands() const { return commands_; }
    const std::optional<Error>& write_error() const { return error_; }

private:
    void write(const std::string& line);
    std::string text_;
    std::size_t commands_ = 0;
    std::filesystem::path file_;
    std::ofstream out_;
    std::optional<Error> error_;
};

/// A record that was read, to be done again to a world that was built from the same scene.
class InputReplay {
public:
    static Result<InputReplay> load(const std::filesystem::path& file);
    static Result<InputReplay> read(std::string_view text, const std::string& name);

    /// Scene::resolved() of the scene that was recorded; empty where it was a world of C++.
    const std::string& scene() const { return scene_; }
    std::size_t commands() const { return commands_.size(); }
    /// Where the record ends: steps, and the hash of the state.
    std::optional<long long> steps() const { return steps_; }
    std::optional<std::uint64_t> state_hash() const { return state_hash_; }
    bool drops_bodies() const;
    /// Does what was done before the world's next step. To be called before each.
    void before_step(World& world);

private:
    struct Timed {
        long long step = 0;
        Command command{};
    };
    std::string scene_;
    std::vector<Timed> commands_;
    std::size_t next_ = 0;
    std::optional<long long> steps_;
    std::optional<std::uint64_t> state_hash_;
    WorldActions actions_;
};

}  // namespace plush::view
