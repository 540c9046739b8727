#include "scene/build.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "scene/copies.hpp"
#include "scene/names.hpp"

namespace plush {
namespace {

class WorldBuilder {
public:
    WorldBuilder(const SceneSpec& spec, ShapeLibrary& shapes, const Sources& sources, int threads)
        : spec_(spec), shapes_(shapes), sources_(sources), world_(with_threads(spec.settings, threads)) {}

    World build() {
        for (const BodySpec& body : spec_.bodies) {
            placed(body.place, [&] { add(body); });
        }
        Messages ignored;
        const Names names(spec_.bodies, ignored);
        add_pins(names);
        for (const JointSpec& joint : spec_.joints)
            joint.visit([&](const auto& kind) { placed(kind.place, [&] { add_joint(kind, names); }); });
        for (const PairSpec& pair : spec_.pairs) placed(pair.place, [&] { add(pair, names); });
        return std::move(world_);
    }

private:
    static WorldSettings with_threads(WorldSettings settings, int threads) {
        settings.threads = threads;
        return settings;
    }

    /// Adds the place in the scene to what the world complains of.
    template <class Action>
    void placed(const Place& place, Action action) const {
        try {
            action();
        } catch (const Error& error) {
            const std::string detail = error.place().empty() ? "" : error.place() + ": ";
            throw Error({.file = sources_[place.source].name,
                         .place = place.to_string(),
                         .problem = detail + error.problem(),
                         .cure = error.cure()});
        }
    }

    Material material(const SurfaceSpec& surface) const {
        Material material;
        if (const auto named = spec_.materials.find(surface.material); named != spec_.materials.end())
            material = named->second;
        if (surface.friction) material.friction = *surface.friction;
        if (surface.restitution) material.restitution = *surface.restitution;
        return material;
    }

    static Filter filter(const SurfaceSpec& surface) {
        const auto bits = [](const std::vector<int>& groups) {
            unsigned out = 0;
            for (const int group : groups) out |= 1u << group;
            return out;
        };
        return {bits(surface.groups), bits(surface.collides_with)};
    }

    void add(const BodySpec& body) {
        first_.push_back(ids_.size());
        const std::vector<Transform> copies = place_copies(body);
        for (std::size_t i = 0; i < copies.size(); ++i) {
            const auto copy = static_cast<long long>(i);
            const std::string name = copy_name(body, copy);
            if (body.ground) add_ground(*body.ground, name);
            if (body.rigid) add_rigid(*body.rigid, body, copies[i], name);
            if (body.fixed) add_fixed(*body.fixed, copies[i], name);
            if (body.scripted) add_scripted(*body.scripted, copies[i], name);
            if (body.particles) add_particles(*body.particles, body, copies[i], name);
            if (body.deformable(copy)) add_deformable(body, copy, copies[i], name);
            if (body.one_of.empty()) continue;
            const VariantSpec& variant = body.one_of[i % body.one_of.size()];
            if (variant.rigid) add_rigid(*variant.rigid, body, copies[i], name);
            if (variant.fixed) add_fixed(*variant.fixed, copies[i], name);
        }
    }

    void keep(BodyId id, const SurfaceSpec& surface) {
        ids_.push_back(id);
        materials_.push_back(material(surface));
    }

    void add_ground(const GroundSpec& s, const std::string& name) {
        const Fixed fixed{.shape = Shape::half_space(),
                          .material = material(s.surface),
                          .filter = filter(s.surface),
                          .name = name};
        keep(world_.add(fixed, {.position = {0, s.height, 0}}), s.surface);
    }

    void add_rigid(const RigidSpec& s, const BodySpec& body, const Transform& pose, const std::string& name) {
        Rigid rigid{.shape = shapes_.shape(s.shape),
                    .density = s.density,
                    .mass = s.mass,
                    .material = material(s.surface),
                    .filter = filter(s.surface),
                    .sensor = s.sensor,
                    .damping = s.damping,
                    .name = name,
                    .distance_cells = s.shape.distance_cells};
        if (s.filling) rigid.tets = filled(s, rigid.shape.drawn());
        keep(world_.add(rigid, {pose.position, pose.rotation, body.velocity, body.angular_velocity}),
             s.surface);
    }

