#pragma once

#include "bodies/deformable/contact_compliance.hpp"
#include "contact/solver/block_solver.hpp"
#include "contact/solver/islands.hpp"
#include "contact/volume/volume_contact.hpp"
#include "world/attachments.hpp"
#include "world/expected_motion.hpp"
#include "world/step_context.hpp"

// The equations of one solve: nodes with their velocities, rows between them, and islands of rows that are coupled.
// A step has one system for velocities and one for each pass of the position phase. It is filled in this order:
//
//     begin                     nodes of rigid bodies and particles
//     add_vertex, add_contact   requests for constraint nodes of deformable bodies
//     add_constraint_nodes      these nodes, and the compliance W = G A⁻¹ Gᵀ between those of one body
//     rows()                    joints first, then contacts
//     solve                     every island on its own
//
// A constraint node is a velocity of a deformable body that rows see: that of a jointed vertex, or the part of the
// body in a volume contact. It has up to three components; those of one body respond together, by its compliance.

namespace plush {

/// What a vertex adds to a velocity that rows see, Σ part · v.
struct VertexPart {
    std::uint32_t vertex = 0;
    Mat3 part{};
};

/// The nodes of one body.
struct BodyNodes {
    std::optional<std::uint32_t> first_node{};  ///< of rigid bodies and particles
    // Of a deformable body: the constraint nodes, those of jointed vertices first, then points, then contacts.
    std::vector<std::uint32_t> jointed_vertices{};  ///< rising
    std::vector<std::vector<VertexPart>> points{};  ///< of its surface, each a sum over vertices
    struct ContactSide {
        VolumeContact* contact;
        std::uint8_t side;
    };
    std::vector<ContactSide> contacts{};
    bool touches_itself = false;  ///< one of the contacts is of the body with itself
    bool nodal = false;  ///< the points are many single vertices, of which each responds alone at first
    std::uint32_t first_constraint_node = 0;
    std::vector<std::uint8_t> rows_of_node{};
    std::vector<std::uint32_t> first_row_of_node{};  ///< in the compliance
    std::vector<Vec3> errors{};  ///< of an approximate compliance: by which velocities of nodes are wrong
    std::unique_ptr<ContactCompliance> compliance{};
};

/// Solves the blocks of an island, from the velocities as they are.
using SolveIsland = std::function<SweepReport(std::span<const std::uint32_t> blocks)>;

class ConstraintSystem {
public:
    ConstraintSystem(const WorldSettings& settings, BodyStore& bodies, const Attachments& attachments,
                     const ExpectedMotion& expected)
        : settings_(settings), bodies_(bodies), attachments_(attachments), expected_(expected) {}

    // -- nodes
    /// Returns the number of bodies that are awake.
    int begin();
    void add_vertex(std::uint32_t body, std::uint32_t vertex);
    /// A point that vertices of a deformable body awake carry, each of them once; its number for node_of_point().
    std::uint32_t add_point(std::uint32_t body, std::span<const VertexWeight> weights);
    /// The same where a vertex counts by a matrix.
    std::uint32_t add_point(std::uint32_t body, std::vector<VertexPart> parts);
    /// The contact's sides that are deformable bodies awake; it must stay where it is until the solve is done.
    void add_contact(VolumeContact& contact);
    /// `as_rigid`: bodies that nothing else holds respond as if they were rigid.
    void add_constraint_nodes(const Parallel& parallel, std::uint8_t contact_rows, bool as_rigid);
    /// u* of all nodes, or nothing where they stand for displacements.
    void start_velocities(bool displacements);

    std::span<const Node> nodes() const { return nodes_; }
    std::span<Twist> velocities() { return velocities_; }
    std::span<const Twist> velocities() const { return velocities_; }
    /// The velocities that lead to where bodies are expected, of all nodes.
    std::vector<Twist> expected_velocities() const;
    const BodyNodes& of(std::uint32_t body) const { return of_body_[body]; }
    std::optional<std::uint32_t> first_node(std::uint32_t body) const { return of_body_[body].first_node; }
    std::uint32_t body_of_node(std::uint32_t node) const { return body_of_node_[node]; }
    /// BDF2 takes an impulse λ in two ways. As a blow, which moves its history along: Δv = A⁻¹ λ, v_before += Δv. Or as a force
    /// λ/h that goes on, of which the step has h̃/h: Δv = (h̃/h) A⁻¹ λ, and the rest follows from its history. Both give λ to the
    /// momentum M (3 v − v_before)/2, which is what the method keeps. Taken as blows, loads that go on squash a body by half as
    /// much again as they should. The part s that goes on: θ of ExpectedMotion, and all of it where the load has at most doubled.
    double going_on(std::uint32_t body) const;
    double impulse_factor(std::uint32_t body) const;  ///< 1 − s + s h̃/h; 1 for all other bodies
    double lasting_part(std::uint32_t body) const;    ///< of Δv, that BDF2's history knows nothing of
    /// Whether vertices of the body are attached to another one.
    bool is_attached(std::uint32_t body) const { return !attachments_.of(body).empty(); }
    /// What the impulse of a block gives to the body of one of its entries, about the world's origin.
    Momentum impulse_of(const Entry& entry, const Vec3& impulse) const;
    /// λ·w̄, the work of a block in the velocity solve: w̄ is the mean of its velocities before and after, given motion
    /// included.
    double work_of(const Block& block) const;
    /// What all rows of the velocity solve did to each body, J.
    std::vector<double> work_on_bodies() const;
    std::optional<std::uint32_t> node_of_vertex(std::uint32_t body, std::uint32_t vertex) const;
    std::uint32_t node_of_point(std::uint32_t body, std::uint32_t point) const;
    /// Of a constraint node of this body: by how much a unit impulse at it changes its own velocity, at most, 1/kg.
    double largest_compliance(std::uint32_t body, std::uint32_t node) const;
    Side side(std::uint32_t body) const { return {bodies_[body].body.get(), first_node(body)}; }

