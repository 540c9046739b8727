#pragma once

#include "world/constraint_system.hpp"
#include "world/surface_points.hpp"

// Springs from surface points to targets of the user. A drag is a block of three rows with a largest impulse
// (contact/solver/limited_impulse.hpp). With p* and w* = J u* the place and the velocity of its point that the prediction
// leads to, and c by which places follow velocities (h but for BDF2), the force at the end of the step is
//
//     f = k (T − p* − c (w − w*)) + d (V − w),     λ = h f,
//
// which is w + γ λ + b = 0 with γ = 1/(h (d + c k)) and b = −(k (T − p* + c w*) + d V)/(d + c k).
//
// The force moves its point by no more than a part of the body's mean edge off its free motion in a step: elastic forces are
// linearised about that, and what is pulled farther at once would gain energy from nowhere.
//
// Bodies whose integrator takes no impulses of a whole step (Verlet and the other explicit ones) feel the spring in each of
// its stages (drag_field.hpp).

namespace plush {

struct DragRecord {
    bool alive = false;
    std::uint32_t generation = 0;
    SurfacePoint at{};
    double stiffness = 0, damping = 0, max_force = 0;
    Vec3 target{}, target_velocity{};  ///< m, m/s
    Vec3 force{};                      ///< on the body in the last step, N
    bool removed = false;              ///< a cut has taken its point: it pulls no more
};

class Drags {
public:
    Drags(const WorldSettings& settings, BodyStore& bodies, ConstraintSystem& system)
        : settings_(settings), bodies_(bodies), system_(system) {}

    DragId add(const SurfacePoint& at, const Drag& drag, const Vec3& target);
    void set_target(DragId drag, const Vec3& target, const Vec3& velocity);
    void remove(DragId drag);
    std::vector<DragId> ids() const;
    const DragRecord& record(DragId drag) const;  ///< throws where the name is stale
    std::span<const DragRecord> records() const { return records_; }

    // -- the step
    /// What is dragged stays awake; explicit bodies get their forces.
    void begin_step(double h);
    void add_constraint_nodes();
    void add_rows(double h);
    /// After the velocity solve: forces to read.
    void report(double h);
    /// Targets go on.
    void end_step(double h);

    void forget_body(BodyId body);
    void visit_state(StateVisitor& v);

private:
    struct Active {
        std::uint32_t drag = 0;
        std::vector<VertexWeight> weights{};   ///< of a body with vertices
        std::optional<std::uint32_t> point{};  ///< of a deformable one: among its points in the system
        std::uint32_t block = 0;
        double force_before = 0;  ///< of the last step, N
    };
    bool takes_rows(const BodyRecord& record) const;
    DragPull explicit_pull(const DragRecord& drag, double h) const;
    void push_explicitly(double h);
    double max_impulse(const Active& active, double h) const;

    const WorldSettings& settings_;
    BodyStore& bodies_;
    ConstraintSystem& system_;
    std::vector<DragRecord> records_;
    std::vector<Active> active_;            ///< of the step under way
    std::vector<std::uint32_t> by_stages_;  ///< drags of explicit bodies, in this step
};

}  // namespace plush
