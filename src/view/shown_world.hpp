#pragma once

#include "view/command.hpp"
#include "view/picture.hpp"

// One of the worlds that a session shows: one that is simulated, or a run that was recorded. All of it is called from the
// session's own thread.

namespace plush::view {

class ShownWorld {
public:
    virtual ~ShownWorld() = default;

    /// A command to this world.
    virtual Result<nlohmann::json> apply(const Command& command) = 0;
    /// One step; or so many frames, of which all but the last are skipped. An Error where it cannot go on; false at the end of a run.
    virtual Result<bool> advance(std::size_t frames = 1) = 0;
    virtual long long step() const = 0;   ///< how many were done
    virtual double time() const = 0;      ///< s
    virtual double interval() const = 0;  ///< from now to the next step or frame, s
    virtual Result<void> to_start() = 0;
    virtual void seek(std::size_t) {}
    /// What a page that left may have been holding, let go.
    virtual void release_all() {}
    /// After a step that took so many seconds, also where the loop of the user made it.
    virtual void stepped(double) {}

    virtual std::shared_ptr<const Picture> picture(std::uint32_t layers) = 0;
    virtual nlohmann::json state(bool playing) = 0;
    virtual std::vector<std::string_view> layers() const = 0;
    /// {"names", "columns"}.
    virtual nlohmann::json metrics() const = 0;
    virtual Result<std::vector<std::byte>> saved() const = 0;
    virtual Result<std::string> input() const = 0;
    virtual std::size_t input_commands() const { return 0; }
    /// Nothing more is going to be done to it.
    virtual void close() {}
};

}  // namespace plush::view
