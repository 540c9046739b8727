#include "geometry/mesh/refined_skin.hpp"

#include <algorithm>
#include <functional>

#include "core/assert.hpp"
#include "core/tuning.hpp"

namespace plush {
namespace {

constexpr int none = -1;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

/// The longest edge at a point: κ d, d the largest distance between two vertices that it is embedded in.
double longest_at(std::span<const Embedding::Entry> row, std::span<const Vec3> vertices) {
    double span2 = 0;
    for (std::size_t i = 0; i < row.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            span2 = std::max(span2, norm2(vertices[row[i].vertex] - vertices[row[j].vertex]));
    return tuning::skin_edge * std::sqrt(span2);
}

/// Weights of more points. `like`: for each a vertex that carries a neighbour of it.
using Embed = std::function<Result<Embedding>(std::span<const Vec3>, std::span<const std::uint32_t> like)>;

class Refiner {
public:
    /// No edge up to the least length is longer than the edges that it is embedded in.
    Refiner(const Mesh& skin, const Embedding& weights, std::span<const Vec3> vertices, double least)
        : vertices_(vertices), least_(least), positions_(skin.positions().begin(), skin.positions().end()) {
        PLUSH_ASSERT(weights.size() == positions_.size());
        for (std::size_t p = 0; p < weights.size(); ++p) add_weights(weights.row(p));
        for (const Triangle& t : skin.triangles()) faces_.push_back({t, {}});
    }

    /// Halves edges that are too long, once. False where there were none.
    bool divide(const Embed& embed) { return divide(embed, false) || divide(embed, true); }

    RefinedSkin take() && {
        std::vector<Triangle> triangles;
        for (const Face& face : faces_) triangles.push_back(face.corners);
        return {Mesh(std::move(positions_), std::move(triangles)), std::move(weights_)};
    }

private:
    struct Face {
        Triangle corners;
        std::array<bool, 3> provisional;  ///< its edge from this corner to the next
    };
    struct HalfEdge {
        int low, high;
        std::size_t face, corner;  ///< it goes from this corner to the next
        auto ends() const { return std::pair(low, high); }
    };

    void add_weights(std::span<const Embedding::Entry> row) {
        longest_.push_back(longest_at(row, vertices_));
        weights_.add_row(row);
    }
    bool divide(const Embed& embed, bool provisional);
    template <class Keep>
    std::vector<HalfEdge> half_edges(Keep&& keep) const;
    void divide_faces(std::span<const Triangle> middles);
    void add_parts(const Face& face, const Triangle& middles);
    bool flip();
    bool flip(Face& one, std::size_t edge, Face& other, std::size_t other_edge) const;

    std::span<const Vec3> vertices_;
    double least_;
    std::vector<Vec3> positions_;
    std::vector<Face> faces_, parts_;
    Embedding weights_;
    std::vector<double> longest_;  ///< of the positions
};

/// Those for which keep(face, corner) is true; what two faces share stands together.
template <class Keep>
std::vector<Refiner::HalfEdge> Refiner::half_edges(Keep&& keep) const {
    std::vector<HalfEdge> edges;
    for (std::size_t f = 0; f < faces_.size(); ++f)
        for (std::size_t c = 0; c < 3; ++c) {
            if (!keep(faces_[f], c)) continue;
            const int a = faces_[f].corners[c], b = faces_[f].corners[(c + 1) % 3];
            edges.push_back({std::min(a, b), std::max(a, b), f, c});
        }
    std::stable_sort(edges.begin(), edges.end(),
                     [](const HalfEdge& x, const HalfEdge& y) { return x.ends() < y.ends(); });
    return edges;
}

/// Edges that are provisional, or those that are not.
bool Refiner::divide(const Embed& embed, bool provisional) {
    const auto edges = half_edges([&](const Face& face, std::size_t c) {
        const Vec3 along = positions_[at(face.corners[(c + 1) % 3])] - positions_[at(face.corners[c])];
        return face.provisional[c] == provisional && norm2(along) > least_ * least_;
    });
    const auto is_first = [&](std::size_t k) { return k == 0 || edges[k].ends() != edges[k - 1].ends(); };
    std::vector<Vec3> points;
    std::vector<std::uint32_t> like;
    for (std::size_t k = 0; k < edges.size(); ++k) {
        if (!is_first(k)) continue;
        points.push_back(0.5 * (positions_[at(edges[k].low)] + positions_[at(edges[k].high)]));
        like.push_back(weights_.row(at(edges[k].low)).front().vertex);
    }
    if (points.empty()) return false;
    const Result<Embedding> weights = embed(points, like);
    if (!weights) return false;  // nothing carries such a point better than the corners do
    const std::size_t known = positions_.size();
    std::vector<Triangle> middles(faces_.size(), {none, none, none});
    int middle = none;
    for (std::size_t k = 0, e = 0; k < edges.size(); ++k) {
        const auto& [low, high, face, corner] = edges[k];
        if (is_first(k)) {
            const auto row = weights.value().row(e);
            const double allowed =
                std::min({longest_[at(low)], longest_[at(high)], longest_at(row, vertices_)});
            middle = none;
            if (norm2(positions_[at(low)] - positions_[at(high)]) > allowed * allowed) {
                middle = static_cast<int>(positions_.size());
                positions_.push_back(points[e]);
                add_weights(row);
            }
            ++e;
        }
        middles[face][corner] = middle;
    }
    if (positions_.size() == known) return false;
    divide_faces(middles);
    // Triangles without area may flip to and fro by rounding: an edge that is not Delaunay is no harm.
    constexpr int max_rounds = 50;
    for (int round = 0; round < max_rounds && flip();) ++round;
    return true;
}

void Refiner::divide_faces(std::span<const Triangle> middles) {
    parts_.clear();
    for (std::size_t f = 0; f < faces_.size(); ++f) add_parts(faces_[f], middles[f]);
    std::swap(faces_, parts_);
}

void Refiner::add_parts(const Face& face, const Triangle& middles) {
    const auto whole = std::count(middles.begin(), middles.end(), none);
    // Turned so that a long edge goes from a to b, and where there are two the other from b to c.
    std::size_t first = 0;
    while (first < 2 && (whole == 1 ? middles[(first + 2) % 3] != none : middles[first] == none)) ++first;
    const std::size_t second = (first + 1) % 3, third = (first + 2) % 3;
    const int a = face.corners[first], b = face.corners[second], c = face.corners[third];
    const int ab = middles[first], bc = middles[second], ca = middles[third];
    const bool on_ab = face.provisional[first], on_bc = face.provisional[second],
               on_ca = face.provisional[third];
    if (whole == 3) {
        parts_.push_back(face);
    } else if (whole == 2) {
        parts_.insert(parts_.end(), {{{a, ab, c}, {on_ab, true, on_ca}}, {{ab, b, c}, {on_ab, on_bc, true}}});
    } else if (whole == 1) {
        parts_.push_back({{ab, b, bc}, {on_ab, on_bc, true}});
        parts_.push_back({{a, ab, bc}, {on_ab, true, true}});
        parts_.push_back({{a, bc, c}, {true, on_bc, on_ca}});
    } else {
        parts_.insert(parts_.end(), {{{a, ab, ca}, {on_ab, false, on_ca}},
                                     {{ab, b, bc}, {on_ab, on_bc, false}},
                                     {{ca, bc, c}, {false, on_bc, on_ca}},
                                     {{ab, bc, ca}, {false, false, false}}});
    }
}

/// Provisional edges that are not Delaunay, none of whose faces another flip of this round has changed.
bool Refiner::flip() {
    const auto edges = half_edges([](const Face& face, std::size_t c) { return face.provisional[c]; });
    std::vector<bool> changed(faces_.size(), false);
    bool any = false;
    for (std::size_t k = 0; k + 1 < edges.size(); ++k) {
        const HalfEdge &one = edges[k], &other = edges[k + 1];
        if (one.ends() != other.ends() || changed[one.face] || changed[other.face]) continue;
        if (!flip(faces_[one.face], one.corner, faces_[other.face], other.corner)) continue;
        changed[one.face] = changed[other.face] = any = true;
    }
    return any;
}

/// The edge a-b between c and d, which lie in a plane, becomes c-d where the angles at c and d are more than π
/// together: where cot γ + cot δ < 0.
bool Refiner::flip(Face& one, std::size_t edge, Face& other, std::size_t other_edge) const {
    const std::size_t next = (edge + 1) % 3, last = (edge + 2) % 3;
    const std::size_t other_next = (other_edge + 1) % 3, other_last = (other_edge + 2) % 3;
    const int a = one.corners[edge], b = one.corners[next], c = one.corners[last];
    const int d = other.corners[other_last];
    const auto from = [&](int i, int j) { return positions_[at(j)] - positions_[at(i)]; };
    const double dot_c = dot(from(c, a), from(c, b)), dot_d = dot(from(d, a), from(d, b));
    const double cross_c = norm(cross(from(c, a), from(c, b))), cross_d = norm(cross(from(d, a), from(d, b)));
    constexpr double rounding = 1e-9;  // four points on a circle stay as they are
    const double lengths =
        std::sqrt(norm2(from(c, a)) * norm2(from(c, b)) * norm2(from(d, a)) * norm2(from(d, b)));
    if (dot_c * cross_d + dot_d * cross_c >= -rounding * lengths) return false;
    const Vec3 normal = cross(from(a, b), from(a, c));
    if (!(dot(cross(from(a, d), from(a, c)), normal) > 0 && dot(cross(from(d, b), from(d, c)), normal) > 0))
        return false;
    const Face first{{a, d, c}, {other.provisional[other_next], true, one.provisional[last]}};
    const Face second{{d, b, c}, {other.provisional[other_last], one.provisional[next], true}};
    one = first, other = second;
    return true;
}

std::optional<RefinedSkin> refined(Refiner refiner, const Embed& embed) {
    // Every round halves edges, so that a few dozen do for any skin. In triangles without area flips may undo what a round has
    // done: they are left as they are.
    constexpr int max_rounds = 40;
    bool changed = false;
    for (int round = 0; round < max_rounds && refiner.divide(embed); ++round) changed = true;
    if (!changed) return std::nullopt;
    return std::move(refiner).take();
}

}  // namespace

std::optional<RefinedSkin> refined_skin(const Mesh& skin, const Embedding& weights, const TetMesh& tets) {
    const auto x = tets.positions();
    double least = HUGE_VAL;
    for (const Tet& t : tets.tets()) {
        std::array<Embedding::Entry, 4> row;
        for (std::size_t k = 0; k < 4; ++k) row[k].vertex = static_cast<std::uint32_t>(t[k]);
        least = std::min(least, longest_at(row, x));
    }
    std::optional<TetEmbedder> embedder;
    return refined(Refiner(skin, weights, x, least),
                   [&](std::span<const Vec3> points, std::span<const std::uint32_t> like) {
                       if (!embedder) embedder.emplace(tets);  // fine skins need none
                       std::vector<int> piece;
                       for (const std::uint32_t vertex : like)
                           piece.push_back(embedder->piece_of_vertex(vertex));
                       return Result<Embedding>(embedder->embed(points, piece));
                   });
}

std::optional<RefinedSkin> refined_skin(const Mesh& skin, const Embedding& weights,
                                        std::span<const Vec3> points) {
    double least = HUGE_VAL;
    for (std::size_t p = 0; p < weights.size(); ++p)
        least = std::min(least, longest_at(weights.row(p), points));
    return refined(Refiner(skin, weights, points, least),
                   [&](std::span<const Vec3> more, auto) { return Embedding::in_points(points, more); });
}

}  // namespace plush
