#include "scene/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "contact/volume/volume_contact.hpp"
#include "core/did_you_mean.hpp"
#include "geometry/cutting/blade_sheet.hpp"
#include "plush/geometry/components.hpp"
#include "scene/document.hpp"
#include "scene/materials.hpp"
#include "scene/names.hpp"

namespace plush {
namespace {

constexpr long long max_bodies = 1'000'000;
constexpr long long max_particles = 10'000'000;
constexpr long long max_pairs = 1'000'000;
constexpr double long_step = 0.1;  // s; beyond it, things fall through each other
constexpr double far_away = 1e4;   // m; metres in a file of millimetres look like this

class Checker {
public:
    Checker(const SceneSpec& spec, ShapeLibrary& shapes, Messages& messages)
        : spec_(spec), shapes_(shapes), messages_(messages) {}

    void run() {
        if (spec_.settings.step > long_step)
            messages_.warning(at_key(spec_.place, "step"),
                              fmt::format("a step of {} s is long", spec_.settings.step),
                              "fast bodies may pass through thin ones; 0.0167 is usual");
        if (spec_.bodies.empty() && spec_.state.empty() && messages_.ok())
            messages_.warning(spec_.place, "the scene has no bodies", "add some to \"bodies\"");
        open_meshes();
        for (const BodySpec& body : spec_.bodies) check(body);
        if (!spec_.meshes.empty() && messages_.ok() && !shapes_.took_from_folder())
            messages_.warning(at_key(spec_.place, "meshes"),
                              "no generated shape of the scene has a mesh of its name there",
                              "name files as the shapes are: bunny.obj, octopus-low.ply");
        check_limits();
        const Names names(spec_.bodies, messages_);
        for (const JointSpec& joint : spec_.joints)
            joint.visit([&](const auto& kind) { check_joint(kind, names); });
        for (const PairSpec& pair : spec_.pairs) check(pair, names);
        for (const BodySpec& body : spec_.bodies)
            each_deformable(body, [&](const DeformableSpec& s) { check_pins(s, names); });
        for (const auto& [name, material] : spec_.materials) check_colour(material.colour, material.place);
        check_camera(names);
        check_ignored(spec_, messages_);
        for (const auto& [name, material] : spec_.materials)
            if (!used_.count(name))
                messages_.warning(at_key(at_key(spec_.place, "materials"), name),
                                  fmt::format("no body is made of \"{}\"", name),
                                  "remove it, or name it in a body");
    }

private:
    void open_meshes() {
        if (spec_.meshes.empty()) return;
        Result<MeshFolder> folder = MeshFolder::open(spec_.meshes);
        if (folder)
            shapes_.take_from(folder.value());
        else
            messages_.error(at_key(spec_.place, "meshes"), folder.error().problem(), folder.error().cure());
    }

    /// Once for each, however many copies there are of it.
    template <class Action>
    static void each_deformable(const BodySpec& body, const Action& action) {
        const auto kinds = static_cast<long long>(std::max<std::size_t>(1, body.one_of.size()));
        for (long long i = 0; i < kinds; ++i)
            if (const DeformableSpec* s = body.deformable(i)) action(*s);
    }

    void check(const BodySpec& body) {
        check_keys(body);
        check(body.rotate);
        if (body.repeat) check(*body.repeat);
        if (body.ground) check(body.ground->surface, body.ground->place);
        if (body.rigid) check(*body.rigid);
        if (body.fixed) check(*body.fixed);
        if (body.scripted) check(*body.scripted);
        if (body.particles) check(*body.particles);
        each_deformable(body, [&](const DeformableSpec& s) { check(s); });
        if (body.spring_body()) check_constraints(*body.spring_body());
        const auto never = [&](const Place& place, bool asked, const char* kind) {
            if (asked)
                messages_.error(at_key(place, "self_contact"),
                                fmt::format("{} does not touch itself: it has no inside", kind),
                                "remove it; thin bodies pass through themselves and one another");
        };
        if (body.rope) never(body.rope->place, body.rope->body.self_contact, "a rope");
        if (body.cloth && body.cloth->shape.kind == ShapeSpec::Kind::none)
            never(body.cloth->place, body.cloth->body.self_contact, "a rectangle of cloth");
        if (body.cloth) shapes_.prepare(body.cloth->shape, body.cloth->place, messages_);
        if (body.shells) shapes_.prepare(body.shells->shape, body.shells->place, messages_);
        if (body.tet_springs) shapes_.prepare(body.tet_springs->tets, body.tet_springs->place, messages_);
        if (body.shape_matching) check(*body.shape_matching);
        if (body.soft) check(*body.soft);
        for (const VariantSpec& variant : body.one_of) {
            if (variant.rigid) check(*variant.rigid);
            if (variant.fixed) check(*variant.fixed);
            if (variant.soft) check(*variant.soft);
        }
        if (body.one_of.empty() && body.place.node && body.place.node->find("one_of"))
            messages_.error(at_key(body.place, "one_of"), "the list is empty", "give at least one body");
        if (norm(body.at) > far_away)
            messages_.warning(at_key(body.place, "at"),
                              fmt::format("this body is {:.0f} km from the origin", norm(body.at) / 1000),
                              "positions are in metres");
    }

