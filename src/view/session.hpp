#pragma once

#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>

#include "view/opening.hpp"
#include "view/pace.hpp"
#include "view/pages.hpp"

// The worlds that are shown, and the thread that steps them. Pages never touch a world: their commands wait in a queue until
// the thread is between two steps, and what they see is published by it. It captures a state only where somebody waits for
// one, and waits for nobody.

namespace plush::view {

/// What there is to see now. Never changed once it is published.
struct Published {
    std::uint64_t seq = 0;
    std::uint64_t epoch = 0;  ///< another one: other worlds
    std::vector<std::shared_ptr<const Picture>> worlds{};
    std::uint64_t state_version = 0;
    std::string state{};  ///< JSON
};

class Session {
public:
    explicit Session(Source source);
    /// Shows a world of the user's program, which steps it.
    Session(std::unique_ptr<ShownWorld> world);
    ~Session();

    /// Opens what the source names. Errors are for the command line; pages see those of a later reload.
    Result<void> open(std::vector<Error>* warnings = nullptr);

    // -- from the thread of the worlds
    enum class Turn { step, wait, stop };
    /// Does what was asked for, and waits until a step is due. `step`: call advance(), or step the world otherwise and call
    /// advanced(). `stop`: stop() was called. `wait`: neither until `until`.
    Turn next_until(std::optional<Pace::Clock::time_point> until);
    /// The same without such an end: whether a step is due.
    bool next() { return next_until({}) == Turn::step; }
    void advance();
    void advanced(double seconds);  ///< the user's own step took so long
    void close();                   ///< ends records

    // -- from any thread
    void stop();
    bool stopped() const;
    /// Answers when all are applied: {"results": [...]}.
    std::future<nlohmann::json> submit(std::vector<Command> commands);
    /// Runs a job between two steps.
    void post(std::function<void()> job);
    /// The page that acted is gone: what it held is let go, and the worlds pause.
    void acting_left();
    /// Something that the state tells has changed outside of the worlds.
    void touch();
    /// What was published after `seq` and `state_version`; null where nothing was until `until`, or at the end.
    std::shared_ptr<const Published> wait(std::uint64_t seq, std::uint64_t state_version,
                                          Pace::Clock::time_point until);
    /// A stream with these layers comes, changes or goes.
    void set_reader(std::uint64_t stream, std::optional<std::uint32_t> layers);
    Pages& pages() { return pages_; }

    // -- inside jobs
    std::span<const std::unique_ptr<ShownWorld>> worlds() const { return worlds_; }
    nlohmann::json state_document();

private:
    using Json = nlohmann::json;
    using Clock = Pace::Clock;
    struct Request {
        std::vector<Command> commands{};
        std::size_t next = 0;
        std::promise<Json> answer{};
        Json results = Json::array();
    };
    bool serve_requests();
    void continue_request();
    Json apply(const Command& command);
    Json apply_to_session(const Command& command);
    Result<void> reopen(Source source);
    Json finish_steps();
    void set_playing(bool playing);
    bool pause_at_end(bool ended);
    void measure(Clock::time_point now);
    void publish(bool now);
    void set_busy(std::string what);
    Clock::time_point next_due(Clock::time_point now);

    Source source_;
    bool external_ = false;
    std::vector<std::unique_ptr<ShownWorld>> worlds_;
    bool recorded_ = false;
    Pages pages_;

    // Of the worlds' thread.
    Pace pace_;
    bool playing_ = false, loop_ = false;
    long long steps_left_ = 0, steps_asked_ = 0;  ///< of the command `step`
    std::optional<Request> request_;
    std::optional<Error> ended_;
    std::vector<Error> open_errors_, open_warnings_;
    std::uint64_t reads_ = 0;  ///< of sources by pages
    std::string busy_;
    std::uint64_t epoch_ = 0, seq_ = 0, state_version_ = 0;
    bool stale_ = true, state_stale_ = true;
    Clock::time_point state_time_{}, measured_{};
    double measured_time_ = 0, real_time_factor_ = 0, steps_per_second_ = 0;
    long long steps_ = 0, measured_steps_ = 0;

    // Shared.
    mutable std::mutex mutex_;
    std::condition_variable wake_, news_;
    std::vector<std::function<void()>> jobs_;
    std::vector<Request> requests_;
    bool stop_ = false, wanted_ = false, touched_ = false;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> readers_;
    std::shared_ptr<const Published> published_ = std::make_shared<Published>();
};

}  // namespace plush::view
