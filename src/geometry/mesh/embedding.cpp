#include "geometry/mesh/embedding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "core/assert.hpp"
#include "geometry/mesh/bvh.hpp"
#include "geometry/tets/tet_topology.hpp"
#include "math/symmetric_eigen.hpp"

namespace plush {
namespace {

const Vec3& at(std::span<const Vec3> x, int i) {
    return x[static_cast<std::size_t>(i)];
}

/// Weights of p on the corners of a tet: the part of the volume that the opposite face and p enclose.
std::array<double, 4> barycentric(std::span<const Vec3> x, const Tet& t, const Vec3& p) {
    const Vec3 a = at(x, t[1]) - at(x, t[0]), b = at(x, t[2]) - at(x, t[0]), c = at(x, t[3]) - at(x, t[0]);
    const Vec3 d = p - at(x, t[0]);
    const double volume = dot(cross(a, b), c);
    const double wa = dot(cross(d, b), c) / volume, wb = dot(cross(a, d), c) / volume,
                 wc = dot(cross(a, b), d) / volume;
    return {1 - wa - wb - wc, wa, wb, wc};
}

double least(const std::array<double, 4>& w) {
    return std::min({w[0], w[1], w[2], w[3]});
}

/// The nearest of many points, by a walk to both sides along x.
class NearestPoints {
public:
    explicit NearestPoints(std::span<const Vec3> x) : x_(x), order_(x.size()) {
        std::iota(order_.begin(), order_.end(), 0u);
        std::sort(order_.begin(), order_.end(), [&](std::uint32_t i, std::uint32_t j) {
            return x[i].x != x[j].x ? x[i].x < x[j].x : i < j;
        });
    }
    using Near = std::pair<double, std::uint32_t>;  // the squared distance first: equal ones by number
    void find(const Vec3& p, std::size_t count, std::vector<Near>& found) const {
        found.clear();
        const auto middle = std::lower_bound(order_.begin(), order_.end(), p.x,
                                             [&](std::uint32_t i, double value) { return x_[i].x < value; });
        const auto visit = [&](std::uint32_t i) {
            const double along = x_[i].x - p.x;
            if (found.size() == count && along * along > found.back().first) return false;
            const Near near{norm2(x_[i] - p), i};
            found.insert(std::lower_bound(found.begin(), found.end(), near), near);
            if (found.size() > count) found.pop_back();
            return true;
        };
        for (auto k = middle; k != order_.end() && visit(*k); ++k) {
        }
        for (auto k = middle; k != order_.begin() && visit(*(k - 1)); --k) {
        }
    }

private:
    std::span<const Vec3> x_;
    std::vector<std::uint32_t> order_;
};

/// Four span a linear map; some more make it smooth from point to point.
constexpr std::size_t neighbours = 12;

std::vector<Embedding::Entry> moving_least_squares(std::span<const Vec3> x, const Vec3& p,
                                                   std::span<const NearestPoints::Near> near) {
    const double reach2 = std::max(near.back().first, 1e-300);
    const double scale = 1 / std::sqrt(reach2);
    struct Term {
        double theta;
        std::array<double, 4> basis;
    };
    std::vector<Term> terms;
    std::array<double, 16> sums{};
    for (const auto& [distance2, j] : near) {
        const double fade = 1 - distance2 / reach2;
        const Vec3 d = scale * (x[j] - p);
        terms.push_back({fade * fade + 0.01, {1, d.x, d.y, d.z}});
        for (std::size_t a = 0; a < 4; ++a)
            for (std::size_t b = 0; b < 4; ++b)
                sums[a * 4 + b] += terms.back().theta * terms.back().basis[a] * terms.back().basis[b];
    }
    const auto inverse = pseudoinverse<4>(sums, 1e-12).inverse;
    std::vector<Embedding::Entry> row;
    for (std::size_t k = 0; k < near.size(); ++k) {
        double w = 0;
        for (std::size_t a = 0; a < 4; ++a) w += inverse[a * 4] * terms[k].basis[a];
        row.push_back({near[k].second, terms[k].theta * w});
    }
    return row;
}

}  // namespace

void Embedding::add_row(std::span<const Entry> row) {
    entries_.insert(entries_.end(), row.begin(), row.end());
    first_.push_back(entries_.size());
}

/// Finds the tet that is to carry a point.
class TetEmbedder::Finder {
public:
    explicit Finder(const TetMesh& mesh) : mesh_(mesh), piece_(tet_pieces(mesh.tets())) {
        const auto x = mesh.positions();
        of_vertex_.assign(x.size(), any);
        for (std::size_t k = 0; k < piece_.size(); ++k)
            for (const int v : mesh.tets()[k]) of_vertex_[static_cast<std::size_t>(v)] = piece_[k];
        struct Face {
            Triangle sorted, face;
            int tet;
        };
        std::vector<Face> faces;
        for (std::size_t k = 0; k < mesh.tets().size(); ++k) {
            const Tet& t = mesh.tets()[k];
            Box3 box;
            for (const int v : t) box.add(at(x, v));
            // A triangle with the tet's box: what the tree sees of it.
            const int corner = static_cast<int>(corners_.size());
            corners_.push_back(box.low), corners_.push_back(box.high);
            boxes_.push_back({corner, corner + 1, corner + 1});
            for (std::size_t c = 0; c < 4; ++c) {
                const Triangle face{t[c], t[(c + 1) % 4], t[(c + 2) % 4]};
                Triangle sorted = face;
                std::sort(sorted.begin(), sorted.end());
                faces.push_back({sorted, face, static_cast<int>(k)});
            }
        }
        std::stable_sort(faces.begin(), faces.end(),
                         [](const Face& a, const Face& b) { return a.sorted < b.sorted; });
        for (std::size_t i = 0, j = 0; i < faces.size(); i = j) {
            while (j < faces.size() && faces[j].sorted == faces[i].sorted) ++j;
            if (j > i + 1) continue;
            all_.add(faces[i].face, faces[i].tet);
        }
        box_tree_ = Bvh(corners_, boxes_);
        all_.tree = Bvh(x, all_.faces);
        const int pieces = piece_.empty() ? 0 : 1 + *std::max_element(piece_.begin(), piece_.end());
        if (pieces < 2) return;
        of_piece_.resize(static_cast<std::size_t>(pieces));
        for (std::size_t f = 0; f < all_.faces.size(); ++f)
            of_piece_[piece_at(all_.behind[f])].add(all_.faces[f], all_.behind[f]);
        for (Boundary& boundary : of_piece_) boundary.tree = Bvh(x, boundary.faces);
    }

