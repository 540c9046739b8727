#include "lab/bench_peer.hpp"

#include <fmt/format.h>
#include <stdio.h>
#include <unistd.h>

#include <array>
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

/// What a peer printed; it always says its version.
Result<nlohmann::json> result_of(const std::string& name, const std::string& words) {
    const std::string program = PLUSH_PEERS_DIR "/" + name;
    if (access(program.c_str(), X_OK) != 0) {
        if (PLUSH_BULLET_FOUND)
            return Error({.problem = "Bullet is installed, but its benchmark is not built",
                          .cure = "cmake --build --preset release --target peers"});
        return Error(
            {.problem = "Bullet is not installed", .cure = "apt install libbullet-dev, then build again"});
    }
    auto json = nlohmann::json::parse(output_of(fmt::format("'{}' {}", program, words)), nullptr, false);
    if (!json.is_object() || !json.contains("version") || !json["version"].is_string())
        return Error({.file = program,
                      .problem = "Bullet's benchmark printed something else than its result",
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
