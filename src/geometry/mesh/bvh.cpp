#include "geometry/mesh/bvh.hpp"

#include <algorithm>
#include <array>

#include "core/assert.hpp"

// A node is split where the surface area heuristic is lowest (Goldsmith & Salmon 1987; MacDonald & Booth
// 1990): a query reaches a child with a probability in proportion to the child's area A, so a split costs
//
//     A_left · n_left + A_right · n_right.
//
// Triangles are sorted by centroid into bins along the longest axis (Wald 2007) and only the borders between
// bins are tried. Where that finds nothing (equal centroids, areas that overflow), and below a depth that
// only hostile input reaches, the middle item by centroid and index splits instead. This bounds the depth, so
// that queries live on a stack of fixed size.
//
// Rays: Woop, Benthin & Wald, "Watertight ray/triangle intersection", JCGT 2(1), 2013: shear and permute so
// that the ray is the z axis and test the signs of the three edge functions. Two triangles compute the edge
// function of their common edge from the same products, so nothing slips between them (with contraction of
// a·b − c·d off, as it is in every preset).

namespace plush {
namespace {

constexpr int largest_leaf = 4;
constexpr int bin_count = 16;
constexpr int sah_depth = 40;   // below: halves by count, so that no depth exceeds 40 + log2(2³¹)
constexpr int stack_size = 80;  // a depth-first walk holds at most one entry a level, and two at the last

struct Item {
    Box3 box;
    Vec3 centre;
    std::int32_t index;
};

Box3 box_of(std::span<const Vec3> positions, const Triangle& t) {
    Box3 box;
    for (int v : t) box.add(positions[static_cast<std::size_t>(v)]);
    return box;
}

double half_area(const Box3& box) {
    const Vec3 s = box.size();
    return s.x * s.y + s.y * s.z + s.z * s.x;
}

std::size_t longest_axis(const Vec3& size) {
    return size.x >= size.y && size.x >= size.z ? 0u : size.y >= size.z ? 1u : 2u;
}

struct Bin {
    Box3 box;
    int count = 0;
    void add(const Bin& b) { box.add(b.box), count += b.count; }
    double cost() const { return count == 0 ? 0 : half_area(box) * count; }
};

struct Binning {
    std::size_t axis;
    double low, per_length;

    Binning(const Box3& centres)
        : axis(longest_axis(centres.size())),
          low(centres.low[axis]),
          per_length(bin_count / (centres.high[axis] - centres.low[axis])) {}
    int operator()(const Item& item) const {
        const double x = (item.centre[axis] - low) * per_length;
        return x > 0 ? static_cast<int>(std::fmin(x, bin_count - 1)) : 0;
    }
};

// The first bin of the right part, 0 where no border between bins is any good.
int best_border(std::span<const Item> items, const Binning& bin_of) {
    std::array<Bin, bin_count> bins;
    for (const Item& item : items) bins[static_cast<std::size_t>(bin_of(item))].add({item.box, 1});
    std::array<double, bin_count> right_cost;
    Bin right;
    for (std::size_t i = bin_count; i-- > 0;) right.add(bins[i]), right_cost[i] = right.cost();
    Bin left;
    double best = HUGE_VAL;
    int border = 0;
    const int all = static_cast<int>(items.size());
    for (std::size_t i = 1; i < bin_count; ++i) {
        left.add(bins[i - 1]);
        const double cost = left.cost() + right_cost[i];
        if (left.count > 0 && left.count < all && cost < best) best = cost, border = static_cast<int>(i);
    }
    return border;
}

// Rearranges the items and gives the number of those that go left, at least one and not all.
std::size_t split(std::span<Item> items, int depth) {
    Box3 centres;
    for (const Item& item : items) centres.add(item.centre);
    if (depth < sah_depth) {
        const Binning bin_of(centres);
        if (const int border = best_border(items, bin_of); border > 0) {
            const auto right = std::partition(items.begin(), items.end(),
                                              [&](const Item& item) { return bin_of(item) < border; });
            return static_cast<std::size_t>(right - items.begin());
        }
    }
    const std::size_t axis = longest_axis(centres.size()), half = items.size() / 2;
    std::nth_element(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(half), items.end(),
                     [axis](const Item& a, const Item& b) {
                         return a.centre[axis] != b.centre[axis] ? a.centre[axis] < b.centre[axis]
                                                                 : a.index < b.index;
                     });
    return half;
}

void build(std::vector<Bvh::Node>& nodes, std::size_t node, std::span<Item> items, std::int32_t offset,
           int depth) {
    for (const Item& item : items) nodes[node].box.add(item.box);
    if (items.size() <= largest_leaf) {
        nodes[node].first = offset;
        nodes[node].count = static_cast<std::int32_t>(items.size());
        return;
    }
    const std::size_t half = split(items, depth), children = nodes.size();
    nodes[node].first = static_cast<std::int32_t>(children);
    nodes.resize(children + 2);
    build(nodes, children, items.first(half), offset, depth + 1);
    build(nodes, children + 1, items.subspan(half), offset + static_cast<std::int32_t>(half), depth + 1);
}

// The ray as Woop et al. see it.
struct Shear {
    std::size_t kx, ky, kz;
    double sx, sy, sz;
    Vec3 origin;

