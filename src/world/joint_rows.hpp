#pragma once

#include "world/constraint_system.hpp"
#include "world/joint_store.hpp"

// The part of joints in a step: their rows, and the aim at where they shall be when it ends.

namespace plush {

class JointRows {
public:
    JointRows(BodyStore& bodies, JointStore& joints, ConstraintSystem& system)
        : bodies_(bodies), joints_(joints), system_(system) {}

    /// Before the prediction: inertia against turning for light links in taut chains.
    void add_geometric_stiffness(double h);
    /// Jointed vertices of deformable bodies.
    void add_constraint_nodes();
    /// Before any other rows.
    void add_velocity_rows(double h);
    /// Solves an island, and again where its joints would miss their aim at the end of the step.
    SweepReport solve_island(std::span<const std::uint32_t> blocks, const SolverSettings& solver, double h);
    /// Before any other rows; marks those of joints that gape. Joints that are projected are kept as they are.
    void add_position_rows(std::span<const char> projected, std::vector<char>& urgent);
    /// Solves the position rows of an island, damped where its joints contradict each other.
    SweepReport solve_position_island(std::span<const std::uint32_t> blocks, const SolverSettings& solver);
    /// After the last velocity solve of the step: what each joint gave.
    void keep_accounts();
    /// After the velocity solve: the forces of all joints.
    void report(double h);
    bool is_motor(std::size_t block) const { return rows_[block].role == JointRole::motor; }

private:
    JointSide side(const JointRecord::End& end) const;
    JointSides sides(const JointRecord& joint) const { return {side(joint.a), side(joint.b)}; }
    /// Where the velocities take it.
    Transform pose_after(const JointRecord::End& end, double h) const;
    double aim(std::span<const std::uint32_t> blocks, double h);
    SweepReport aim_island(IslandSolver& solver, std::span<const std::uint32_t> jointed, SweepReport total,
                           const SolverSettings& settings, double h);
    /// The work of a joint's rows in this step, and the energy that it may have gained.
    struct Work {
        std::uint32_t joint;
        double done = 0, allowed = 0;
        bool released = false;
        bool final = false;  ///< all joints of the island are released
    };
    bool gives_too_much(std::span<const Work> works) const;
    bool choose_released(std::span<Work> works, bool last) const;
    void keep_accounts(std::span<const Work> works);
    std::vector<Work> joints_of(std::span<const std::uint32_t> blocks) const;
    void measure_work(std::span<const std::uint32_t> blocks, std::vector<Work>& works) const;
    template <class Velocity>
    double relative_energy(const JointRecord& joint, const Velocity& velocity) const;
    /// The blocks of joints; they come first.
    std::span<const std::uint32_t> joint_blocks(std::span<const std::uint32_t> blocks) const;
    /// Where the displacements of a position solve take it.
    Transform pose_displaced(const JointRecord::End& end) const;
    struct GapSquares;
    GapSquares gap_squares(std::span<const std::uint32_t> blocks, std::span<const double> compliance) const;

    BodyStore& bodies_;
    JointStore& joints_;
    ConstraintSystem& system_;
    std::vector<JointRow> rows_;      ///< one for each block of a joint
    std::vector<char> all_released_;  ///< by joint: whether all of its island are
};

}  // namespace plush
