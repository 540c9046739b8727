#include <algorithm>
#include <map>

#include "geometry/shapes/generate_build.hpp"

// The icosahedron, each face cut into n² triangles and pushed onto the sphere: 20 n² triangles for any n, of
// nearly one size (edges within 1 : 1.25), no poles.
//
//          c            point (i, j) of a face abc is a + i/n (b − a) + j/n (c − a), i + j ≤ n;
//         / \           points on an edge are made once, from the end with the smaller number, so that
//        x---x          both faces get the same bits.
//       / \ / \.
//      a---x---b

namespace plush::shapes {
namespace {

// The golden-section rectangles (0, ±1, ±φ) and their turns.
constexpr double phi = 1.618033988749894848;
constexpr std::array<Vec3, 12> corners{{{-1, phi, 0},
                                        {1, phi, 0},
                                        {-1, -phi, 0},
                                        {1, -phi, 0},
                                        {0, -1, phi},
                                        {0, 1, phi},
                                        {0, -1, -phi},
                                        {0, 1, -phi},
                                        {phi, 0, -1},
                                        {phi, 0, 1},
                                        {-phi, 0, -1},
                                        {-phi, 0, 1}}};
constexpr std::array<Triangle, 20> faces{{{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                          {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                          {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                          {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}}};

const Vec3& corner(int i) {
    return corners[static_cast<std::size_t>(i)];
}

class Subdivision {
public:
    explicit Subdivision(int n) : n_(n) {
        for (const Vec3& c : corners) positions_.push_back(normalised(c));
        for (const Triangle& f : faces) add_face(f);
    }
    Mesh mesh(double radius) && {
        for (Vec3& p : positions_) p *= radius;
        return Mesh(std::move(positions_), std::move(triangles_));
    }

private:
    int add(const Vec3& p) {
        positions_.push_back(normalised(p));
        return static_cast<int>(positions_.size()) - 1;
    }

    // The k-th of the points that cut the edge from corner a to corner b.
    int edge_point(int a, int b, int k) {
        if (k == 0) return a;
        if (k == n_) return b;
        if (a > b) return edge_point(b, a, n_ - k);
        const auto [it, is_new] = edges_.try_emplace({a, b}, static_cast<int>(positions_.size()));
        if (is_new)
            for (int i = 1; i < n_; ++i) add((corner(a) * (n_ - i) + corner(b) * i) / n_);
        return it->second + k - 1;
    }

    void add_face(const Triangle& f) {
        std::vector<int> last, row;  // the points of rows j − 1 and j
        for (int j = 0; j <= n_; ++j) {
            row.clear();
            for (int i = 0; i <= n_ - j; ++i) {
                const bool inside = j > 0 && i > 0 && i < n_ - j;
                row.push_back(inside ? add(corner(f[0]) * (n_ - i - j) + corner(f[1]) * i + corner(f[2]) * j)
                              : j == 0 ? edge_point(f[0], f[1], i)
                              : i == 0 ? edge_point(f[0], f[2], j)
                                       : edge_point(f[1], f[2], j));
            }
            for (std::size_t i = 0; i < row.size() && j > 0; ++i) {
                triangles_.push_back({last[i], last[i + 1], row[i]});
                if (i + 1 < row.size()) triangles_.push_back({last[i + 1], row[i + 1], row[i]});
            }
            std::swap(last, row);
        }
    }

    int n_;
    std::vector<Vec3> positions_;
    std::vector<Triangle> triangles_;
    std::map<std::pair<int, int>, int> edges_;  // first point of each edge
};

}  // namespace

Mesh icosphere(double radius, int triangles) {
    require(positive(radius), "icosphere", "the radius is not above zero", "give a radius above 0 m");
    require_count("icosphere", triangles);
    const double root = std::sqrt(triangles / 20.0);  // of 20 n² = triangles
    const int low = std::max(1, static_cast<int>(root));
    // The nearer by ratio: above or below the geometric mean of n and n + 1.
    const int n = root * root > static_cast<double>(low) * (low + 1) ? low + 1 : low;
    return Subdivision(n).mesh(radius);
}

}  // namespace plush::shapes
