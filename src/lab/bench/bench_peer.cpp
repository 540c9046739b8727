#include "lab/bench/bench_peer.hpp"

#include <fmt/format.h>
#include <stdio.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

namespace plush::lab {
namespace {

/// What a program prints, up to a million characters.
std::string output_of(const std::string& command) {
    std::string text;
    FILE* const pipe = popen(command.c_str(), "r");
    if (!pipe) return text;
    std::array<char, 4096> piece{};
    while (text.size() < 1'000'000) {
        const std::size_t count = fread(piece.data(), 1, piece.size(), pipe);
        if (count == 0) break;
        text.append(piece.data(), count);
    }
    pclose(pipe);
    return text;
}

struct Engine {
    const char* name;
    const char* package;
    bool installed;
};
constexpr Engine bullet{"Bullet", "libbullet-dev", PLUSH_BULLET_FOUND != 0};
constexpr Engine ode{"ODE", "libode-dev", PLUSH_ODE_FOUND != 0};

/// What a peer printed; it always says its version.
Result<nlohmann::json> result_of(const std::string& name, const std::string& words,
                                 const Engine& engine = bullet) {
    const std::string program = PLUSH_PEERS_DIR "/" + name;
    if (access(program.c_str(), X_OK) != 0) {
        if (engine.installed)
            return Error(
                {.problem = fmt::format("{} is installed, but its benchmark is not built", engine.name),
                 .cure = "cmake --build --preset release --target peers"});
        return Error({.problem = fmt::format("{} is not installed", engine.name),
                      .cure = fmt::format("apt install {}, then build again", engine.package)});
    }
    auto json = nlohmann::json::parse(output_of(fmt::format("'{}' {}", program, words)), nullptr, false);
    if (!json.is_object() || !json.contains("version") || !json["version"].is_string())
        return Error(
            {.file = program,
             .problem = fmt::format("{}'s benchmark printed something else than its result", engine.name),
             .cure = "build it again: cmake --build --preset release --target peers"});
    return json;
}

}  // namespace

Result<PeerCloth> run_bullet(const ClothTask& task) {
    const auto json =
        result_of("peer_bullet_cloth",
                  fmt::format("{} {} {} {:.17g} {} {} {}", task.vertices, task.side, task.mass, task.step,
                              task.steps, task.iterations, task.whole_side ? "side" : "corners"));
    if (!json) return json.error();
    const auto number = [&](const char* key) { return json.value().value(key, -1.0); };
    return PeerCloth{json.value()["version"].get<std::string>(), number("ms"), number("wall_ms"),
                     number("largest"), number("mean")};
}

Result<PeerMatching> run_bullet(const MatchingTask& task) {
    const auto json = result_of("peer_bullet_matching",
                                fmt::format("{} {} {} {:.17g} {} {}", task.bodies, task.side, task.length,
                                            task.step, task.steps, task.vertex_face ? "vertex_face" : "sdf"));
    if (!json) return json.error();
    const auto number = [&](const char* key) { return json.value().value(key, -1.0); };
    return PeerMatching{json.value()["version"].get<std::string>(), number("ms"), number("wall_ms"),
                        number("depth")};
}

Result<PeerFem> run_bullet(const FemTask& task) {
    const auto json =
        result_of("peer_bullet_fem", fmt::format("{} {} {} {} {:.17g} {} {}", task.bodies, task.side,
                                                 task.cell, task.young, task.step, task.steps, task.damping));
    if (!json) return json.error();
    const auto number = [&](const char* key) { return json.value().value(key, -1.0); };
    return PeerFem{json.value()["version"].get<std::string>(), number("ms"), number("wall_ms"),
                   number("size")};
}

Result<PeerPiles> run_bullet(const PilesTask& task) {
    namespace fs = std::filesystem;
    const fs::path file = fs::temp_directory_path() / fmt::format("plush-piles-{}.txt", ::getpid());
    std::string words =
        fmt::format("'{}' {} {} {} {} {} {} {} {:.17g} {} {} {}", file.string(), task.side, task.cell,
                    task.young, task.damping, task.pen(), task.wall(), task.friction, task.step, task.seconds,
                    task.implicit ? "implicit" : "explicit", task.iterations);
    for (int b = 0; b < task.bodies; ++b) {
        const Vec3 p = task.place(b);
        const Quat q = task.turn(b);
        words += fmt::format(" {:.9g} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g}", p.x, p.y, p.z, q.w, q.x,
                             q.y, q.z);
    }
    const auto json = result_of("peer_bullet_piles", words);
    if (!json) return json.error();
    const auto number = [&](const char* key) { return json.value().value(key, -1.0); };
    PeerPiles out{json.value()["version"].get<std::string>(), number("ms"), number("late_ms"),
                  number("speed")};
    std::vector<double> numbers;
    std::ifstream in(file);
    for (std::string word; in >> word;)
        numbers.push_back(std::strtod(word.c_str(), nullptr));  // reads nan too
    for (std::size_t i = 0; i + 2 < numbers.size(); i += 3)
        out.nodes.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
    std::error_code ignored;
    fs::remove(file, ignored);
    return out;
}

Result<PeerStack> run_bullet(const StackTask& task) {
    std::string words =
        fmt::format("{:.17g} {:.17g} {:.17g} {}", task.radius, task.density, task.step, task.steps);
    for (int b = 0; b < task.bodies; ++b) {
        const Vec3 p = task.place(b);
        words += fmt::format(" {:.9g} {:.9g} {:.9g}", p.x, p.y, p.z);
    }
    const auto json = result_of("peer_bullet_stack", words);
    if (!json) return json.error();
    const auto number = [&](const char* key) { return json.value().value(key, -1.0); };
    return PeerStack{json.value()["version"].get<std::string>(), number("ms"), number("overlap"),
                     number("inverted"), number("speed")};
}

Result<PeerPyramid> run_bullet(const PyramidTask& task) {
    std::string words =
        fmt::format("{:.17g} {:.17g} {:.17g} {:.17g} {} {} {}", task.side, task.density, task.friction,
                    task.step, task.iterations, task.steps, PyramidTask::topmost);
    for (int b = 0; b < task.boxes(); ++b) {
        const Vec3 p = task.place(b);
        words += fmt::format(" {:.9g} {:.9g} {:.9g}", p.x, p.y, p.z);
    }
    const auto json = result_of("peer_bullet_pyramid", words);
    if (!json) return json.error();
    const auto number = [&](const char* key) { return json.value().value(key, -1.0); };
    return PeerPyramid{json.value()["version"].get<std::string>(),
                       number("ms"),
                       number("median_ms"),
                       number("contacts"),
                       number("lean"),
                       number("sink"),
                       number("speed")};
}

Result<PeerBumps> run_bumps(BumpsPeer peer, const BumpsTask& task) {
    const bool is_ode = peer == BumpsPeer::ode;
    const Vec3& i = task.inertia;
    const auto json = result_of(
        is_ode ? "peer_ode_bumps" : "peer_bullet_bumps",
        fmt::format("'{}' '{}' {:.17g} {:.17g} {:.17g} {:.17g} {:.17g} {:.17g} {:.17g} {:.17g} {:.17g} {} {}",
                    task.lower, task.upper, task.mass, i.x, i.y, i.z, task.centre, task.gap, task.friction,
                    BumpsTask::gyration, task.step, task.settle, task.steps),
        is_ode ? ode : bullet);
    if (!json) return json.error();
    const auto number = [&](const char* key) { return json.value().value(key, -1.0); };
    return PeerBumps{json.value()["version"].get<std::string>(),
                     number("ms"),
                     number("median_ms"),
                     number("contacts"),
                     number("speed"),
                     number("depth"),
                     number("sink")};
}

Result<PeerOverlap> run_overlap_peer(const std::string& name, const std::string& a, const std::string& b,
                                     double pixel, int runs) {
    const std::string program = PLUSH_PEERS_DIR "/peer_" + name;
    if (access(program.c_str(), X_OK) != 0)
        return Error({.problem = name + " is not built",
                      .cure = "apt install libcgal-dev libembree-dev, then cmake --build --preset release "
                              "--target peers"});
    const auto json = nlohmann::json::parse(
        output_of(fmt::format("'{}' '{}' '{}' {:.17g} {}", program, a, b, pixel, runs)), nullptr, false);
    if (!json.is_object() || !json.contains("version") || !json["version"].is_string())
        return Error({.file = program,
                      .problem = name + " printed something else than its result",
                      .cure = "build it again: cmake --build --preset release --target peers"});
    return PeerOverlap{json["version"].get<std::string>(), json.value("ms", -1.0),
                       json.value("volume", -1.0)};
}

}  // namespace plush::lab
