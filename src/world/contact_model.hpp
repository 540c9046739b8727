#pragma once

#include "geometry/mesh/function_ref.hpp"
#include "world/constraint_system.hpp"
#include "world/step_context.hpp"

// One way in which bodies touch. A step runs over a list of these (contact_models.hpp): a new one is a class and a line
// there. Most of them make rows; those of vertices and tets push bodies around their prediction.

namespace plush {

/// What is wanted of contacts after the bodies were moved.
struct Redetection {
    bool after_pass = false;          ///< of the position phase; else at the end of the step
    std::span<const char> displaced;  ///< bodies that the pass has moved
};

/// Rows of a pass of the position phase, which push bodies apart.
struct PositionRows {
    ConstraintSystem& system;
    bool soft_as_rigid = false;  ///< deformable bodies are moved as wholes
    /// One for each block: whether its island must be moved at all.
    std::vector<char> urgent{};
};

/// A contact of the step, as the user reads it, but for its bodies.
struct ContactRecord {
    std::uint32_t a = 0, b = 0;
    Contact contact{};
};

class Impacts;

using PairVisitor = FunctionRef<void(std::uint32_t i, std::uint32_t j)>;

class ContactModel {
public:
    virtual ~ContactModel() = default;

    // -- detection
    /// Before pairs are found.
    virtual void begin_step(const StepContext&) {}
    /// Bounds of a body that reach beyond those of its vertices, where this model knows of any.
    virtual void grow_bounds(std::uint32_t, Box3&) const {}
    /// Takes a pair that the broad phase found near, where the pair touches in this way. Models that stand later in the
    /// list choose first.
    virtual bool claim(std::uint32_t, std::uint32_t) { return false; }
    /// Contacts where the step starts, between the pairs that were claimed.
    virtual void detect(const StepContext&) {}
    /// After bodies that are touched were woken.
    virtual void detect_awake(const StepContext&) {}
    /// After bodies were advanced to their impacts: contacts of these there.
    virtual void detect_impacts(const StepContext&, const Impacts&) {}
    /// Contacts where the predicted motion takes the bodies.
    virtual void detect_speculative(const StepContext&) {}
    /// After a solve, with the bodies expected where it takes them: contacts there. True where the rows of this step
    /// must be made of those instead.
    virtual bool refine_speculative(const StepContext&, const ConstraintSystem&) { return false; }
    /// The contacts of now.
    virtual void redetect(const StepContext&, const Redetection&) {}

    // -- impulses around the prediction of deformable bodies
    virtual void push_before_prediction(const StepContext&) {}
    virtual void push_after_prediction(const StepContext&) {}

    // -- rows
    virtual void add_constraint_nodes(ConstraintSystem&, bool /*positions*/) {}
    virtual void add_velocity_rows(const StepContext&, ConstraintSystem&) {}
    virtual void add_position_rows(const StepContext&, PositionRows&) {}

    // -- what comes of it
    /// After the solve: the contacts of the step with their forces, and what the next step starts from.
    virtual void report(const StepContext&, const ConstraintSystem&, std::vector<ContactRecord>&) {}
    /// After the correction: adds the work of impulses that are no rows.
    virtual void account(const StepContext&, const ConstraintSystem&, EnergyLedger&) {}
    /// After the step has ended.
    virtual void end_step(const StepContext&) {}
    /// Overlap left, m.
    virtual double largest_depth() const { return 0; }
    /// How many times the allowed depth the deepest contact of a deformable body has.
    virtual double largest_soft_excess() const { return 0; }
    /// Pairs that wake and sleep together.
    virtual void each_linked_pair(PairVisitor) const {}
    /// Pairs that touch, for events.
    virtual void each_touching_pair(PairVisitor) const {}

    // -- state
    virtual void forget_body(std::uint32_t) {}
    /// Another state was restored: contacts must be found again.
    virtual void forget_contacts() {}
    virtual void visit_state(StateVisitor&) {}
    /// Whether what was restored is in order, and every index of it has its body: a damaged snapshot may hold anything.
    virtual bool is_consistent() const { return true; }
};

}  // namespace plush
