#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plush/scene/scene.hpp"

// Pictures and films of a run, without a display (docs/pictures.md). They are in libplush_render.so (CMake:
// plush::render), so that libplush.so needs no Embree; plush/plush.hpp does not include this header.

namespace plush::render {

/// What is drawn. The last three need data that frames do not hold yet and are refused with that reason.
enum class RenderMode { surface, wireframe, contacts, penetration, tets, pressure, volumes };
/// Of each pixel 1, 4 or 16 samples; a draft is rasterised, the others are traced.
enum class RenderQuality { draft, normal, high };

/// A value of a setting of pictures, and what it means.
struct RenderWord {
    std::string_view word, text;
};
/// The modes and the qualities in words, in the order of their enum.
PLUSH_API std::span<const RenderWord> render_mode_choices();
PLUSH_API std::span<const RenderWord> render_quality_choices();

/// Where a camera is at a time.
struct CameraKeyframe {
    double time = 0;  ///< simulated, s
    Vec3 position{}, target{};
    double fov = 30;  ///< vertical, degrees
};

/// What is left open is chosen so that the picture holds what moves.
struct CameraSettings {
    std::optional<Vec3> position{};  ///< m
    std::optional<Vec3> target{};    ///< the point in the middle of the picture, m
    double fov = SceneCamera{}.fov;  ///< vertical field of view, degrees
    /// From where, without a position: degrees from the z axis towards x, and above level. Default: 35 and
    /// 32; before a slope, from its side.
    std::optional<double> azimuth{}, elevation{};
    bool automatic = false;  ///< choose, even where the scene names a camera
    // While simulated time goes on:
    std::vector<CameraKeyframe> keyframes{};  ///< times rise; instead of position and target
    std::string follow{};                     ///< it goes with this body and does not turn; empty: with none
    double orbit = 0;                         ///< round its target, about the upward axis, degrees a second
};
/// "POSITION;TARGET;FOV" such as "2,1.5,3; 0,0.5,0; 35", each part optional; or front, back, left, right,
/// top.
PLUSH_API Result<CameraSettings> parse_camera(std::string_view text);

/// How far drawing has come.
struct RenderProgress {
    std::size_t done = 0, wanted = 0;  ///< pictures
    double wall = 0;                   ///< since the start, s
};

/// What is drawn of a run, and how.
struct RenderSettings {
    /// Which one; negative counts from the end, −1 is the last. Default: the last.
    std::optional<long long> frame{};
    std::optional<double> time{};  ///< the frame nearest to this time instead, s
    /// One of so many frames, from the first: many pictures, and a film of them.
    std::optional<long long> every{};
    /// So many pictures of one frame while the camera goes round; 0: it does not.
    int turntable = 0;
    int width = 0, height = 0;  ///< 0: 960 × 600, or 640 × 480 for each variant
    CameraSettings camera{};
    RenderMode mode = RenderMode::surface;
    RenderQuality quality = RenderQuality::normal;
    bool labels = true;
    double fps = 0;               ///< of a film; 0: as fast as the simulation's own time
    std::filesystem::path out{};  ///< a .png, a .mp4, or a folder; empty: in the run folder
    int threads = 0;              ///< 0: all there are; the pictures do not depend on it
    /// Called after every picture; false stops.
    std::function<bool(const RenderProgress&)> progress{};
};

/// What was drawn.
struct RenderSummary {
    std::filesystem::path run{};
    RenderMode mode = RenderMode::surface;
    int width = 0, height = 0;
    std::size_t frames_in_run = 0;
    std::vector<std::size_t> frames{};              ///< that were drawn
    std::vector<std::filesystem::path> pictures{};  ///< that were written
    std::filesystem::path film{};                   ///< empty: none
    Vec3 camera_position{}, camera_target{};        ///< of the first picture
    double fov = 0;
    long long triangles = 0;  ///< of all bodies in a picture
    double seconds = 0;       ///< all together
    std::vector<std::string> warnings{};
    bool finished = false;         ///< all that was asked for is there
    std::optional<Error> error{};  ///< why not; absent where it was just stopped
};

/// One JSON document.
PLUSH_API std::string to_json(const RenderSummary& summary);

/// Draws a run folder, also while the run is still being written; or a folder of variants (variants.json),
/// side by side. The Error is for what stands in the way before the first picture; what goes wrong later is
/// in the summary, and pictures that were written stay. No half file is ever left under its own name.
PLUSH_API Result<RenderSummary> render_run(const std::filesystem::path& run,
                                           const RenderSettings& settings = {});

}  // namespace plush::render