    /// Keys that mean nothing for this kind of body.
    void check_keys(const BodySpec& body) {
        const auto refuse = [&](std::string_view kind, Keys keys) {
            for (const std::string_view key : keys)
                if (body.place.node && body.place.node->find(key))
                    messages_.error(at_key(body.place, key), fmt::format("{} has no \"{}\"", kind, key),
                                    body.ground ? "use a fixed half_space" : "remove it");
        };
        if (body.ground) refuse("the ground", {"at", "rotate", "velocity", "angular_velocity", "repeat"});
        if (body.fixed) refuse("a fixed body", {"velocity", "angular_velocity"});
        if (body.scripted) refuse("a scripted body", {"velocity", "angular_velocity"});
        if (body.particles) refuse("a cloud of particles", {"angular_velocity"});
        if (body.deformable()) refuse("a deformable body", {"angular_velocity"});
    }

    void check(const RotateSpec& rotate) {
        if (!(norm(rotate.axis) > 0))
            messages_.error(at_key(rotate.place, "axis"), "the axis has no direction",
                            "use [0, 1, 0] for up");
    }

    void check(const RepeatSpec& repeat) {
        check(repeat.rotate);
        const auto given = [&](std::string_view key) {
            return repeat.place.node && repeat.place.node->find(key);
        };
        if (!given("count") && !given("grid")) {
            messages_.error(repeat.place, "neither \"count\" nor \"grid\" is here",
                            "say how many: \"count\": 10");
        } else if (repeat.grid) {
            const auto [nx, ny, nz] = *repeat.grid;
            const long long places = static_cast<long long>(nx) * ny * nz;
            if (repeat.count > places)
                messages_.error(
                    at_key(repeat.place, "count"),
                    fmt::format("{} copies do not fit on a grid of {} places", repeat.count, places),
                    "make the grid larger");
        }
    }

    void check_colour(const std::string& colour, const Place& place) {
        if (colour.empty()) return;
        if (const auto read = parse_colour(colour); !read)
            messages_.error(at_key(place, "colour"), read.error().problem(), read.error().cure());
    }

    void check(const SurfaceSpec& surface, const Place& place) {
        check_colour(surface.colour, place);
        if (surface.material.empty() && !(place.node && place.node->find("material"))) return;
        used_.insert(surface.material);
        if (spec_.materials.count(surface.material) || known_material(surface.material)) return;
        std::vector<std::string_view> known;
        for (const auto& entry : spec_.materials) known.push_back(entry.first);
        for (const KnownMaterial& m : known_materials()) known.push_back(m.name);
        std::string cure = did_you_mean(surface.material, known);
        if (cure.empty())
            cure = fmt::format("add it to \"materials\", or take one of {}", fmt::join(known, ", "));
        messages_.error(at_key(place, "material"),
                        fmt::format("there is no material \"{}\"", surface.material), cure);
    }

