#include "view/session.hpp"

#include <algorithm>

#include "plush/core/version.hpp"
#include "plush/scene/scene.hpp"

namespace plush::view {

namespace {

using namespace std::chrono_literals;
constexpr auto state_interval = 50ms;     // between two states, while it plays
constexpr auto measure_interval = 500ms;  // over which speeds are measured

nlohmann::json to_json(const Error& error) {
    return {{"file", error.file()},
            {"place", error.place()},
            {"problem", error.problem()},
            {"fix", error.cure()}};
}

nlohmann::json to_json(std::span<const Error> errors) {
    nlohmann::json list = nlohmann::json::array();
    for (const Error& error : errors) list.push_back(to_json(error));
    return list;
}

nlohmann::json refused(const Error& error) {
    return {{"ok", false},
            {"error", {{"code", "refused"}, {"problem", error.problem()}, {"fix", error.cure()}}}};
}

}  // namespace

Session::Session(Source source) : source_(std::move(source)) {}

Session::Session(std::unique_ptr<ShownWorld> world) : external_(true) {
    worlds_.push_back(std::move(world));
    playing_ = true;
}

Session::~Session() {
    for (Request& request : requests_) request.answer.set_value({{"results", Json::array()}});
    if (request_) request_->answer.set_value({{"results", request_->results}});
}

// -- the worlds' thread

Result<void> Session::open(std::vector<Error>* warnings) {
    if (external_) return {};
    Opened opened = open_source(source_);
    if (warnings) *warnings = opened.warnings;
    open_warnings_ = std::move(opened.warnings);
    if (!opened.errors.empty()) return opened.errors.front();
    worlds_ = std::move(opened.worlds), recorded_ = opened.recorded;
    ++epoch_;
    return {};
}

void Session::close() {
    for (const auto& world : worlds_) world->close();
}

Session::Turn Session::next_until(std::optional<Clock::time_point> until) {
    for (;;) {
        if (!serve_requests()) return Turn::stop;
        const auto now = Clock::now();
        if (steps_left_ > 0) return Turn::step;
        std::optional<Clock::time_point> due;
        if (playing_ && !worlds_.empty()) due = next_due(now);
        if (due && *due <= now) return Turn::step;
        publish(false);
        if (until && *until <= now) return Turn::wait;
        if (until) due = due ? std::min(*due, *until) : *until;
        std::unique_lock lock(mutex_);
        const auto news = [&] {
            return stop_ || !jobs_.empty() || !requests_.empty() || touched_ || (wanted_ && stale_);
        };
        if (due)
            wake_.wait_until(lock, *due, news);
        else
            wake_.wait(lock, news);
    }
}

Session::Clock::time_point Session::next_due(Clock::time_point now) {
    const auto& behind = *std::min_element(
        worlds_.begin(), worlds_.end(), [](const auto& a, const auto& b) { return a->time() < b->time(); });
    return pace_.due(behind->time(), behind->interval(), now);
}

/// All that was asked for until now. False: stop.
bool Session::serve_requests() {
    for (;;) {
        std::vector<std::function<void()>> jobs;
        bool waits = false;  // for steps, which another request would end
        {
            const std::lock_guard lock(mutex_);
            if (stop_) return false;
            jobs.swap(jobs_);
            if (touched_) touched_ = false, state_stale_ = true, state_time_ = {};
            waits = request_ && steps_left_ > 0 && requests_.empty();
            if (!request_ && !requests_.empty()) {
                request_ = std::move(requests_.front());
                requests_.erase(requests_.begin());
            }
        }
        for (const auto& job : jobs) job();
        if (request_ && !waits) {
            continue_request();
        } else if (jobs.empty()) {
            return true;
        }
    }
}

/// The commands of a request, until one of them needs steps: it goes on when they are done, or something else is wanted.
void Session::continue_request() {
    Request& request = *request_;
    if (steps_asked_ > 0) request.results.push_back(finish_steps()), ++request.next;
    while (request.next < request.commands.size()) {
        const Command& command = request.commands[request.next];
        if (command.verb == Verb::step && !worlds_.empty() && !ended_) {
            set_playing(false);
            steps_left_ = steps_asked_ = command.has("count") ? command.whole("count") : 1;
            return;
        }
        request.results.push_back(apply(command));
        ++request.next;
    }
    stale_ = state_stale_ = true, state_time_ = {};
    publish(true);
    request.answer.set_value({{"results", std::move(request.results)}});
    request_.reset();
}

nlohmann::json Session::finish_steps() {
    const long long done = steps_asked_ - steps_left_;
    steps_asked_ = steps_left_ = 0;
    Json result{{"ok", true}, {"done", done}, {"step", nullptr}};
    if (ended_) return refused(*ended_);
    if (!worlds_.empty()) result["step"] = worlds_.front()->step();
    return result;
}

nlohmann::json Session::apply(const Command& command) {
    if (reach_of(command.verb) == Reach::session || command.verb == Verb::take_control)
        return apply_to_session(command);
    if (command.world >= worlds_.size())
        return refused(Error({.problem = "there is no such world", .cure = "open a scene first"}));
    auto result = worlds_[command.world]->apply(command);
    if (!result) return refused(result.error());
    Json json = std::move(result).value();
    json["ok"] = true, json["step"] = worlds_[command.world]->step();
    return json;
}

nlohmann::json Session::apply_to_session(const Command& command) {
    const auto done = [&]() -> Json {
        return {{"ok", true}, {"step", worlds_.empty() ? Json(0) : Json(worlds_.front()->step())}};
    };
    Result<void> result;
    switch (command.verb) {
        case Verb::play:
            if (ended_) return refused(*ended_);
            set_playing(true);
            break;
        case Verb::pause:
            set_playing(false);
            break;
        case Verb::speed:
            pace_.set_speed(command.number("value"));
            break;
        case Verb::loop:
            loop_ = command.flag("value");
            break;
        case Verb::seek:
            set_playing(false);
            for (const auto& world : worlds_) world->seek(command.whole("frame"));
            break;
        case Verb::reset:
            set_playing(external_ && playing_);
            ended_.reset();
            for (const auto& world : worlds_)
                if (auto back = world->to_start(); !back) result = back;
            pace_.restart();
            break;
        case Verb::reload:
            result = reopen(source_);
            break;
        case Verb::open: {
            const auto scenes = builtin_scenes();
            const std::string name = command.text("scene");
            if (std::none_of(scenes.begin(), scenes.end(),
                             [&](const BuiltinScene& s) { return s.name == name; }))
                return refused(Error(
                    {.problem = "there is no such scene in the gallery", .cure = "open one of the gallery"}));
            Source source = source_;
            source.names = {name}, source.set.clear(), source.variants = command.names("variants");
            source.methods = command.names("methods");
            result = reopen(std::move(source));
            break;
        }
        default:
            break;
    }
    return result ? done() : refused(result.error());
}

Result<void> Session::reopen(Source source) {
    if (external_)
        return Error({.problem = "this world belongs to a program of its own",
                      .cure = "open scenes with plush view SCENE"});
    set_playing(false);
    set_busy(source.names.empty() ? "" : "building " + source.names.front());
    Opened opened = open_source(source);
    open_errors_ = opened.errors, open_warnings_ = opened.warnings, ++reads_;
    set_busy("");
    if (!opened.errors.empty()) return opened.errors.front();
    for (const auto& world : worlds_) world->close();
    worlds_ = std::move(opened.worlds), recorded_ = opened.recorded;
    source_ = std::move(source);
    ended_.reset();
    ++epoch_;
    return {};
}

void Session::set_playing(bool playing) {
    if (playing && !playing_) pace_.restart(), measured_ = {};
    playing_ = playing, state_stale_ = true;
}

void Session::advance() {
    const auto now = Clock::now();
    double least = HUGE_VAL;
    for (const auto& world : worlds_) least = std::min(least, world->time());
    bool all_at_end = true;
    for (const auto& world : worlds_) {
        // Worlds with other steps keep together to within half of one.
        if (world->time() > least + 0.5 * world->interval()) {
            all_at_end = false;
            continue;
        }
        const std::size_t frames = steps_left_ > 0 ? 1 : pace_.late_by(world->time(), world->interval(), now);
        const auto went = world->advance(frames);
        if (!went) ended_ = went.error(), set_playing(false), steps_left_ = 0;
        all_at_end = all_at_end && went && !went.value();
    }
    if (all_at_end) {
        steps_left_ = 0;
        set_playing(playing_ && loop_);
        for (const auto& world : worlds_)
            if (playing_) static_cast<void>(world->to_start());
        pace_.restart();
    }
    advanced(-1);
}

void Session::advanced(double seconds) {
    if (seconds >= 0 && !worlds_.empty()) worlds_.front()->stepped(seconds);
    ++steps_;
    if (steps_left_ > 0) --steps_left_;
    stale_ = state_stale_ = true;
    measure(Clock::now());
    publish(false);
}

void Session::measure(Clock::time_point now) {
    if (worlds_.empty()) return;
    const double time = worlds_.front()->time();
    if (measured_ == Clock::time_point{} || time < measured_time_) {
        measured_ = now, measured_time_ = time, measured_steps_ = steps_;
        return;
    }
    const double wall = std::chrono::duration<double>(now - measured_).count();
    if (now - measured_ < measure_interval) return;
    real_time_factor_ = (time - measured_time_) / wall;
    steps_per_second_ = static_cast<double>(steps_ - measured_steps_) / wall;
    measured_ = now, measured_time_ = time, measured_steps_ = steps_;
}

void Session::set_busy(std::string what) {
    busy_ = std::move(what);
    state_stale_ = true, state_time_ = {};
    publish(true);
}

/// Pictures where somebody waits for them; a new state where it is time for one, or `now`.
void Session::publish(bool now) {
    std::uint32_t layers = 0;
    {
        const std::lock_guard lock(mutex_);
        if (!wanted_ && !now) return;
        for (const auto& [stream, wanted] : readers_) layers |= wanted;
    }
    const auto time = Clock::now();
    const bool new_state = state_stale_ && (!playing_ || time - state_time_ >= state_interval || now);
    if (!stale_ && !new_state) return;
    auto next = std::make_shared<Published>(*published_);
    if (stale_ && busy_.empty()) {
        next->seq = ++seq_;
        next->epoch = epoch_;
        next->worlds.clear();
        for (const auto& world : worlds_) next->worlds.push_back(world->picture(layers));
        stale_ = false;
    }
    if (new_state) {
        next->state = state_document().dump(-1, ' ', false, Json::error_handler_t::replace);
        next->state_version = ++state_version_;
        state_stale_ = false, state_time_ = time;
    }
    {
        const std::lock_guard lock(mutex_);
        published_ = std::move(next);
        wanted_ = false;
    }
    news_.notify_all();
}

nlohmann::json Session::state_document() {
    Json methods = Json::array(), worlds = Json::array();
    for (const Choice& choice : contact_method_choices()) methods.push_back(choice.word);
    std::size_t commands = 0;
    for (const auto& world : worlds_)
        worlds.push_back(world->state(playing_)), commands += world->input_commands();
    const auto acting = pages_.acting(Clock::now());
    return {{"mode", recorded_ ? "recorded" : "live"},
            {"version", version()},
            {"playing", playing_},
            {"speed", pace_.speed()},
            {"loop", loop_},
            {"real_time_factor", playing_ ? real_time_factor_ : 0},
            {"steps_per_second", playing_ ? steps_per_second_ : 0},
            {"pages", pages_.count()},
            {"acting", acting ? Json(*acting) : Json(nullptr)},
            {"ended", ended_ ? to_json(*ended_) : Json(nullptr)},
            {"saving_input", !source_.record.empty()},
            {"input_commands", commands},
            {"busy", busy_.empty() ? Json(nullptr) : Json(busy_)},
            {"reads", reads_},
            {"open_errors", to_json(open_errors_)},
            {"open_warnings", to_json(open_warnings_)},
            {"worlds", worlds},
            {"methods", methods}};
}

// -- any thread

void Session::stop() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    wake_.notify_all(), news_.notify_all();
}

