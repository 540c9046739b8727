#include "plush/view/view.hpp"

#include <algorithm>
#include <thread>

#include "view/input_record.hpp"
#include "view/live_world.hpp"
#include "view/server.hpp"

namespace plush::view {

// -- a world of the user

struct View::Impl {
    Impl(World& world, const ViewSettings& settings)
        : session(std::make_unique<LiveWorld>(world, settings.name)) {
        server = std::move(Server::start(session, settings.port)).value();
        address = server->address();
    }
    ~Impl() {
        session.stop();
        server.reset();
    }
    /// What the step took that the user's program did since the last turn, and the next one.
    Session::Turn turn(std::optional<Pace::Clock::time_point> until) {
        if (const auto began = std::exchange(step_began, std::nullopt))
            session.advanced(std::chrono::duration<double>(Pace::Clock::now() - *began).count());
        const Session::Turn turn = session.next_until(until);
        if (turn == Session::Turn::step) step_began = Pace::Clock::now();
        return turn;
    }

    Session session;
    std::unique_ptr<Server> server{};
    std::string address{};
    std::optional<Pace::Clock::time_point> step_began{};
};

View::View(World& world, const ViewSettings& settings) : impl_(std::make_unique<Impl>(world, settings)) {}
View::~View() = default;

const std::string& View::address() const {
    return impl_->address;
}

void View::serve() {
    while (impl_->session.next()) impl_->session.advance();
}

bool View::update() {
    return impl_->turn({}) == Session::Turn::step;
}

View::Turn View::update_within(double seconds) {
    const auto patience = std::chrono::duration<double>(std::clamp(seconds, 0.0, 1e6));
    switch (impl_->turn(Pace::Clock::now() + std::chrono::duration_cast<Pace::Clock::duration>(patience))) {
        case Session::Turn::step:
            return Turn::step;
        case Session::Turn::wait:
            return Turn::wait;
        default:
            return Turn::stop;
    }
}

void View::stop() {
    impl_->session.stop();
}

// -- the command

Result<void> serve(const ServeSettings& settings) {
    Session session({.names = settings.names,
                     .set = settings.set,
                     .variants = settings.variants,
                     .methods = settings.methods,
                     .threads = settings.threads,
                     .record = settings.save_input});
    std::vector<Error> warnings;
    if (const auto opened = session.open(&warnings); !opened) return opened.error();
    if (settings.warn)
        for (const Error& warning : warnings) settings.warn(warning);
    auto server = Server::start(session, settings.port);
    if (!server) return server.error();
    if (settings.ready) settings.ready(server.value()->address());
    std::jthread watch([&](const std::stop_token& ended) {
        while (!ended.stop_requested() && !session.stopped()) {
            if (settings.stop && settings.stop()) session.stop();
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
    });
    while (session.next()) session.advance();
    session.close();
    server.value().reset();
    return {};
}

// -- the replay

struct Replay::Impl {
    InputReplay replay;
};

Replay::Replay(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Replay::Replay(Replay&&) noexcept = default;
Replay& Replay::operator=(Replay&&) noexcept = default;
Replay::~Replay() = default;

Result<Replay> Replay::load(const std::string& file) {
    auto replay = InputReplay::load(file);
    if (!replay) return replay.error();
    return Replay(std::make_unique<Impl>(Impl{std::move(replay).value()}));
}

const std::string& Replay::scene() const {
    return impl_->replay.scene();
}
bool Replay::drops_bodies() const {
    return impl_->replay.drops_bodies();
}
std::optional<long long> Replay::steps() const {
    return impl_->replay.steps();
}
std::optional<std::uint64_t> Replay::state_hash() const {
    return impl_->replay.state_hash();
}
void Replay::before_step(World& world) {
    impl_->replay.before_step(world);
}

}  // namespace plush::view