    void check(const RigidSpec& rigid) {
        shapes_.prepare(rigid.shape, rigid.place, messages_);
        check(rigid.surface, rigid.place);
    }
    void check(const FixedSpec& fixed) {
        shapes_.prepare(fixed.shape, fixed.place, messages_);
        check(fixed.surface, fixed.place);
    }
    void check(const ScriptedSpec& scripted) {
        shapes_.prepare(scripted.shape, scripted.place, messages_);
        check(scripted.surface, scripted.place);
        if (scripted.frames) shapes_.prepare(*scripted.frames, scripted.place, messages_);
        if (scripted.frames && scripted.blade)
            messages_.error(at_key(scripted.place, "blade"), "a body that is deformed by frames does not cut",
                            "give the blade to another scripted body");
        const bool written = scripted.place.node && scripted.place.node->find("keyframes");
        if (!scripted.frames && !written && scripted.shape.kind != ShapeSpec::Kind::frames)
            messages_.error(at_key(scripted.place, "keyframes"), "\"keyframes\" is missing",
                            "give at least one, or make the body fixed");
        if (scripted.blade) check(*scripted.blade);
        const Place place = at_key(scripted.place, "keyframes");
        if (scripted.keyframes.empty() && place.node != scripted.place.node)
            messages_.error(place, "the list is empty", "give at least one keyframe");
        for (std::size_t i = 0; i < scripted.keyframes.size(); ++i) {
            check(scripted.keyframes[i].rotate);
            if (i > 0 && !(scripted.keyframes[i].key.time > scripted.keyframes[i - 1].key.time))
                messages_.error(at_key(scripted.keyframes[i].place, "time"),
                                "this keyframe is not later than the one before", "sort them by time");
        }
    }
    void check(const BladeSpec& blade) {
        BladeSheet sheet{blade.blade.edge, blade.blade.back};
        if (sheet.edge.empty()) sheet.edge = {blade.blade.from, blade.blade.to};
        if (const auto fault = fault_of(sheet))
            messages_.error(blade.place, "the blade cannot cut: " + fault->problem, fault->cure);
        if (!soft_bodies_touch_by_volume(spec_.settings.contact))
            messages_.error(blade.place, "a blade cuts where contact is by volume",
                            "leave out contact.method, or set it to \"volume\"");
    }
    void check(const ParticlesSpec& particles) {
        check(particles.surface, particles.place);
        if (!particles.fill) return;
        for (std::size_t k = 0; k < 3; ++k)
            if (!(particles.fill->low[k] <= particles.fill->high[k])) {
                messages_.error(at_key(particles.fill->place, "low"),
                                "this corner is not below \"high\" along every axis", "exchange the numbers");
                return;
            }
    }

    void check_constraints(const SpringBodySpec& body) {
        if (!body.place.node || !body.place.node->find("constraints")) return;
        const Place place = at_key(body.place, "constraints");
        const IntegrationMethod method = body.common().motion.integration.method;
        if (!body.springs().constraints.any())
            messages_.warning(place, "these constraints hold nothing",
                              "give inextensible, max_stretch or obstacles");
        else if (method != IntegrationMethod::verlet && method != IntegrationMethod::time_corrected_verlet)
            messages_.error(place,
                            fmt::format("{} has no position constraints; verlet and time_corrected_verlet do",
                                        word(method)),
                            "say \"integrator\": \"verlet\" beside them");
    }

    static std::string_view word(IntegrationMethod method) {
        for (const Choice& choice : integration_method_choices())
            if (choice.value == static_cast<int>(method)) return choice.word;
        return {};
    }

    void check(const DeformableSpec& body) {
        check(body.surface, body.place);
        for (const PinSpec& pin : body.pins)
            for (std::size_t k = 0; k < 3; ++k)
                if (!(pin.low[k] <= pin.high[k])) {
                    messages_.error(at_key(pin.place, "low"),
                                    "this corner is not below \"high\" along every axis",
                                    "exchange the numbers");
                    break;
                }
    }

    void check(const ShapeMatchingSpec& body) {
        if (body.shape.kind != ShapeSpec::Kind::none) shapes_.prepare(body.shape, body.place, messages_);
        shapes_.prepare(body.tets, body.place, messages_);
        if (body.skin) shapes_.prepare(body.skin->shape, body.skin->place, messages_);
        if (!body.body.points.empty() && !body.body.mass)
            messages_.error(at_key(body.place, "points"), "a cloud has no volume to weigh",
                            "say \"mass\": in kg, of all of them");
    }