bool Session::stopped() const {
    const std::lock_guard lock(mutex_);
    return stop_;
}

std::future<nlohmann::json> Session::submit(std::vector<Command> commands) {
    Request request{.commands = std::move(commands)};
    auto answer = request.answer.get_future();
    {
        const std::lock_guard lock(mutex_);
        requests_.push_back(std::move(request));
    }
    wake_.notify_all();
    return answer;
}

void Session::post(std::function<void()> job) {
    {
        const std::lock_guard lock(mutex_);
        jobs_.push_back(std::move(job));
    }
    wake_.notify_all();
}

void Session::acting_left() {
    post([this] {
        set_playing(false);
        for (const auto& world : worlds_) world->release_all();
        stale_ = true;
    });
}

void Session::touch() {
    {
        const std::lock_guard lock(mutex_);
        touched_ = true, wanted_ = true;
    }
    wake_.notify_all();
}

std::shared_ptr<const Published> Session::wait(std::uint64_t seq, std::uint64_t state_version,
                                               Clock::time_point until) {
    std::unique_lock lock(mutex_);
    const auto is_new = [&] { return published_->seq > seq || published_->state_version > state_version; };
    if (!is_new() && !stop_) {
        wanted_ = true;
        wake_.notify_all();
        news_.wait_until(lock, until, [&] { return stop_ || is_new(); });
    }
    return stop_ || !is_new() ? nullptr : published_;
}

void Session::set_reader(std::uint64_t stream, std::optional<std::uint32_t> layers) {
    {
        const std::lock_guard lock(mutex_);
        std::erase_if(readers_, [&](const auto& r) { return r.first == stream; });
        if (layers) readers_.emplace_back(stream, *layers);
    }
    post([this] { stale_ = true; });
}

}  // namespace plush::view