    /// Once for all copies.
    const TetMesh& filled(const RigidSpec& s, const Mesh& surface) {
        const auto known = filled_.find(&s);
        if (known != filled_.end()) return known->second;
        return filled_.emplace(&s, tetrahedralise(surface, *s.filling)).first->second;
    }

    void add_fixed(const FixedSpec& s, const Transform& pose, const std::string& name) {
        const Fixed fixed{.shape = shapes_.shape(s.shape),
                          .material = material(s.surface),
                          .filter = filter(s.surface),
                          .sensor = s.sensor,
                          .name = name,
                          .distance_cells = s.shape.distance_cells};
        keep(world_.add(fixed, {.position = pose.position, .rotation = pose.rotation}), s.surface);
    }

    void add_scripted(const ScriptedSpec& s, const Transform& pose, const std::string& name) {
        Scripted scripted{.shape = shapes_.shape(s.shape),
                          .loop = s.loop,
                          .material = material(s.surface),
                          .filter = filter(s.surface),
                          .sensor = s.sensor,
                          .name = name,
                          .distance_cells = s.shape.distance_cells};
        if (s.blade) scripted.blade = s.blade->blade;
        for (const KeyframeSpec& key : s.keyframes) {
            const Transform moved = pose * Transform{key.position, key.rotate.rotation()};
            scripted.keyframes.push_back({key.time, moved.position, moved.rotation});
        }
        keep(world_.add(scripted), s.surface);
    }

    void add_particles(const ParticlesSpec& s, const BodySpec& body, const Transform& pose,
                       const std::string& name) {
        Particles particles{.positions = particle_positions(s),
                            .mass = s.mass,
                            .radius = s.radius,
                            .drag = s.drag,
                            .material = material(s.surface),
                            .filter = filter(s.surface),
                            .name = name};
        for (Vec3& p : particles.positions) p = pose * p;
        if (body.velocity != Vec3{}) particles.velocities.assign(particles.positions.size(), body.velocity);
        if (s.law) particles.integration = s.integration;
        const BodyId id = world_.add(particles);
        if (s.law) world_.set_surface(id, *s.law);
        keep(id, s.surface);
    }

    /// What all deformable bodies have.
    template <class Body>
    Body common(const DeformableSpec& s, const std::string& name) const {
        Body body;
        body.motion = s.motion;
        body.self_contact = s.self_contact;
        body.material = material(s.surface);
        body.filter = filter(s.surface);
        body.name = name;
        return body;
    }

    template <class Body>
    Body spring_body(const SpringBodySpec& s, const std::string& name) const {
        Body body = common<Body>(s, name);
        body.springs = s.springs;
        if (s.constraints) body.constraints = s.constraints->settings;
        return body;
    }

