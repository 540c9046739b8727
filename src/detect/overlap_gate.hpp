#pragma once

#include <algorithm>

#include "detect/depth_lanes.hpp"
#include "detect/image_frame.hpp"
#include "detect/surface_patches.hpp"

// Where two surfaces, or one and itself, can overlap, told before anything is drawn.
//
// The part of space that both closed surfaces hold is bounded by them, and somewhere on that border the two
// cross: else the border is a whole part of one of them, inside the other. In the same way, where a surface
// winds twice it crosses itself. So patches that may cross others are looked for, and images are drawn only
// around them:
//
//   - patches cross only where their boxes meet, and no plane is found between them;
//   - patches of one surface that share a vertex, only where their normals do not fit into a half-space
//     (Volino and Magnenat Thalmann 1994; that their outline does not cross itself is not asked);
//   - of every part that hangs together one patch is looked at, whatever is near it.
//
// Where the overlap is deep its border goes on beyond those. But a patch that crosses nothing bounds the
// overlap as a whole or not at all: one column through it tells. So what was drawn tells which patches around
// must be drawn too, until nothing is left (grow()). What is found is then what images of all would show, to
// the last bit.

namespace plush {

class OverlapGate {
public:
    enum Mark : std::uint8_t {
        absent,   ///< of a cluster that does not matter
        nothing,  ///< found
        asked,    ///< beside what may cross: one column through it tells
        around,   ///< the same, but it is so small that no column is sure to meet it: all of it is drawn
        near,     ///< what may cross, or bounds the overlap
    };
    /// In image coordinates, as floats: places are known to a millionth of the surface's extent.
    struct Box {
        std::array<float, 3> low{HUGE_VALF, HUGE_VALF, HUGE_VALF}, high{-HUGE_VALF, -HUGE_VALF, -HUGE_VALF};
        void add(const Box& b) {
            for (std::size_t d = 0; d < 3; ++d)
                low[d] = std::min(low[d], b.low[d]), high[d] = std::max(high[d], b.high[d]);
        }
    };

    /// Takes these clusters of an object; all others do not matter.
    void place(std::size_t object, const SurfaceView& view, const SurfacePatches& patches,
               const ImageMap& map, std::span<const std::uint32_t> clusters, bool self);
    /// Marks the patches that may cross others, and those around them; of the first object with itself where
    /// nothing was placed as the second.
    void look(bool self);
    /// visit(axis, box) for whatever must be drawn in an image, widened by what is not known: the boxes of
    /// patches, and of columns that tell of them.
    template <class F>
    void each_marked(std::size_t axis, const F& visit) const {
        for (const Object& o : objects_)
            for (std::size_t p = 0; p < o.marks.size(); ++p)
                if (o.marks[p] >= around) visit(o.boxes[p]);
        for (const Box& box : questions_[axis]) visit(box);
    }

    /// After what is marked was drawn: met() for triangles with a crossing in it, inside() for those that
    /// bound a stretch of overlap; then grow(), which is true where more has been marked by that.
    void forget();
    /// Whether anyone waits for met() of an object.
    bool waits(std::size_t object) const {
        const auto& marks = objects_[object].marks;
        return std::find(marks.begin(), marks.end(), around) != marks.end();
    }
    void met(std::size_t object, std::size_t triangle) {
        Object& o = objects_[object];
        o.met[o.patches->of(triangle)] = 1;
    }
    void inside(std::size_t object, std::size_t triangle) {
        Object& o = objects_[object];
        o.inside[o.patches->of(triangle)] = 1;
    }
    bool grow();

private:
    using Float8 [[gnu::vector_size(32)]] = float;
    struct Point {
        float x, y, z, spare;
    };
    struct Vector8 {
        Float8 x, y, z;
    };
    /// Of the normals of a patch.
    struct Cone {
        std::array<float, 3> axis;  ///< a unit vector
        float cosine2;              ///< of the widest angle to it, squared; below 0: wider than a right angle
    };
    /// The boxes of eight patches, or of eight clusters.
    struct Boxes8 {
        std::array<Float8, 3> low, high;
        Boxes8();
        void set(std::size_t lane, const Box& box);
        unsigned met_by(const Box& box) const;  ///< a bit for each
    };
    struct Object {
        const SurfacePatches* patches = nullptr;
        std::vector<std::uint32_t> clusters;
        std::vector<Point> points;  ///< by places in surface.vertices()
        std::vector<Box> boxes;     ///< of patches
        std::vector<Cone> cones;
        std::vector<std::uint8_t> marks, met, inside;
        // Of the clusters that were placed, in their order.
        std::vector<Box> cluster_boxes;
        std::vector<Boxes8> cluster_packs, packs;
        std::vector<std::uint32_t> first_pack;
    };
    static Vector8 gather(const Object& o, std::size_t patch, std::size_t corner);
    static Cone cone_of(const Vector8& p, const Vector8& q, const Vector8& r);
    void widen(Object& o) const;
    void find_crossing(Object& a, Object& b, bool self);
    bool apart(const Object& a, std::size_t i, const Object& b, std::size_t j) const;
    void find_folded(Object& o) const;
    void ask();
    bool ask(const Object& o, std::size_t patch);

    std::array<Object, 2> objects_;
    std::array<std::vector<Box>, 3> questions_;  ///< columns of each image
    float margin_ = 0;                           ///< what snapping moves, and what floats do not tell, pixels
    std::vector<std::uint32_t> stamps_, met_clusters_;
};

}  // namespace plush
