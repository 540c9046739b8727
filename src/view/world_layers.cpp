#include "view/world_layers.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "world/reading.hpp"

namespace plush::view {

namespace {

/// From names of bodies to the page's indices.
class Indices {
public:
    explicit Indices(std::span<const BodyId> bodies) {
        for (std::uint32_t i = 0; i < bodies.size(); ++i) {
            if (bodies[i].index >= places_.size()) places_.resize(bodies[i].index + 1, none);
            places_[bodies[i].index] = i;
        }
    }
    std::uint32_t operator[](BodyId body) const {
        return body.index < places_.size() ? places_[body.index] : none;
    }
    static constexpr std::uint32_t none = 0xffffffffu;

private:
    std::vector<std::uint32_t> places_;
};

ListPicture contacts_of(const World& world, const Indices& index) {
    Words out;
    std::size_t count = 0;
    for (const Contact& c : world.contacts()) {
        const std::uint32_t flags = (c.sticking ? 1u : 0u) | (c.area > 0 ? 2u : 0u);
        out << index[c.a] << index[c.b] << flags << c.point << c.normal << c.normal_force << c.friction_force
            << c.depth << c.area << c.volume << c.pressure() << c.largest_depth
            << static_cast<std::uint32_t>(c.id) << 0u;
        ++count;
    }
    return {SectionKind::contacts, bit(Layer::contacts), count, std::move(out.bytes())};
}

/// Each volume contact is one cell of the volume that two bodies share.
ListPicture cells_of(const World& world, const Indices& index) {
    Words out;
    std::size_t count = 0;
    for (const Contact& c : world.contacts()) {
        if (!(c.volume > 0)) continue;
        out << index[c.a] << index[c.b] << c.point << std::sqrt(c.area) << c.normal << c.volume << c.area
            << c.depth;
        ++count;
    }
    return {SectionKind::cells, bit(Layer::cells), count, std::move(out.bytes())};
}

ListPicture joints_of(const World& world, const Indices& index) {
    Words out;
    std::size_t count = 0;
    for (const JointId joint : world.joints()) {
        const JointPlace j = joint_place(world, joint);
        out << static_cast<std::uint32_t>(count) << j.kind << (j.a ? index[j.a] : Indices::none)
            << (j.b ? index[j.b] : Indices::none) << j.anchor << world.joint_force(joint)
            << world.joint_torque(joint) << world.joint_gap(joint) << world.joint_position(joint) << 0u << 0u
            << 0u;
        ++count;
    }
    return {SectionKind::joints, bit(Layer::joints), count, std::move(out.bytes())};
}

ListPicture velocities_of(const World& world, std::span<const BodyId> bodies) {
    Words out;
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < bodies.size(); ++i) {
        const BodyKind kind = world.kind(bodies[i]);
        if (kind == BodyKind::fixed || kind == BodyKind::particles) continue;
        const Vec3 spin = world.angular_velocity(bodies[i]);
        Vec3 v = world.velocity(bodies[i]);
        // Of the pose's origin, about which the page turns the body.
        if (kind != BodyKind::deformable)
            v = v + cross(spin, world.pose(bodies[i]).position - world.centre(bodies[i]));
        out << i << v << spin;
        ++count;
    }
    return {SectionKind::body_velocities, bit(Layer::velocity), count, std::move(out.bytes())};
}

/// The point of a drag that a cut has removed is where its target is.
Vec3 held_point(const World& world, DragId drag) {
    try {
        return world.position_of(world.drag_point(drag));
    } catch (const Error&) {
        return world.drag_target(drag);
    }
}

ListPicture drags_of(const World& world, std::span<const WorldActions::Held> drags, const Indices& index) {
    Words out;
    for (const WorldActions::Held& h : drags)
        out << h.number << index[h.body] << held_point(world, h.drag) << world.drag_target(h.drag)
            << world.drag_force(h.drag) << h.max_force;
    return {SectionKind::drags, 0, drags.size(), std::move(out.bytes())};
}

ListPicture pins_of(const World& world, std::span<const WorldActions::Held> pins, const Indices& index) {
    Words out;
    for (const WorldActions::Held& h : pins) out << h.number << index[h.body] << held_point(world, h.drag);
    return {SectionKind::pins, 0, pins.size(), std::move(out.bytes())};
}

Mat3 edges_of(std::span<const Vec3> x, const Tet& t) {
    const auto p = [&](int k) { return x[static_cast<std::size_t>(t[static_cast<std::size_t>(k)])]; };
    return Mat3::columns(p(1) - p(0), p(2) - p(0), p(3) - p(0));
}

/// √(2/3 e:e) of the deviator e of Green's strain ½ (FᵀF − 1).
double von_mises_strain(const Mat3& f) {
    const Mat3 green = 0.5 * (transpose(f) * f - Mat3::identity());
    const double mean = (green(0, 0) + green(1, 1) + green(2, 2)) / 3;
    double sum = 0;
    for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < 3; ++c) {
            const double e = green(r, c) - (r == c ? mean : 0);
            sum += e * e;
        }
    return std::sqrt(2.0 / 3.0 * sum);
}

}  // namespace

