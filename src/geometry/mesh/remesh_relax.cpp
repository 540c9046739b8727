#include <algorithm>
#include <cmath>

#include "geometry/mesh/remesh.hpp"

// Triangles made more equal without changing their number, after Botsch & Kobbelt, "A remeshing approach to
// multiresolution modeling", SGP 2004: flip an edge where the worse of its two triangles gains by it, then
// move each vertex towards the middle of its neighbours along the surface, and back onto the surface by one
// Newton step
//
//     x ← x − φ(x) ∇φ / |∇φ|² .
//
// Each change is made only where it does no harm: no triangle around turns far, none that is thin gets
// thinner.

namespace plush {
namespace {

// A flip across a bent edge cuts into the form or adds to it: only where the two triangles are within about
// 25°.
constexpr double flat_enough = 0.9;
constexpr double flip_gain =
    0.02;  // in quality: without it two near-equal choices would be flipped to and fro
constexpr double least_turn = 0.7;  // cosine, of a triangle by one move
constexpr double longest_fall =
    0.3;  // of the mean edge: a Newton step beyond it has left what the mesh can resolve

class Relaxation {
public:
    Relaxation(EditMesh& mesh, const SignedDistance& distance, CrossingGuard* guard)
        : mesh_(mesh), distance_(distance), guard_(guard) {}

    void round() {
        for (int h = 0; h < 3 * mesh_.triangle_slots(); ++h)
            if (mesh_.is_triangle(h / 3) && h < mesh_.twin(h)) try_flip(h);
        for (int v = 0; v < mesh_.vertex_slots(); ++v)
            if (mesh_.is_vertex(v)) try_move(v);
    }

private:
    const Vec3& at(int v) const { return mesh_.position(v); }
    double quality(const Triangle& t) const { return triangle_quality(at(t[0]), at(t[1]), at(t[2])); }
    Vec3 normal(const Triangle& t) const {
        return normalised(cross(at(t[1]) - at(t[0]), at(t[2]) - at(t[0])));
    }

    void try_flip(int h) {
        const int g = mesh_.twin(h), u = mesh_.from(h), v = mesh_.to(h);
        const int a = mesh_.to(EditMesh::next(h)), b = mesh_.to(EditMesh::next(g));
        const Triangle s{u, v, a}, t{v, u, b}, new_s{u, b, a}, new_t{v, a, b};
        if (std::min(quality(new_s), quality(new_t)) < std::min(quality(s), quality(t)) + flip_gain) return;
        const Vec3 n = normal(s), m = normal(t), new_n = normal(new_s), new_m = normal(new_t);
        if (dot(n, m) < flat_enough || dot(new_n, new_m) < flat_enough || dot(n + m, new_n + new_m) <= 0)
            return;
        if (!mesh_.can_flip(h)) return;
        const std::array<int, 2> both{h / 3, g / 3};
        if (guard_) {
            for (const int x : both) guard_->take_out(x);
            if (const std::array<Triangle, 2> after{new_s, new_t}; !guard_->fits(after)) {
                for (const int x : both) guard_->put_in(x);
                return;
            }
        }
        mesh_.flip(h);
        if (guard_)
            for (const int x : both) guard_->put_in(x);
    }

    void try_move(int v) {
        ring_.clear(), numbers_.clear();
        mesh_.around(v, [&](int h) {
            ring_.push_back(mesh_.triangle(h / 3));
            numbers_.push_back(h / 3);
        });
        const Vec3 old = at(v);
        // The mean of the triangles' middles, weighted by their areas: evens out sizes as well as shapes.
        Vec3 middle, n;
        double weight = 0, edge = 0;
        for (const Triangle& t : ring_) {
            const Vec3 area2 = cross(at(t[1]) - at(t[0]), at(t[2]) - at(t[0]));
            const double w = norm(area2);
            middle += (at(t[0]) + at(t[1]) + at(t[2])) * (w / 3);
            n += area2, weight += w, edge += std::sqrt(w);
        }
        if (!(weight > 0)) return;  // a heap of triangles without area
        edge /= static_cast<double>(ring_.size());
        n = normalised(n);
        Vec3 step = middle / weight - old;
        step -= n * dot(step, n);
        for (const double part : {0.8, 0.25, 0.0})
            if (accept(v, on_surface(old + step * part, n, edge))) return;
    }

    Vec3 on_surface(const Vec3& p, const Vec3& n, double edge) const {
        const DistanceSample s = distance_.sample(p);
        const double slope2 = norm2(s.gradient);
        // Where the gradient looks another way than the mesh, the detail there is finer than the mesh.
        if (!(slope2 > 0.01) || dot(s.gradient, n) < 0.5 * std::sqrt(slope2)) return p;
        const Vec3 fall = s.gradient * (-s.value / slope2);
        return norm2(fall) > longest_fall * longest_fall * edge * edge ? p : p + fall;
    }

    bool accept(int v, const Vec3& p) {
        const Vec3 old = at(v);
        double worst_before = 1, worst_after = 1;
        before_.clear();
        for (const Triangle& t : ring_) {
            before_.push_back(normal(t));
            worst_before = std::min(worst_before, quality(t));
        }
        if (guard_)
            for (const int t : numbers_) guard_->take_out(t);
        mesh_.move(v, p);
        bool good = true;
        for (std::size_t i = 0; i < ring_.size() && good; ++i) {
            worst_after = std::min(worst_after, quality(ring_[i]));
            good = dot(normal(ring_[i]), before_[i]) > least_turn;
        }
        // From 0.7 on (angles of about 35° and more) a triangle is good and may give a little.
        good = good && worst_after >= std::min(0.7, worst_before) && (!guard_ || guard_->fits(ring_));
        if (!good) mesh_.move(v, old);
        if (guard_)
            for (const int t : numbers_) guard_->put_in(t);
        return good;
    }

    EditMesh& mesh_;
    const SignedDistance& distance_;
    CrossingGuard* guard_;
    std::vector<Triangle> ring_;
    std::vector<int> numbers_;
    std::vector<Vec3> before_;
};

}  // namespace

void relax(EditMesh& mesh, const SignedDistance& distance, int rounds, CrossingGuard* guard) {
    Relaxation relaxation(mesh, distance, guard);
    for (int i = 0; i < rounds; ++i) relaxation.round();
}

}  // namespace plush
