#include <fmt/format.h>

#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "core/quantities.hpp"
#include "plush/render/render.hpp"

// What rendering says and hears: modes, cameras, the summary.

namespace plush::render {

namespace {

constexpr std::array<RenderWord, 7> modes{{
    {"surface", "bodies in light and shade"},
    {"wireframe", "the same, with the edges of all triangles"},
    {"contacts", "points of contact, pressing and friction forces, who sticks and who slips"},
    {"penetration", "how deep bodies overlap, and in which direction"},
    {"tets", "the tetrahedra of soft bodies (needs frames that hold them)"},
    {"pressure", "pressure on contact surfaces (needs frames that hold it)"},
    {"volumes", "the volumes that bodies share, seen through pale bodies"},
}};
constexpr std::array<RenderWord, 3> qualities{{
    {"draft", "one sample a pixel, without tracing rays"},
    {"normal", "four samples a pixel"},
    {"high", "sixteen samples a pixel"},
}};

struct View {
    std::string_view word;
    double azimuth, elevation;
};
constexpr std::array<View, 5> views{
    {{"front", 0, 5}, {"back", 180, 5}, {"left", -90, 5}, {"right", 90, 5}, {"top", 0, 90}}};

constexpr const char* camera_cure =
    "write \"POSITION;TARGET;FOV\" such as \"2,1.5,3; 0,0.5,0; 35\", leave parts empty for automatic ones, "
    "or "
    "say auto, front, back, left, right or top";

Error camera_error(std::string_view text, std::string problem) {
    return Error(
        {.file = fmt::format("camera \"{}\"", text), .problem = std::move(problem), .cure = camera_cure});
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t";
    const std::size_t first = text.find_first_not_of(blanks);
    return first == std::string_view::npos ? ""
                                           : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char at) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t end = text.find(at);
        parts.push_back(trimmed(text.substr(0, end)));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

bool read_number(std::string_view text, double& value) {
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    return failed == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

bool read_point(std::string_view text, Vec3& point) {
    const auto parts = split(text, ',');
    if (parts.size() != 3 || !read_number(parts[0], point.x) || !read_number(parts[1], point.y) ||
        !read_number(parts[2], point.z))
        return false;
    return max_component(abs(point)) <= quantity::largest_length;
}

nlohmann::ordered_json to_json(const Vec3& v) {
    return {v.x, v.y, v.z};
}

}  // namespace

std::span<const RenderWord> render_mode_choices() {
    return modes;
}

std::span<const RenderWord> render_quality_choices() {
    return qualities;
}

Result<CameraSettings> parse_camera(std::string_view text) {
    CameraSettings camera;
    camera.automatic = trimmed(text) == "auto";
    if (camera.automatic) return camera;
    for (const View& view : views) {
        if (trimmed(text) != view.word) continue;
        camera.azimuth = view.azimuth, camera.elevation = view.elevation;
        return camera;
    }
    const auto parts = split(text, ';');
    if (parts.size() > 3) return camera_error(text, "there are more than three parts");
    if (!parts[0].empty() && !read_point(parts[0], camera.position.emplace()))
        return camera_error(
            text, fmt::format("\"{}\" is not a position: three numbers with commas, up to 10⁶ m", parts[0]));
    if (parts.size() > 1 && !parts[1].empty() && !read_point(parts[1], camera.target.emplace()))
        return camera_error(
            text, fmt::format("\"{}\" is not a target: three numbers with commas, up to 10⁶ m", parts[1]));
    if (parts.size() > 2 && !parts[2].empty()) {
        if (!read_number(parts[2], camera.fov) || !(camera.fov >= 1 && camera.fov <= 150))
            return camera_error(text,
                                fmt::format("\"{}\" is not a field of view: 1 to 150 degrees", parts[2]));
    }
    if (camera.position && camera.target && norm(*camera.position - *camera.target) == 0)
        return camera_error(text, "position and target are the same point");
    return camera;
}

std::string to_json(const RenderSummary& s) {
    nlohmann::ordered_json out{{"run", s.run.string()},
                               {"mode", modes[static_cast<std::size_t>(s.mode)].word},
                               {"size", {s.width, s.height}},
                               {"frames_in_run", s.frames_in_run},
                               {"frames", s.frames},
                               {"pictures", nlohmann::ordered_json::array()},
                               {"film", nullptr}};
    for (const auto& picture : s.pictures) out["pictures"].push_back(picture.string());
    if (!s.film.empty()) out["film"] = s.film.string();
    out["camera"] = {
        {"position", to_json(s.camera_position)}, {"target", to_json(s.camera_target)}, {"fov", s.fov}};
    out["triangles"] = s.triangles;
    out["seconds"] = s.seconds;
    out["warnings"] = s.warnings;
    out["finished"] = s.finished;
    if (s.error) {
        out["error"] = {{"file", s.error->file()},
                        {"place", s.error->place()},
                        {"problem", s.error->problem()},
                        {"cure", s.error->cure()}};
    }
    return out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace plush::render
