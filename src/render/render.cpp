#include "plush/render/render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "plush/record/variants.hpp"
#include "record/run_folder.hpp"
#include "render/camera_path.hpp"
#include "render/film.hpp"
#include "render/panel.hpp"
#include "render/png.hpp"

// From a run folder to files: which frames, which names, one frame in memory at a time.

namespace plush::render {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int default_width = 960, default_height = 600;
constexpr int variant_width = 640, variant_height = 480;  // of each
constexpr int gutter = 4;                                 // pixels between them
constexpr int least_side = 16, max_side = 16384;
constexpr double turntable_fps = 30;
/// The camera looks at up to so many bodies in so many frames before it takes its place.
constexpr std::size_t looks = 200'000, look_frames = 400;
constexpr std::size_t max_variants = 64;

Error render_error(std::string problem, std::string cure) {
    return Error({.file = "render", .problem = std::move(problem), .cure = std::move(cure)});
}

/// Which pictures: the frame of each, and how far round the camera has gone.
struct Plan {
    std::vector<std::size_t> frames{};
    std::vector<double> degrees{};  // empty: the camera stands still
    double fps = 0;                 // of a film
    bool many() const { return frames.size() > 1 || !degrees.empty(); }
};

Result<std::size_t> chosen_frame(long long frame, std::size_t count) {
    const auto n = static_cast<long long>(count);
    const long long k = frame < 0 ? n + frame : frame;
    if (k < 0 || k >= n) {
        return render_error(fmt::format("there is no frame {}", frame),
                            fmt::format("the run has {} so far: 0 to {}, or −1 for the last", n, n - 1));
    }
    return static_cast<std::size_t>(k);
}

Result<Plan> make_plan(const RenderSettings& s, std::size_t count, double frame_rate) {
    if (s.every && s.frame)
        return render_error(
            s.time ? "--time wants one frame and --every many" : "--frame wants one frame and --every many",
            "give one of them");
    if (s.every && s.turntable > 0)
        return render_error("--turntable goes round one frame and --every wants many", "give one of them");
    if (s.every && *s.every < 1) return render_error("--every counts frames", "give 1 or more");
    const bool film = s.out.extension() == ".mp4";
    Plan plan;
    if (s.every || (film && s.turntable == 0 && !s.frame)) {
        const auto every = static_cast<std::size_t>(s.every.value_or(1));
        for (std::size_t k = 0; k < count; k += every) plan.frames.push_back(k);
        plan.fps = frame_rate / static_cast<double>(every);
    } else {
        const auto k = chosen_frame(s.frame.value_or(-1), count);
        if (!k) return k.error();
        plan.frames.assign(static_cast<std::size_t>(std::max(s.turntable, 1)), k.value());
        for (int i = 0; i < s.turntable; ++i) plan.degrees.push_back(360.0 * i / s.turntable);
        plan.fps = turntable_fps;
    }
    // Outside these, players stumble.
    plan.fps = s.fps > 0 ? s.fps : std::clamp(plan.fps, 1.0, 120.0);
    return plan;
}

/// Where things go.
struct Targets {
    fs::path picture{};  // one picture
    fs::path folder{};   // many
    fs::path film{};
    bool film_asked = false;  // the user named it: there is no way without
};

Result<Targets> find_targets(const fs::path& run, const RenderSettings& s, bool many) {
    const std::string ending =
        s.mode == RenderMode::surface
            ? ""
            : "-" + std::string(render_mode_choices()[static_cast<std::size_t>(s.mode)].word);
    const fs::path ext = s.out.extension();
    std::error_code ignored;
    const bool folder =
        s.out.empty() || !s.out.has_filename() || fs::is_directory(s.out, ignored) || ext.empty();
    if (folder) {
        const fs::path base = s.out.empty() ? run : s.out;
        if (!many) return Targets{.picture = base / ("picture" + ending + ".png")};
        return Targets{.folder = s.out.empty() ? run / ("pictures" + ending) : s.out,
                       .film = base / ("film" + ending + ".mp4")};
    }
    if (ext == ".mp4")
        return Targets{.folder = fs::path(s.out).replace_extension(), .film = s.out, .film_asked = true};
    if (ext != ".png") {
        return render_error(fmt::format("Plush writes no {} files", ext.string()),
                            "name a .png, a .mp4, or a folder with a slash at its end");
    }
    if (many) return render_error("many pictures do not go into one .png", "name a .mp4, or a folder");
    return Targets{.picture = s.out};
}

/// Each variant a panel, or the run itself. Variants without frames are left out, and told in the warnings.
Result<std::vector<Panel>> open_panels(const fs::path& run, std::vector<std::string>& warnings) {
    std::vector<VariantRun> variants;
    if (holds_variants(run)) {
        auto found = variants_of(run);
        if (!found) return found.error();
        variants = std::move(found).value();
        if (variants.empty() || variants.size() > max_variants)
            return Error({.file = run.string(),
                          .problem = "there are too few or too many variants to be shown side by side",
                          .cure = fmt::format("render one of them; at most {} go together", max_variants)});
    } else {
        variants.push_back({{}, run});
    }
    std::vector<Panel> panels;
    for (const VariantRun& v : variants) {
        auto panel = Panel::open(v.folder, v.variant.label);
        if (panel) {
            panels.push_back(std::move(panel).value());
            continue;
        }
        if (variants.size() == 1) return panel.error();
        warnings.push_back(fmt::format("variant {} is left out: {}", v.variant.name, panel.error().what()));
    }
    if (panels.empty())
        return Error({.file = run.string(),
                      .problem = "none of the variants has a frame to draw",
                      .cure = "wait for the run, or run the scene again without --no-frames"});
    return panels;
}

/// How the scene of this run wants to be pictured. A run without its scene file has no wish.
ScenePicture picture_of(const fs::path& run) {
    ScenePicture picture;
    std::ifstream stream(RunFolder{run}.scene());
    const auto scene = nlohmann::json::parse(stream, nullptr, false);
    try {
        const auto& wish = scene.at("picture");
        if (wish.contains("time")) picture.time = wish["time"].get<double>();
        if (!wish.contains("camera")) return picture;
        const auto& camera = wish["camera"];
        const auto vector = [](const nlohmann::json& from, const char* key) {
            const auto v = from.at(key).get<std::array<double, 3>>();
            return Vec3{v[0], v[1], v[2]};
        };
        SceneCamera& out = picture.camera.emplace();
        if (camera.contains("position"))
            out.position = vector(camera, "position"), out.target = vector(camera, "target");
        out.fov = camera.value("fov", 30.0);
        out.follow = camera.value("follow", std::string());
        out.orbit = camera.value("orbit", 0.0);
        for (const auto& key : camera.value("keyframes", nlohmann::json::array()))
            out.keyframes.push_back({key.at("time").get<double>(), vector(key, "position"),
                                     vector(key, "target"), key.value("fov", 30.0)});
    } catch (const nlohmann::json::exception&) {
        // Nothing asked for, or a file from elsewhere.
    }
    return picture;
}

/// What the user left open, as the scene wants it.
RenderSettings with_wishes(RenderSettings settings, const ScenePicture& picture, double frame_rate) {
    CameraSettings& camera = settings.camera;
    const bool placed =
        camera.automatic || camera.position || camera.target || camera.azimuth || camera.elevation;
    if (picture.camera && !placed) {
        const SceneCamera& wish = *picture.camera;
        camera.position = wish.position, camera.target = wish.target, camera.fov = wish.fov;
        for (const SceneCameraKeyframe& k : wish.keyframes)
            camera.keyframes.push_back({k.time, k.position, k.target, k.fov});
        if (camera.follow.empty()) camera.follow = wish.follow;
        if (camera.orbit == 0) camera.orbit = wish.orbit;
    }
    const bool one = !settings.every && settings.out.extension() != ".mp4";
    if (picture.time && !settings.frame && !settings.time && one) settings.time = *picture.time;
    if (settings.time && !settings.frame) settings.frame = std::llround(*settings.time * frame_rate);
    return settings;
}

class Renderer {
public:
    Renderer(std::vector<Panel> panels, const RenderSettings& settings, std::vector<std::string> warnings)
        : panels_(std::move(panels)), settings_(settings), parallel_(settings.threads) {
        summary_.warnings = std::move(warnings);
    }