std::vector<ListPicture> world_lists(const World& world, const WorldActions& actions,
                                     std::span<const BodyId> bodies, std::uint32_t layers) {
    const Indices index(bodies);
    std::vector<ListPicture> lists;
    if (!actions.drags().empty()) lists.push_back(drags_of(world, actions.drags(), index));
    if (!actions.pins().empty()) lists.push_back(pins_of(world, actions.pins(), index));
    if (layers & bit(Layer::contacts)) lists.push_back(contacts_of(world, index));
    if (layers & bit(Layer::cells)) lists.push_back(cells_of(world, index));
    if (layers & bit(Layer::joints)) lists.push_back(joints_of(world, index));
    if (layers & bit(Layer::velocity)) lists.push_back(velocities_of(world, bodies));
    return lists;
}

std::vector<float> point_velocities(const World& world, BodyId body, std::size_t count) {
    const auto v = world.kind(body) == BodyKind::particles ? world.particle_velocities(body)
                                                           : world.vertex_velocities(body);
    if (v.size() != count) return {};
    std::vector<float> out;
    out.reserve(3 * count);
    for (const Vec3& u : v)
        for (const double c : {u.x, u.y, u.z}) out.push_back(static_cast<float>(c));
    return out;
}

bool inverted_tet(std::span<const Vec3> x, const Tet& tet) {
    const Mat3 e = edges_of(x, tet);
    return determinant(e) <= 0;
}

void add_strain(const World& world, BodyId body, PointsPicture& points) {
    if (world.kind(body) != BodyKind::deformable) return;
    const auto tets = world.tets(body);
    const auto x = world.vertex_positions(body);
    if (tets.empty()) return;
    for (std::uint32_t k = 0; k < tets.size(); ++k)
        if (inverted_tet(x, tets[k])) points.inverted.push_back(k);
    const std::span<const Vec3> rest = rest_positions(world, body);
    if (rest.size() != x.size()) return;
    std::vector<double> sum(x.size(), 0), weight(x.size(), 0);
    for (const Tet& t : tets) {
        const Mat3 r = edges_of(rest, t);
        const double volume = std::abs(determinant(r)) / 6;
        if (!(volume > 0)) continue;
        const double strain = von_mises_strain(edges_of(x, t) * inverse(r));
        for (const int v : t)
            sum[static_cast<std::size_t>(v)] += volume * strain,
                weight[static_cast<std::size_t>(v)] += volume;
    }
    for (std::size_t v = 0; v < sum.size(); ++v)
        points.strain.push_back(weight[v] > 0 ? static_cast<float>(sum[v] / weight[v]) : 0.0f);
}

std::string frame_meta(const World& world, double wall_ms) {
    const StepReport& r = world.report();
    const Energy energy = world.settings().ledger && world.steps() > 0 ? r.energy : world.energy();
    nlohmann::json ms = nlohmann::json::object();
    for (std::size_t p = 0; p < phase_names.size(); ++p)
        ms[std::string(phase_names[p])] = 1e3 * r.times.seconds[p];
    const nlohmann::json meta{{"step", world.steps()},
                              {"time", world.time()},
                              {"wall_ms", wall_ms},
                              {"report",
                               {{"contacts", r.contacts},
                                {"pairs", r.pairs},
                                {"islands", r.islands},
                                {"iterations", r.iterations},
                                {"residual", r.residual},
                                {"largest_depth", r.largest_depth},
                                {"awake", r.awake},
                                {"kinetic", energy.kinetic},
                                {"gravity", energy.gravity},
                                {"elastic", energy.elastic},
                                {"momentum", to_json(world.momentum())},
                                {"ms", ms}}}};
    return meta.dump();
}

}  // namespace plush::view