    void add_deformable(const BodySpec& body, long long copy, const Transform& pose,
                        const std::string& name) {
        const DeformableSpec& s = *body.deformable(copy);
        const Placement placement{pose.position, pose.rotation, body.velocity, {}};
        BodyId id;
        if (body.rope) {
            Rope rope = spring_body<Rope>(*body.rope, name);
            rope.from = body.rope->from, rope.to = body.rope->to, rope.segments = body.rope->segments;
            id = world_.add(rope, placement);
        }
        if (body.cloth) {
            Cloth cloth = spring_body<Cloth>(*body.cloth, name);
            cloth.corner = body.cloth->corner, cloth.side_x = body.cloth->side_x,
            cloth.side_y = body.cloth->side_y;
            cloth.vertices = {body.cloth->vertices_x, body.cloth->vertices_y};
            if (body.cloth->shape.kind != ShapeSpec::Kind::none) cloth.mesh = shapes_.mesh(body.cloth->shape);
            id = world_.add(cloth, placement);
        }
        if (body.jelly) {
            Jelly jelly = spring_body<Jelly>(*body.jelly, name);
            jelly.low = body.jelly->low, jelly.high = body.jelly->high;
            jelly.cells = body.jelly->cells.value_or(jelly.cells);
            id = world_.add(jelly, placement);
        }
        if (body.shells) {
            Shells shells = spring_body<Shells>(*body.shells, name);
            shells.mesh = shapes_.mesh(body.shells->shape);
            shells.shells = body.shells->shells, shells.offset = body.shells->offset;
            id = world_.add(shells, placement);
        }
        if (body.tet_springs) {
            TetSprings tets = spring_body<TetSprings>(*body.tet_springs, name);
            tets.mesh = shapes_.tets(body.tet_springs->tets);
            id = world_.add(tets, placement);
        }
        if (body.shape_matching) id = world_.add(matched(*body.shape_matching, name), placement);
        if (const SoftSpec* elastic = body.soft_body(copy)) id = world_.add(soft(*elastic, name), placement);
        if (const SpringBodySpec* springs = body.spring_body())
            for (const ClusterSpec& cluster : springs->clusters) add_cluster(id, cluster, pose);
        if (s.law) world_.set_surface(id, *s.law);
        keep(id, s.surface);
    }

    Soft soft(const SoftSpec& s, const std::string& name) {
        Soft body = common<Soft>(s, name);
        // One solid for all copies: filling and embedding are dear.
        auto [at, fresh] = solids_.try_emplace(&s);
        if (fresh) placed(s.place, [&, at = at] { at->second = solid(s); });
        body.solid = at->second;
        body.elastic = s.elastic;
        for (const ElasticRegionSpec& r : s.regions) body.regions.push_back(r.region);
        body.mass = s.mass, body.by_skin = s.by_skin, body.pressure = s.pressure;
        return body;
    }

    SoftSolid solid(const SoftSpec& s) const {
        if (s.tets.kind == TetsSpec::Kind::none) return SoftSolid::fill(shapes_.mesh(s.shape), s.filling);
        if (!s.skin) return SoftSolid(shapes_.tets(s.tets));
        return SoftSolid::try_embed(shapes_.mesh(s.skin->shape), shapes_.tets(s.tets)).value();
    }

    ShapeMatching matched(const ShapeMatchingSpec& s, const std::string& name) {
        ShapeMatching body = common<ShapeMatching>(s, name);
        body.density = s.density, body.mass = s.mass;
        body.match = s.match, body.clusters = s.clustering, body.touched = s.touched;
        body.points = s.points;
        if (s.shape.kind != ShapeSpec::Kind::none) body.mesh = shapes_.mesh(s.shape);
        if (s.tets.kind != TetsSpec::Kind::none) body.tets = shapes_.tets(s.tets);
        if (s.skin) body.skin = shapes_.mesh(s.skin->shape);
        // One for all copies, and the cheap one where there is one.
        if (body.touched && s.clustering.size == 0) {
            if (s.skin)
                body.shape = shapes_.touched(s.skin->shape);
            else if (s.shape.kind != ShapeSpec::Kind::none)
                body.shape = shapes_.touched(s.shape);
            else if (s.tets.kind == TetsSpec::Kind::box)
                body.shape = Shape::box(s.tets.box.half_size);
        }
        return body;
    }

    void add_cluster(BodyId id, const ClusterSpec& cluster, const Transform& pose) {
        const Transform to_body = inverse(pose);
        std::vector<std::uint32_t> vertices;
        const auto x = world_.vertex_positions(id);
        for (std::uint32_t i = 0; i < x.size(); ++i)
            if (cluster.holds(to_body * x[i])) vertices.push_back(i);
        placed(cluster.place, [&] { world_.add_cluster(id, std::move(vertices), cluster.match); });
    }

