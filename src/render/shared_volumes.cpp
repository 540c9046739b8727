#include "render/shared_volumes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "geometry/tets/solid_query.hpp"

// The surface of A ∩ B is the part of A's surface that is in B and the part of B's that is in A. With the
// signed distance φ to the other surface at its corners a triangle is all in, all out, or passes the border.
// Those that may pass it are cut in four until they are small, and then along φ = 0, taken as linear between
// the corners. Nothing is asked of how contacts were found, so that the picture of a run checks
// it.

namespace plush::render {
namespace {

/// Pieces that pass the border are no longer than this part of the boxes' common diagonal.
constexpr double finest = 1.0 / 256;
/// Of one side of a pair; beyond that pieces are left as large as they are.
constexpr std::size_t max_pieces = 1'000'000;

Vec3 to_double(const Vec3f& v) {
    return {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
}

Vec3f to_float(const Vec3& v) {
    return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

std::vector<Triangle> triangles_of(const FrameMesh& mesh) {
    std::vector<Triangle> triangles;
    for (std::size_t i = 0; i + 2 < mesh.triangles.size(); i += 3)
        triangles.push_back({mesh.triangles[i], mesh.triangles[i + 1], mesh.triangles[i + 2]});
    return triangles;
}

/// Every edge is passed as often one way as the other.
bool is_closed(std::span<const Triangle> triangles) {
    std::vector<std::pair<int, int>> there, back;
    for (const Triangle& t : triangles)
        for (std::size_t k = 0; k < 3; ++k)
            there.emplace_back(t[k], t[(k + 1) % 3]), back.emplace_back(t[(k + 1) % 3], t[k]);
    std::sort(there.begin(), there.end());
    std::sort(back.begin(), back.end());
    return !there.empty() && there == back;
}

Box3 moved(const Box3& box, const Transform& to) {
    Box3 out;
    for (int k = 0; k < 8; ++k)
        out.add(to * Vec3{k & 1 ? box.low.x : box.high.x, k & 2 ? box.low.y : box.high.y,
                          k & 4 ? box.low.z : box.high.z});
    return out;
}

Box3 common(const Box3& a, const Box3& b) {
    return {max(a.low, b.low), min(a.high, b.high)};
}

struct Corner {
    Vec3 place;
    double value;  ///< φ there
};

/// Where φ = 0 on the edge from the inside corner to the outside one.
Vec3 crossing(const Corner& in, const Corner& out) {
    return in.place + (out.place - in.place) * (in.value / (in.value - out.value));
}

/// Cuts triangles by a signed distance and hands on what is inside.
template <class Distance, class Take>
class Cutter {
public:
    Cutter(const Distance& distance, double piece, const Take& take)
        : distance_(distance), piece_(piece), take_(take) {}

    void cut(const Corner& a, const Corner& b, const Corner& c) {
        const double longest = std::sqrt(
            std::max({norm2(b.place - a.place), norm2(c.place - b.place), norm2(a.place - c.place)}));
        // φ changes by no more than the way: from any corner the others' triangle is within `longest`.
        const double low = std::min({a.value, b.value, c.value}),
                     high = std::max({a.value, b.value, c.value});
        if (low > longest || (low >= 0 && longest <= piece_)) return;
        if (high < -longest || (high < 0 && longest <= piece_)) return take_(a.place, b.place, c.place);
        if (longest > piece_ && pieces_ < max_pieces) return split(a, b, c);
        clip({a, b, c});
    }

private:
    Corner middle(const Corner& a, const Corner& b) {
        const Vec3 p = 0.5 * (a.place + b.place);
        return {p, distance_(p)};
    }

    void split(const Corner& a, const Corner& b, const Corner& c) {
        pieces_ += 4;
        const Corner ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
        cut(a, ab, ca), cut(ab, b, bc), cut(ca, bc, c), cut(ab, bc, ca);
    }

    /// The part of a small triangle with φ < 0: a triangle or a quadrilateral.
    void clip(const std::array<Corner, 3>& corners) const {
        std::array<Vec3, 4> kept;
        std::size_t n = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            const Corner &p = corners[k], &q = corners[(k + 1) % 3];
            if (p.value < 0) kept[n++] = p.place;
            if ((p.value < 0) != (q.value < 0)) kept[n++] = p.value < 0 ? crossing(p, q) : crossing(q, p);
        }
        if (n >= 3) take_(kept[0], kept[1], kept[2]);
        if (n == 4) take_(kept[0], kept[2], kept[3]);
    }

    const Distance& distance_;
    const double piece_;
    const Take& take_;
    std::size_t pieces_ = 0;
};

void add(SharedVolume& out, const Vec3& a, const Vec3& b, const Vec3& c) {
    for (const Vec3& p : {a, b, c}) {
        out.triangles.push_back(static_cast<std::int32_t>(out.positions.size()));
        out.positions.push_back(to_float(p));
    }
}

}  // namespace

/// A body where it is.
struct SharedVolumes::Solid {
    const SolidQuery* query = nullptr;  ///< null: not a closed surface
    std::unique_ptr<SolidQuery> own{};  ///< of a deformable body, for this frame
    Transform pose{};
    Vec3 plane{};  ///< the normal of a half-space, in the world

    bool is_plane() const { return plane != Vec3{}; }

