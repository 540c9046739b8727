#include "lab/bench/bench_view.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "plush/record/run.hpp"
#include "view/server.hpp"
#include "view/world_picture.hpp"

namespace plush::lab {

namespace {

using Clock = std::chrono::steady_clock;
constexpr int steps_of_10 = 60, steps_of_40 = 12;  // about as long

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[values.size() / 2];
}

/// A page without a browser: opens a stream, and reads it to its end.
class DiscardingReader {
public:
    explicit DiscardingReader(const std::string& address) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        const int port = std::atoi(address.c_str() + address.rfind(':') + 1);
        sockaddr_in to{};
        to.sin_family = AF_INET, to.sin_port = htons(static_cast<std::uint16_t>(port));
        ::inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
        const std::string request = fmt::format(
            "GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nPlush-Token: {}\r\nPlush-Page: "
            "00000000000000aa\r\n\r\n",
            port, address.substr(address.find('#') + 1));
        if (::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0 ||
            ::send(socket_, request.data(), request.size(), MSG_NOSIGNAL) < 0)
            throw Error({.problem = "the reader cannot reach the viewer", .cure = "try again"});
        thread_ = std::thread([this] {
            char bytes[65536];
            for (ssize_t n; (n = ::recv(socket_, bytes, sizeof bytes, 0)) > 0;)
                bytes_ += static_cast<double>(n);
        });
    }
    ~DiscardingReader() {
        ::shutdown(socket_, SHUT_RDWR);
        thread_.join();
        ::close(socket_);
    }
    double bytes() const { return bytes_; }

private:
    int socket_;
    std::atomic<double> bytes_{0};
    std::thread thread_;
};

/// Steps a second, by the time of all steps from the start.
double time_run(const Scene& scene, int steps, int threads) {
    const auto summary = run_scene(scene, {.steps = steps, .threads = threads, .frames = false}).value();
    return steps / summary.wall;
}

struct Viewed {
    double rate = 0, frames = 0;
};

Viewed time_viewed(const std::string& name, int steps, int threads) {
    view::Session session({.names = {name}, .threads = threads});
    session.open().value();
    const auto command =
        view::read_command(nlohmann::json{{"do", "step"}, {"count", static_cast<unsigned>(steps)}}, "bench")
            .value();
    const auto server = view::Server::start(session, 0);
    if (!server) throw server.error();
    const DiscardingReader reader(server.value()->address());
    // The page that acts asks for the steps, as fast as they can be made.
    struct Stepping {
        view::Session& session;
        std::thread thread{[this] {
            while (session.next()) session.advance();
        }};
        ~Stepping() {
            session.stop();
            if (thread.joinable()) thread.join();
        }
    } stepping{session};
    while (reader.bytes() < 1e5)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));  // the scene is there
    const std::uint64_t before = session.wait(0, 0, Clock::now())->seq;
    const auto start = Clock::now();
    session.submit({command}).wait();
    Viewed result{.rate = steps / seconds_since(start)};
    result.frames = static_cast<double>(session.wait(0, 0, Clock::now())->seq - before);
    return result;
}

/// The way from the engine's state to bytes, without a server.
void time_frames(const Scene& scene, int threads, ViewRow& row) {
    World world = scene.build(threads);
    view::WorldPicture pictures;
    const view::WorldActions actions;
    view::PageProgress page;
    pictures.restart(nlohmann::json::object());
    std::vector<double> capture, encode, sizes;
    for (int i = 0; i <= row.steps; ++i) {
        auto start = Clock::now();
        const auto picture = pictures.take(world, actions, 0, 0);
        if (i > 0) capture.push_back(1e3 * seconds_since(start));
        std::vector<std::byte> bytes;
        start = Clock::now();
        view::append_messages(bytes, *picture, 0, 0, page);
        if (i > 0)
            encode.push_back(1e3 * seconds_since(start)), sizes.push_back(static_cast<double>(bytes.size()));
        if (i == 0) row.first_bytes = static_cast<double>(bytes.size());
        if (i < row.steps) world.step();
    }
    for (const double size : sizes) row.frame_bytes += size / static_cast<double>(sizes.size());
    row.capture_ms = median(capture), row.encode_ms = median(encode);
    for (const BodyId body : world.bodies()) {
        const bool deformable = world.kind(body) == BodyKind::deformable;
        row.triangles += static_cast<long long>(deformable ? world.drawn_surface(body).size()
                                                           : world.drawn(body).triangles().size());
    }
}

}  // namespace

ViewBench bench_view(int runs, int threads) {
    ViewBench bench;
    for (const int toys : {10, 40}) {
        ViewRow& row = bench.rows.emplace_back();
        row.scene = fmt::format("soft_toys_{}", toys);
        row.toys = toys, row.steps = toys == 10 ? steps_of_10 : steps_of_40;
        const Scene scene = Scene::load(row.scene);
        // In turn, so that a machine that slows down slows both.
        for (int run = 0; run < runs; ++run) {
            row.run = std::max(row.run, time_run(scene, row.steps, threads));
            const Viewed viewed = time_viewed(row.scene, row.steps, threads);
            if (viewed.rate > row.viewed) row.viewed = viewed.rate, row.frames = viewed.frames;
        }
        row.ratio = row.viewed / row.run;
        time_frames(scene, threads, row);
    }
    return bench;
}

}  // namespace plush::lab
