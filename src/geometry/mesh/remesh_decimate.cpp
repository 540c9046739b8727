#include <algorithm>
#include <cmath>
#include <iterator>

#include "geometry/mesh/remesh.hpp"

// Decimation by edge collapse, first in sweeps, then the cheapest edge first (Garland & Heckbert, "Surface
// simplification using quadric error metrics", SIGGRAPH 1997). Each vertex remembers the planes of the
// triangles it stands for, weighted by their areas, as a quadric
//
//     Q(x) = Σ area (n·x + d)² = xᵀA x + 2 bᵀx + c ,
//
// and a collapse puts the new vertex where Q_u + Q_v is least. Flat places leave that open, so a weak pull to
// the middle of the edge is added. The cost is
//
//     Q(x) + β |edge|⁴ ,
//
// both in m⁴. Q grows with the sixth power of the edge on a curved surface, so the second term rules where
// edges are short against the radius of curvature: there all triangles come out equal, and only sharper
// places keep finer ones.
//
// Not allowed: what changes the topology, turns a triangle over, or makes one thinner than it needs to be.
// These rules are loosened step by step where they leave no edge before the wanted count is reached.

namespace plush {
namespace {

constexpr double length_weight = 0.002;  // β: larger ones lose thin parts, smaller ones give long triangles
constexpr double pull = 0.02;            // to the middle, as a part of the trace of A
constexpr int max_valence = 9;           // more make a fan of thin triangles

struct Rules {
    double least_turn;     ///< cosine of the angle a triangle may turn by
    double least_quality;  ///< of a new triangle, unless the old ones were worse
    int valence;
};
constexpr Rules rules[] = {
    {0.6, 0.4, max_valence}, {0.3, 0.2, max_valence}, {0.1, 0.05, 12}, {-1, 1e-3, 1000}};

struct Quadric {
    Mat3 a{};
    Vec3 b{};
    double c = 0;

    static Quadric plane(const Vec3& n, double d, double weight) {
        return {Mat3{{n * (n.x * weight), n * (n.y * weight), n * (n.z * weight)}}, n * (d * weight),
                d * d * weight};
    }
    Quadric& operator+=(const Quadric& q) {
        a += q.a, b += q.b, c += q.c;
        return *this;
    }
    double operator()(const Vec3& x) const { return std::max(0.0, dot(x, a * x) + 2 * dot(b, x) + c); }
};

struct Candidate {
    double cost;
    int u, v;   ///< u < v
    int stamp;  ///< the sum of the vertices' stamps: both only grow
    Vec3 at;
    bool operator<(const Candidate& o) const {  // the queue gives the largest
        if (cost != o.cost) return cost > o.cost;
        return u != o.u ? u > o.u : v > o.v;
    }
};

class Decimation {
public:
    Decimation(EditMesh& mesh, CrossingGuard* guard)
        : mesh_(mesh),
          guard_(guard),
          quadrics_(static_cast<std::size_t>(mesh.vertex_slots())),
          stamps_(static_cast<std::size_t>(mesh.vertex_slots())) {
        // Coordinates relative to the middle of a body keep the cancellation in Q small; shapes here are
        // centred.
        for (int t = 0; t < mesh.triangle_slots(); ++t) {
            if (!mesh.is_triangle(t)) continue;
            const auto [a, b, c] = mesh.triangle(t);
            const Vec3 n2 = cross(mesh.position(b) - mesh.position(a), mesh.position(c) - mesh.position(a));
            const Vec3 n = normalised(n2);
            const Quadric q = Quadric::plane(n, -dot(n, mesh.position(a)), norm(n2) / 2);
            for (const int v : {a, b, c}) quadric(v) += q;
        }
    }

