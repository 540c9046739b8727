#include "scene/build.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "scene/copies.hpp"
#include "scene/document.hpp"
#include "scene/materials.hpp"
#include "scene/names.hpp"
#include "world/reading.hpp"

namespace plush {
namespace {

class WorldBuilder {
public:
    WorldBuilder(const SceneSpec& spec, ShapeLibrary& shapes, const Sources& sources, int threads)
        : spec_(spec), shapes_(shapes), sources_(sources), world_(start(spec, threads)) {}

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
        placed({.path = "$.bodies"}, [&] { require_contact(world_); });
        return std::move(world_);
    }

private:
    static World start(const SceneSpec& spec, int threads) {
        return spec.state.empty() ? World(with_threads(spec.settings, threads))
                                  : World::load(spec.state, threads);
    }
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
        if (const auto own = spec_.materials.find(surface.material); own != spec_.materials.end())
            material = own->second.surface;
        else if (const KnownMaterial* known = known_material(surface.material))
            material.friction = known->friction;
        if (surface.friction) material.friction = *surface.friction;
        if (surface.restitution) material.restitution = *surface.restitution;
        return material;
    }

    Look look(const SurfaceSpec& surface) const {
        Look look;
        if (const auto own = spec_.materials.find(surface.material); own != spec_.materials.end()) {
            look.colour = own->second.colour;
            look.finish = static_cast<Finish>(own->second.finish.value_or(0));
        } else if (const KnownMaterial* known = known_material(surface.material)) {
            look = {std::string(known->colour), known->finish};
        }
        if (!surface.colour.empty()) look.colour = surface.colour;
        if (surface.finish) look.finish = static_cast<Finish>(*surface.finish);
        return look;
    }

    /// What a material says of the inside of a body: the scene's own or a known one. Keys of the body win over it.
    template <class Body>
    void make_of(const SurfaceSpec& surface, const Place& place, Body& body) const {
        std::optional<double> young, poisson, density;
        if (const auto own = spec_.materials.find(surface.material); own != spec_.materials.end())
            young = own->second.surface.young, poisson = own->second.poisson, density = own->second.density;
        else if (const KnownMaterial* known = known_material(surface.material))
            young = known->young, poisson = known->poisson, density = known->density;
        const auto put = [&](std::string_view key, const std::optional<double>& value, double& to) {
            if (value && !(place.node && place.node->find(key))) to = *value;
        };
        if constexpr (std::is_same_v<Body, Rigid> || std::is_same_v<Body, ShapeMatching>) {
            if (!body.mass) put("density", density, body.density);
        } else if constexpr (std::is_same_v<Body, Soft>) {
            put("density", density, body.elastic.density);
            put("young", young, body.elastic.young);
            put("poisson", poisson, body.elastic.poisson);
        }
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
                          .look = look(s.surface),
                          .name = name};
        keep(world_.add(fixed, {.position = {0, s.height, 0}}), s.surface);
    }

    /// The body of a spec, with the name of the copy and the spec's surface.
    template <class Spec>
    auto named(const Spec& s, const std::string& name) const {
        auto body = s.body;
        body.material = material(s.surface), body.filter = filter(s.surface);
        body.look = look(s.surface);
        make_of(s.surface, s.place, body);
        body.name = name;
        return body;
    }
    template <class Spec>
    auto solid_body(const Spec& s, const std::string& name) {
        auto body = named(s, name);
        body.shape = shapes_.shape(s.shape);
        return body;
    }

    void add_rigid(const RigidSpec& s, const BodySpec& body, const Transform& pose, const std::string& name) {
        Rigid rigid = solid_body(s, name);
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
        keep(world_.add(solid_body(s, name), {.position = pose.position, .rotation = pose.rotation}),
             s.surface);
    }

    void add_scripted(const ScriptedSpec& s, const Transform& pose, const std::string& name) {
        Scripted scripted = named(s, name);
        if (s.frames)
            scripted.frames = shapes_.frames(*s.frames);
        else
            scripted.shape = shapes_.shape(s.shape);
        if (s.blade) scripted.blade = s.blade->blade;
        for (const auto& [key, rotate, place] : s.keyframes) {
            // Along the world's axes, however the body is turned, or along the body's own.
            const Transform moved =
                s.in_body_frame ? pose * Transform{key.position, rotate.rotation()}
                                : Transform{pose.position + key.position, rotate.rotation() * pose.rotation};
            scripted.keyframes.push_back({key.time, moved.position, moved.rotation, key.easing});
        }
        if (s.frames && scripted.keyframes.empty() && pose != Transform{})
            scripted.keyframes.push_back({0, pose.position, pose.rotation});
        keep(world_.add(scripted), s.surface);
    }

    void add_particles(const ParticlesSpec& s, const BodySpec& body, const Transform& pose,
                       const std::string& name) {
        Particles particles = named(s, name);
        particles.positions = particle_positions(s);
        for (Vec3& p : particles.positions) p = pose * p;
        if (body.velocity != Vec3{}) particles.velocities.assign(particles.positions.size(), body.velocity);
        if (s.law) particles.integration = s.integration;
        const BodyId id = world_.add(particles);
        if (s.law) world_.set_surface(id, *s.law);
        keep(id, s.surface);
    }

    void add_deformable(const BodySpec& body, long long copy, const Transform& pose,
                        const std::string& name) {
        const DeformableSpec& s = *body.deformable(copy);
        const Placement placement{pose.position, pose.rotation, body.velocity, {}};
        BodyId id;
        if (body.rope) id = world_.add(named(*body.rope, name), placement);
        if (body.cloth) {
            Cloth cloth = named(*body.cloth, name);
            if (body.cloth->shape.kind != ShapeSpec::Kind::none) cloth.mesh = shapes_.mesh(body.cloth->shape);
            id = world_.add(cloth, placement);
        }
        if (body.jelly) id = world_.add(named(*body.jelly, name), placement);
        if (body.shells) {
            Shells shells = named(*body.shells, name);
            shells.mesh = shapes_.mesh(body.shells->shape);
            id = world_.add(shells, placement);
        }
        if (body.tet_springs) {
            TetSprings tets = named(*body.tet_springs, name);
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
        Soft body = named(s, name);
        // One solid for all copies: filling and embedding are dear.
        auto [at, fresh] = solids_.try_emplace(&s);
        if (fresh) placed(s.place, [&, at = at] { at->second = solid(s); });
        body.solid = at->second;
        for (const ElasticRegionSpec& r : s.regions) body.regions.push_back(r.region);
        return body;
    }

    SoftSolid solid(const SoftSpec& s) const {
        if (s.tets.kind == TetsSpec::Kind::none) return SoftSolid::fill(shapes_.mesh(s.shape), s.filling);
        if (!s.skin) return SoftSolid(shapes_.tets(s.tets));
        return SoftSolid::try_embed(shapes_.mesh(s.skin->shape), shapes_.tets(s.tets)).value();
    }

    ShapeMatching matched(const ShapeMatchingSpec& s, const std::string& name) {
        ShapeMatching body = named(s, name);
        if (s.shape.kind != ShapeSpec::Kind::none) body.mesh = shapes_.mesh(s.shape);
        if (s.tets.kind != TetsSpec::Kind::none) body.tets = shapes_.tets(s.tets);
        if (s.skin) body.skin = shapes_.mesh(s.skin->shape);
        // One for all copies, and the cheap one where there is one.
        if (body.touched && body.clusters.size == 0) {
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