    /// Components of one soft body that lie apart.
    void check_components(const SoftSpec& body) {
        if (body.shape.kind != ShapeSpec::Kind::mesh || body.shape.component >= 0 || body.body.self_contact)
            return;
        const auto parts = try_split_components(shapes_.mesh(body.shape));
        if (!parts || parts.value().size() < 2) return;
        messages_.warning(
            at_key(body.place, "mesh"),
            fmt::format("{} components that do not overlap are one body: they pass through each other",
                        parts.value().size()),
            "say \"components\": \"overlapping\" for bodies of their own, or \"self_contact\": true");
    }

    void check(const SoftSpec& body) {
        if (body.shape.kind != ShapeSpec::Kind::none) shapes_.prepare(body.shape, body.place, messages_);
        if (messages_.ok()) check_components(body);
        shapes_.prepare(body.tets, body.place, messages_);
        if (body.skin) shapes_.prepare(body.skin->shape, body.skin->place, messages_);
        const int resolutions =
            (body.filling.nodes > 0) + (body.filling.edge > 0) + (body.filling.cells_across > 0);
        if (resolutions > 1)
            messages_.error(body.place, "nodes, edge and cells_across exclude each other", "keep one");
        const auto flows = [&](const ElasticMaterial& m, const Place& place) {
            if (m.yield && m.model != ElasticModel::corotational)
                messages_.error(at_key(place, "yield"), "only corotational bodies flow",
                                "take the model corotational, or no yield");
        };
        flows(body.body.elastic, body.place);
        for (const ElasticRegionSpec& r : body.regions) {
            flows(r.region.material, r.place);
            for (std::size_t k = 0; k < 3; ++k)
                if (!(r.region.box.low[k] <= r.region.box.high[k])) {
                    messages_.error(at_key(r.place, "low"),
                                    "this corner is not below \"high\" along every axis",
                                    "exchange the numbers");
                    break;
                }
        }
    }

    void check_pins(const DeformableSpec& body, const Names& names) {
        for (const PinSpec& pin : body.pins) {
            if (pin.to.empty()) continue;
            const auto to = named(pin.place, "to", pin.to, names);
            if (!to) continue;
            const BodySpec& spec = spec_.bodies[to->body];
            if (to->count > 1 || !(spec.ground || spec.fixed || spec.scripted || spec.rigid))
                messages_.error(at_key(pin.place, "to"),
                                fmt::format("\"{}\" is not one rigid, fixed or scripted body", pin.to),
                                "name one, or leave \"to\" out");
        }
    }

    void check_camera(const Names& names) {
        if (!spec_.picture || !spec_.picture->camera) return;
        const CameraSpec& camera = *spec_.picture->camera;
        if (!camera.follow.empty()) {
            const auto body = named(camera.place, "follow", camera.follow, names);
            if (body && body->count > 1)
                messages_.error(at_key(camera.place, "follow"),
                                fmt::format("\"{}\" has {} copies", camera.follow, body->count),
                                fmt::format("name one of them: \"{} 1\"", camera.follow));
        }
        for (std::size_t i = 1; i < camera.keyframes.size(); ++i)
            if (!(camera.keyframes[i].time > camera.keyframes[i - 1].time))
                messages_.error(at_key(camera.keyframes[i].place, "time"),
                                "this keyframe is not later than the one before", "sort them by time");
    }

    void check_limits() {
        long long bodies = 0, particles = 0;
        for (const BodySpec& body : spec_.bodies) {
            const long long copies = std::min(body.copies(), max_bodies + 1);
            bodies += copies;
            if (bodies > max_bodies) {
                messages_.error(body.repeat ? body.repeat->place : body.place,
                                "the scene has more than a million bodies", "repeat less often");
                return;
            }
            if (body.particles) {
                const long long each = body.particles->fill
                                           ? body.particles->fill->count
                                           : static_cast<long long>(body.particles->body.positions.size());
                particles += copies * each;  // at most 1e6 × 1e7
                if (particles > max_particles) {
                    messages_.error(body.particles->place, "the scene has more than ten million particles",
                                    "use fewer");
                    return;
                }
            }
        }
    }

    std::optional<NamedBody> named(const Place& place, std::string_view key, const std::string& name,
                                   const Names& names) {
        const auto found = names.find(name);
        if (!found && place.node && place.node->find(key) && place.node->find(key)->type == JsonType::text)
            messages_.error(at_key(place, key), fmt::format("no body is called \"{}\"", name),
                            names.cure(name));
        return found;
    }

