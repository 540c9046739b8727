#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bodies/elements/incidence.hpp"
#include "plush/bodies/shape_matching.hpp"
#include "plush/core/state.hpp"
#include "plush/math/rotation.hpp"

// Shape matching (Müller, Heidelberger, Teschner, Gross: Meshless deformations based on shape matching,
// SIGGRAPH 2005): vertices move freely, and then each cluster draws its own towards goals g, its rest shape q
// at the best place. With the weights m of a cluster's vertices, y where they are, and Σ m q = 0,
//
//     c = Σ m y/Σ m,   A_pq = Σ m (y − c) qᵀ,   A_qq = (Σ m q qᵀ)⁻¹,   A = A_pq A_qq
//     rigid       g = c + R q,                      R = polar(A_pq)
//     linear      g = c + T q,                      T = β A/∛det A + (1 − β) R;  β = 0 where det A ≤ 0.1
//     quadratic   g = c + β Ã q̃/∛det A + (1 − β) R q,   q̃ = (x², y², z², xy, yz, zx and q) less its mean
//
// project:  x = y + α (g − y),  v = u + α (g − y)/h    y, u: where the step would end without it
// kick:     x = y + α (g₀ − x₀), v = u + α (g₀ − x₀)/h   goals of the start of the step: the paper's v += α
// (g − x)/h
//
// A deviation e of the shape obeys (e, h v)' = [[1 − α, 1 − α], [−α, 1 − α]] (e, h v) under `project`: both
// eigenvalues have the size √(1 − α), so it is stable for every α in [0, 1] and every h, and comes to rest in
// two steps for α = 1. Under `kick` the matrix is [[1 − α, 1], [−α, 1]] with the determinant 1: it swings for
// ever.
//
// What is kept. Σ m (g − y) = 0: linear momentum, to rounding. (The paper's q̃ has a mean, which would push;
// hence "less its mean".) A_pq Rᵀ and A_pq Tᵀ are symmetric, so Σ m (y − c) × (g − y) = 0: there is no torque
// about where the vertices are. They are moved by d = g − y though, and Σ m d × u remains: of first order in
// h over a time. The lecture's rotation polar(A) is another than polar(A_pq) and does leave a torque.
//
// Clusters share vertices: a vertex of n clusters counts with m/n in each and goes the mean of their ways.
// Pinned vertices count as `pinned_weight` times all that is free in the cluster, and stay: the others follow
// them.
//
// Degenerate rest shapes. A_qq is the pseudoinverse, and A maps the directions that the rest shape does not
// span as R does; so a flat or straight cluster has a determinant too. Quadratic modes that the points do not
// tell apart (four points, the corners of a cube, a plane) are left out one by one, down to the linear ones.
// Degenerate y: polar() has an answer for every matrix (math/polar.hpp).
//
// Plastic flow: S = RᵀA; where |S − 1| > yield, S_p ← (1 + h creep (S − 1)) S_p, S_p ← S_p/∛det S_p, and back
// to 1 + max_flow (S_p − 1)/|S_p − 1| where it departs farther. q = S_p q₀.

namespace plush {

class ShapeMatcher {
public:
    /// Of the vertices of a body, by their masses (kg).
    explicit ShapeMatcher(std::vector<double> masses) : masses_(std::move(masses)) {}

    /// Vertices are in range, rise, and are at least one; `rest` has the place of each in the rest shape, m,
    /// in a frame of the cluster's own.
    void add(std::span<const std::uint32_t> vertices, std::span<const Vec3> rest,
             const MatchSettings& settings);
    std::size_t size() const { return clusters_.size(); }
    std::span<const std::uint32_t> vertices(std::size_t cluster) const;
    bool holds_all() const;  ///< a single cluster of all vertices: the body has a pose
    bool holds(std::uint32_t vertex) const;
    bool holds_every_vertex() const;

    /// After the last add(): weights and rest shapes. apply() does it where it was not done.
    void prepare();
    /// A byte a vertex, or empty.
    void set_pinned(std::span<const std::uint8_t> pinned);

    /// A step of h that began at x0 and would end at x with velocities v, which are set right.
    void apply(std::span<const Vec3> x0, std::span<Vec3> x, std::span<Vec3> v, double h,
               const Parallel& parallel);
    /// How far the last apply() moved each vertex, m.
    std::span<const Vec3> moved() const { return moved_; }

    /// How vertices at x respond to impulses p (N s) once their clusters have drawn them together: of each
    /// vertex' impulse the part α moves its clusters as if they were rigid, each by its share of it, and the
    /// rest the vertex alone. It is symmetric, and keeps momentum. (Linear and quadratic clusters would yield
    /// more.)
    void respond(std::span<const Vec3> x, std::span<const Vec3> impulses, std::span<Vec3> change) const;

    /// Where the rest shape is now: the best rotation, and the place that its origin has by it.
    Transform pose(std::size_t cluster, std::span<const Vec3> x) const;
    /// The plastic stretch.
    const Mat3& plastic(std::size_t cluster) const { return clusters_[cluster].plastic; }

    void visit_state(StateVisitor& v);

    static constexpr double pinned_weight = 1000;

private:
    static constexpr std::size_t modes = 9;
    using Modes = std::array<double, modes>;
    struct Cluster {
        MatchSettings settings{};
        std::size_t first = 0, count = 0;  ///< of the members
        Vec3 rest_centre{};
        double mass = 0, scale = 1;  ///< kg; quadratic modes are of q/scale
        Mat3 inverse{};              ///< A_qq
        Mat3 unspanned{};            ///< onto what the rest shape does not span
        Mat3 plastic = Mat3::identity();
        bool bends = false;                                ///< quadratic, and its points suffice for it
        std::size_t first_mode = 0;                        ///< of modes_, for quadratic ones
        std::array<double, modes * modes> mode_inverse{};  ///< of Σ m q̃ q̃ᵀ
    };
    struct Fit {
        Vec3 near{}, offset{};  ///< one of the vertices, and the centre from there
        Mat3 moments{}, rotation{};
    };
    void shape(Cluster& cluster);
    void span_modes(Cluster& cluster);
    Fit measure(const Cluster& cluster, std::span<const Vec3> x) const;
    Mat3 to_rotate(const Cluster& cluster, const Mat3& moments) const;
    Mat3 gradient(const Cluster& cluster, const Fit& fit) const;
    void goals(const Cluster& cluster, const Fit& fit, std::span<const Vec3> x, std::span<Vec3> ways) const;
    void quadratic_goals(const Cluster& cluster, const Fit& fit, std::span<const Vec3> x,
                         std::span<Vec3> ways) const;
    void flow(Cluster& cluster, const Fit& fit, double h);

    std::vector<double> masses_;
    std::vector<std::uint8_t> pinned_;
    std::vector<Cluster> clusters_;
    // Members of all clusters, one cluster after the other.
    std::vector<std::uint32_t> vertex_;
    std::vector<double> weight_, share_;  ///< m/n; 1/n
    std::vector<Vec3> rest_;
    std::vector<Vec3> q_;  ///< rest, from the centre and with plastic flow
    std::vector<Modes> modes_;
    Incidence incidence_;  ///< where clusters overlap
    bool overlapping_ = false;
    std::vector<Vec3> ways_, moved_;
};

}  // namespace plush
