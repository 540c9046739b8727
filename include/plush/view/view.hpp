#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plush/world/world.hpp"

// A world to see and to touch in the browser (docs/viewer.md). It is in libplush_view.so (CMake: plush::view), so that
// libplush.so needs no web server; plush/plush.hpp does not include this header.

namespace plush::view {

/// How a world is shown.
struct ViewSettings {
    int port = 0;                ///< on 127.0.0.1; 0: a free one
    std::string name = "world";  ///< what the page calls it
};

/// Serves a page that shows a world of yours, and lets a user act on it. The world is touched only inside of serve() and
/// update(), by the thread that calls them.
class PLUSH_API View {
public:
    /// Throws an Error where the port is in use.
    explicit View(World& world, const ViewSettings& settings = {});
    ~View();
    View(const View&) = delete;
    View& operator=(const View&) = delete;

    /// What to open in a browser: it holds the secret that the page needs.
    const std::string& address() const;

    /// Steps the world as the page wants, until stop().
    void serve();
    /// For a loop of your own: does what the page asked for, waits while it is paused and for its speed, and shows the world as
    /// it is now. True: do one step. False: stop() was called.
    bool update();
    /// What a loop shall do next.
    enum class Turn {
        step,  ///< do one step
        wait,  ///< none is due yet
        stop,  ///< stop() was called
    };
    /// The same for a loop that has other work: comes back after so many seconds, whether a step is due or not.
    Turn update_within(double seconds);
    /// From any thread, and from what is called inside of serve().
    void stop();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// What the command `plush view` does.
struct ServeSettings {
    std::vector<std::string> names{};  ///< scenes, run folders, saved states: at most two; none: the gallery
    std::vector<std::string> set{};    ///< overrides of scenes
    std::vector<std::string> variants{};  ///< of a scene, side by side
    std::vector<std::string> methods{};   ///< of contact, side by side
    int port = 0, threads = 0;
    std::string save_input{};  ///< a file for all that is done to the world; empty: none
    /// Told once, when the page can be opened; then warnings of the scenes.
    std::function<void(const std::string& address)> ready{};
    std::function<void(const Error& warning)> warn{};
    /// Called often, from a thread of its own: true ends it.
    std::function<bool()> stop{};
};
PLUSH_API Result<void> serve(const ServeSettings& settings);

/// A record of input that is done again to a world that was built from the same scene.
class PLUSH_API Replay {
public:
    static Result<Replay> load(const std::string& file);
    Replay(Replay&&) noexcept;
    Replay& operator=(Replay&&) noexcept;
    ~Replay();

    /// Scene::resolved() of what was recorded; empty where it was a world of a C++ program.
    const std::string& scene() const;
    bool drops_bodies() const;
    std::optional<long long> steps() const;           ///< where the record ends
    std::optional<std::uint64_t> state_hash() const;  ///< of the state there
    /// To be called before each step.
    void before_step(World& world);

private:
    struct Impl;
    explicit Replay(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace plush::view

namespace plush {
using view::View;
using view::ViewSettings;
}  // namespace plush
