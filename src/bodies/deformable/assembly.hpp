#pragma once

#include <optional>

#include "bodies/deformable/deformable_body.hpp"
#include "core/assert.hpp"

// Deformable bodies and the rigid bodies that some of their vertices are attached to, advanced as one system. An attached
// vertex has no freedom of its own: with r = x − c, the arm about the rigid body's centre,
//
//     v = V + ω × r = J (V, ω),     J = (1, −[r]×),
//
// so the equations of the vertices that are free and of (V, ω) are those of all vertices, pulled back by J:
//
//     (V, ω) feels  (F + Σ f, T + Σ r × f),     its matrix is  diag(M, I) + Σ Jᵀ A J,
//
// with V and ω as two more points of the system. Implicit Euler solves them with the vertices: a heavy body
// on a stiff rope is as stable as the rope alone. Explicit methods get the accelerations that the pulled-back
// mass matrix gives, in every stage.
//
// A load f on an arm resists turning: δ(r × f) = (δθ × r) × f. The symmetric part of that has the
// eigenvalues |r||f| (cos φ − 1)/2, (cos φ + 1)/2 and cos φ, φ the angle from r to f; those that would push
// on are left out of K (load_stiffness). A thin rod that carries much needs it. The gyroscopic torque is no
// part of this: it is the rigid body's own.

namespace plush {

/// A rigid body as the vertices that are attached to it know it.
struct AttachedBody {
    Vec3 centre{};     ///< of mass, m
    Twist velocity{};  ///< at the start of the step
    double mass = 0;
    Mat3 inertia{};          ///< about the centre, along the world's axes
    Vec3 force{}, torque{};  ///< what else acts on it in this step: N, N m
    Twist impulse{};         ///< what the vertices gave it in the step: N s, N m s about the centre
};

struct AttachedVertex {
    std::uint32_t body = 0, vertex = 0, attached_body = 0;  ///< places in the lists of an Assembly
};

/// What keeps a body with these settings from sharing a step with free rigid bodies; none where nothing does.
std::optional<Error> why_not_attached(const IntegrationSettings& settings);

class Assembly final : private MotionSystem {
public:
    /// The bodies must outlive it, and keep their elements.
    Assembly(std::vector<DeformableBody*> bodies, std::size_t attached_bodies,
             std::vector<AttachedVertex> attached, const Parallel& parallel);

    /// Looks at the state that a step starts from, forces included: before anything counts those of the step.
    void begin(double h, const Vec3& gravity, std::span<AttachedBody> attached_bodies);
    /// What Body::predict does, for all of them; gives each rigid body its impulse. Where the step cannot be
    /// taken each body's problem() says why, and none has moved.
    void predict(double h);

    std::span<DeformableBody* const> bodies() const { return bodies_; }

private:
    /// A block of a body's matrix with an attached vertex in its row, its column or both.
    struct AttachedBlock {
        std::uint32_t slot = 0;
        std::uint32_t row = 0, column = 0;  ///< of the system
    };
    struct Part {
        std::size_t first = 0;               ///< row of the body's first vertex
        std::vector<std::uint32_t> targets;  ///< the system's slot of each of its blocks; none where attached
        std::vector<AttachedBlock> attached;
        std::vector<const EdgeMatrix*> edges;  ///< of its springs
        std::vector<std::uint32_t>
            edge_targets;  ///< the system's slot of each end's block; none where attached
    };
    static constexpr std::uint32_t none = 0xffffffffu;

    std::size_t rows() const { return attached_to_.size(); }
    std::size_t velocity_row(std::size_t attached_body) const { return vertices_ + 2 * attached_body; }
    std::size_t spin_row(std::size_t attached_body) const { return vertices_ + 2 * attached_body + 1; }
    template <class T>
    std::span<T> part(std::span<T> all, std::size_t body) const {
        PLUSH_ASSERT(parts_[body].first + bodies_[body]->positions().size() <= all.size());
        return all.subspan(parts_[body].first, bodies_[body]->positions().size());
    }
    void make_pattern();
    void gather(double h);
    Result<AdvanceReport> advance(double h);
    void hand_out(const AdvanceReport& report);
    void accelerate_attached(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f) const;
    void add_edges(const Part& part);
    void add_block(std::size_t row, std::size_t column, const Mat3& block);
    void look_at_loads();
    template <class Ask>
    void pull_back(std::span<const Vec3> v, Linearisation& out, Ask&& ask);
    void pull_back_terms(std::vector<RankOneTerm>& terms, std::size_t body, std::vector<RankOneTerm>& out);

    // -- MotionSystem
    std::span<const double> masses() const override { return masses_; }
    std::span<const std::uint8_t> pinned() const override { return pinned_; }
    void forces(std::span<const Vec3> x, std::span<const Vec3> v, double t, std::span<Vec3> f) override;
    void add_stiffness(std::span<const Vec3> x, StiffnessBounds bounds) const override;
    double least_damping() const override;
    void limit_friction(double part) override;
    BlockMatrix& matrix() override { return matrix_; }
    void add_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, double t,
                         Linearisation& out) override;
    void linearise(std::span<const Vec3> x, std::span<const Vec3> v, double t, std::span<Vec3> f,
                   Linearisation& out) override;
    bool agrees_at(const ExpectedEnd& end) override;
    ExpectedEnd part_of(const ExpectedEnd& end, std::size_t b) const;
    const Parallel& parallel() const override { return parallel_; }

    std::vector<DeformableBody*> bodies_;
    std::vector<AttachedVertex> attached_;
    std::vector<std::size_t> attached_rows_;  ///< of the system, beside attached_
    const Parallel& parallel_;
    std::vector<Part> parts_;
    std::size_t vertices_ = 0;
    std::vector<std::uint32_t> attached_to_;  ///< of each row; `none` where it is free
    std::vector<double> masses_;
    std::vector<std::uint8_t> pinned_;
    bool implicit_ = false;
    std::span<AttachedBody> attached_bodies_;  ///< of the step under way
    MotionState state_;                        ///< the same
    std::vector<Vec3> arms_;                   ///< of each row at its start
    std::vector<Vec3> loads_;                  ///< the force on each row then
    BlockMatrix matrix_;
    std::vector<std::vector<Vec3>> pulled_back_;  ///< the vectors of dense terms
    Integrator integrator_;
};

}  // namespace plush
