#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "bodies/body.hpp"
#include "bodies/deformable/vertex_script.hpp"
#include "bodies/elements/shape_matcher.hpp"
#include "bodies/integrators/integrator.hpp"
#include "bodies/integrators/position_constraints.hpp"
#include "core/assert.hpp"
#include "plush/bodies/deformable.hpp"

namespace plush {

/// Where a pinned vertex is at a time; linear in between, constant before and after.
struct PinKey {
    double time = 0;  ///< s, of the body's own clock
    Vec3 position{};
};
template <>
inline constexpr bool is_plain_state<PinKey> = true;

/// What a deformable body is made of.
struct DeformableModel {
    std::vector<Vec3> positions{};  ///< m
    std::vector<double> masses{};   ///< kg, above 0
    std::vector<std::unique_ptr<ForceField>> elements{};
    std::vector<Triangle> triangles{};        ///< of its surface, to be drawn and blown at
    std::vector<std::array<int, 2>> edges{};  ///< of a rope, which has no triangles
    /// The pairs of vertices that springs of `stretch` join, or would if it were not 0.
    std::vector<std::array<std::uint32_t, 2>> structure{};
    /// Of each tet of an elastic solid: the element that holds it, and its place there.
    std::vector<std::array<std::uint32_t, 2>> tets{};
};

/// What becomes of a deformable body whose topology changes: for each of its new vertices and tets the old
/// one that it goes on from, and whether a new vertex has the old one's pin.
struct Succession {
    std::span<const std::uint32_t> vertices{}, tets{};
    std::span<const std::uint8_t> pinned{};
};

/// Vertices with masses, elements that act between them, and a surface. See DESIGN: mass-spring systems, and
/// whatever else gives forces to vertices, are element kinds of this one body.
class DeformableBody final : public Body, private MotionSystem {
public:
    DeformableBody(DeformableModel model, const DeformableSettings& settings);

    // -- Body
    /// Where the step cannot be taken (see problem()) the body stays as it is.
    void predict(double h, const Vec3& gravity, RotationMethod rotation) override;
    /// How a step is taken: by Integrator::advance, or by something that takes more care (barriers).
    using Advance = std::function<Result<AdvanceReport>(Integrator&, MotionSystem&, MotionState&, double h,
                                                        const IntegrationSettings&)>;
    void predict(double h, const Vec3& gravity, const Advance& advance);
    // The three parts of predict(), for whoever advances several bodies as one: next() is what it moves.
    void begin_prediction(double h, const Vec3& gravity);
    /// After the prediction: rows act so much later than the step starts, on the way that was predicted, s.
    void advance(double time) { advanced_ = time; }
    void finish_prediction(const AdvanceReport& report);
    void give_up(const Error& error);  ///< the body stays as it is; problem() is the error
    /// Whether its step wants to know the forces of contacts before rows find them: BDF2 goes on with forces otherwise than with
    /// impulses, and Newton iterations lead to another place.
    bool wants_loads() const;
    /// The forces whose impulses change its velocities by so much, as its material answers now, N.
    std::vector<Vec3> loads_that_change(double h, std::span<const Vec3> change);
    void add_loads(std::span<const Vec3> loads);
    /// After the prediction: the impulses h f of the loads are taken back, with the compliance that the body has there.
    void take_back_loads(double h, std::span<const Vec3> loads);
    MotionSystem& system() { return *this; }
    const MotionSystem& system() const { return *this; }
    std::size_t node_count() const override { return state_.x.size(); }
    /// Compliance 1/m for every method; respond() has that of the implicit one.
    Node node(std::size_t i) const override;
    void correct(double h, std::span<const Twist> change) override;  ///< empty: no change
    /// After the correction: so much of the change goes on as a force does, and BDF2's history is from before it.
    void keep_history(std::span<const Twist> change, double part);
    void displace(std::span<const Twist> change) override;
    /// Of a body with a pose: the rigid motion that has its momenta.
    Motion motion() const override { return motion_; }
    Vec3 point_velocity(std::size_t i) const override { return state_.v[i]; }
    const PointSet& points() const override { return points_; }
    std::size_t node_of_point(std::size_t point) const override { return point; }
    /// Only a body that is one cluster has a pose, and may have a distance in the frame of its rest shape.
    const SignedDistance* distance() const override { return distance_.get(); }
    Transform pose() const override { return pose_; }
    Box3 bounds() const override;
    Vec3 common_velocity() const override { return {}; }
    double speed_spread() const override;
    double size() const override { return size_; }
    double thickness() const override { return settings_.radius; }
    double kinetic_energy() const override;
    double gravity_energy(const Vec3& gravity) const override;
    /// With what contact fields of its vertices store.
    double elastic_energy() const override;
    Vec3 momentum() const override;
    Vec3 moment_of_momentum() const override { return angular_momentum(); }
    bool is_finite() const override;
    void visit_state(StateVisitor& v) override;

