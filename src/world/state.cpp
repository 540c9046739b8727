#include <algorithm>
#include <cstring>

#include "world/world_impl.hpp"

namespace plush {
namespace {

// What a snapshot must agree on with the world it is put back into.
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

Plan plan_of(const std::vector<Slot>& slots, const std::vector<JointSlot>& joints) {
    Plan plan;
    for (const Slot& s : slots) {
        plan.generations.push_back(s.body ? s.generation : 0);
        plan.kinds.push_back(s.kind);
        plan.nodes.push_back(!s.dynamic() ? 0
                             : s.made_of  ? s.whole_masses.size()  // a cut one is made again
                                          : s.body->node_count());
    }
    for (const JointSlot& j : joints) plan.joint_generations.push_back(j.alive ? j.generation : 0);
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

void World::Impl::visit_state(StateVisitor& v) {
    for (Slot& slot : slots) {
        if (!slot.body) continue;
        if (slot.made_of) visit_cut(v, slot);
        v(slot.asleep, slot.quiet, slot.filter.groups, slot.filter.collides_with, slot.attachments,
          slot.releases, slot.pressed, slot.steadiness);
        slot.body->visit_state(v);
    }
    for (JointSlot& joint : joints)
        if (joint.alive) plush::visit_state(v, joint.joint);
    v(rules, warm_starts, touches, inside_memory, volume_memory, volume_names, time, steps);
    visit_seen(v);
}

std::vector<std::byte> World::Impl::snapshot(std::vector<std::byte> reused) {
    StateRewriter writer(reused);
    Plan plan = plan_of(slots, joints);
    writer(plan);
    visit_state(writer);
    return reused;
}

Result<void> World::Impl::restore(std::span<const std::byte> bytes) {
    StateReader reader(bytes);
    Plan plan;
    reader(plan);
    if (plan != plan_of(slots, joints))
        return Error({.place = "snapshot",
                      .problem = "the snapshot belongs to a world with other bodies or joints",
                      .cure = "restore it into a world built the same way"});
    const std::vector<std::byte> before = snapshot();
    broken_cut = false;
    visit_state(reader);
    auto outcome = reader.finish();
    if (outcome.ok() && !seen_makes_sense())
        outcome =
            Error({.place = "snapshot",
                   .problem = "what it says of contacts makes no sense",
                   .cure = "restore it into a world built from the same scene by the same version of Plush"});
    if (broken_cut && outcome.ok())
        outcome =
            Error({.place = "snapshot",
                   .problem = "what it says of a body that was cut makes no sense",
                   .cure = "restore it into a world built from the same scene by the same version of Plush"});
    if (!outcome.ok()) {
        StateReader back(before);
        back(plan);
        visit_state(back);
    }
    rest_holds = groups_hold = false;
    memories.clear();
    pairs.clear();  // what they hold was found in another state
    old_pairs.clear();
    volume_pairs.clear();
    volume_contacts.clear();
    return outcome;
}

std::uint64_t World::state_hash() const {
    StateHasher hasher;
    impl_->visit_state(hasher);
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

// What leaves the world carries a checksum at its end: a flipped bit of an index or a velocity would be read
// as a state like any other.
std::vector<std::byte> World::snapshot() const {
    std::vector<std::byte> bytes = impl_->snapshot();
    const std::uint64_t sum = checksum(bytes);
    const auto* first = reinterpret_cast<const std::byte*>(&sum);
    bytes.insert(bytes.end(), first, first + sizeof(sum));
    return bytes;
}

void World::restore(std::span<const std::byte> snapshot) {
    std::uint64_t sum = 0;
    const bool whole = snapshot.size() >= sizeof(sum);
    const auto content = snapshot.first(whole ? snapshot.size() - sizeof(sum) : 0);
    if (whole) std::memcpy(&sum, snapshot.data() + content.size(), sizeof(sum));
    if (!whole || sum != checksum(content))
        throw Error({.place = "snapshot",
                     .problem = "it is damaged: its checksum does not fit",
                     .cure = "take the bytes that World::snapshot() returned, all of them"});
    impl_->restore(content).value();
}

}  // namespace plush