    Shear(const Vec3& o, const Vec3& d) : origin(o) {
        kz = longest_axis(abs(d));
        kx = (kz + 1) % 3, ky = (kz + 2) % 3;
        if (d[kz] < 0) std::swap(kx, ky);  // keeps the winding
        sx = d[kx] / d[kz], sy = d[ky] / d[kz], sz = 1 / d[kz];
    }
    Vec3 operator()(const Vec3& p) const {
        const Vec3 q = p - origin;
        return {q[kx] - sx * q[kz], q[ky] - sy * q[kz], sz * q[kz]};
    }
};

// t and the weights, where the line of the ray crosses the triangle.
std::optional<TriangleHit> hit(const Shear& shear, const Vec3& pa, const Vec3& pb, const Vec3& pc,
                               int triangle) {
    const Vec3 a = shear(pa), b = shear(pb), c = shear(pc);
    const double u = c.x * b.y - c.y * b.x, v = a.x * c.y - a.y * c.x, w = b.x * a.y - b.y * a.x;
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return {};
    const double det = u + v + w;
    if (!(std::abs(det) > 0)) return {};  // seen edge-on, or of zero area
    const Vec3 weights{u / det, v / det, w / det};
    return TriangleHit{weights.x * a.z + weights.y * b.z + weights.z * c.z, triangle, weights};
}

// Where the ray enters the box. The products may round by a few ulps; the factor keeps the test from losing a
// box that the ray only grazes (Ize 2013).
struct Slabs {
    Vec3 origin, per_direction;

