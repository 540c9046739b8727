#pragma once

#include <cmath>
#include <optional>

#include "core/parallel.hpp"
#include "detect/depth_images/float_lanes.hpp"
#include "detect/depth_images/image_frame.hpp"
#include "detect/depth_images/surface_patches.hpp"

// Which triangles bound the overlap of two surfaces, or of one with itself, told before anything is drawn.
//
// The part of space that both closed surfaces hold is bounded by them, and somewhere on that border the two
// cross: else the border is a whole part of one of them, inside the other. In the same way, where a surface
// winds twice it crosses itself. So:
//
//   1. Triangles that may cross others are searched: clusters and patches whose boxes meet, then patches
//      without a plane between them, then triangle by triangle. Patches of one surface that share a vertex
//      are asked only where the normals of both, or of all triangles around a vertex of both, do not fit into
//      a half-space (Volino and Magnenat Thalmann 1994; that their outline does not cross itself is not
//      asked).
//   2. The others are connected in regions between those, and a region bounds the overlap as a whole or not
//      at all. One triangle beside what may cross is asked for each: how often the other surface winds
//      around a point of it, told by what a line from there meets. Regions that are inside are filled.
//   3. Of every connected part that crosses nothing, one triangle is tested.
//
//             a ────────╲                   ╱────────
//                        ╲                 ╱
//             b ──────────x───────────────x──────────     x: may cross; beside them one triangle tells of
//                          ╲             ╱                the stretch between the two, of a and of b
//                           ───────────────
//
// Triangles that come nearer to each other than what snapping can move count as crossing. So what is found is
// what images of all would show, to the last bit.

namespace plush {

class OverlapGate {
public:
    /// In image coordinates, as floats: places are known to a millionth of the surface's extent.
    struct Box {
        std::array<float, 3> low{HUGE_VALF, HUGE_VALF, HUGE_VALF}, high{-HUGE_VALF, -HUGE_VALF, -HUGE_VALF};
        void add(const Box& b);
    };
    /// A triangle that bounds the overlap, or may; its box is widened by what is not known.
    struct Marked {
        Box box;
        /// Bits of the axes along which lines go in through it, and out; both where it may be edge on.
        std::uint8_t in = 0, out = 0;
    };
    /// One of two objects. Clusters that are not among these do not cross anything that matters.
    struct Side {
        const SurfaceView* view = nullptr;
        const SurfacePatches* patches = nullptr;
        const ImageMap* map = nullptr;
        std::span<const std::uint32_t> clusters{};
    };

    /// At two objects, or at one with itself where there is no view of the second. With a parallel what can
    /// be is spread over the threads.
    void query(const std::array<Side, 2>& sides, const Parallel* parallel = nullptr);
    std::span<const Marked> marked() const { return marked_; }

private:
    struct Point {
        float x, y, z, spare;
    };
    /// Of a patch: what its triangles face, as long as their areas twice, and on the whole, as a unit vector.
    struct Facing {
        Vector8 normals;
        std::array<float, 3> axis;
    };
    /// The boxes of eight patches, clusters or groups.
    struct Boxes8 {
        std::array<Float8, 3> low, high;
        Boxes8();
        void set(std::size_t lane, const Box& box);
        unsigned met_by(const Box& box) const;  ///< a bit for each
    };
    enum State : std::uint8_t {
        unknown,
        outside,   ///< it bounds nothing
        inside,    ///< it bounds the overlap
        crossing,  ///< it may, in part
    };
    struct Object {
        Side side;
        Box all;
        std::vector<State> states;  ///< of triangles
        std::vector<std::uint32_t> crossings, insides;
        // Of groups: packs of their boxes, and of the boxes of those of their clusters that were asked for.
        std::vector<Boxes8> group_packs, cluster_packs;
        std::vector<std::uint8_t> opened;
        // Of clusters that were asked for: where they are.
        std::vector<std::uint8_t> placed;
        std::vector<Point> points;  ///< by places in surface.vertices()
        std::vector<Triangle8> corners;
        std::vector<Box> boxes;  ///< of patches
        std::vector<Facing> facings;
        std::vector<std::uint8_t> folded;  ///< meetings of patches around which normals face all ways
        std::vector<Boxes8> packs;

        /// Where the packs of a cluster's patches begin.
        std::size_t first_pack(std::size_t cluster) const {
            return side.patches->first(cluster) / 8 + cluster;
        }
    };
    /// Clusters that may cross others, with boxes that fit.
    struct Candidates {
        std::vector<std::uint32_t> clusters;
        std::vector<Box> boxes;
        std::vector<Boxes8> packs;
    };

    /// Two patches, and the triangles of each that may cross the other's, a bit each.
    struct Hit {
        std::uint32_t i, j;
        std::uint8_t first, second;
    };

    void begin(Object& o, const Side& side) const;
    Box mapped(const Object& o, const Box3& box) const;
    void place(Object& o, std::uint32_t cluster) const;
    void find_near();
    void fit(std::size_t object);

    void find_folded(Object& o);
    void find_joined(Object& o);
    static bool fit_into_half_space(const Object& o, std::size_t i, std::size_t j);
    static bool fan_fits(const Object& o, std::span<const std::uint32_t> fan);
    void find_crossing(Object& a, Object& b);
    void find_crossing(const Object& a, const Object& b, std::size_t begin, std::size_t end,
                       std::vector<Hit>& hits) const;
    static bool patches_apart(const Object& a, std::size_t i, const Object& b, std::size_t j, float margin);
    void test(const Object& a, std::uint32_t i, const Object& b, std::uint32_t j,
              std::vector<Hit>& hits) const;
    void test_joined(const Object& o, std::uint32_t i, std::uint32_t j, std::vector<Hit>& hits) const;
    template <class F>
    void gather_hits(std::size_t clusters, Object& a, Object& b, const F& find);
    static void mark(Object& o, std::uint32_t patch, unsigned lanes);

    std::pair<std::uint32_t, std::size_t> lane_of(Object& o, std::uint32_t triangle) const;
    void find_inside(Object& o, Object& other);
    State ask(Object& o, std::uint32_t triangle, Object& other) const;
    std::optional<int> winding(Object& o, const std::array<float, 3>& from, std::size_t axis, bool up,
                               std::uint32_t itself) const;
    void fill(Object& o, std::uint32_t from, State state);
    void collect(Object& o);

    std::array<Object, 2> objects_;
    std::array<Candidates, 2> near_;
    bool self_ = false;
    float margin_ = 0;  ///< what snapping moves, and what floats do not tell, pixels
    const Parallel* parallel_ = nullptr;
    std::vector<std::vector<Hit>> hits_;
    std::vector<std::uint32_t> queue_;
    std::vector<Marked> marked_;
};

}  // namespace plush