    /// Without the queue, down to about `enough` triangles: each sweep collapses what costs less than a limit
    /// that grows from sweep to sweep, and no vertex twice in one.
    void sweep(int enough) {
        constexpr double first = 0.7, growth = 1.4;  // of the mean edge
        double limit = first * mean_edge();
        // It ends too where sweeps no longer find much that the rules allow.
        for (int before = 2 * mesh_.triangle_count();
             mesh_.triangle_count() > enough && mesh_.triangle_count() < 0.95 * before; limit *= growth) {
            before = mesh_.triangle_count();
            std::vector<char> touched(stamps_.size(), 0);
            for (int h = 0; h < 3 * mesh_.triangle_slots() && mesh_.triangle_count() > enough; ++h) {
                if (!mesh_.is_triangle(h / 3)) continue;
                const int u = mesh_.from(h), v = mesh_.to(h);
                if (touched[index(u)] || touched[index(v)]) continue;
                const double length2 = norm2(mesh_.position(u) - mesh_.position(v));
                if (length2 > limit * limit) continue;
                const Candidate c = candidate(h);
                if (c.cost <= length_weight * limit * limit * limit * limit &&
                    try_collapse(h, c.at, rules[0]))
                    touched[index(u)] = 1;
            }
        }
    }

    /// By the queue. A new queue sees edges whose surroundings have changed since they were refused; it is
    /// made as long as it finds a good part of what is still to do.
    void run(int wanted) {
        for (const Rules& r : rules)
            for (;;) {
                const int excess = mesh_.triangle_count() - wanted;
                if (excess <= 0) return;
                pass(wanted, r);
                const int left = mesh_.triangle_count() - wanted;
                if (left == excess || (&r != std::end(rules) - 1 && left > 0.9 * excess)) break;
            }
    }

private:
    Quadric& quadric(int v) { return quadrics_[static_cast<std::size_t>(v)]; }
    int& stamp(int v) { return stamps_[static_cast<std::size_t>(v)]; }

    static std::size_t index(int i) { return static_cast<std::size_t>(i); }

    double mean_edge() const {
        double sum = 0;
        int count = 0;
        for (int h = 0; h < 3 * mesh_.triangle_slots(); ++h)
            if (mesh_.is_triangle(h / 3))
                sum += norm(mesh_.position(mesh_.from(h)) - mesh_.position(mesh_.to(h))), ++count;
        return sum / count;
    }

    void pass(int wanted, const Rules& r) {
        queue_.clear();
        queueing_ = true;
        for (int h = 0; h < 3 * mesh_.triangle_slots(); ++h)
            if (mesh_.is_triangle(h / 3) && mesh_.from(h) < mesh_.to(h)) queue_.push_back(candidate(h));
        std::make_heap(queue_.begin(), queue_.end());
        while (mesh_.triangle_count() > wanted && !queue_.empty()) {
            std::pop_heap(queue_.begin(), queue_.end());
            const Candidate best = queue_.back();
            queue_.pop_back();
            if (!mesh_.is_vertex(best.u) || !mesh_.is_vertex(best.v) ||
                best.stamp != stamp(best.u) + stamp(best.v))
                continue;
            if (const int h = find(best.u, best.v); h >= 0) try_collapse(h, best.at, r);
        }
    }

    int find(int u, int v) const {
        int found = -1;
        mesh_.around(u, [&](int h) {
            if (mesh_.to(h) == v) found = h;
        });
        return found;
    }

    Candidate candidate(int h) {
        const int u = std::min(mesh_.from(h), mesh_.to(h)), v = std::max(mesh_.from(h), mesh_.to(h));
        Quadric q = quadric(u);
        q += quadric(v);
        const Vec3 middle = (mesh_.position(u) + mesh_.position(v)) * 0.5;
        const double w = pull * trace(q.a) + 1e-300;
        // (A + w) (x − middle) = −(A middle + b)
        Mat3 m = q.a;
        m += Mat3::diagonal({w, w, w});
        const Vec3 x = middle - inverse(m) * (q.a * middle + q.b);
        const double length2 = norm2(mesh_.position(u) - mesh_.position(v));
        return {q(x) + length_weight * length2 * length2, u, v, stamp(u) + stamp(v), x};
    }

