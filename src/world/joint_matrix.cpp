#include "world/joint_matrix.hpp"

#include "core/assert.hpp"
#include "world/refusal.hpp"

// S = J A⁻¹ Jᵀ from the rows that the solver has of the joints (contact/joints/joint.cpp), dense: to be read by people.

namespace plush {
namespace {

constexpr std::uint32_t none = JointRecord::none;

JointSide side_of(const BodyStore& bodies, const JointRecord::End& end) {
    if (end.body == none) return {};
    const BodyRecord& record = bodies[end.body];
    if (end.vertex != none)
        refuse(record.name, "joint",
               "it holds a vertex of a deformable body, whose matrix is not that of a rigid one",
               "read the matrix of a world in which joints hold rigid bodies alone");
    JointSide side{.pose = record.body->pose()};
    if (record.dynamic()) side.node = end.body;  // one node a body
    return side;
}

}  // namespace

JointMatrix joint_matrix(const BodyStore& bodies, const JointStore& joints) {
    std::vector<Node> nodes(bodies.size());
    for (std::uint32_t i = 0; i < bodies.size(); ++i) {
        if (!bodies[i].body || bodies[i].kind != BodyKind::rigid) continue;
        const RigidBody& body = bodies[i].rigid();
        nodes[i] = {.origin = body.centre(),
                    .inverse_mass = 1 / body.mass(),
                    .inverse_inertia = inverse(body.world_inertia())};
    }
    Rows rows;
    std::vector<JointRow> sources;
    const auto records = joints.records();
    const std::vector<JointId> ids = joints.ids();
    JointMatrix matrix;
    std::vector<std::size_t> points;  // the blocks that hold them
    for (std::uint32_t k = 0, alive = 0; k < records.size(); ++k) {
        if (!records[k].alive) continue;
        PLUSH_ASSERT(alive < ids.size());
        const JointId id = ids[alive++];
        const JointSides at{side_of(bodies, records[k].a), side_of(bodies, records[k].b)};
        const std::size_t first = rows.blocks.size();
        add_joint_rows(rows, sources, records[k].joint, k, at, nodes, 1);
        for (std::size_t b = first; b < rows.blocks.size(); ++b)
            if (sources[b].role == JointRole::point) points.push_back(b), matrix.joints.push_back(id);
    }
    // Rows are along the axes of the second body; people read along those of the world.
    const auto axes = [&](std::size_t block) {
        const Mat3& linear = rows.entries_of(rows.blocks[block])[0].linear;
        return determinant(linear) < 0 ? linear * -1.0
                                       : linear;  // of the second body, which gets the opposite
    };
    for (const std::size_t i : points)
        for (const std::size_t j : points) {
            Mat3 sum{};
            for (const Entry& e : rows.entries_of(rows.blocks[i]))
                for (const Entry& f : rows.entries_of(rows.blocks[j]))
                    sum += compliance_between(rows, nodes, e, f);
            matrix.blocks.push_back(transpose(axes(i)) * sum * axes(j));
        }
    return matrix;
}

}  // namespace plush