    const TetMesh& mesh() const { return mesh_; }
    int piece_of_vertex(std::uint32_t vertex) const { return of_vertex_[vertex]; }
    /// holds(tet, least weight) for every tet that holds the point.
    template <class Holds>
    void holding(const Vec3& p, Holds&& holds) const {
        // Rounding may put a point on a common face a little outside of both.
        constexpr double inside = -1e-9;
        box_tree_.overlaps({p, p}, [&](int k) {
            const double w =
                least(barycentric(mesh_.positions(), mesh_.tets()[static_cast<std::size_t>(k)], p));
            if (w > inside) holds(k, w);
        });
    }
    int piece_of(int tet) const { return piece_[static_cast<std::size_t>(tet)]; }
    std::size_t find(const Vec3& p, int piece) const {
        double deepest = -HUGE_VAL;
        int best = -1;
        holding(p, [&](int k, double w) {
            if (piece != any && piece_of(k) != piece) return;
            if (w > deepest || (w == deepest && k < best)) deepest = w, best = k;
        });
        if (best >= 0) return static_cast<std::size_t>(best);
        const Boundary& boundary =
            piece == any || of_piece_.empty() ? all_ : of_piece_[static_cast<std::size_t>(piece)];
        const auto nearest = boundary.tree.closest(mesh_.positions(), boundary.faces, p);
        return nearest
                   ? static_cast<std::size_t>(boundary.behind[static_cast<std::size_t>(nearest->triangle)])
                   : 0;
    }

private:
    /// Faces of one tet alone, each with it.
    struct Boundary {
        std::vector<Triangle> faces;
        std::vector<int> behind;
        Bvh tree;
        void add(const Triangle& face, int tet) { faces.push_back(face), behind.push_back(tet); }
    };
    std::size_t piece_at(int tet) const { return static_cast<std::size_t>(piece_of(tet)); }

