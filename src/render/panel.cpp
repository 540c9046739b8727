#include "render/panel.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/did_you_mean.hpp"
#include "record/run_folder.hpp"
#include "render/palette.hpp"

namespace plush::render {

namespace {

std::vector<Box3> boxes_of(const FramesHeader& header) {
    std::vector<Box3> boxes;
    for (const FrameMesh& mesh : header.meshes) {
        Box3& box = boxes.emplace_back();
        for (const Vec3f& p : mesh.positions) box.add(to_double(p));
    }
    return boxes;
}

/// Around the vertices of a deformable body, as far as they are places at all.
Box3 box_of(std::span<const Vec3f> points, double radius) {
    Box3 box;
    for (const Vec3f& p : points)
        if (const Vec3 place = to_double(p); is_finite(place)) box.add(place);
    const double r = std::max(radius, 0.0);
    return box.empty() ? box : box.grown(r);
}

/// Deformable bodies share a mesh in the file but not in memory: some 250 bytes a triangle, 5 GB in all.
constexpr std::uint64_t max_soft_elements = 20'000'000;

/// The triangles and segments of all deformable bodies.
std::uint64_t soft_elements(const FramesHeader& header) {
    std::uint64_t count = 0;
    for (const FrameBody& body : header.bodies) {
        if (body.points == 0 || body.mesh < 0) continue;
        const FrameMesh& mesh = header.meshes[static_cast<std::size_t>(body.mesh)];
        count += mesh.triangles.size() / 3 + mesh.segments.size() / 2;
    }
    return count;
}

/// Of so many particles of a body the camera takes notice.
constexpr std::size_t noticed_points = 200;

/// Of slopes between level and wall.
std::optional<Vec3> downhill_of(const Vec3& normal, const Vec3& up) {
    const double level = dot(normal, up);
    if (level > 0.996 || level < 0.3) return std::nullopt;  // 5° and 73°
    return normalised(normal - up * level);
}

/// Letters as high as a twenty-eighth of a panel, but readable and not huge.
int letter_size(const Picture& picture) {
    return std::clamp(std::min(picture.width / 2, picture.height) / 28, 11, 40);
}

void draw_legend(Picture& picture, std::span<const LegendLine> lines, Font& font, const Lens& lens,
                 const Stage& stage) {
    const int size = letter_size(picture);
    const double line = 1.5 * size, gap = 0.6 * size;
    const double scale = 1 / (lens.pixel() * norm(stage.centre - lens.position()));  // pixels a metre
    double text_width = 0, sign_width = 1.2 * size;
    for (const LegendLine& l : lines) {
        text_width = std::max(text_width, font.width(l.text, size));
        sign_width = std::max(sign_width, l.length * scale + 0.4 * size);
    }
    const double width = sign_width + text_width + 3 * gap;
    const double height = line * static_cast<double>(lines.size()) + gap;
    const double left = picture.width - width - gap, top = gap;
    draw_plate(picture, left, top, width, height);
    double y = top + 0.5 * gap + 0.5 * line;
    for (const LegendLine& l : lines) {
        const double x = left + gap;
        if (l.sign == LegendLine::Sign::dot) {
            draw_line(picture, x + 0.5 * sign_width, y, x + 0.5 * sign_width, y, 0.28 * size, l.colour);
        } else if (l.sign == LegendLine::Sign::arrow) {
            const double tip = x + l.length * scale, head = 0.3 * size;
            draw_line(picture, x, y, tip, y, 0.08 * size, l.colour);
            draw_line(picture, tip, y, tip - head, y - head, 0.08 * size, l.colour);
            draw_line(picture, tip, y, tip - head, y + head, 0.08 * size, l.colour);
        }
        font.draw(picture, x + sign_width + gap, y + 0.36 * size, l.text, size, paint::ink);
        y += line;
    }
}

void draw_words(Picture& picture, Font& font, double left, double top, std::string_view text, int size) {
    draw_plate(picture, left, top, font.width(text, size) + size, 1.6 * size);
    font.draw(picture, left + 0.5 * size, top + 1.15 * size, text, size, paint::ink);
}

}  // namespace

Panel::Panel(std::filesystem::path folder, FrameReader reader, std::string label)
    : folder_(std::move(folder)),
      reader_(std::move(reader)),
      label_(std::move(label)),
      colours_(body_colours(header())),
      boxes_(boxes_of(header())),
      tracer_(header().meshes),
      rasteriser_(header().meshes) {}

Result<Panel> Panel::open(const std::filesystem::path& run, const std::string& label) {
    namespace fs = std::filesystem;
    const fs::path frames = RunFolder{run}.frames();
    std::error_code ignored;
    if (!fs::is_directory(run, ignored)) {
        return Error(
            {.file = run.string(),
             .problem = fs::exists(run, ignored) ? "this is not a folder" : "there is no such folder",
             .cure = "name a run folder: plush run SCENE writes one"});
    }
    if (!fs::exists(frames, ignored)) {
        return Error({.file = run.string(),
                      .problem = "there is no frames.plush in this folder, so there is nothing to draw",
                      .cure = "name a run folder, and run the scene without --no-frames"});
    }
    auto reader = FrameReader::open(frames);
    if (!reader) return reader.error();
    if (reader.value().frames() == 0) {
        return Error({.file = frames.string(),
                      .problem = "there is no whole frame in this file yet",
                      .cure = "wait for the run to write one, or run the scene again"});
    }
    if (soft_elements(reader.value().header()) > max_soft_elements) {
        return Error({.file = frames.string(),
                      .problem = "the deformable bodies have too many triangles together to be drawn",
                      .cure = fmt::format("run the scene with at most {}", max_soft_elements)});
    }
    return Panel(run, std::move(reader).value(), label);
}

std::vector<std::string> Panel::damage() const {
    std::vector<std::string> places;
    for (const FrameDamage& damage : reader_.damage()) places.push_back(damage.place());
    if (reader_.tail() == FrameReader::Tail::damaged) places.emplace_back("its end");
    return places;
}

long long Panel::triangles() const {
    long long count = 0;
    for (const FrameBody& body : header().bodies) {
        if (body.mesh < 0) continue;
        count +=
            static_cast<long long>(header().meshes[static_cast<std::size_t>(body.mesh)].triangles.size() / 3);
    }
    return count;
}

Result<void> Panel::can_show(RenderMode mode) const {
    const char* missing = mode == RenderMode::tets       ? "tets"
                          : mode == RenderMode::pressure ? "pressures"
                                                         : nullptr;
    if (!missing) return {};
    return Error({.file = "mode " + std::string(render_mode_choices()[static_cast<std::size_t>(mode)].word),
                  .problem = fmt::format("the frames of this run hold no {}", missing),
                  .cure = "choose surface, wireframe, contacts, penetration or volumes"});
}

Result<void> Panel::read(std::size_t k) {
    if (read_ == k) return {};
    read_.reset();
    if (auto done = reader_.read(k, frame_); !done) return done;
    read_ = k;
    return {};
}

Result<std::size_t> Panel::find(const std::string& name) const {
    std::vector<std::string_view> names;
    for (std::size_t b = 0; b < header().bodies.size(); ++b) {
        if (header().bodies[b].name == name) return b;
        if (!header().bodies[b].name.empty()) names.push_back(header().bodies[b].name);
    }
    std::string fix = did_you_mean(name, names);
    if (fix.empty())
        fix = names.empty() ? "give the body a \"name\" in the scene"
                            : fmt::format("the first is {}", names.front());
    return Error({.file = folder_.string(),
                  .problem = fmt::format("no body is called \"{}\", so the camera cannot follow it", name),
                  .cure = std::move(fix)});
}

Result<Box3> Panel::box_at(std::size_t k, std::size_t body) {
    if (auto done = read(k); !done) return done.error();
    std::size_t pose = 0, point = 0;
    for (std::size_t b = 0; b < body; ++b) {
        point += static_cast<std::size_t>(frame_.points_of(header(), b));
        pose += header().bodies[b].points == 0;
    }
    const FrameBody& wanted = header().bodies[body];
    if (wanted.points > 0) {
        const auto count = static_cast<std::size_t>(frame_.points_of(header(), body));
        return box_of(std::span(frame_.points).subspan(point, count), wanted.radius);
    }
    const Transform& at = frame_.poses[pose];
    Box3 box;
    if (wanted.mesh < 0) return Box3{at.position, at.position};
    const Box3& local = boxes_[static_cast<std::size_t>(wanted.mesh)];
    for (std::size_t i = 0; i < 8; ++i)
        box.add(at * Vec3{i & 1 ? local.high.x : local.low.x, i & 2 ? local.high.y : local.low.y,
                          i & 4 ? local.high.z : local.low.z});
    return box;
}

Result<void> Panel::look(std::size_t k, Survey& survey) {
    if (auto done = read(k); !done) return done;
    std::size_t pose = 0, point = 0;
    for (std::size_t b = 0; b < header().bodies.size(); ++b) {
        const FrameBody& body = header().bodies[b];
        const bool moves = body.kind != "fixed";
        if (body.points > 0 && body.mesh >= 0) {
            const auto count = static_cast<std::size_t>(frame_.points_of(header(), b));
            const Box3 box = box_of(std::span(frame_.points).subspan(point, count), body.radius);
            if (!box.empty()) survey.extents.push_back({box, {}, moves});
            point += count;
            continue;
        }
        if (body.points > 0) {
            const std::size_t stride = 1 + body.points / noticed_points;
            const double r = std::max(body.radius, 0.0);
            for (std::size_t i = 0; i < body.points; i += stride) {
                survey.extents.push_back(
                    {Box3{{-r, -r, -r}, {r, r, r}}, {to_double(frame_.points[point + i])}, moves});
            }
            point += body.points;
            continue;
        }
        const Transform& at = frame_.poses[pose++];
        if (body.normal != Vec3f{} && !survey.downhill)
            survey.downhill =
                downhill_of(rotate(at.rotation, normalised(to_double(body.normal))), up_of(header()));
        if (body.mesh >= 0)
            survey.extents.push_back({boxes_[static_cast<std::size_t>(body.mesh)], at, moves});
    }
    survey.marks.add(frame_);
    return {};
}

void Panel::write_words(Picture& picture, const Stage& stage, const PanelStyle& style,
                        const Lens& lens) const {
    if (!style.font) return;
    const int size = letter_size(picture);
    const double gap = 0.6 * size;
    if (!label_.empty()) draw_words(picture, *style.font, gap, gap, label_, size + size / 4);
    std::string caption = fmt::format("t = {:.2f} s", frame_.time);
    if (!stage.planes.empty()) caption += fmt::format("    grid {:g} m", stage.grid);
    draw_words(picture, *style.font, gap, picture.height - gap - 1.6 * size, caption, size);
    if (style.mode == RenderMode::contacts)
        draw_legend(picture, contact_legend(style.marks, stage.radius), *style.font, lens, stage);
    if (style.mode == RenderMode::penetration)
        draw_legend(picture, depth_legend(style.marks, stage.radius), *style.font, lens, stage);
    if (style.mode == RenderMode::volumes)
        draw_legend(picture, volume_legend(stage.volumes.size(), shared_), *style.font, lens, stage);
}

/// What the bodies of the frame share, in one colour, and the bodies pale.
void Panel::add_volumes(Stage& stage, const Parallel& parallel) {
    stage.pale = 1;
    shared_ = 0;
    for (SharedVolume& v : volumes_.find(header(), frame_, parallel)) {
        shared_ += v.volume;
        stage.volumes.push_back({std::move(v.positions), std::move(v.triangles), paint::slip});
    }
}

Result<Picture> Panel::draw(std::size_t k, const PanelStyle& style, const Camera& camera, int width,
                            int height, const Parallel& parallel) {
    if (auto done = read(k); !done) return done.error();
    Stage stage = stage_of(header(), frame_, colours_, style.subject);
    stage.wire = style.mode == RenderMode::wireframe;
    if (style.mode == RenderMode::contacts) add_contact_marks(stage, header(), frame_, style.marks);
    if (style.mode == RenderMode::penetration) add_depth_marks(stage, header(), frame_, style.marks);
    if (style.mode == RenderMode::volumes) add_volumes(stage, parallel);
    const bool draft = style.quality == RenderQuality::draft && Rasteriser::can_draw(stage);
    Result<Picture> picture = draft ? rasteriser_.draw(stage, camera, width, height, parallel)
                                    : tracer_.draw(stage, camera, width, height, style.quality, parallel);
    if (picture) write_words(picture.value(), stage, style, Lens(camera, width, height));
    return picture;
}

}  // namespace plush::render
