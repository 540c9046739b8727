#pragma once

#include "contact/joints/joint.hpp"
#include "world/pair_rules.hpp"

// The joints of a world: adding, removing, reading and driving them. Their part of the step is joint_rows.hpp.

namespace plush {

struct JointRecord {
    static constexpr std::uint32_t none = 0xffffffffu;
    /// What the joint holds on to: a body or a vertex of one; `none` for the world.
    struct End {
        std::uint32_t body = none, vertex = none;
    };
    bool alive = false;
    std::uint32_t generation = 0;
    End a{}, b{};
    bool collide = false;
    Joint joint{};
};

class JointStore {
public:
    JointStore(const WorldSettings& settings, BodyStore& bodies, PairRules& rules,
               const Attachments& attachments)
        : settings_(settings), bodies_(bodies), rules_(rules), attachments_(attachments) {}

    template <class Settings>
    JointId add(const Settings& wanted, const JointEnd& a, const JointEnd& b);
    void remove(JointId joint);
    std::vector<JointId> ids() const;

    double gap(JointId joint) const;
    double position(JointId joint) const;
    double speed(JointId joint) const;
    Vec3 force(JointId joint) const { return record(joint).joint.force; }
    Vec3 torque(JointId joint) const { return record(joint).joint.torque; }
    void set_motor(JointId joint, const JointMotor& motor);
    void set_limits(JointId joint, const JointLimits& limits);
    void set_spring(JointId joint, const JointSpring& spring);

    /// All places, those of removed joints too.
    std::span<JointRecord> records() { return records_; }
    std::span<const JointRecord> records() const { return records_; }
    JointFrames frames_now(const JointRecord& joint) const;
    /// Whether a motor is not yet where it shall be.
    bool drives(const JointRecord& joint) const;
    /// By the sizes of the bodies and gravity; before each step.
    void set_levers();
    /// Whether a joint holds a vertex of this body.
    bool holds_vertex_of(std::uint32_t body) const;

    void copy_from(const JointStore& other) {
        records_ = other.records_;
    }  ///< of a world with the same bodies
    /// All of them, to and from a file whose bodies are there.
    void visit_joints(StateVisitor& v);
    /// Throws where a joint that was read holds on to what is not there.
    void require_sound(bool vertices) const;
    std::uint32_t index_of(JointId id) const { return record(id), id.index - 1; }
    void forget_body(std::uint32_t body);
    void visit_state(StateVisitor& v);

private:
    const JointRecord& record(JointId id) const;  ///< throws where the name is stale
    JointRecord& record(JointId id);
    JointRecord& record_with_drive(JointId id, const char* what);
    void require_end(const JointEnd& end, JointKind kind) const;  ///< throws where it cannot be jointed
    Transform pose_of(const JointRecord::End& end) const;
    void keep_apart(const JointRecord& joint, bool apart);
    void mark_ends_changed(const JointRecord& joint);
    JointId insert(JointRecord fresh);

    const WorldSettings& settings_;
    BodyStore& bodies_;
    PairRules& rules_;
    const Attachments& attachments_;
    std::vector<JointRecord> records_;
};

}  // namespace plush
