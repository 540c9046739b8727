#pragma once

#include <vector>

#include "bodies/elements/force_field.hpp"
#include "contact/derived.hpp"
#include "contact/fields/obstacle.hpp"
#include "contact/fields/surface_law.hpp"
#include "plush/bodies/integration.hpp"

// Contact as a force field: the vertices of a system against the surfaces of obstacles. At the gap
// d = φ(x) − radius with the normal n = ∇φ, and the velocity u = v − w against the obstacle's surface,
//
//     f = p n + friction(μ p, u),      p = f(d) (1 − c n·u) but never below 0
//     −K = f'(d) (1 − c n·u) n nᵀ,     −B = c f(d) n nᵀ + friction's
//
// f(d) is one of the laws of surface_law.hpp; c, the dissipation, is that of Hunt & Crossley (Coefficient of
// restitution interpreted as damping in vibroimpact, 1975): it starts from nothing and never pulls. Left out
// of K, for −K and −B to be symmetric and positive semidefinite: how the normal turns (−p ∇n), and how
// friction follows p. Both vanish on planes without friction.
//
// Which p friction sees. Explicit methods: that of the moment. Implicit Euler meets a stiff law at a depth of
// up to h v, where p is many times what the solve leaves of it: friction with it would stop any impact dead.
// It takes the p with which a free vertex of mass m under the load L would end the step,
//
//     (f(d) + r L)/(1 + r),     r = h² f'(d)/m,     d at x + h v
//
// (barriers, which are felt at x: f(d) − h f'(d) n·u in place of f(d)), where L is what pressed this vertex on this obstacle in the step before, its weight or the pull of its
// neighbours: the contact's force less m Δv/h along n. At rest that is p itself; for a soft law too. Only the
// linearisation that such a step begins with extrapolates like this. Forces alone, and a linearisation for
// more Newton iterations (Linearisation::full), are asked for at the end of the step so far, where what acts
// is what is there: an extrapolation from there would see the step after, and with a derivative that the matrix
// does not have.
//
// Near rest friction is a strong brake, 2 μ p/v₀, and p of a vertex in an impact may be a thousand times its weight: explicit
// methods would need 10⁵ substeps. Where they would need more than they may take, it is limited to the substep τ instead
// (limit_friction): v₀ rises to 2 μ p τ/(s m), so that a substep takes the fraction s of a slow slide at most. It still never
// drives, and as τ → 0 it is the law again.
//
// Implicit steps feel penalties where they end, and are solved again as long as that is not where it was expected
// (surface_touches.cpp; docs/methods.md, "Where an implicit step feels contact"). Free obstacles yield: each touch has a
// share of their mass.
//
// An obstacle that moves makes f depend on time too: implicit Euler takes K (v − w) where it would take K v.
//
// What the obstacles get is minus what the vertices got, contact by contact. Between begin_step() and
// finish_step() each evaluation is kept, and the method's own weights are applied to them:
//
//     explicit Euler, semi-implicit, both Verlet   h f          (Verlet's momentum is that of (x' − x)/h)
//     midpoint                                     h f of the second evaluation
//     Runge-Kutta 4                                h (f₁ + 2 f₂ + 2 f₃ + f₄)/6
//     implicit Euler                               h (f + h K (v' − w) + B (v' − v)), the linearised force

namespace plush {

/// A vertex that feels a surface.
struct SurfaceTouch {
    std::uint32_t vertex = 0;
    std::uint32_t obstacle = 0;  ///< its place in the list of obstacles
    double gap = 0;              ///< m; negative inside
    Vec3 normal{};               ///< out of the obstacle
    Vec3 force{};                ///< on the vertex, N
    Vec3 point{};                ///< where the vertex was: the force acts there on both, m
    Vec3 arm{};                  ///< of that point about the origin of the obstacle's motion, m
    Vec3 surface_velocity{};     ///< w, m/s
    Vec3 reference{};      ///< the force is for this velocity of the vertex, and changes from there, m/s
    double stiffness = 0;  ///< −K = stiffness n nᵀ, N/m
    Mat3 damping{};        ///< −B, kg/s
    double approach = 0;   ///< n·v of the end that the gap was expected for, m/s

    /// Of a vertex with the velocity v: k K + b B, and K (v − reference).
    void add_derivatives(double k, double b, const Vec3& v, Mat3& external, Vec3& product) const;
};

/// What presses a vertex on an obstacle, apart from its own motion.
struct SurfaceLoad {
    std::uint32_t vertex = 0;
    std::uint32_t obstacle = 0;  ///< the caller's name for it
    double load = 0;             ///< N
};
template <>
inline constexpr bool is_plain_state<SurfaceLoad> = true;

/// What is asked of points: forces for x and v; or, of an implicit step that is expected to end there, forces that
/// are linear about its start x_start, v_start.
struct SurfaceQuery {
    std::span<const Vec3> x, v;
    std::span<const Vec3> x_start{}, v_start{};
    const ExpectedEnd* end = nullptr;
    bool first_linearisation = false;  ///< of an implicit step
};

class SurfaceField final : public ForceField {
public:
    explicit SurfaceField(const SurfaceSettings& given) : as_given_(given), settings_(resolved(given, {})) {}
    ForceKind force_kind() const override { return ForceKind::contact; }