    Slabs(const Vec3& o, const Vec3& d) : origin(o), per_direction{1 / d.x, 1 / d.y, 1 / d.z} {}
    // HUGE_VAL where it misses. 0 · ∞ gives NaN on a face parallel to the ray, which the comparisons ignore.
    double enter(const Box3& box, double t_max) const {
        double near = 0, far = t_max;
        for (std::size_t k = 0; k < 3; ++k) {
            double t0 = (box.low[k] - origin[k]) * per_direction[k];
            double t1 = (box.high[k] - origin[k]) * per_direction[k];
            if (per_direction[k] < 0) std::swap(t0, t1);
            t0 *= t0 > 0 ? 1 - 8e-16 : 1 + 8e-16;  // 4 ulps each way: one difference, two products
            t1 *= t1 > 0 ? 1 + 8e-16 : 1 - 8e-16;
            near = t0 > near ? t0 : near;
            far = t1 < far ? t1 : far;
        }
        return near <= far ? near : HUGE_VAL;
    }
};

struct Entry {
    std::int32_t node;
    double key;  // where the ray enters, or the squared distance
};

// Depth first, the nearer child first; `best` is read again for every entry because it shrinks on the way.
template <class Key, class Leaf>
void walk_nearest(std::span<const Bvh::Node> nodes, const double& best, Key&& key, Leaf&& leaf) {
    if (nodes.empty()) return;
    std::array<Entry, stack_size> stack;
    std::size_t size = 0;
    stack[size++] = {0, key(nodes[0].box)};
    while (size > 0) {
        const Entry entry = stack[--size];
        if (!(entry.key <= best) || entry.key == HUGE_VAL) continue;
        const Bvh::Node& node = nodes[static_cast<std::size_t>(entry.node)];
        if (node.count > 0) {
            leaf(node);
            continue;
        }
        Entry near{node.first, key(nodes[static_cast<std::size_t>(node.first)].box)};
        Entry far{node.first + 1, key(nodes[static_cast<std::size_t>(node.first) + 1].box)};
        if (far.key < near.key) std::swap(near, far);
        PLUSH_ASSERT(size + 2 <= stack_size);
        stack[size++] = far, stack[size++] = near;
    }
}

// Weights of the point of segment ab closest to p: exact zeros at the ends.
std::pair<double, double> closest_on_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
    const Vec3 ab = b - a;
    const double along = dot(p - a, ab), length2 = norm2(ab);
    if (!(along > 0)) return {1, 0};
    if (along >= length2) return {0, 1};
    const double s = along / length2;
    return {1 - s, s};
}

Vec3 closest_on_edges(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
    const auto [ab0, ab1] = closest_on_segment(p, a, b);
    const auto [bc0, bc1] = closest_on_segment(p, b, c);
    const auto [ca0, ca1] = closest_on_segment(p, c, a);
    const double ab2 = norm2(a * ab0 + b * ab1 - p), bc2 = norm2(b * bc0 + c * bc1 - p),
                 ca2 = norm2(c * ca0 + a * ca1 - p);
    if (ab2 <= bc2 && ab2 <= ca2) return {ab0, ab1, 0};
    if (bc2 <= ca2) return {0, bc0, bc1};
    return {ca1, 0, ca0};
}

}  // namespace

// Ericson, "Real-Time Collision Detection" (2005), 5.1.5: the Voronoi region of each corner and edge is
// tested by dot products and the triangle's plane is needed only when none of them holds p.
Vec3 closest_weights(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
    // Nearly collinear corners: the plane's part would be rounding. The edges alone are then right to within
    // the triangle's height, which is below 1e-10 of its sides.
    constexpr double sliver_sine2 = 1e-20;
    if (norm2(cross(ab, ac)) <= sliver_sine2 * norm2(ab) * norm2(ac)) return closest_on_edges(p, a, b, c);
    const double d1 = dot(ab, ap), d2 = dot(ac, ap);
    if (d1 <= 0 && d2 <= 0) return {1, 0, 0};
    const double d3 = dot(ab, bp), d4 = dot(ac, bp);
    if (d3 >= 0 && d4 <= d3) return {0, 1, 0};
    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        const double s = d1 / (d1 - d3);
        return {1 - s, s, 0};
    }
    const double d5 = dot(ab, cp), d6 = dot(ac, cp);
    if (d6 >= 0 && d5 <= d6) return {0, 0, 1};
    const double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        const double s = d2 / (d2 - d6);
        return {1 - s, 0, s};
    }
    const double va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        const double s = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return {0, 1 - s, s};
    }
    const double v = vb / (va + vb + vc), w = vc / (va + vb + vc);
    return {1 - v - w, v, w};
}

Bvh::Bvh(std::span<const Vec3> positions, std::span<const Triangle> triangles) {
    if (triangles.empty()) return;
    std::vector<Item> items;
    items.reserve(triangles.size());
    for (const Triangle& t : triangles) {
        const Box3 box = box_of(positions, t);
        items.push_back({box, box.centre(), static_cast<std::int32_t>(items.size())});
    }
    nodes_.reserve(items.size());
    nodes_.resize(1);
    build(nodes_, 0, items, 0, 0);
    order_.reserve(items.size());
    boxes_.reserve(items.size());
    for (const Item& item : items) order_.push_back(item.index), boxes_.push_back(item.box);
}