    // -- measures
    Vec3 angular_momentum() const;  ///< about the world's origin, kg m²/s
    double mass() const { return mass_; }
    Vec3 centre() const;  ///< of mass
    std::span<const Vec3> positions() const { return state_.x; }
    std::span<const Vec3> velocities() const { return state_.v; }
    std::span<const Vec3> next_velocities() const { return next_.v; }  ///< after predict
    /// For what acts after a step without a force: the end of the step that predict() found.
    MotionState& next() { return next_; }
    std::span<const std::uint8_t> pins() const { return pinned_; }  ///< empty, or a byte a vertex
    std::span<const double> masses() const override { return masses_; }
    std::span<const Triangle> triangles() const { return triangles_; }
    std::span<const std::array<int, 2>> edges() const { return edges_; }
    double time() const { return state_.t; }
    // -- after correct(), before anything else moves the body
    std::span<const Vec3> start_velocities() const { return next_.v; }  ///< of the step
    std::span<const Vec3> start_positions() const { return next_.x; }
    double field_energy() const;  ///< of contact fields, J
    struct EnergyLimit {
        bool touches_free = false;
        bool always = false;   ///< also where its motion has not gained
        bool by_rows = false;  ///< rows said what velocities it has: these stay
    };
    /// Takes away what the step gained beyond `work`, J, of contacts and joints, of gravity and of the forces that were added:
    /// out of the deformation, out of its motion, and last out of all motion, which only what touches nothing that is free may
    /// lose.
    void limit_energy(double h, double work, const EnergyLimit& limit);
    /// What a step that is corrected by `change` gives to the body beyond `work`, J, of contacts and joints, beyond gravity and
    /// the forces that were added. Before the correction.
    double gain_by(double h, std::span<const Twist> change, double work) const;
    /// The work of all that is not contact. `elastic` is the change of elastic energy in the step without that of contact
    /// fields. Where the integrator's own part has no formula (steps that do not solve for the forces at their end; shape
    /// matching) it is left out, and `complete` false.
    StepWork work_of_step(double h, double elastic, std::span<const std::uint32_t> attached, bool& complete);
    const AdvanceReport& last_step() const { return report_; }
    /// Why the last predict did not move the body: a step that its method cannot take.
    const std::optional<Error>& problem() const { return problem_; }
    /// s; infinite for implicit Euler, 0 where no step is stable.
    double largest_stable_step() const;