    bool moves(const std::optional<NamedBody>& body) const {
        if (!body) return false;
        const BodySpec& spec = spec_.bodies[body->body];
        if (spec.deformable(body->first)) return true;
        if (spec.one_of.empty()) return spec.rigid.has_value();
        return spec.one_of[static_cast<std::size_t>(body->first) % spec.one_of.size()].rigid.has_value();
    }

    template <class Joint>
    void check_joint(const JointOf<Joint>& joint, const Names& names) {
        const auto a = named(joint.place, "a", joint.a, names), b = named(joint.place, "b", joint.b, names);
        const bool bound_to_world = !joint.place.node || !joint.place.node->find("b");
        check_end(joint, "a", a, joint.vertex_a, takes_vertices<Joint>);
        check_end(joint, "b", b, joint.vertex_b, takes_vertices<Joint>);
        if constexpr (has_axis<Joint>)
            if (!(norm(joint.joint.axis) > 1e-9))
                messages_.error(at_key(joint.place, "axis"), "it has no direction",
                                "give a vector such as [0, 0, 1]");
        if constexpr (has_limits<Joint>) {
            const JointLimits& limits = joint.joint.limits;
            if (limits.low && limits.high && *limits.low > *limits.high)
                messages_.error(at_key(joint.place, "limits"), "its low limit is above its high one",
                                "exchange them");
        }
        if (a && b && a->body == b->body && a->first == b->first && joint.vertex_a == joint.vertex_b)
            messages_.error(at_key(joint.place, "b"), "the joint holds a body on to itself",
                            "name two bodies");
        else if (a && (b || bound_to_world) && !moves(a) && !moves(b))
            messages_.error(joint.place, "neither side of this joint can move",
                            "joint at least one rigid body");
    }

    template <class Joint>
    void check_end(const JointOf<Joint>& joint, const char* key, const std::optional<NamedBody>& body,
                   int vertex, bool vertices_fit) {
        if (!body) return;
        const BodySpec& spec = spec_.bodies[body->body];
        const Place place = at_key(joint.place, key);
        if (body->count > 1)
            messages_.error(place, fmt::format("\"{}\" has {} copies", spec.name, body->count),
                            fmt::format("name one of them: \"{} 1\"", spec.name));
        else if (spec.repeat && body->first + joint.copies() > spec.copies())
            messages_.error(at_key(joint.place, "repeat"),
                            fmt::format("joint {} would need copy {} of \"{}\", which has {}", joint.copies(),
                                        body->first + joint.copies(), spec.name, spec.copies()),
                            "make fewer joints, or more copies");
        if (spec.particles) messages_.error(place, "particles cannot be jointed", "use a small rigid sphere");
        const bool deformable = spec.deformable(body->first) != nullptr;
        if (deformable && !vertices_fit)
            messages_.error(place, "a deformable body has no direction that this joint could hold",
                            "use a ball, distance or rope joint, or pin vertices \"to\" a body");
        else if (deformable && vertex < 0)
            messages_.error(place, "a deformable body is jointed by one of its vertices",
                            fmt::format("add \"vertex_{}\"", key));
        if (!deformable && vertex >= 0)
            messages_.error(at_key(joint.place, std::string("vertex_") + key),
                            fmt::format("\"{}\" is not a deformable body", spec.name), "remove this key");
    }

    void check(const PairSpec& pair, const Names& names) {
        const auto a = named(pair.place, "a", pair.a, names), b = named(pair.place, "b", pair.b, names);
        if (a && b) {
            if (a->body == b->body && a->count == 1 && b->count == 1 && a->first == b->first)
                messages_.error(at_key(pair.place, "b"), "a body has no contact with itself",
                                "name two bodies");
            if (a->count * b->count > max_pairs)
                messages_.error(pair.place, "these are more than a million pairs",
                                "use groups and collides_with");
        }
        if (!pair.friction && !pair.restitution && !pair.method && !pair.collide)
            messages_.warning(pair.place, "this pair sets nothing",
                              "give friction, restitution, method or collide");
    }

    const SceneSpec& spec_;
    ShapeLibrary& shapes_;
    Messages& messages_;
    std::set<std::string> used_;
};

}  // namespace

void check_scene(const SceneSpec& spec, ShapeLibrary& shapes, Messages& messages) {
    Checker(spec, shapes, messages).run();
}

}  // namespace plush