    // The triangles around u or v that stay, with v already replaced by u: into after_; all that change: into
    // taken_.
    void collect(int h) {
        const int u = mesh_.from(h), v = mesh_.to(h), gone0 = h / 3, gone1 = mesh_.twin(h) / 3;
        before_.clear(), after_.clear(), taken_.clear();
        for (const int w : {u, v})
            mesh_.around(w, [&](int g) {
                const int t = g / 3;
                if (t == gone0 || t == gone1) return;
                taken_.push_back(t);
                const int a = mesh_.to(g), b = mesh_.from(EditMesh::previous(g));
                before_.push_back({w, a, b});
                after_.push_back({u, a, b});
            });
        taken_.push_back(gone0), taken_.push_back(gone1);
    }

    bool keeps_form(const Vec3& x, const Rules& r) const {
        double worst_before = 1, worst_after = 1;
        for (std::size_t i = 0; i < after_.size(); ++i) {
            const Vec3 &p = mesh_.position(before_[i][0]), &b = mesh_.position(after_[i][1]);
            const Vec3& c = mesh_.position(after_[i][2]);
            const Vec3 old_normal = cross(b - p, c - p), new_normal = cross(b - x, c - x);
            if (dot(old_normal, new_normal) < r.least_turn * norm(old_normal) * norm(new_normal))
                return false;
            worst_before = std::min(worst_before, triangle_quality(p, b, c));
            worst_after = std::min(worst_after, triangle_quality(x, b, c));
        }
        return worst_after >= std::min(r.least_quality, worst_before) && worst_after > 1e-4;
    }

    bool try_collapse(int h, const Vec3& x, const Rules& r) {
        const int u = mesh_.from(h), v = mesh_.to(h);
        if (!mesh_.can_collapse(h) || mesh_.valence(u) + mesh_.valence(v) - 4 > r.valence) return false;
        collect(h);
        if (!keeps_form(x, r) || !clear(u, x)) return false;
        mesh_.collapse(h, x);
        if (guard_) {
            taken_.pop_back(), taken_.pop_back();
            for (const int t : taken_) guard_->put_in(t);
        }
        quadric(u) += quadric(v);
        ++stamp(u);
        if (queueing_)
            mesh_.around(u, [&](int g) {
                queue_.push_back(candidate(g));
                std::push_heap(queue_.begin(), queue_.end());
            });
        return true;
    }

    /// Takes the triangles out of the guard; where the new ones would cross something, puts them back.
    bool clear(int u, const Vec3& x) {
        if (!guard_) return true;
        for (const int t : taken_) guard_->take_out(t);
        const Vec3 old = mesh_.position(u);
        mesh_.move(u, x);
        const bool fits = guard_->fits(after_);
        mesh_.move(u, old);
        if (!fits)
            for (const int t : taken_) guard_->put_in(t);
        return fits;
    }

    EditMesh& mesh_;
    CrossingGuard* guard_;
    std::vector<Quadric> quadrics_;
    std::vector<int> stamps_;
    std::vector<Candidate> queue_;  // a heap
    bool queueing_ = false;
    std::vector<Triangle> before_, after_;
    std::vector<int> taken_;
};

}  // namespace

double triangle_quality(const Vec3& a, const Vec3& b, const Vec3& c) {
    return 2 * std::sqrt(3.0) * norm(cross(b - a, c - a)) / (norm2(b - a) + norm2(c - b) + norm2(a - c));
}

void decimate(EditMesh& mesh, int triangles, CrossingGuard* guard) {
    // The queue is dear and chooses well. It gets one and a half times as many more as are wanted, up to a
    // number that does not take long, and at least a fifth.
    const double spare = std::max(0.2 * triangles, std::min(1.5 * triangles, 40'000.0));
    Decimation decimation(mesh, guard);
    decimation.sweep(triangles + static_cast<int>(spare));
    decimation.run(triangles);
}

}  // namespace plush
