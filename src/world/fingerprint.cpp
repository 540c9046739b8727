#include "world/fingerprint.hpp"

#include "geometry/shapes/shape_data.hpp"
#include "math/described_state.hpp"
#include "world/body_recipe.hpp"

namespace plush {
namespace {

template <class T>
void add_numbers(StateHasher& hasher, std::span<const T> values) {
    std::uint64_t count = values.size();
    hasher(count);
    // The hasher reads alone: taking const away changes nothing.
    hasher.bytes(const_cast<T*>(values.data()), values.size_bytes());
}

void add_shape(StateHasher& hasher, const Shape& shape) {
    if (shape.empty()) return;
    const Shape::Data& data = shape.data();
    std::string name = data.name;
    Box3 bounds = data.bounds;
    MassProperties mass = data.unit_mass;
    hasher(name, bounds.low, bounds.high, mass.mass, mass.centre, mass.inertia);
}

void add_recipe(StateHasher& hasher, const BodyRecipe& recipe) {
    auto kind = static_cast<std::uint64_t>(recipe.settings.index());
    hasher(kind);
    std::visit(
        [&](auto settings) {
            settings.look = Look();  // what it looks like and is called moves nothing
            settings.name = {};
            DescribedState described(hasher);
            describe(described, settings);
        },
        recipe.settings);
}

}  // namespace

std::uint64_t fingerprint_of(const BodyRecord& record) {
    StateHasher hasher;
    bool sensor = record.sensor;
    double mass = mass_of(record);
    hasher(sensor, mass);
    add_shape(hasher, record.shape);
    if (record.recipe) add_recipe(hasher, *record.recipe);
    add_numbers(hasher, record.tets.tets());
    if (!record.is_deformable()) return hasher.digest();
    const DeformableBody& body = record.deformable();
    add_numbers(hasher, body.masses());
    add_numbers(hasher, std::span<const Vec3>(record.parts.rest));
    add_numbers(hasher, body.triangles());
    add_numbers(hasher, body.edges());
    return hasher.digest();
}

std::uint64_t fingerprint_of(const WorldSettings& settings, const BodyStore& bodies,
                             const JointStore& joints) {
    StateHasher hasher;
    WorldSettings lasting = settings;
    lasting.gravity = {}, lasting.step = 1;  // those that change are state
    lasting.contact = {}, lasting.solver.compliance = {};
    lasting.contact.surface = settings.contact.surface;
    lasting.contact.tets.method = settings.contact.tets.method;
    lasting.ledger = true;
    lasting.absurd_motion = AbsurdMotion::stop;
    DescribedState described(hasher);
    describe(described, lasting);
    for (const BodyRecord& record : bodies) {
        std::uint64_t body = record.body ? record.fingerprint : 0;
        hasher(body);
    }
    for (const JointRecord& record : joints.records()) {
        if (!record.alive) continue;
        JointRecord joint = record;
        hasher(joint.a.body, joint.a.vertex, joint.b.body, joint.b.vertex, joint.collide, joint.joint.kind);
    }
    return hasher.digest();
}

}  // namespace plush