    const TetMesh& mesh_;
    std::vector<int> piece_, of_vertex_;
    std::vector<Vec3> corners_;
    std::vector<Triangle> boxes_;
    Boundary all_;
    std::vector<Boundary> of_piece_;  ///< where there are several
    Bvh box_tree_;
};

TetEmbedder::TetEmbedder(const TetMesh& mesh) : finder_(std::make_unique<const Finder>(mesh)) {}
TetEmbedder::~TetEmbedder() = default;

int TetEmbedder::piece_of_vertex(std::uint32_t vertex) const {
    return finder_->piece_of_vertex(vertex);
}

void TetEmbedder::holding(const Vec3& point, const std::function<void(int, int)>& found) const {
    finder_->holding(point, [&](int tet, double) { found(tet, finder_->piece_of(tet)); });
}

Embedding TetEmbedder::embed(std::span<const Vec3> points, std::span<const int> piece) const {
    const TetMesh& mesh = finder_->mesh();
    PLUSH_ASSERT(!mesh.tets().empty());
    PLUSH_ASSERT(piece.empty() || piece.size() == points.size());
    Embedding result;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Vec3& p = points[i];
        const Tet& t = mesh.tets()[finder_->find(p, piece.empty() ? any : piece[i])];
        const auto w = barycentric(mesh.positions(), t, p);
        std::array<Embedding::Entry, 4> row;
        for (std::size_t c = 0; c < 4; ++c) row[c] = {static_cast<std::uint32_t>(t[c]), w[c]};
        result.add_row(row);
    }
    return result;
}

Result<Embedding> Embedding::in_tets(const TetMesh& mesh, std::span<const Vec3> points,
                                     std::span<const int> piece) {
    if (mesh.tets().empty())
        return Error({.place = "tets",
                      .problem = "there is no tet to carry a surface",
                      .cure = "give a mesh with tets"});
    return TetEmbedder(mesh).embed(points, piece);
}

Embedding Embedding::of_rows(std::span<const std::array<Entry, 4>> rows) {
    Embedding result;
    std::vector<Entry> used;
    for (const auto& row : rows) {
        used.clear();
        for (const Entry& e : row)
            if (e.weight != 0) used.push_back(e);
        result.add_row(used);
    }
    return result;
}

Result<Embedding> Embedding::in_points(std::span<const Vec3> vertices, std::span<const Vec3> points) {
    Box3 box;
    for (const Vec3& v : vertices) box.add(v);
    // Off the plane of the vertices by less than this, nobody sees it.
    const double allowed = 1e-6 * norm(box.size());
    const NearestPoints nearest(vertices);
    std::vector<NearestPoints::Near> near;
    Embedding result;
    for (std::size_t i = 0; i < points.size(); ++i) {
        Vec3 back{};
        // Nearest ones may lie in a plane by chance: more are asked until they carry the point, or all were.
        for (std::size_t count = neighbours;; count *= 4) {
            nearest.find(points[i], count, near);
            if (near.empty()) break;
            const auto row = moving_least_squares(vertices, points[i], near);
            back = {};
            for (const Entry& e : row) back += e.weight * vertices[e.vertex];
            if (norm(back - points[i]) <= allowed) {
                result.add_row(row);
                break;
            }
            if (near.size() < count) break;
        }
        if (result.size() <= i)
            return Error({.place = fmt::format("point {}", i),
                          .problem = "the vertices lie in a plane or on a line, and it does not",
                          .cure = "give vertices that span space, or a surface in their plane"});
    }
    return result;
}

void Embedding::apply(std::span<const Vec3> x, std::span<Vec3> out) const {
    PLUSH_ASSERT(out.size() == size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = at(i, x);
}

void Embedding::add_transposed(std::span<const Vec3> f, std::span<Vec3> out) const {
    PLUSH_ASSERT(f.size() == size());
    for (std::size_t i = 0; i < f.size(); ++i)
        for (const Entry& e : row(i)) out[e.vertex] += e.weight * f[i];
}

}  // namespace plush
