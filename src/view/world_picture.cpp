#include "view/world_picture.hpp"

#include <algorithm>

#include "plush/core/state.hpp"
#include "view/world_layers.hpp"

namespace plush::view {

namespace {

using Json = nlohmann::json;

void append(std::vector<float>& out, const Vec3& v) {
    out.push_back(static_cast<float>(v.x));
    out.push_back(static_cast<float>(v.y));
    out.push_back(static_cast<float>(v.z));
}

template <class Index>
void append(std::vector<std::uint32_t>& out, const Index& indices) {
    for (const int i : indices) out.push_back(static_cast<std::uint32_t>(i));
}

/// The weights of a skin, four a point. False where some point has more: it is then drawn by its positions.
bool add_skin(const World& world, BodyId body, MeshPicture& mesh) {
    const SkinWeights skin = world.skin_weights(body);
    bool identity = true;
    for (std::size_t i = 0; i + 1 < skin.first.size(); ++i) {
        const std::size_t first = skin.first[i], count = skin.first[i + 1] - first;
        if (count > 4) return false;
        identity = identity && count == 1 && skin.entries[first].vertex == i;
        for (std::size_t k = 0; k < 4; ++k) {
            const VertexWeight w = k < count ? skin.entries[first + k] : VertexWeight{};
            mesh.skin_index.push_back(w.vertex);
            mesh.skin_weight.push_back(static_cast<float>(w.weight));
        }
    }
    if (identity) mesh.skin_index.clear(), mesh.skin_weight.clear();  // the vertices are what is drawn
    return !identity;
}

struct BodyMesh {
    std::shared_ptr<MeshPicture> mesh{};  ///< null: none
    bool skinned = false;
};

BodyMesh deformable_mesh(const World& world, BodyId body) {
    const auto triangles = world.drawn_surface(body);
    const auto edges = world.edges(body);
    if (triangles.empty() && edges.empty()) return {};
    auto mesh = std::make_shared<MeshPicture>();
    for (const Triangle& t : triangles) append(mesh->triangles, t);
    for (const std::array<int, 2>& e : edges) append(mesh->segments, e);
    for (const Vec3& p : world.drawn_positions(body)) append(mesh->positions, p);
    const bool skinned = add_skin(world, body, *mesh);
    if (!skinned) mesh->skin_index.clear(), mesh->skin_weight.clear();
    return {mesh, skinned};
}

BodyMesh solid_mesh(const World& world, BodyId body) {
    const Mesh& drawn = world.drawn(body);
    if (drawn.empty()) return {};
    auto mesh = std::make_shared<MeshPicture>();
    for (const Triangle& t : drawn.triangles()) append(mesh->triangles, t);
    for (const Vec3& p : drawn.positions()) append(mesh->positions, p);
    return {mesh, false};
}

std::uint64_t hash_of(const MeshPicture& mesh, bool with_positions) {
    StateHasher hasher;
    const auto add = [&](auto& values) {
        std::size_t size = values.size();
        hasher.bytes(&size, sizeof size);
        // The hasher reads what it is given.
        hasher.bytes(const_cast<void*>(static_cast<const void*>(values.data())), size * sizeof values[0]);
    };
    add(mesh.triangles), add(mesh.segments), add(mesh.skin_index), add(mesh.skin_weight);
    if (with_positions) add(mesh.positions);
    return hasher.digest();
}

std::vector<float> points_of(const World& world, BodyId body, bool skinned) {
    std::vector<float> out;
    const auto add_all = [&](const auto& positions) {
        out.reserve(3 * positions.size());
        for (const Vec3& p : positions) append(out, p);
    };
    if (world.kind(body) == BodyKind::particles)
        add_all(world.particle_positions(body));
    else if (skinned)
        add_all(world.vertex_positions(body));
    else
        add_all(world.drawn_positions(body));
    return out;
}

bool has_points(const World& world, BodyId body) {
    const BodyKind kind = world.kind(body);
    return kind == BodyKind::deformable || kind == BodyKind::particles;
}

/// Everything that moves, or all there is.
Json bounds_of(const World& world) {
    Box3 box;
    for (const BodyId body : world.bodies()) {
        const BodyKind kind = world.kind(body);
        if (kind == BodyKind::fixed) continue;
        if (kind == BodyKind::particles) {
            for (const Vec3& p : world.particle_positions(body)) box.add(p);
        } else if (kind == BodyKind::deformable) {
            for (const Vec3& p : world.vertex_positions(body)) box.add(p);
        } else {
            const Transform pose = world.pose(body);
            for (const Vec3& p : world.drawn(body).positions()) box.add(pose * p);
            if (world.drawn(body).empty()) box.add(pose.position);
        }
    }
    if (box.empty()) box.add(Vec3{-1, -1, -1}), box.add(Vec3{1, 1, 1});
    return {to_json(box.low), to_json(box.high)};
}

}  // namespace

void WorldPicture::restart(Json scene_meta) {
    Picture fresh;
    fresh.seq = next_.seq, fresh.revision = next_.revision + 1, fresh.scene_revision = fresh.revision;
    next_ = std::move(fresh);
    next_.scene_meta = std::move(scene_meta);
    bodies_.clear(), cuts_.clear(), skinned_.clear(), own_mesh_.clear();
    mesh_hashes_.clear();
}

/// The number of an equal mesh, or a new one.
std::int32_t WorldPicture::share_mesh(std::shared_ptr<MeshPicture> mesh, bool deformable) {
    const std::uint64_t hash = hash_of(*mesh, !deformable);
    for (const auto& [known, id] : mesh_hashes_)
        if (known == hash) return id;
    const auto id = static_cast<std::int32_t>(next_.meshes.size());
    mesh->revision = next_.revision;
    next_.meshes.push_back(std::move(mesh));
    mesh_hashes_.emplace_back(hash, id);
    return id;
}

/// A body that was cut has a mesh of its own, which each cut replaces.
std::int32_t WorldPicture::own_mesh(std::size_t body, std::shared_ptr<MeshPicture> mesh) {
    mesh->revision = next_.revision;
    if (own_mesh_[body] < 0) {
        own_mesh_[body] = static_cast<std::int32_t>(next_.meshes.size());
        next_.meshes.emplace_back();
    }
    next_.meshes[static_cast<std::size_t>(own_mesh_[body])] = std::move(mesh);
    return own_mesh_[body];
}

void WorldPicture::update_body(const World& world, std::size_t i) {
    const BodyId body = bodies_[i];
    const BodyKind kind = world.kind(body);
    const bool deformable = kind == BodyKind::deformable;
    auto picture = std::make_shared<BodyPicture>();
    picture->revision = next_.revision;
    BodyMesh made;
    if (deformable)
        made = deformable_mesh(world, body);
    else if (kind != BodyKind::particles)
        made = solid_mesh(world, body);
    skinned_[i] = made.skinned;
    cuts_[i] = deformable ? world.cuts(body) : 0;
    const std::int32_t mesh = !made.mesh     ? -1
                              : cuts_[i] > 0 ? own_mesh(i, made.mesh)
                                             : share_mesh(made.mesh, deformable);
    Json& meta = picture->meta;
    meta = {{"index", i},
            {"name", world.name(body)},
            {"kind", to_word(kind)},
            {"mesh", mesh},
            {"skin", made.skinned},
            {"points", 0},
            {"radius", 0.0},
            {"normal", nullptr},
            {"version", cuts_[i]},
            {"pieces", 1},
            {"soft", is_soft(world, body)},
            {"mass", nullptr}};
    const Look& look = world.look(body);
    add_look(meta, look.colour.empty() ? -1 : static_cast<std::int32_t>(parse_colour(look.colour).value()),
             look.finish);
    if (const double mass = world.mass(body); std::isfinite(mass)) meta["mass"] = mass;
    if (has_points(world, body)) meta["points"] = points_of(world, body, made.skinned).size() / 3;
    if (kind == BodyKind::particles) meta["radius"] = world.particle_radius(body);
    if (deformable) {
        meta["radius"] = world.vertex_radius(body);
        if (cuts_[i] > 0) meta["pieces"] = world.pieces(body);
        for (const Tet& t : world.tets(body)) append(picture->tets, t);
    } else if (kind != BodyKind::particles && mesh < 0) {
        const Shape& shape = world.shape(body);
        if (!shape.empty() && !shape.bounded())
            meta["normal"] = to_json(shape.distance().sample({}).gradient);
    }
    next_.bodies[i] = std::move(picture);
    next_.points[i].reset();
    next_.poses[i].seq = 0;
}

void WorldPicture::update_structure(const World& world) {
    const std::vector<BodyId> now = world.bodies();
    const bool grows =
        now.size() >= bodies_.size() && std::equal(bodies_.begin(), bodies_.end(), now.begin());
    if (!grows) restart(std::move(next_.scene_meta));
    std::vector<std::size_t> changed;
    for (std::size_t i = 0; i < bodies_.size(); ++i)
        if (world.kind(now[i]) == BodyKind::deformable && world.cuts(now[i]) != cuts_[i])
            changed.push_back(i);
    for (std::size_t i = bodies_.size(); i < now.size(); ++i) changed.push_back(i);
    if (bodies_.empty()) {
        const Vec3 g = world.settings().gravity;
        next_.scene_meta["bounds"] = bounds_of(world);
        next_.scene_meta["gravity"] = to_json(g);
        next_.scene_meta["step"] = world.settings().step;
        next_.scene_meta["up"] = to_json(normalised(-g));
    } else if (!changed.empty()) {
        ++next_.revision;
    }
    bodies_ = now;
    cuts_.resize(now.size()), skinned_.resize(now.size()), own_mesh_.resize(now.size(), -1);
    next_.bodies.resize(now.size()), next_.points.resize(now.size()), next_.poses.resize(now.size());
    for (const std::size_t i : changed) update_body(world, i);
}

void WorldPicture::update_points(const World& world, std::size_t i, std::uint32_t layers) {
    const BodyId body = bodies_[i];
    auto fresh = std::make_shared<PointsPicture>();
    fresh->seq = next_.seq;
    fresh->positions = points_of(world, body, skinned_[i]);
    if (layers & bit(Layer::velocity))
        fresh->velocities = point_velocities(world, body, fresh->positions.size() / 3);
    if (layers & (bit(Layer::strain) | bit(Layer::tets))) add_strain(world, body, *fresh);
    const PointsPicture* old = next_.points[i].get();
    if (old && old->positions == fresh->positions && old->velocities == fresh->velocities &&
        old->strain == fresh->strain && old->inverted == fresh->inverted)
        return;
    next_.points[i] = std::move(fresh);
}

std::shared_ptr<const Picture> WorldPicture::take(const World& world, const WorldActions& actions,
                                                  std::uint32_t layers, double wall_ms) {
    ++next_.seq;
    update_structure(world);
    next_.layers = layers;
    next_.flags.clear();
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
        const BodyId body = bodies_[i];
        next_.flags.push_back(world.asleep(body) ? 1 : 0);
        if (has_points(world, body)) {
            update_points(world, i, layers);
            continue;
        }
        const auto [p, q] = world.pose(body);
        PosePicture pose{next_.seq, {}};
        const std::array<double, 7> values{p.x, p.y, p.z, q.x, q.y, q.z, q.w};
        std::transform(values.begin(), values.end(), pose.values.begin(),
                       [](double v) { return static_cast<float>(v); });
        if (next_.poses[i].seq == 0 || !(next_.poses[i] == pose)) next_.poses[i] = pose;
    }
    next_.lists = world_lists(world, actions, bodies_, layers);
    next_.frame_meta = frame_meta(world, wall_ms);
    return std::make_shared<const Picture>(next_);
}

}  // namespace plush::view
