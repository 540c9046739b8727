#pragma once

#include "bodies/deformable/assembly.hpp"
#include "world/surface_contacts.hpp"

// The free motion of deformable bodies: each alone, or as an assembly with the rigid bodies that its vertices are
// attached to.

namespace plush {

class DeformableMotion {
public:
    DeformableMotion(BodyStore& bodies, const Attachments& attachments, SurfaceContacts& surfaces)
        : bodies_(bodies), attachments_(attachments), surfaces_(surfaces) {}

    /// Predicts all that are awake. Throws, with the world as it was before the step, where a body cannot take it.
    void predict(const StepContext& step);
    /// Attached vertices go to where rigid bodies have taken them.
    void move_attached_vertices();
    /// visit(i, j) for bodies of one assembly: they wake together.
    void each_linked_pair(PairVisitor visit) const;

private:
    /// Deformable bodies and the rigid ones that their vertices are attached to, by their indices.
    struct Group {
        std::vector<std::uint32_t> bodies{}, rigid{};
        std::unique_ptr<Assembly> assembly{};
    };
    void make_groups(const Parallel& parallel);
    std::vector<Group> connected_groups() const;
    void set_exempt_vertices(std::uint32_t body) const;
    void make_assembly(Group& group, const Parallel& parallel) const;
    void prepare(const StepContext& step, std::uint32_t body);
    void predict_body(const StepContext& step, std::uint32_t body);
    void predict_group(const StepContext& step, Group& group);
    void finish(const StepContext& step, std::uint32_t body);
    Result<AdvanceReport> advance_points(const StepContext& step, std::uint32_t body,
                                         MotionState& state) const;
    void guard_user_code(const StepContext& step, std::uint32_t body,
                         const std::function<void()>& action) const;

    BodyStore& bodies_;
    const Attachments& attachments_;
    SurfaceContacts& surfaces_;
    std::vector<Group> groups_;
    std::uint64_t revision_ = 0;  ///< of the attachments, when the groups were made
};

}  // namespace plush