    // -- rows
    void clear_rows() { rows_.clear(), bounces_.clear(), joint_blocks_ = 0; }
    Rows& rows() { return rows_; }
    const Rows& rows() const { return rows_; }
    /// All blocks up to here are those of joints.
    void end_joint_blocks() { joint_blocks_ = rows_.blocks.size(); }
    std::size_t joint_blocks() const { return joint_blocks_; }
    /// A contact that bounces is moved by so much along its normal at the end of the step, if it pushes: to where a
    /// bounce at the moment of impact would have taken it, m.
    struct Bounce {
        std::uint32_t block;
        double shift;
    };
    void add_bounce(std::uint32_t block, double shift) {
        if (shift != 0) bounces_.push_back({block, shift});
    }
    std::span<const Bounce> bounces() const { return bounces_; }

    // -- solving
    /// Those with at least one block that is marked; all where none is asked for.
    std::vector<std::uint32_t> build_islands(std::span<const char> marked_blocks = {});
    /// Solves these islands until the true motion of all their bodies obeys the laws to the tolerance.
    void solve(const StepContext& step, std::span<const std::uint32_t> islands, const SolverSettings& solver,
               double tolerance, const SolveIsland& solve_island);
    /// One island, after its biases have changed.
    void solve_again(const StepContext& step, std::uint32_t island, const SolverSettings& solver,
                     const SolveIsland& solve_island);
    /// Rows, velocities and islands, for a solve in between.
    struct Saved {
        std::vector<Block> blocks;
        std::vector<Entry> entries;
        std::vector<Twist> velocities;
        std::vector<SweepReport> reports;
    };
    Saved save() const { return {rows_.blocks, rows_.entries, velocities_, island_reports_}; }
    void restore(const Saved& saved);
    /// How the blocks of an island are solved: not to the end where bodies respond vertex by vertex.
    SolverSettings solver_for(std::span<const std::uint32_t> blocks, SolverSettings settings) const;
    std::size_t island_count() const { return islands_.size(); }
    std::span<const std::uint32_t> island_blocks(std::size_t island) const { return islands_.blocks(island); }
    std::span<const SweepReport> island_reports() const { return island_reports_; }
    /// The residual of an island, with the bodies of its first block.
    WorstCase worst_case(std::size_t island) const;

    // -- what comes of it
    std::vector<Twist> velocity_change(std::uint32_t body) const;  ///< of its own nodes, or of all vertices
    std::vector<Twist> displacement(std::uint32_t body) const;

    /// A cut has made another body of it.
    void forget_rest_shape(std::uint32_t body);
    void forget_body(std::uint32_t body) { of_body_.reset(body); }

private:
    friend class ComplianceIteration;
    void add_groups(std::span<const std::uint32_t> bodies);
    void measure_compliance(std::uint32_t body, bool as_rigid);
    bool wants_approximation(std::uint32_t body) const;
    bool is_nodal(std::uint32_t body) const;
    std::span<NodeGroup> groups_of(const BodyNodes& nodes);
    void copy_compliance(const BodyNodes& nodes);
    std::vector<double> impulses_on(const BodyNodes& nodes) const;
    std::vector<Twist> vertex_changes(std::uint32_t body) const;

    const WorldSettings& settings_;
    BodyStore& bodies_;
    const Attachments& attachments_;
    const ExpectedMotion& expected_;
    ByBody<BodyNodes> of_body_;
    std::vector<Node> nodes_;
    std::vector<std::uint32_t> body_of_node_;
    std::vector<Twist> velocities_;  ///< of the nodes: u* before the solve, u after
    Rows rows_;
    std::size_t joint_blocks_ = 0;
    std::vector<Bounce> bounces_;
    Islands islands_;
    std::vector<SweepReport> island_reports_;  ///< of the last solve
};

}  // namespace plush