    /// Calls take(a, b, c), in the world, for what is inside `distance`, which is given in the frame `to`
    /// this body's leads to, near `region` of that frame.
    template <class Distance, class Take>
    void each_inside(const Transform& to, const Box3& region, const Distance& distance,
                     const Take& take) const {
        const Box3 both = common(region, moved(query->bounds(), to));
        if (both.empty()) return;
        Cutter cutter(distance, finest * norm(both.size()), take);
        std::vector<int> near;
        query->candidates(moved(both, inverse(to)), near);
        std::vector<double> known(query->positions().size(), HUGE_VAL);
        for (const int t : near) {
            std::array<Corner, 3> corners;
            for (std::size_t k = 0; k < 3; ++k) {
                const auto v = static_cast<std::size_t>(query->triangles()[static_cast<std::size_t>(t)][k]);
                corners[k].place = to * query->positions()[v];
                if (known[v] == HUGE_VAL) known[v] = distance(corners[k].place);
                corners[k].value = known[v];
            }
            cutter.cut(corners[0], corners[1], corners[2]);
        }
    }

    /// The part of this surface that is in a half-space, and its shadow on the plane, which closes it.
    void cut_by_plane(const Solid& half_space, SharedVolume& out) const {
        const Vec3 n = half_space.plane, at = half_space.pose.position;
        const auto height = [&](const Vec3& p) { return dot(n, p - at); };
        const auto take = [&](const Vec3& a, const Vec3& b, const Vec3& c) {
            add(out, a, b, c);
            add(out, c - n * height(c), b - n * height(b), a - n * height(a));
        };
        each_inside(pose, moved(query->bounds(), pose), height, take);
    }

    /// The part of this surface that is in the other one.
    void cut_by_solid(const Solid& other, SharedVolume& out) const {
        const auto distance = [&](const Vec3& p) { return other.query->signed_distance(p); };
        const auto take = [&](const Vec3& a, const Vec3& b, const Vec3& c) {
            add(out, other.pose * a, other.pose * b, other.pose * c);
        };
        each_inside(inverse(other.pose) * pose, other.query->bounds(), distance, take);
    }
};

SharedVolumes::SharedVolumes() = default;
SharedVolumes::~SharedVolumes() = default;
SharedVolumes::SharedVolumes(SharedVolumes&&) noexcept = default;
SharedVolumes& SharedVolumes::operator=(SharedVolumes&&) noexcept = default;

/// Null for a mesh that is no closed surface.
const SolidQuery* SharedVolumes::query_of(const FramesHeader& header, int mesh) {
    const auto k = static_cast<std::size_t>(mesh);
    if (!looked_at_[k]) {
        looked_at_[k] = 1;
        std::vector<Triangle> triangles = triangles_of(header.meshes[k]);
        std::vector<Vec3> positions;
        for (const Vec3f& p : header.meshes[k].positions) positions.push_back(to_double(p));
        if (is_closed(triangles))
            stiff_[k] = std::make_unique<SolidQuery>(std::move(positions), std::move(triangles));
    }
    return stiff_[k].get();
}

/// All bodies where the frame has them.
void SharedVolumes::place(const FramesHeader& header, const Frame& frame) {
    stiff_.resize(header.meshes.size()), looked_at_.resize(header.meshes.size(), 0);
    solids_.clear();
    std::size_t pose = 0, point = 0;
    for (const FrameBody& body : header.bodies) {
        Solid& solid = solids_.emplace_back();
        if (body.points > 0) {
            const auto points = std::span(frame.points).subspan(point, static_cast<std::size_t>(body.points));
            point += points.size();
            if (body.mesh < 0 || !query_of(header, body.mesh)) continue;
            std::vector<Vec3> positions;
            for (const Vec3f& p : points) positions.push_back(to_double(p));
            if (!std::all_of(positions.begin(), positions.end(), [](const Vec3& p) { return is_finite(p); }))
                continue;
            const FrameMesh& mesh = header.meshes[static_cast<std::size_t>(body.mesh)];
            solid.own = std::make_unique<SolidQuery>(std::move(positions), triangles_of(mesh));
            solid.query = solid.own.get();
            continue;
        }
        solid.pose = frame.poses[pose++];
        if (body.mesh >= 0)
            solid.query = query_of(header, body.mesh);
        else if (body.normal != Vec3f{})
            solid.plane = rotate(solid.pose.rotation, normalised(to_double(body.normal)));
    }
}

std::vector<SharedVolume> SharedVolumes::find(const FramesHeader& header, const Frame& frame,
                                              const Parallel& parallel) {
    place(header, frame);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (const FrameContact& c : frame.contacts)
        if (c.a != c.b) pairs.emplace_back(std::min(c.a, c.b), std::max(c.a, c.b));
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    std::vector<SharedVolume> all(pairs.size());
    parallel.each(pairs.size(), 1, [&](std::size_t k) {
        SharedVolume& out = all[k];
        out.a = pairs[k].first, out.b = pairs[k].second;
        const Solid &a = solids_[out.a], &b = solids_[out.b];
        if (a.query && b.is_plane()) a.cut_by_plane(b, out);
        if (b.query && a.is_plane()) b.cut_by_plane(a, out);
        if (a.query && b.query) a.cut_by_solid(b, out), b.cut_by_solid(a, out);
        if (out.positions.empty()) return;
        const Vec3 origin = to_double(out.positions[0]);  // its size, and not its place, sets the rounding
        for (std::size_t i = 0; i < out.positions.size(); i += 3) {
            const auto at = [&](std::size_t j) { return to_double(out.positions[i + j]) - origin; };
            out.volume += dot(at(0), cross(at(1), at(2))) / 6;
        }
    });
    std::erase_if(all, [](const SharedVolume& v) { return v.positions.empty(); });
    return all;
}

}  // namespace plush::render
