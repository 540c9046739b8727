#include <fmt/format.h>

#include <array>
#include <cstring>

#include "core/range_check.hpp"
#include "math/described_state.hpp"
#include "world/fingerprint.hpp"
#include "world/world_impl.hpp"

// Hash, snapshot and restore of all that the next step reads.

namespace plush {
namespace {

/// What a snapshot must agree on with the world it is put back into.
struct Plan {
    std::vector<std::uint32_t> generations;
    std::vector<BodyKind> kinds;
    std::vector<std::uint64_t> nodes;  ///< so that particles find as many places as they had
    std::vector<std::uint32_t> joint_generations;
    bool operator==(const Plan&) const = default;
};
void visit_state(StateVisitor& v, Plan& plan) {
    v(plan.generations, plan.kinds, plan.nodes, plan.joint_generations);
}

Plan plan_of(const BodyStore& bodies, const JointStore& joints, const Cutting& cutting) {
    Plan plan;
    for (std::uint32_t i = 0; i < bodies.size(); ++i) {
        const BodyRecord& record = bodies[i];
        plan.generations.push_back(record.body ? record.generation : 0);
        plan.kinds.push_back(record.kind);
        plan.nodes.push_back(!record.dynamic() ? 0
                             : record.source   ? cutting.whole_vertices(i)  // a cut one is made again
                                               : record.body->node_count());
    }
    for (const JointRecord& j : joints.records())
        plan.joint_generations.push_back(j.alive ? j.generation : 0);
    return plan;
}

/// A StateWriter into memory that is there already: a new snapshot each step would be asked of the system
/// page by page.
class StateRewriter final : public StateVisitor {
public:
    explicit StateRewriter(std::vector<std::byte>& to) : to_(to) { to_.clear(); }
    void bytes(void* data, std::size_t size) override {
        const auto* first = static_cast<const std::byte*>(data);
        to_.insert(to_.end(), first, first + size);
    }
    std::size_t length(std::size_t size, std::size_t) override {
        std::uint64_t n = size;
        bytes(&n, sizeof n);
        return size;
    }

private:
    std::vector<std::byte>& to_;
};

}  // namespace

void WorldParts::visit_state(StateVisitor& v) {
    v(settings.gravity, settings.step);
    DescribedState described(v);
    describe(described, settings.contact);
    if (dynamic_cast<const StateReader*>(&v))
        settings_sound = described.sound() && is_finite(settings.gravity) && settings.step >= 1e-9 &&
                         settings.step <= 1 && check_ranges(settings.contact).ok();
    cutting.visit_state(
        v);  // first: a restored body is made of what cuts have left before its vertices are read
    bodies.visit_state(v);
    attachments.visit_state(v);
    rules.visit_state(v);
    joints.visit_state(v);
    drags.visit_state(v);
    contact.expected.visit_state(v);
    for (ContactModel* model : contact.all()) model->visit_state(v);
    events.visit_state(v);
    forces.visit_state(v);
    v(clock.time, clock.steps, clock.start, clock.first_step);
}

std::vector<std::byte> WorldParts::snapshot(std::vector<std::byte> reused) {
    StateRewriter writer(reused);
    Plan plan = plan_of(bodies, joints, cutting);
    writer(plan);
    visit_state(writer);
    return reused;
}

Result<void> WorldParts::restore(std::span<const std::byte> bytes) {
    const auto broken = [](const char* what) {
        return Error(
            {.place = "snapshot",
             .problem = fmt::format("what it says of {} makes no sense", what),
             .cure = "restore it into a world built from the same scene by the same version of Plush"});
    };
    StateReader reader(bytes);
    Plan plan;
    reader(plan);
    if (plan != plan_of(bodies, joints, cutting))
        return Error({.place = "snapshot",
                      .problem = "the snapshot belongs to a world with other bodies or joints",
                      .cure = "restore it into a world built the same way"});
    const std::vector<std::byte> before = snapshot();
    const ContactSettings contact_before = settings.contact;
    cutting.begin_restore();
    Result<void> outcome = {};
    try {
        visit_state(reader);
        outcome = reader.finish();
    } catch (const Error& error) {  // of a part that makes no sense by itself
        outcome = error;
    }
    // Bodies are made with these: no call changes them.
    if (settings.contact.surface != contact_before.surface ||
        settings.contact.tets.method != contact_before.tets.method)
        settings_sound = false;
    if (outcome.ok() && !settings_sound) outcome = broken("settings");
    // How much memory a world may take is for those to say who made it; and pixels depend on it.
    const double limit = settings.contact.volume.memory_limit, own = contact_before.volume.memory_limit;
    if (outcome.ok() && limit != own)
        outcome =
            Error({.place = "snapshot",
                   .problem = fmt::format(
                       "its contact.volume.memory_limit is {:g} MiB, and this world's is {:g}", limit, own),
                   .cure = "give this world the same limit first (World::set_contact)"});
    if (outcome.ok() && !(plan == plan_of(bodies, joints, cutting) && bodies.is_consistent()))
        outcome = broken("particles");
    if (outcome.ok() && !attachments.is_consistent()) outcome = broken("attached vertices");
    if (outcome.ok() && !rules.is_consistent()) outcome = broken("pairs");
    if (outcome.ok() && !events.is_consistent(bodies)) outcome = broken("bodies that touch");
    if (outcome.ok() && !contact.expected.is_consistent()) outcome = broken("expected motion");
    for (const ContactModel* model : contact.all())
        if (outcome.ok() && !model->is_consistent()) outcome = broken("contacts");
    if (outcome.ok() &&
        !(clock.steps >= clock.first_step && std::isfinite(clock.time) && std::isfinite(clock.start)))
        outcome = broken("time");
    if (outcome.ok() && !cutting.is_consistent()) outcome = broken("a body that was cut");
    if (!outcome.ok()) {
        StateReader back(before);
        back(plan);
        visit_state(back);
    }
    bodies.mark_changed();
    attachments.mark_changed();
    for (ContactModel* model : contact.all()) model->forget_contacts();
    account.forget();
    queries.forget();
    return outcome;
}

std::uint64_t World::state_hash() const {
    StateHasher hasher;
    to_read(*this)->visit_state(hasher);
    return hasher.digest();
}

std::uint64_t World::motion_hash() const {
    StateHasher hasher;
    // The hasher reads alone: taking const away changes nothing.
    const auto add = [&](std::span<const Vec3> vectors) {
        hasher.bytes(const_cast<Vec3*>(vectors.data()), vectors.size_bytes());
    };
    for (const BodyId body : bodies()) {
        switch (kind(body)) {
            case BodyKind::deformable:
                add(vertex_positions(body)), add(vertex_velocities(body));
                break;
            case BodyKind::particles:
                add(particle_positions(body)), add(particle_velocities(body));
                break;
            default: {
                Transform at = pose(body);
                hasher(at.position, at.rotation);
                add(std::array{velocity(body), angular_velocity(body)});
            }
        }
    }
    return hasher.digest();
}

// What leaves the world has at its end the fingerprint of what it is made of and a checksum: a flipped bit of an index or a
// velocity, or the state of another world, would be read as a state like any other.
std::vector<std::byte> World::snapshot() const {
    const WorldAccess::Read world = to_read(*this);
    std::vector<std::byte> bytes = world->snapshot();
    const std::uint64_t made_of = fingerprint_of(world->settings, world->bodies, world->joints);
    const auto* mark = reinterpret_cast<const std::byte*>(&made_of);
    bytes.insert(bytes.end(), mark, mark + sizeof(made_of));
    const std::uint64_t sum = checksum(bytes);
    const auto* first = reinterpret_cast<const std::byte*>(&sum);
    bytes.insert(bytes.end(), first, first + sizeof(sum));
    return bytes;
}

void World::restore(std::span<const std::byte> snapshot) {
    to_change(*this)->restore_snapshot(snapshot);
}

void WorldParts::restore_snapshot(std::span<const std::byte> snapshot) {
    std::uint64_t sum = 0;
    const bool whole = snapshot.size() >= sizeof(sum);
    const auto content = snapshot.first(whole ? snapshot.size() - sizeof(sum) : 0);
    if (whole) std::memcpy(&sum, snapshot.data() + content.size(), sizeof(sum));
    if (!whole || sum != checksum(content))
        throw Error({.place = "snapshot",
                     .problem = "it is damaged: its checksum does not fit",
                     .cure = "take the bytes that World::snapshot() returned, all of them"});
    std::uint64_t made_of = 0;
    const bool marked = content.size() >= sizeof(made_of);
    const auto state = content.first(marked ? content.size() - sizeof(made_of) : 0);
    if (marked) std::memcpy(&made_of, content.data() + state.size(), sizeof(made_of));
    if (!marked || made_of != fingerprint_of(settings, bodies, joints))
        throw Error(
            {.place = "snapshot",
             .problem = "the snapshot belongs to another world, with other bodies, joints or settings",
             .cure = "restore it into a world built the same way"});
    restore(state).value();
}

}  // namespace plush