    /// For the step that starts at time t0 (s, of whatever clock set_time is given). Forgets all impulses.
    void set_obstacles(std::vector<Obstacle> obstacles, double t0);
    /// How many fields have each obstacle, by its name.
    void share_obstacles(std::span<const double> sharers) {
        for (Obstacle& o : obstacles_) o.sharers = sharers[o.index];
    }
    void set_settings(const SurfaceSettings& given);  ///< before the obstacles of a step
    /// What the settings that are left open follow from; before the obstacles of a step too.
    void set_scale(const BodyScale& scale);
    /// A ball around each vertex, m; empty: none. The largest decides how far culling reaches.
    void set_radii(std::vector<double> radii);
    /// Vertices that feel nothing, since they belong to something else: a byte a vertex; empty: none.
    void set_exempt(std::vector<std::uint8_t> exempt) { exempt_ = std::move(exempt); }
    /// Moves the obstacles to where they are at time t. A system calls it before it asks for forces.
    void set_time(double t) override;

    const SurfaceSettings& settings() const { return settings_; }  ///< with nothing left open
    const SurfaceSettings& as_given() const { return as_given_; }
    std::span<const Obstacle> obstacles() const { return obstacles_; }
    std::span<const PosedObstacle> posed() const { return posed_; }
    double radius(std::size_t vertex) const { return radii_.empty() ? 0 : radii_[vertex]; }
    double largest_radius() const { return largest_radius_; }
    double start_time() const { return t0_; }

    // -- ForceField. The impulse law has no forces: see project().
    void add_forces(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                    const Parallel& parallel) override;
    double energy(std::span<const Vec3> x) const override;
    void add_pattern(BlockPattern&) const override {}
    void bind(const BlockMatrix&) override {}
    void add_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, Linearisation& out,
                         const Parallel& parallel) override;
    void add_forces_and_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                                    Linearisation& out, const Parallel& parallel) override;
    /// A penalty counts for every vertex, since any may touch within the step; a barrier as if the gap were
    /// halved, which is as near as the guard lets a step come.
    void add_stiffness(std::span<const Vec3> x, StiffnessBounds bounds) const override;

    bool agrees_at(const ExpectedEnd& end, const Parallel& parallel) override;
    void limit_friction(double part, std::span<const double> masses) override;

    // -- for a surface of which only parts are known: other points are out of reach
    /// What `points`, in any order, feel at x[point] with v[point]: by point, then in the order of the
    /// obstacles. Valid until the next evaluation. `out` is what it is for; none: forces alone.
    std::span<const SurfaceTouch> find(std::span<const std::uint32_t> points, const SurfaceQuery& query,
                                       const Parallel& parallel);
    /// agrees_at() for those points: what find() says of them at the end.
    bool agrees(std::span<const std::uint32_t> points, std::span<const Vec3> x, std::span<const Vec3> v,
                const ExpectedEnd& end);
    /// Whether contact is felt where an implicit step ends: barriers are not, their guard would not let it end there.
    bool looks_ahead() const { return !is_barrier(settings_.law); }
    /// What forces (null), or this linearisation, ask of all points.
    SurfaceQuery query_of(std::span<const Vec3> x, std::span<const Vec3> v, const Linearisation* out) const;
    /// Of the last linearisation about an expected end.
    std::span<const SurfaceTouch> given() const { return given_; }
    /// Keeps what find() found as add_forces() keeps its own.
    void record_found();
    /// Adds what one point at p has to the energy, J.
    void add_energy(std::size_t point, const Vec3& p, double& sum) const;
    /// Whether any obstacle may reach into the box.
    bool may_reach(const Box3& box) const;

    // -- what happened in a step
    /// Evaluations are kept from here on; those of an unfinished step are dropped.
    void begin_step(const IntegrationSettings& integration, double h, std::span<const double> masses);
    /// What was kept since then.
    std::span<const SurfaceTouch> recorded() const { return recorded_; }
    /// Adds to the impulses what this step, in equal parts, gave to the vertices.
    void finish_step(std::span<const Vec3> v_before, std::span<const Vec3> v_after);
    /// The law, and the loads of the last step, which friction remembers.
    void visit_state(StateVisitor& v) override;
    /// After a step: obstacles are here (one pose for each), which the energy is asked for.
    void set_end_poses(std::span<const Transform> poses);
    /// Something else that pushed a vertex at `point` with `impulse` (N s), and the obstacle the other way.
    void add_impulse(std::size_t obstacle, const Vec3& point, const Vec3& impulse);
    /// The same, already summed: one for each obstacle.
    void add_impulses(std::span<const Twist> received);
    /// Of each obstacle since set_obstacles(): N s, and N m s about the origin of its motion.
    std::span<const Twist> impulses() const { return impulses_; }
    /// Of the last evaluation of the last step; with implicit Euler the force is the linearised one.
    std::span<const SurfaceTouch> touches() const { return touches_; }
    /// Of who has put vertices on surfaces in the field's place: see surface_projection.hpp.
    void set_touches(std::vector<SurfaceTouch> touches) { touches_ = std::move(touches); }

    /// For steps that were taken without this field: what it would feel now becomes the touches.
    void feel(std::span<const Vec3> x, std::span<const Vec3> v, const Parallel& parallel);

    /// The impulse law, after a step: vertices inside are put on the surface,
    ///     x ← x + |d| n,   u_N ← −e u_N,   u_T ← max(1 − μ (1 + e) |u_N|/|u_T|, 0) u_T  where u_N < 0.
    /// (Rigid Contacts, GAMES103 lecture; u_T ← 0 where it is 0 already.) Obstacles are visited in order.
    /// `pinned` is empty or has a byte a vertex; those are left alone.
    void project(std::span<Vec3> x, std::span<Vec3> v, std::span<const double> masses,
                 std::span<const std::uint8_t> pinned);

    /// Before barriers, after a step: something else moved vertices to x by `moved`. They go back along that
    /// way, and lose the speed, to where they are no nearer than the guard would have let them.
    void hold_back(std::span<const Vec3> moved, std::span<Vec3> x, std::span<Vec3> v,
                   std::span<const double> masses, double h);