void Bvh::refit(std::span<const Vec3> positions, std::span<const Triangle> triangles) {
    PLUSH_ASSERT(triangles.size() == order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i)
        boxes_[i] = box_of(positions, triangles[static_cast<std::size_t>(order_[i])]);
    for (std::size_t n = nodes_.size(); n-- > 0;) {
        Node& node = nodes_[n];
        node.box = {};
        const auto first = static_cast<std::size_t>(node.first);
        const Node* children = node.count == 0 ? &nodes_[first] : nullptr;
        if (children != nullptr) node.box.add(children[0].box), node.box.add(children[1].box);
        for (std::size_t i = 0; i < static_cast<std::size_t>(node.count); ++i)
            node.box.add(boxes_[first + i]);
    }
}

std::optional<TriangleHit> Bvh::ray(std::span<const Vec3> positions, std::span<const Triangle> triangles,
                                    const Vec3& origin, const Vec3& direction, double t_max) const {
    if (direction == Vec3{}) return {};
    const Shear shear(origin, direction);
    const Slabs slabs(origin, direction);
    std::optional<TriangleHit> found;
    double best = t_max;
    walk_nearest(
        nodes_, best, [&](const Box3& box) { return slabs.enter(box, best); },
        [&](const Node& node) {
            for (std::int32_t i = node.first; i < node.first + node.count; ++i) {
                const int triangle = order_[static_cast<std::size_t>(i)];
                const Triangle& t = triangles[static_cast<std::size_t>(triangle)];
                const auto h = hit(shear, positions[static_cast<std::size_t>(t[0])],
                                   positions[static_cast<std::size_t>(t[1])],
                                   positions[static_cast<std::size_t>(t[2])], triangle);
                if (!h || !(h->t >= 0 && h->t <= best)) continue;
                if (found && h->t == best && triangle > found->triangle) continue;
                found = h, best = h->t;
            }
        });
    return found;
}

std::optional<ClosestPoint> Bvh::closest(std::span<const Vec3> positions, std::span<const Triangle> triangles,
                                         const Vec3& p, double max_distance2) const {
    std::optional<ClosestPoint> found;
    double best = max_distance2;
    walk_nearest(
        nodes_, best, [&](const Box3& box) { return box.distance2(p); },
        [&](const Node& node) {
            for (std::int32_t i = node.first; i < node.first + node.count; ++i) {
                const int triangle = order_[static_cast<std::size_t>(i)];
                const Triangle& t = triangles[static_cast<std::size_t>(triangle)];
                const Vec3 &a = positions[static_cast<std::size_t>(t[0])],
                           &b = positions[static_cast<std::size_t>(t[1])],
                           &c = positions[static_cast<std::size_t>(t[2])];
                const Vec3 w = closest_weights(p, a, b, c);
                const Vec3 point = a * w.x + b * w.y + c * w.z;
                const double d2 = norm2(point - p);
                const bool nearer = d2 < best || (found && d2 == best && triangle < found->triangle);
                if (nearer) found = ClosestPoint{point, d2, triangle, w}, best = d2;
            }
        });
    return found;
}

std::optional<TriangleHit> first_hit(std::span<const Vec3> positions, std::span<const Triangle> triangles,
                                     const Vec3& origin, const Vec3& direction, double t_max) {
    if (direction == Vec3{}) return {};
    const Shear shear(origin, direction);
    std::optional<TriangleHit> found;
    for (std::size_t i = 0; i < triangles.size(); ++i) {
        const Triangle& t = triangles[i];
        const auto h =
            hit(shear, positions[static_cast<std::size_t>(t[0])], positions[static_cast<std::size_t>(t[1])],
                positions[static_cast<std::size_t>(t[2])], static_cast<int>(i));
        if (h && h->t >= 0 && h->t <= t_max && !(found && h->t == t_max)) found = h, t_max = h->t;
    }
    return found;
}

std::optional<ClosestPoint> closest_of(std::span<const Vec3> positions, std::span<const Triangle> triangles,
                                       const Vec3& p, double max_distance2) {
    std::optional<ClosestPoint> found;
    for (std::size_t i = 0; i < triangles.size(); ++i) {
        const Vec3 &a = positions[static_cast<std::size_t>(triangles[i][0])],
                   &b = positions[static_cast<std::size_t>(triangles[i][1])],
                   &c = positions[static_cast<std::size_t>(triangles[i][2])];
        const Vec3 w = closest_weights(p, a, b, c);
        const Vec3 point = a * w.x + b * w.y + c * w.z;
        const double d2 = norm2(point - p);
        if (d2 < max_distance2) found = ClosestPoint{point, d2, static_cast<int>(i), w}, max_distance2 = d2;
    }
    return found;
}