    // -- acting on it
    void pin(std::uint32_t vertex);                                 ///< where it is
    void pin(std::uint32_t vertex, std::vector<PinKey> keyframes);  ///< times rise; not empty
    void unpin(std::uint32_t vertex);
    /// All vertices go where the script says from now on, and nothing else moves them: the body has no energy or momentum of
    /// its own, as scripted bodies have none.
    void follow_script(std::shared_ptr<const VertexScript> script);
    const VertexScript* script() const { return script_.get(); }
    void add_element(std::unique_ptr<ForceField> element);
    /// Vertices (rising, at least one) that keep their shape from now on: that of `rest`, m, one for each.
    void add_clusters(std::span<const std::vector<std::uint32_t>> clusters, std::span<const Vec3> rest,
                      const MatchSettings& settings);
    const ShapeMatcher* matcher() const { return matcher_.get(); }
    /// After a prediction, and after contact has read its velocities: clusters are drawn to their shapes.
    void match(double h);
    /// What others' points are tested against, in the frame of the rest shape. Needs one cluster of all.
    void set_distance(Sdf distance);
    /// After a prediction: an impulse (N s, and N m s about the origin of motion()) on the whole body, which
    /// changes its velocities as if it were rigid.
    void push(const Twist& impulse);
    /// What positions at the end of the step make of a change of its velocities, s: 2h/3 where BDF2 has a history, less where
    /// the body was advanced.
    double position_factor(double h) const;
    // Of a body with a distance, at the end of the step that was predicted:
    const MotionState& after() const { return next_; }
    double after_speed() const;  ///< of its fastest vertex then, m/s
    Transform next_pose() const {
        PLUSH_ASSERT(matcher_ && distance_);
        return matcher_->pose(0, next_.x);
    }
    /// The centre of mass, the rigid motion that has its momenta, and what that takes.
    void measure_next(Vec3& centre, Twist& motion, Mat3& inverse_inertia) const {
        measure(next_, centre, motion, inverse_inertia);
    }
    /// The centre of mass and the inverse inertia of the state before the step.
    void measure_now(Vec3& centre, Mat3& inverse_inertia) const {
        Twist motion;
        measure(state_, centre, motion, inverse_inertia);
    }
    /// Changes velocities by v + ω × r, and places by a small shift and turn.
    void move_next(const Vec3& centre, const Twist& velocity, const Twist& shift);
    /// Those of its triangles; all where it has none.
    std::span<const std::uint32_t> surface_vertices() const { return surface_vertices_; }
    /// For the Verlet methods; the others do not look at them.
    void set_constraints(PositionConstraints constraints) { constraints_ = std::move(constraints); }
    const PositionConstraints& constraints() const { return constraints_; }
    /// Take part in every pass over the constraints; or null.
    void set_obstacles(std::unique_ptr<PositionObstacles> obstacles) { obstacles_ = std::move(obstacles); }
    void set_wind(const Vec3& wind) { settings_.wind = wind; }
    void set_damping(double damping) { settings_.damping = damping; }
    /// The integrator starts anew, as after a change of the step.
    void forget_history() { state_.forget(); }
    void set_integration(const IntegrationSettings& integration);
    const DeformableSettings& settings() const { return settings_; }
    /// Other vertices and elements: those of the model take the place of the first `replaced` elements. Where
    /// vertices and tets come from nowhere (a state that is about to be restored) they are at the origin.
    void remake(DeformableModel model, std::size_t replaced, const Succession& from);
    std::size_t element_count() const { return elements_.size(); }
    void set_parallel(const Parallel* parallel) { parallel_ = parallel; }  ///< must outlive the body; or null
    void move_by(const Vec3& offset);
    /// Of a rigid motion about the centre of mass. Pinned vertices go on as their pins say.
    void set_velocity(const Vec3& velocity, const Vec3& angular_velocity = {});
    /// A vertex that something else moves: its state, without forgetting that of the others.
    void move_attached_vertex(std::uint32_t vertex, const Vec3& position, const Vec3& velocity);
    void set_vertex(std::uint32_t vertex, const Vec3& position, const Vec3& velocity);
    void add_force(const Vec3& force);  ///< in all, shared by mass, for one step
    void add_force(std::uint32_t vertex, const Vec3& force) {
        PLUSH_ASSERT(vertex < forces_.size());
        forces_[vertex] += force;
    }
    std::span<const Vec3> added_forces() const { return forces_; }
    void apply_impulse(const Vec3& impulse);                        ///< in all, shared by mass
    void apply_impulse(std::uint32_t vertex, const Vec3& impulse);  ///< a pinned one stays

    /// change = A⁻¹ impulses with the matrix of the last implicit step, or M⁻¹ impulses for explicit methods.
    /// To the tolerance of the integration, or to the one given.
    SolveReport respond(std::span<const Vec3> impulses, std::span<Vec3> change,
                        std::optional<double> tolerance = {});

