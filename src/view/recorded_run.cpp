#include "view/recorded_run.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>

#include "plush/math/rotation.hpp"
#include "view/world_actions.hpp"

namespace plush::view {

namespace {

using Json = nlohmann::json;

std::vector<float> to_floats(std::span<const Vec3f> points) {
    std::vector<float> out;
    out.reserve(3 * points.size());
    for (const Vec3f& p : points) out.insert(out.end(), {p.x, p.y, p.z});
    return out;
}

std::vector<std::uint32_t> to_indices(std::span<const std::int32_t> indices) {
    return {indices.begin(), indices.end()};
}

Error recorded(const char* what) {
    return Error({.problem = fmt::format("a recorded run {}", what),
                  .cure = "open its scene to simulate it: plush view SCENE"});
}

}  // namespace

RecordedRun::RecordedRun(FrameReader reader, std::filesystem::path folder, std::string label)
    : reader_(std::move(reader)), folder_(std::move(folder)), label_(std::move(label)) {
    if (reader_.header().frame_rate > 0) rate_ = reader_.header().frame_rate;
    seek(0);
    restart();
}

Result<std::unique_ptr<RecordedRun>> RecordedRun::open(const std::filesystem::path& folder,
                                                       std::string label) {
    auto reader = FrameReader::open(folder / "frames.plush");
    if (!reader) return reader.error();
    if (reader.value().frames() == 0)
        return Error({.file = (folder / "frames.plush").string(),
                      .problem = "the run has no frames yet",
                      .cure = "wait until the run has begun, or run the scene again without --no-frames"});
    return std::unique_ptr<RecordedRun>(new RecordedRun(std::move(reader).value(), folder, std::move(label)));
}

void RecordedRun::seek(std::size_t frame) {
    reader_.refresh();
    at_ = std::min(frame, reader_.frames() - 1);
    problem_.clear();
    if (const auto read = reader_.read(at_, frame_); !read) problem_ = read.error().what();
}

Result<bool> RecordedRun::advance(std::size_t frames) {
    if (at_ + 1 >= reader_.frames() && at_ + 1 >= reader_.refresh()) return false;
    seek(at_ + frames);
    return true;
}

Result<void> RecordedRun::to_start() {
    seek(0);
    return {};
}

Result<Json> RecordedRun::apply(const Command&) {
    return recorded("cannot be changed");
}

std::shared_ptr<const MeshPicture> RecordedRun::mesh_of(std::size_t mesh, bool) const {
    const FrameMesh& from = reader_.header().meshes[mesh];
    auto out = std::make_shared<MeshPicture>();
    out->revision = next_.revision;
    out->positions = to_floats(from.positions);
    out->triangles = to_indices(from.triangles);
    out->segments = to_indices(from.segments);
    return out;
}

void RecordedRun::restart() {
    const FramesHeader& header = reader_.header();
    ++next_.revision;
    next_.scene_revision = next_.revision;
    for (std::size_t k = 0; k < header.meshes.size(); ++k) next_.meshes.push_back(mesh_of(k, false));
    Box3 box;
    std::size_t point = 0, pose = 0;
    for (std::size_t i = 0; i < header.bodies.size(); ++i) {
        const FrameBody& body = header.bodies[i];
        auto picture = std::make_shared<BodyPicture>();
        picture->revision = next_.revision;
        const bool plane = body.normal != Vec3f{};
        picture->meta = {
            {"index", i},      {"name", body.name},     {"kind", body.kind},     {"mesh", body.mesh},
            {"skin", false},   {"points", body.points}, {"radius", body.radius}, {"normal", nullptr},
            {"mass", nullptr}, {"version", 0},          {"pieces", 1},           {"soft", false}};
        add_look(picture->meta, body.colour, body.finish);
        if (plane) picture->meta["normal"] = {body.normal.x, body.normal.y, body.normal.z};
        next_.bodies.push_back(std::move(picture));
        const std::uint64_t points = frame_.points_of(header, i);
        for (std::uint64_t k = 0; k < points && point < frame_.points.size(); ++k, ++point)
            box.add(Vec3{frame_.points[point].x, frame_.points[point].y, frame_.points[point].z});
        if (body.points > 0 || pose >= frame_.poses.size()) continue;
        const Transform at = frame_.poses[pose++];
        if (body.kind == "fixed" || body.mesh < 0) continue;
        for (const Vec3f& p : header.meshes[static_cast<std::size_t>(body.mesh)].positions)
            box.add(at * Vec3{p.x, p.y, p.z});
    }
    if (box.empty()) box.add(Vec3{-1, -1, -1}), box.add(Vec3{1, 1, 1});
    const std::size_t n = header.bodies.size();
    next_.points.resize(n), next_.poses.resize(n);
    surfaces_.resize(n), own_mesh_.assign(n, 0xffffffffu);
    next_.scene_meta = {{"name", header.scene},
                        {"description", ""},
                        {"duration", nullptr},
                        {"step", header.step},
                        {"gravity", to_json(header.gravity)},
                        {"up", to_json(normalised(-header.gravity))},
                        {"camera", nullptr},
                        {"metrics", Json::array()},
                        {"bounds", {to_json(box.low), to_json(box.high)}}};
}

/// Bodies that are cut have other surfaces from frame to frame; and their first ones again where a page goes back.
void RecordedRun::update_surfaces() {
    bool changed = false;
    for (std::size_t i = 0; i < next_.bodies.size(); ++i) {
        const FrameSurface* now = frame_.surface_of(i);
        if (!now && surfaces_[i].points == 0) continue;
        if (now && *now == surfaces_[i]) continue;
        if (!changed) ++next_.revision, changed = true;
        const FrameBody& body = reader_.header().bodies[i];
        auto picture = std::make_shared<BodyPicture>(*next_.bodies[i]);
        picture->revision = next_.revision;
        picture->meta["version"] = picture->meta["version"].get<std::uint64_t>() + 1;
        if (now) {
            if (own_mesh_[i] == 0xffffffffu) {
                own_mesh_[i] = static_cast<std::uint32_t>(next_.meshes.size());
                next_.meshes.emplace_back();
            }
            auto mesh = std::make_shared<MeshPicture>();
            mesh->revision = next_.revision;
            mesh->triangles = to_indices(now->triangles);
            mesh->positions.resize(3 * now->points, 0.0f);
            next_.meshes[own_mesh_[i]] = std::move(mesh);
            picture->meta["mesh"] = own_mesh_[i], picture->meta["points"] = now->points;
            surfaces_[i] = *now;
        } else {
            picture->meta["mesh"] = body.mesh, picture->meta["points"] = body.points;
            surfaces_[i] = {};
        }
        next_.bodies[i] = std::move(picture);
        next_.points[i].reset();
    }
}

/// Nothing where the run has a single frame, or the one beside this cannot be read.
std::optional<RecordedMotion> RecordedRun::motion() {
    const std::size_t beside = at_ > 0 ? at_ - 1 : 1;
    if (beside >= reader_.frames() || !reader_.read(beside, beside_)) return std::nullopt;
    return RecordedMotion(reader_.header(), beside_, frame_);
}

std::shared_ptr<const Picture> RecordedRun::picture(std::uint32_t layers) {
    ++next_.seq;
    update_surfaces();
    const FramesHeader& header = reader_.header();
    next_.layers = layers;
    const auto moved = layers & bit(Layer::velocity) ? motion() : std::nullopt;
    next_.flags.assign(frame_.asleep.begin(), frame_.asleep.end());
    std::size_t point = 0, pose = 0;
    for (std::size_t i = 0; i < header.bodies.size(); ++i) {
        if (header.bodies[i].points == 0) {
            if (pose >= frame_.poses.size()) continue;
            const auto [p, q] = frame_.poses[pose++];
            const std::array<double, 7> values{p.x, p.y, p.z, q.x, q.y, q.z, q.w};
            PosePicture now{next_.seq, {}};
            for (std::size_t k = 0; k < 7; ++k) now.values[k] = static_cast<float>(values[k]);
            if (next_.poses[i].seq == 0 || !(now == next_.poses[i])) next_.poses[i] = now;
            continue;
        }
        const std::size_t count =
            std::min<std::size_t>(frame_.points_of(header, i), frame_.points.size() - point);
        auto now = std::make_shared<PointsPicture>();
        now->seq = next_.seq;
        now->positions = to_floats(std::span(frame_.points).subspan(point, count));
        point += count;
        if (moved) now->velocities = moved->of_points(i);
        if (!next_.points[i] || next_.points[i]->positions != now->positions ||
            next_.points[i]->velocities != now->velocities)
            next_.points[i] = std::move(now);
    }
    next_.lists.clear();
    if (moved) next_.lists.push_back(moved->of_bodies());
    if (layers & bit(Layer::contacts)) {
        Words out;
        for (const FrameContact& c : frame_.contacts) {
            const Vec3 n{c.normal.x, c.normal.y, c.normal.z}, f{c.force.x, c.force.y, c.force.z};
            const double along = dot(f, n);
            out << c.a << c.b << (c.sticking ? 1u : 0u) << c.point << c.normal << along << f - along * n
                << c.depth << 0.0f << 0.0f << 0.0f << c.depth << 0u << 0u;
        }
        next_.lists.push_back(
            {SectionKind::contacts, bit(Layer::contacts), frame_.contacts.size(), std::move(out.bytes())});
    }
    next_.frame_meta =
        Json{{"step", frame_.step}, {"time", frame_.time}, {"frame", at_}, {"wall_ms", 0}}.dump();
    return std::make_shared<const Picture>(next_);
}

Json RecordedRun::state(bool) {
    Json warnings = Json::array();
    if (!problem_.empty())
        warnings.push_back({{"id", "damaged"},
                            {"text", problem_},
                            {"fix", "the other frames may still be good"},
                            {"count", 1},
                            {"first_step", frame_.step},
                            {"last_step", frame_.step},
                            {"body", nullptr}});
    return {{"name", reader_.header().scene},
            {"label", label_},
            {"step", frame_.step},
            {"time", frame_.time},
            {"frames", frames()},
            {"frame", at_},
            {"frame_rate", rate_},
            {"hash", nullptr},
            {"layers", layers()},
            {"duration", nullptr},
            {"bodies", Json::array()},
            {"drags", Json::array()},
            {"pins", Json::array()},
            {"warnings", warnings},
            {"settings", {{"step", reader_.header().step}, {"gravity", to_json(reader_.header().gravity)}}}};
}

Json RecordedRun::metrics() const {
    std::ifstream in(folder_ / "metrics.csv");
    std::string line;
    std::vector<std::string> names;
    std::vector<Json> columns;
    const auto cells_of = [](const std::string& text) {
        std::vector<std::string> cells;
        for (std::size_t at = 0; at <= text.size();) {
            const std::size_t comma = std::min(text.find(',', at), text.size());
            cells.push_back(text.substr(at, comma - at));
            at = comma + 1;
        }
        return cells;
    };
    if (std::getline(in, line)) names = cells_of(line);
    columns.resize(names.size(), Json::array());
    while (std::getline(in, line)) {
        const auto cells = cells_of(line);
        if (cells.size() != names.size()) break;  // a row that is being written
        for (std::size_t k = 0; k < cells.size(); ++k) {
            double value = 0;
            const auto [end, bad] =
                std::from_chars(cells[k].data(), cells[k].data() + cells[k].size(), value);
            columns[k].push_back(bad == std::errc() && std::isfinite(value) ? Json(value) : Json(nullptr));
        }
    }
    Json out{{"names", Json::array()}, {"columns", Json::object()}};
    for (std::size_t k = 0; k < names.size(); ++k) {
        if (names[k] == "state_hash") continue;
        out["names"].push_back(names[k]);
        out["columns"][names[k]] = std::move(columns[k]);
    }
    return out;
}

Result<std::vector<std::byte>> RecordedRun::saved() const {
    return recorded("has no state to save: it is in its folder");
}

Result<std::string> RecordedRun::input() const {
    return recorded("has no record of input");
}

}  // namespace plush::view