    // When all bodies are there: a pin may follow one that comes later.
    void add_pins(const Names& names) {
        for (std::size_t k = 0; k < spec_.bodies.size(); ++k)
            for (long long i = 0; i < spec_.bodies[k].copies(); ++i)
                if (const DeformableSpec* s = spec_.bodies[k].deformable(i))
                    for (const PinSpec& pin : s->pins)
                        hold(ids_[first_[k] + static_cast<std::size_t>(i)], pin, names);
    }

    void hold(BodyId body, const PinSpec& pin, const Names& names) {
        if (pin.to.empty()) {
            world_.pin(body, Box3{pin.low, pin.high}, pin.until.value_or(HUGE_VAL));
            return;
        }
        world_.attach(body, {pin.low, pin.high}, ids_[index(*names.find(pin.to))],
                      pin.until.value_or(HUGE_VAL));
    }

    /// The index of the first body that a name means.
    std::size_t index(const NamedBody& named) const {
        return first_[named.body] + static_cast<std::size_t>(named.first);
    }

    template <class Joint>
    void add_joint(const JointOf<Joint>& s, const Names& names) {
        const auto a = names.find(s.a), b = names.find(s.b);
        const auto end = [&](const NamedBody& body, int vertex, int copy) {
            const std::size_t next = spec_.bodies[body.body].repeat ? static_cast<std::size_t>(copy) : 0;
            JointEnd result(ids_[index(body) + next]);
            if (vertex >= 0) result.vertex = static_cast<std::uint32_t>(vertex);
            return result;
        };
        for (int k = 0; k < s.copies(); ++k) {
            Joint joint = s.joint;
            const Vec3 shift = s.repeat ? k * s.repeat->step : Vec3{};
            if constexpr (requires { joint.anchor; })
                joint.anchor += shift;
            else
                joint.anchor_a += shift, joint.anchor_b += shift;
            world_.add(joint, end(*a, s.vertex_a, k), b ? end(*b, s.vertex_b, k) : JointEnd{});
        }
    }

    void add(const PairSpec& s, const Names& names) {
        const NamedBody a = *names.find(s.a), b = *names.find(s.b);
        for (long long i = 0; i < a.count; ++i)
            for (long long j = 0; j < b.count; ++j) {
                const std::size_t x = index(a) + static_cast<std::size_t>(i),
                                  y = index(b) + static_cast<std::size_t>(j);
                if (x != y) set_pair(s, x, y);
            }
    }

    void set_pair(const PairSpec& s, std::size_t x, std::size_t y) {
        if (s.collide) world_.set_collide(ids_[x], ids_[y], *s.collide);
        if (s.method) world_.set_pair_method(ids_[x], ids_[y], static_cast<ContactMethod>(*s.method));
        if (!s.friction && !s.restitution) return;
        // What the pair does not say comes from the two materials, mixed as the world does it.
        const Material &a = materials_[x], &b = materials_[y];
        world_.set_pair_material(
            ids_[x], ids_[y],
            {.friction = s.friction.value_or(std::sqrt(a.friction * b.friction)),
             .restitution = s.restitution.value_or(std::max(a.restitution, b.restitution))});
    }

    const SceneSpec& spec_;
    ShapeLibrary& shapes_;
    const Sources& sources_;
    World world_;
    std::map<const SoftSpec*, SoftSolid> solids_{};
    std::vector<BodyId> ids_;          // all bodies, copies one after the other
    std::vector<Material> materials_;  // of each
    std::map<const RigidSpec*, TetMesh> filled_;
    std::vector<std::size_t> first_;  // for each body of the file, its first copy
};

}  // namespace

World build_world(const SceneSpec& spec, ShapeLibrary& shapes, const Sources& sources, int threads) {
    return WorldBuilder(spec, shapes, sources, threads).build();
}

}  // namespace plush
