#include "contact/volume/volume_contact.hpp"

#include <algorithm>

#include "core/assert.hpp"
#include "core/tuning.hpp"
#include "math/symmetric_eigen.hpp"

namespace plush {

bool soft_bodies_touch_by_volume(const ContactSettings& s) {
    if (s.method == ContactMethod::automatic)  // settings of vertices and of tets win
        return s.surface.law == SurfaceLaw::buffered && s.tets.method == TetContactMethod::none;
    return s.method == ContactMethod::volume || s.method == ContactMethod::volume_penalty;
}
namespace {

/// Where friction acts: on two rigid bodies at one point, so that its moments are opposite. That of a deformable body acts on the
/// vertices that carry its side, and so does that of what it touches on its own.
const Vec3& friction_point(const Overlap& o, std::size_t side, bool at_surfaces) {
    const bool rigid = o.a.empty() && o.b.empty();
    return rigid && !at_surfaces ? o.centre : o.sides[side];
}

/// The rows on a body whose velocity is measured at x. `side`: 0 for a, 1 for b.
Entry volume_entry(const VolumeContact& contact, std::size_t side, const Vec3& x, const Mat3& frame,
                   bool at_surfaces) {
    const Overlap& o = contact.overlap;
    PLUSH_ASSERT(side < 2);
    const double sign = side == 0 ? 1 : -1;
    Entry e;
    if (contact.own_normal || contact.containment) {
        e.linear.row[0] = frame.row[0] * sign;
        e.angular.row[0] = cross(o.sides[0] - x, frame.row[0]) * sign;
    } else {
        PLUSH_ASSERT(!(contact.area <= 0));
        e.linear.row[0] = o.gradient * (-sign / contact.area);
        e.angular.row[0] = o.moment_about(x) * (-sign / contact.area);
    }
    const Vec3 lever = friction_point(o, side, at_surfaces) - x;
    for (std::size_t k = 1; k < 3; ++k) {
        e.linear.row[k] = frame.row[k] * sign;
        e.angular.row[k] = cross(lever, frame.row[k]) * sign;
    }
    return e;
}

/// Calls f(entry, side of the pair) for both.
template <class F>
void each_side(const PairSides& pair, F&& f) {
    f(pair.a, std::size_t{0});
    f(pair.b, std::size_t{1});
}

}  // namespace

void add_compliance_rows(ContactCompliance& compliance, const VolumeContact& contact, std::size_t side,
                         std::span<const double> masses, std::uint8_t row_count) {
    const Overlap& o = contact.overlap;
    const Mat3 frame = contact_frame(o.normal);
    PLUSH_ASSERT(side < 2 && row_count >= 1 && row_count <= 3);
    if (contact.containment) {  // the body moves as a whole
        double mass = 0;
        for (const double m : masses) mass += m;
        PLUSH_ASSERT(mass > 0);
        for (std::size_t r = 0; r < row_count; ++r) {
            for (std::uint32_t k = 0; k < masses.size(); ++k)
                compliance.add(k, frame.row[r] * ((side == 0 ? 1 : -1) * masses[k] / mass));
            compliance.end_row();
        }
        return;
    }
    for (std::size_t r = 0; r < row_count; ++r) {
        for (const VertexGradient& g : side == 0 ? o.a : o.b) {
            const bool along_gradient = r == 0 && !contact.own_normal;
            const Vec3 row = along_gradient ? g.gradient : dot(o.normal, g.gradient) * frame.row[r];
            PLUSH_ASSERT(g.vertex < masses.size() && !(contact.area <= 0));
            compliance.add(g.vertex, row / -contact.area);
        }
        compliance.end_row();
    }
}

double deepening(const VolumeContact& contact, std::size_t side, const Vec3& x, const Twist& way) {
    const Entry e = volume_entry(contact, side, x, contact_frame(contact.overlap.normal), true);
    return -dot(e.linear.row[0], way.linear) - dot(e.angular.row[0], way.angular);
}

double deepening(const VolumeContact& contact, std::size_t side, std::span<const Vec3> from,
                 std::span<const Vec3> to) {
    const Overlap& o = contact.overlap;
    double change = 0;
    for (const VertexGradient& g : side == 0 ? o.a : o.b) {
        PLUSH_ASSERT(g.vertex < from.size() && g.vertex < to.size());
        const Vec3 way = to[g.vertex] - from[g.vertex];
        change += contact.own_normal ? dot(o.normal, g.gradient) * dot(o.normal, way) : dot(g.gradient, way);
    }
    return change / contact.area;
}

Vec3 movement(const VolumeContact& contact, std::size_t, const Vec3& x, const Twist& way) {
    return way.linear + cross(way.angular, contact.overlap.centre - x);
}

Vec3 movement(const VolumeContact& contact, std::size_t side, std::span<const Vec3> from,
              std::span<const Vec3> to) {
    const Overlap& o = contact.overlap;
    std::array<Vec3, 2> sums{};  // of gradients against the normal and along it: the sides of one body
    std::array<double, 2> weights{};
    for (const VertexGradient& g : side == 0 ? o.a : o.b) {
        const double weight = norm(g.gradient);
        const std::size_t of = contact.self() && dot(o.normal, g.gradient) > 0 ? 1 : 0;
        PLUSH_ASSERT(g.vertex < from.size() && g.vertex < to.size());
        sums[of] += weight * (to[g.vertex] - from[g.vertex]), weights[of] += weight;
    }
    Vec3 way;
    if (weights[0] > 0) way += sums[0] / weights[0];
    if (weights[1] > 0) way -= sums[1] / weights[1];
    return way;
}

Block& add_volume_block(Rows& rows, const PairSides& pair, const VolumeContact& contact,
                        std::span<const Node> nodes, bool friction_at_surfaces, std::uint8_t row_count) {
    PLUSH_ASSERT(row_count >= 1 && row_count <= 3);
    Block block;
    block.rows = row_count;
    block.first_entry = static_cast<std::uint32_t>(rows.entries.size());
    const Mat3 frame = contact_frame(contact.overlap.normal);
    each_side(pair, [&](const Side& side, std::size_t k) {
        if (!side.first_node) return;
        PLUSH_ASSERT(*side.first_node < nodes.size());
        Entry e{.linear = Mat3::identity()};
        if (!side.constraint_node)
            e = volume_entry(contact, k, nodes[*side.first_node].origin + contact.travel, frame,
                             friction_at_surfaces);
        e.node = *side.first_node;
        rows.entries.push_back(e);
        ++block.entry_count;
    });
    PLUSH_ASSERT(block.entry_count > 0);
    return rows.blocks.emplace_back(block);
}

namespace {

/// What bodies whose motion is given add to w.
Vec3 given_velocity(const PairSides& pair, const VolumeContact& contact, bool at_surfaces) {
    const Mat3 frame = contact_frame(contact.overlap.normal);
    Vec3 w{};
    each_side(pair, [&](const Side& side, std::size_t k) {
        if (side.first_node || side.constraint_node) return;  // a deformable body without a node is asleep
        const Motion motion = side.body->motion();
        const Entry e = volume_entry(contact, k, motion.origin + contact.travel, frame, at_surfaces);
        w += e.linear * motion.twist.linear + e.angular * motion.twist.angular;
    });
    return w;
}

}  // namespace

namespace {

/// Coulomb's coefficient, where it is his law.
double dry_friction(const VolumeContact& contact, const VolumeLaw& law) {
    return contact.containment || contact.slides() || law.friction != VolumeFriction::coulomb
               ? 0
               : law.pair.friction;
}

/// How deep a soft contact may be when the step ends. What touches already comes to its depth at rest by and
/// by: what is seen anew differs by a little from what was seen before, and a step that made up for all of it
/// would be a small blow.
double settling_depth(double now, double aim) {
    constexpr double part = 0.2;  // of the way, in a step
    return now < aim ? std::max(now, 0.0) + part * (aim - std::max(now, 0.0)) : aim;
}

}  // namespace

double set_volume_law(Block& block, const Rows& rows, const PairSides& pair, const VolumeContact& contact,
                      const VolumeLaw& law, std::span<const Node> nodes, std::span<const Twist> expected,
                      double h) {
    PLUSH_ASSERT(h > 0 && law.pair.friction >= 0);
    block.friction = dry_friction(contact, law);
    block.given = given_velocity(pair, contact, law.friction_at_surfaces);
    block.bias += block.given;
    if (law.flexibility > 0) {
        PLUSH_ASSERT(!(contact.area <= 0));
        block.softness.x = law.flexibility / (h * h * contact.area);
        block.bias.x -= contact.depth / h;
        return 0;
    }
    if (contact.is_outline()) {  // its cell bounces
        block.bias.x -= std::min(0.0, contact.depth - contact.rest) / h;
        return 0;
    }
    const auto normal_velocity = [&](const auto& of_node) {
        double w = block.bias.x;
        for (const Entry& e : rows.entries_of(block)) {
            const Twist& u = of_node(e.node);
            w += dot(e.linear.row[0], u.linear) + dot(e.angular.row[0], u.angular);
        }
        return w;
    };
    const double before = normal_velocity([&](std::uint32_t n) -> const Twist& { return nodes[n].before; });
    const double free = normal_velocity([&](std::uint32_t n) -> const Twist& { return nodes[n].velocity; });
    if (!contact.speculative)
        return set_normal_law(block, before, free, contact.overlap.largest_depth, law.pair, h);
    // It is not there yet: its depth now is a gap, and the step may close it. Of a deformable body the mean
    // depth counts: its parts give way one by one.
    const bool soft = pair.a.constraint_node || pair.b.constraint_node;
    const double there = soft ? contact.depth : contact.overlap.largest_depth;
    const ContactTime time = contact.time.value_or(h);
    if (contact.at_impact) return set_normal_law(block, before, free, 0, law.pair, time);
    PLUSH_ASSERT(expected.size() == nodes.size());
    const double approach = normal_velocity([&](std::uint32_t n) -> const Twist& { return expected[n]; });
    const double now = there + time.window * approach, aim = tuning::stabilise_aim * contact.allowed;
    const double shift =
        set_normal_law(block, before, free, now, law.pair, time, soft ? settling_depth(now, aim) : aim);
    if (soft && !contact.containment && block.rebound == 0 && now > aim) {
        block.recovery = std::min(now - aim, contact.allowed) / time.window;
        block.bias.x -= block.recovery;
    }
    return shift;
}

void spread_impulses(std::span<const VolumeContact> contacts, std::span<double> impulses) {
    PLUSH_ASSERT(contacts.size() == impulses.size());
    using Six = std::array<double, 6>;
    Vec3 middle;
    double area = 0;
    for (const VolumeContact& c : contacts) middle += c.area * c.overlap.centre, area += c.area;
    if (contacts.size() < 2 || !(area > 0)) return;
    middle = middle / area;
    const double length = std::sqrt(area);
    std::vector<Six> rows;
    std::array<double, 36> matrix{};  // Σ A_k J_kᵀ J_k, moments in units of the patch
    Six wrench{};
    for (std::size_t k = 0; k < contacts.size(); ++k) {
        const Entry e =
            volume_entry(contacts[k], 0, middle, contact_frame(contacts[k].overlap.normal), false);
        const Vec3 f = e.linear.row[0], m = e.angular.row[0] / length;
        const Six& row = rows.emplace_back(Six{f.x, f.y, f.z, m.x, m.y, m.z});
        for (std::size_t i = 0; i < 6; ++i) {
            wrench[i] += impulses[k] * row[i];
            for (std::size_t j = 0; j < 6; ++j)
                matrix[6 * i + j] += contacts[k].area / area * row[i] * row[j];
        }
    }
    // Flat patches have no moment about their normal and no force across it.
    constexpr double rank = 1e-9;
    const std::array<double, 36> inverse = pseudoinverse<6>(matrix, rank).inverse;
    std::vector<double> even(contacts.size());
    for (std::size_t k = 0; k < contacts.size(); ++k) {
        for (std::size_t i = 0; i < 6; ++i)
            for (std::size_t j = 0; j < 6; ++j)
                even[k] += contacts[k].area / area * rows[k][i] * inverse[6 * i + j] * wrench[j];
        if (!(even[k] >= 0)) return;
    }
    std::copy(even.begin(), even.end(), impulses.begin());
}

void spread_impulses(std::span<const VolumeContact> contacts,
                     FunctionRef<bool(const VolumeContact&)> is_rigid, std::span<Vec3> impulses) {
    PLUSH_ASSERT(contacts.size() == impulses.size());
    std::vector<double> normal;
    for (std::size_t first = 0, end = 0; first < contacts.size(); first = end) {
        const VolumeContact& c = contacts[first];
        for (end = first; end < contacts.size(); ++end)
            if (contacts[end].a != c.a || contacts[end].b != c.b) break;
        if (!is_rigid(c)) continue;
        normal.clear();
        for (std::size_t k = first; k < end; ++k)
            normal.push_back(std::max(0.0, dot(impulses[k], contacts[k].overlap.normal)));
        spread_impulses(contacts.subspan(first, end - first), normal);
        for (std::size_t k = first; k < end; ++k) {
            const Vec3& n = contacts[k].overlap.normal;
            impulses[k] += n * (normal[k - first] - dot(impulses[k], n));
        }
    }
}

Block& add_tangent_block(Rows& rows, const PairSides& pair, const VolumeContact& contact,
                         std::span<const Node> nodes, const VolumeLaw& law, double h) {
    Block& block = add_volume_block(rows, pair, contact, nodes, law.friction_at_surfaces, 2);
    block.law = Block::Law::bilateral;
    PLUSH_ASSERT(h > 0 && law.has_tangent_rows() && !(contact.area <= 0));
    if (law.friction != VolumeFriction::no_slip)
        block.softness = Vec3{1, 1, 0} / (h * law.viscosity * contact.area);
    const Vec3 given = given_velocity(pair, contact, law.friction_at_surfaces);
    block.bias = block.given = {given.y, given.z, 0};
    for (std::uint32_t k = block.first_entry; k < block.first_entry + block.entry_count; ++k) {
        Entry& e = rows.entries[k];  // the tangents alone
        e.linear = {{e.linear.row[1], e.linear.row[2], Vec3{}}};
        e.angular = {{e.angular.row[1], e.angular.row[2], Vec3{}}};
    }
    return block;
}

namespace {

/// Adds an entry of a block under way, to the one of the same node where there is one.
void add_entry(Rows& rows, std::uint32_t first, const Entry& e) {
    for (std::size_t k = first; k < rows.entries.size(); ++k)
        if (rows.entries[k].node == e.node) {
            rows.entries[k].linear += e.linear, rows.entries[k].angular += e.angular;
            return;
        }
    rows.entries.push_back(e);
}

}  // namespace

Block& add_pair_block(Rows& rows, std::span<const PairSides> sides, std::span<const VolumeContact> contacts,
                      std::span<const Node> nodes, const VolumeLaw& law, double h) {
    PLUSH_ASSERT(sides.size() == contacts.size() && law.flexibility > 0 && h > 0);
    double area = 0, volume = 0;
    for (const VolumeContact& c : contacts) area += c.area, volume += c.depth * c.area;
    PLUSH_ASSERT(area > 0);
    Block block;
    block.rows = 1;
    block.first_entry = static_cast<std::uint32_t>(rows.entries.size());
    for (std::size_t k = 0; k < contacts.size(); ++k) {
        const Mat3 frame = contact_frame(contacts[k].overlap.normal);
        const double share = contacts[k].area / area;
        each_side(sides[k], [&](const Side& side, std::size_t s) {
            if (!side.first_node) return;
            PLUSH_ASSERT(*side.first_node < nodes.size());
            Entry e{.linear = Mat3::identity()};
            if (!side.constraint_node)
                e = volume_entry(contacts[k], s, nodes[*side.first_node].origin + contacts[k].travel, frame,
                                 law.friction_at_surfaces);
            add_entry(rows, block.first_entry,
                      {*side.first_node,
                       {{e.linear.row[0] * share, Vec3{}, Vec3{}}},
                       {{e.angular.row[0] * share, Vec3{}, Vec3{}}}});
        });
        block.given.x += share * given_velocity(sides[k], contacts[k], law.friction_at_surfaces).x;
    }
    block.entry_count = static_cast<std::uint32_t>(rows.entries.size()) - block.first_entry;
    block.softness.x = law.flexibility / (h * h * area);
    block.bias.x = block.given.x - volume / (area * h);
    return rows.blocks.emplace_back(block);
}

void follow_pair_block(Block& block, Rows& rows, const PairSides& pair, const VolumeContact& contact,
                       const VolumeLaw& law, std::uint32_t pair_block, double share) {
    PLUSH_ASSERT(share > 0 && share <= 1);
    block.normal_of = pair_block, block.share = share;
    block.friction = dry_friction(contact, law);
    block.given = given_velocity(pair, contact, law.friction_at_surfaces);
    block.given.x = 0;
    block.bias = block.given;
    for (std::uint32_t k = block.first_entry; k < block.first_entry + block.entry_count; ++k)
        rows.entries[k].linear.row[0] = rows.entries[k].angular.row[0] = {};
}

}  // namespace plush