void Bvh::overlaps(const Box3& box, FunctionRef<void(int)> visit) const {
    if (nodes_.empty()) return;
    std::array<std::int32_t, stack_size> stack;
    std::size_t size = 0;
    stack[size++] = 0;
    while (size > 0) {
        const Node& node = nodes_[static_cast<std::size_t>(stack[--size])];
        if (!node.box.overlaps(box)) continue;
        for (std::int32_t i = node.first; i < node.first + node.count; ++i)
            if (boxes_[static_cast<std::size_t>(i)].overlaps(box)) visit(order_[static_cast<std::size_t>(i)]);
        if (node.count > 0) continue;
        PLUSH_ASSERT(size + 2 <= stack_size);
        stack[size++] = node.first + 1, stack[size++] = node.first;
    }
}

namespace {

// Two trees (or twice the same one) walked together, until visit says stop. Each part returns whether to go
// on.
struct PairWalk {
    const Bvh &a, &b;
    FunctionRef<bool(int, int)> visit;

    bool leaves(const Bvh::Node& m, const Bvh::Node& n) const {
        for (auto i = static_cast<std::size_t>(m.first); i < static_cast<std::size_t>(m.first + m.count);
             ++i) {
            const Box3 box = a.boxes()[i];
            if (!box.overlaps(n.box)) continue;
            for (auto j = static_cast<std::size_t>(n.first); j < static_cast<std::size_t>(n.first + n.count);
                 ++j)
                if (box.overlaps(b.boxes()[j]) && !visit(a.order()[i], b.order()[j])) return false;
        }
        return true;
    }

    // The larger of the two nodes is opened: this keeps the boxes alike and prunes best.
    bool cross(const Bvh::Node& m, const Bvh::Node& n) const {
        if (!m.box.overlaps(n.box)) return true;
        if (m.count > 0 && n.count > 0) return leaves(m, n);
        if (n.count > 0 || (m.count == 0 && half_area(m.box) >= half_area(n.box))) {
            const auto child = static_cast<std::size_t>(m.first);
            return cross(a.nodes()[child], n) && cross(a.nodes()[child + 1], n);
        }
        const auto child = static_cast<std::size_t>(n.first);
        return cross(m, b.nodes()[child]) && cross(m, b.nodes()[child + 1]);
    }

    bool self(const Bvh::Node& n) const {
        if (n.count == 0) {
            const auto child = static_cast<std::size_t>(n.first);
            const Bvh::Node &left = a.nodes()[child], &right = a.nodes()[child + 1];
            return self(left) && self(right) && cross(left, right);
        }
        const auto begin = static_cast<std::size_t>(n.first), end = begin + static_cast<std::size_t>(n.count);
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t j = i + 1; j < end; ++j)
                if (a.boxes()[i].overlaps(a.boxes()[j]) && !visit(a.order()[i], a.order()[j])) return false;
        return true;
    }
};

}  // namespace

bool Bvh::self_overlaps_while(FunctionRef<bool(int, int)> visit) const {
    const auto in_order = [visit](int i, int j) { return i < j ? visit(i, j) : visit(j, i); };
    return nodes_.empty() || PairWalk{*this, *this, in_order}.self(nodes_[0]);
}

void Bvh::self_overlaps(FunctionRef<void(int, int)> visit) const {
    self_overlaps_while([visit](int i, int j) { return visit(i, j), true; });
}

void Bvh::overlaps(const Bvh& other, FunctionRef<void(int, int)> visit) const {
    if (nodes_.empty() || other.nodes_.empty()) return;
    const auto go_on = [visit](int i, int j) { return visit(i, j), true; };
    PairWalk{*this, other, go_on}.cross(nodes_[0], other.nodes_[0]);
}

}  // namespace plush
