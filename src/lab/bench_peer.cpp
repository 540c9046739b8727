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

}  // namespace

Result<PeerCloth> run_bullet(const ClothTask& task) {
    const std::string program = PLUSH_PEERS_DIR "/peer_bullet_cloth";
    if (access(program.c_str(), X_OK) != 0) {
        if (PLUSH_BULLET_FOUND)
            return Error({.problem = "Bullet is installed, but its benchmark is not built",
                          .cure = "cmake --build --preset release --target peers"});
        return Error(
            {.problem = "Bullet is not installed", .cure = "apt install libbullet-dev, then build again"});
    }
    const std::string text =
        output_of(fmt::format("'{}' {} {} {} {:.17g} {} {} {}", program, task.vertices, task.side, task.mass,
                              task.step, task.steps, task.iterations, task.whole_side ? "side" : "corners"));
    const auto json = nlohmann::json::parse(text, nullptr, false);
    const auto number = [&](const char* key) { return json.value(key, -1.0); };
    if (!json.is_object() || !json.contains("version") || !json["version"].is_string())
        return Error({.file = program,
                      .problem = "Bullet's benchmark printed something else than its result",
                      .cure = "build it again: cmake --build --preset release --target peers"});
    return PeerCloth{json["version"].get<std::string>(), number("ms"), number("wall_ms"), number("largest"),
                     number("mean")};
}

}  // namespace plush::lab