    // For ContactCompliance: whether impulses are answered by the matrix of the last step, its factor (null where it
    // has none) and the terms that the factor leaves out.
    bool responds_implicitly() const {
        return is_implicit(settings_.integration.method) && (matrix_.rows() > 0 || half_);
    }
    /// Whether impulses of a whole step may be given to its vertices. An explicit method responds by masses alone: a
    /// vertex that is moved by h Δv, far beyond the stable step, has more elastic energy than it had kinetic one.
    /// Clusters that hold all vertices respond as they do in the step itself; not so Verlet, to whose velocity, a
    /// difference of positions, Δv would count once for each substep.
    bool takes_rows() const;
    const BlockCholesky* factor() { return integrator_.factor(*this); }
    std::span<const RankOneTerm> coupled_terms() const { return integrator_.coupled_terms(); }
    /// The matrix of such a step at other positions, of masses and of those elements alone that always give
    /// the same there. False where there are none.
    bool lasting_matrix(std::span<const Vec3> x, BlockMatrix& out);
    Integrator::Factors matrix_factors() const { return integrator_.factors(); }
    std::span<const std::uint8_t> pinned_vertices() const { return pinned_; }
    /// Of a body with a matrix, as lasting_matrix() leaves it.
    std::span<const std::uint32_t> neighbours(std::uint32_t vertex) const {
        PLUSH_ASSERT(vertex < matrix_.rows());
        return matrix_.columns(vertex);
    }
    bool has_matrix() const { return matrix_.rows() == state_.x.size(); }
    const Parallel& threads() const { return parallel(); }
    std::span<const double> inverse_masses() const { return inverse_masses_; }  ///< 0 for pinned ones
    // The vectors behind positions(), velocities(), masses() and triangles(), for who shows their memory beyond the next
    // change (python/src/world.hpp): before a change it takes the vector and leaves a copy in its place.
    std::vector<Vec3>& position_memory() { return state_.x; }
    std::vector<Vec3>& velocity_memory() { return state_.v; }
    std::vector<double>& mass_memory() { return masses_; }
    std::vector<Triangle>& triangle_memory() { return triangles_; }
    /// Changes whenever a vertex moves, but for a state that is restored.
    std::uint64_t version() const { return version_; }

private:
    struct Pin {
        std::uint32_t vertex = 0;
        std::vector<PinKey> keyframes{};
    };
    friend void visit_state(StateVisitor& v, DeformableBody::Pin& pin);
    static Vec3 position_at(const Pin& pin, double time);
    void aim_pins(double h);
    void mark_pins();
    void mark_pin(std::uint32_t vertex, bool pinned);
    std::vector<Pin>::iterator pin_place(std::uint32_t vertex);
    void choose_newton();
    void moved();  ///< what follows from the state
    void measure(const MotionState& state, Vec3& centre, Twist& motion, Mat3& inverse_inertia) const;
    double material_energy(std::span<const Vec3> x) const;
    double shrink_deformation(double most);
    template <class F>
    void each_blown_corner(std::span<const Vec3> x, F&& f) const;

    // -- MotionSystem
    std::span<const std::uint8_t> pinned() const override { return pinned_; }
    void forces(std::span<const Vec3> x, std::span<const Vec3> v, double t, std::span<Vec3> f) override;
    void add_stiffness(std::span<const Vec3> x, StiffnessBounds bounds) const override;
    double least_damping() const override { return settings_.damping; }
    void limit_friction(double part) override;
    BlockMatrix& matrix() override;
    HalfMatrix* half_matrix(double k, double b) override;
    bool covers_matrix() const override { return !elements_.empty() && elements_.front()->covers_matrix(); }
    void add_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, double t,
                         Linearisation& out) override;
    void linearise(std::span<const Vec3> x, std::span<const Vec3> v, double t, std::span<Vec3> f,
                   Linearisation& out) override;
    bool agrees_at(const ExpectedEnd& end) override;
    double potential(std::span<const Vec3> x) const override;
    void start_forces(std::span<const Vec3> v, std::span<Vec3> f) const;
    void add_wind(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f) const;
    void add_outer_derivatives(std::span<const Vec3> x, Linearisation& out) const;
    bool constrain(std::span<Vec3> x, std::span<Vec3> before, double t, double h) override;
    const Parallel& parallel() const override;

    DeformableSettings settings_;
    std::vector<double> masses_;
    double mass_ = 0, size_ = 0;
    std::vector<std::unique_ptr<ForceField>> elements_;
    std::vector<Triangle> triangles_;
    std::vector<std::array<int, 2>> edges_;
    std::vector<std::array<std::uint32_t, 2>> tet_places_;  ///< see DeformableModel::tets
    MotionState state_, next_;
    std::vector<Vec3> forces_;       ///< of the user, for one step
    std::vector<Vec3> last_forces_;  ///< those of the last step
    std::vector<Pin> pins_;          ///< by vertex
    std::vector<std::uint8_t> pinned_;
    std::vector<double> inverse_masses_;  ///< 0 for pinned ones
    std::shared_ptr<const VertexScript> script_;
    PositionConstraints constraints_;
    std::unique_ptr<PositionObstacles> obstacles_;
    std::unique_ptr<ShapeMatcher> matcher_;
    Sdf distance_;
    Transform pose_{};
    Motion motion_{};
    Mat3 inverse_inertia_{};  ///< about the centre, of a body with a pose
    std::vector<std::uint32_t> surface_vertices_;
    Vec3 gravity_{};
    double advanced_ = 0;  ///< s, of the step under way
    PointSet points_;
    BlockMatrix matrix_;              ///< made when it is first asked for
    std::optional<HalfMatrix> half_;  ///< the same; empty where there is none
    Integrator integrator_;
    AdvanceReport report_{};
    std::optional<Error> problem_{};
    std::uint64_t version_ = 0;
    const Parallel* parallel_ = nullptr;
};

}  // namespace plush