private:
    struct Chunk {
        std::vector<std::uint32_t> near;
        std::vector<SurfaceTouch> touches;
    };
    bool feels(std::size_t vertex) const { return exempt_.empty() || !exempt_[vertex]; }
    double pressure_at_end(const SurfaceTouch& touch, double pressure, const Vec3& u, bool ahead) const;
    template <class Point>
    void find_touches(std::size_t count, const Point& point, std::span<const Vec3> x, bool keep,
                      Chunk& out) const;
    template <class Point>
    void find_all(std::size_t count, const Point& point, const SurfaceQuery& query, const Parallel& parallel);
    void find_all(const SurfaceQuery& query, const Parallel& parallel);
    void evaluate(SurfaceTouch& touch, const SurfaceQuery& query) const;
    void count_touches();
    double stick_speed(std::uint32_t vertex, double limit) const;
    double softening(std::size_t obstacle, const Vec3& arm, const Vec3& normal, double stiffness,
                     double h) const;
    bool was_given(std::uint32_t vertex, std::uint32_t obstacle) const;
    bool compare(const ExpectedEnd& end, std::span<const Vec3> v, std::span<const SurfaceTouch> found) const;
    void give_forces(std::span<Vec3> f);
    void give_derivatives(std::span<const Vec3> v, Linearisation& out) const;
    void add_touch(const SurfaceTouch& touch, const Vec3& impulse);
    void pose_obstacles();

    SurfaceSettings as_given_, settings_;
    BodyScale scale_{};
    std::vector<Obstacle> obstacles_;
    std::vector<PosedObstacle> posed_;
    std::vector<double> radii_;
    std::vector<std::uint8_t> exempt_;
    double largest_radius_ = 0, t0_ = 0;

    std::vector<Chunk> chunks_;
    std::vector<SurfaceTouch> found_;
    std::vector<SurfaceTouch>
        given_;  ///< to the last linearisation about an expected end: by vertex, then obstacle
    std::vector<double> counts_;  ///< of each obstacle: the most touches at once in this step
    bool recording_ = false;
    IntegrationMethod method_ = IntegrationMethod::implicit_euler;
    bool at_end_ = false;  ///< the last evaluation is that of the end of the step, and it alone counts
    double h_ = 0;
    double friction_part_ = 0;  ///< the substep that friction is limited to, s; 0: none
    std::vector<double> friction_masses_;
    std::vector<double> masses_;      ///< of an implicit step that is going on; else empty
    std::vector<SurfaceLoad> loads_;  ///< by vertex, then in the order of the obstacles
    std::vector<SurfaceTouch> recorded_;
    std::vector<std::size_t> evaluations_;  ///< where each begins in recorded_
    std::vector<SurfaceTouch> touches_;
    std::vector<Twist> impulses_;
};

}  // namespace plush