    Result<void> prepare(const fs::path& run);
    RenderSummary render();

private:
    /// The frame of this panel at the time of frame k of the leading one; its last where it ended earlier.
    std::size_t in_step(const Panel& panel, std::size_t k) const;
    Result<void> survey();
    Result<void> choose_size();
    Result<void> place();
    Result<Camera> camera_of(std::size_t picture);
    Result<Picture> compose(std::size_t picture);
    Result<void> write(const Picture& picture, const fs::path& file);
    Result<void> begin_film(std::optional<Film>& film);
    Result<void> make_all(std::optional<Film>& film);

    std::vector<Panel> panels_;
    RenderSettings settings_;
    Parallel parallel_;
    std::size_t lead_ = 0;  // the panel that lasts longest
    Plan plan_;
    Targets targets_;
    PanelStyle style_;
    std::unique_ptr<Font> font_;
    Camera camera_;
    std::optional<CameraPath> path_;
    std::optional<std::size_t> followed_;  // the body, of the leading panel
    Vec3 followed_from_;
    int across_ = 1, down_ = 1, panel_width_ = 0, panel_height_ = 0;
    bool pictures_ = true;  // write PNG files
    bool stopped_ = false;
    RenderSummary summary_;
    Clock::time_point start_ = Clock::now();
};

std::size_t Renderer::in_step(const Panel& panel, std::size_t k) const {
    const double rate = panels_[lead_].header().frame_rate;
    const double same = static_cast<double>(k) * (rate > 0 ? panel.header().frame_rate / rate : 1);
    const auto last = static_cast<double>(panel.frames() - 1);
    return static_cast<std::size_t>(std::min(std::floor(same + 0.5), last));
}

Result<void> Renderer::choose_size() {
    const auto count = static_cast<int>(panels_.size());
    // Three fit beside each other; beyond that as square as it gets.
    across_ = count <= 3 ? count : static_cast<int>(std::ceil(std::sqrt(count)));
    down_ = (count + across_ - 1) / across_;
    int width = settings_.width, height = settings_.height;
    const int seams_across = (across_ - 1) * gutter, seams_down = (down_ - 1) * gutter;
    if (width == 0) width = count == 1 ? default_width : across_ * variant_width + seams_across;
    if (height == 0) height = count == 1 ? default_height : down_ * variant_height + seams_down;
    panel_width_ = (width - seams_across) / across_, panel_height_ = (height - seams_down) / down_;
    if (std::min(panel_width_, panel_height_) < least_side || std::max(width, height) > max_side) {
        return render_error(fmt::format("a picture of {} × {} cannot be drawn", width, height),
                            fmt::format("give {} to {} pixels a side", least_side, max_side));
    }
    summary_.width = width, summary_.height = height;
    return {};
}

Result<void> Renderer::survey() {
    Survey survey;
    std::size_t bodies = 1;
    for (const Panel& panel : panels_) bodies += panel.header().bodies.size();
    const std::size_t wanted = plan_.degrees.empty() ? plan_.frames.size() : 1;
    const std::size_t most = std::clamp(looks / bodies, std::size_t{2}, look_frames);
    const std::size_t stride = std::max<std::size_t>(1, (wanted + most - 1) / most);
    for (std::size_t i = 0; i < wanted; i += stride) {
        for (Panel& panel : panels_) {
            if (auto seen = panel.look(in_step(panel, plan_.frames[i]), survey); !seen) return seen;
        }
    }
    style_.subject = find_subject(survey.extents);
    style_.subject.downhill = survey.downhill;
    style_.marks = mark_scale(std::move(survey.marks), style_.subject.radius);
    return {};
}

Result<void> Renderer::prepare(const fs::path& run) {
    summary_.run = run;
    summary_.mode = style_.mode = settings_.mode;
    style_.quality = settings_.quality;
    const auto seconds = [](const Panel& p) {
        return static_cast<double>(p.frames()) / std::max(p.header().frame_rate, 1e-9);
    };
    for (std::size_t i = 0; i < panels_.size(); ++i) {
        if (auto can = panels_[i].can_show(settings_.mode); !can) return can;
        if (seconds(panels_[i]) > seconds(panels_[lead_])) lead_ = i;
        summary_.triangles += panels_[i].triangles();
        for (const std::string& place : panels_[i].damage())
            summary_.warnings.push_back(fmt::format("{} is damaged at {}: frames may be missing there",
                                                    RunFolder{panels_[i].folder()}.frames().string(), place));
    }
    const auto last = static_cast<long long>(panels_[lead_].frames()) - 1;
    summary_.frames_in_run = panels_[lead_].frames();
    const bool asked = settings_.frame.has_value();
    if (asked && settings_.time)
        return render_error("--frame and --time name two frames", "give one of them");
    if (settings_.time && *settings_.time > seconds(panels_[lead_]) + 1)
        return render_error(fmt::format("the run has not come to {} s", *settings_.time),
                            fmt::format("it ends at {:.6g} s so far", seconds(panels_[lead_])));
    settings_ = with_wishes(std::move(settings_), picture_of(panels_[lead_].folder()),
                            panels_[lead_].header().frame_rate);
    if (!asked && settings_.frame)
        settings_.frame = std::min(*settings_.frame, last);  // it may be still running
    if (auto good = choose_size(); !good) return good;
    auto plan = make_plan(settings_, panels_[lead_].frames(), panels_[lead_].header().frame_rate);
    if (!plan) return plan.error();
    plan_ = std::move(plan).value();
    auto targets = find_targets(run, settings_, plan_.many() || settings_.out.extension() == ".mp4");
    if (!targets) return targets.error();
    targets_ = std::move(targets).value();
    if (auto seen = survey(); !seen) return seen;
    if (auto placed = place(); !placed) return placed;
    const auto at_first = camera_of(0);
    if (!at_first) return at_first.error();
    const Camera& first = at_first.value();
    summary_.camera_position = first.position, summary_.camera_target = first.target,
    summary_.fov = first.fov;
    if (settings_.labels) {
        font_ = Font::find();
        if (!font_)
            summary_.warnings.push_back(
                "no words in the pictures: the font DejaVu Sans is missing (Debian: fonts-dejavu-core)");
        style_.font = font_.get();
    }
    return {};
}

Result<void> Renderer::place() {
    const CameraSettings& wanted = settings_.camera;
    Panel& lead = panels_[lead_];
    Subject subject = style_.subject;
    if (!wanted.follow.empty()) {
        const auto body = lead.find(wanted.follow);
        if (!body) return body.error();
        followed_ = body.value();
        const auto box = lead.box_at(plan_.frames.front(), *followed_);
        if (!box) return box.error();
        followed_from_ = box.value().centre();
        // The body, with room around it to see where it goes.
        subject = find_subject(std::array{Extent{box.value().grown(norm(box.value().size())), {}, true}});
        subject.downhill = style_.subject.downhill;
    }
    const double aspect = static_cast<double>(panel_width_) / panel_height_;
    camera_ = place_camera(wanted, subject, up_of(lead.header()), aspect);
    const double rate = std::max(lead.header().frame_rate, 1e-9);
    path_.emplace(wanted, camera_, static_cast<double>(plan_.frames.front()) / rate);
    return {};
}

Result<Camera> Renderer::camera_of(std::size_t picture) {
    if (!plan_.degrees.empty()) {
        const double aspect = static_cast<double>(panel_width_) / panel_height_;
        return orbit(camera_, style_.subject, plan_.degrees[picture], aspect);
    }
    if (!path_->moves()) return path_->at(0, {});
    Panel& lead = panels_[lead_];
    Vec3 moved{};
    if (followed_) {
        const auto box = lead.box_at(plan_.frames[picture], *followed_);
        if (!box) return box.error();
        moved = box.value().centre() - followed_from_;
    }
    return path_->at(static_cast<double>(plan_.frames[picture]) / std::max(lead.header().frame_rate, 1e-9),
                     moved);
}

Result<Picture> Renderer::compose(std::size_t i) {
    const auto camera = camera_of(i);
    if (!camera) return camera.error();
    const auto draw = [&](Panel& panel) {
        return panel.draw(in_step(panel, plan_.frames[i]), style_, camera.value(), panel_width_,
                          panel_height_, parallel_);
    };
    if (panels_.size() == 1) return draw(panels_[0]);
    Picture whole(summary_.width, summary_.height);
    std::fill(whole.rgb.begin(), whole.rgb.end(), std::uint8_t{255});
    for (std::size_t p = 0; p < panels_.size(); ++p) {
        const auto part = draw(panels_[p]);
        if (!part) return part;
        const int column = static_cast<int>(p) % across_, row = static_cast<int>(p) / across_;
        paste(whole, part.value(), column * (panel_width_ + gutter), row * (panel_height_ + gutter));
    }
    return whole;
}

Result<void> Renderer::write(const Picture& picture, const fs::path& file) {
    const auto bytes = png_bytes(picture);
    if (!bytes) return bytes.error();
    if (auto written = replace_file(file, bytes.value()); !written) return written;
    summary_.pictures.push_back(file);
    return {};
}

/// With a film, or with pictures instead of it.
Result<void> Renderer::begin_film(std::optional<Film>& film) {
    if (targets_.film.empty()) return {};
    pictures_ = !targets_.film_asked;
    if (!Film::available()) {
        pictures_ = true;
        const std::string text = "no film, only pictures: there is no ffmpeg here (Debian: ffmpeg)";
        if (!targets_.film_asked) {
            summary_.warnings.push_back(text);
        } else {
            summary_.error = Error({.file = targets_.film.string(),
                                    .problem = "there is no ffmpeg here to make a film with",
                                    .cure = fmt::format("install it (Debian: ffmpeg); the pictures are in {}",
                                                        targets_.folder.string())});
        }
        return {};
    }
    auto begun = Film::begin(targets_.film, summary_.width, summary_.height, plan_.fps,
                             settings_.quality == RenderQuality::draft);
    if (!begun) return begun.error();
    film.emplace(std::move(begun).value());
    return {};
}

Result<void> Renderer::make_all(std::optional<Film>& film) {
    for (std::size_t i = 0; i < plan_.frames.size() && !stopped_; ++i) {
        const auto picture = compose(i);
        if (!picture) return picture.error();
        if (!targets_.picture.empty()) {
            if (auto written = write(picture.value(), targets_.picture); !written) return written;
        } else if (pictures_) {
            const std::size_t number = plan_.degrees.empty() ? plan_.frames[i] : i;
            const fs::path file = targets_.folder / fmt::format("frame-{:06}.png", number);
            if (auto written = write(picture.value(), file); !written) return written;
        }
        if (film) {
            if (auto added = film->add(picture.value()); !added) return added;
        }
        summary_.frames.push_back(plan_.frames[i]);
        const double wall = std::chrono::duration<double>(Clock::now() - start_).count();
        stopped_ = settings_.progress && !settings_.progress({i + 1, plan_.frames.size(), wall}) &&
                   i + 1 < plan_.frames.size();
    }
    return {};
}

RenderSummary Renderer::render() {
    std::optional<Film> film;
    auto made = begin_film(film);
    const fs::path folder = !targets_.picture.empty() ? targets_.picture.parent_path()
                            : pictures_               ? targets_.folder
                                                      : targets_.film.parent_path();
    if (made && !folder.empty()) {
        std::error_code failed;
        fs::create_directories(folder, failed);
        if (failed) made = file_error(folder, failed.value());
    }
    if (made) made = make_all(film);
    if (made && film && !stopped_) {
        made = film->finish();
        if (made) summary_.film = targets_.film;
    }
    if (!made && !summary_.error) summary_.error = made.error();
    summary_.finished = !summary_.error && !stopped_;
    summary_.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    return std::move(summary_);
}

}  // namespace

Result<RenderSummary> render_run(const fs::path& run, const RenderSettings& settings) {
    std::vector<std::string> warnings;
    auto panels = open_panels(run, warnings);
    if (!panels) return panels.error();
    Renderer renderer(std::move(panels).value(), settings, std::move(warnings));
    if (auto ready = renderer.prepare(run); !ready) return ready.error();
    return renderer.render();
}

}  // namespace plush::render
