#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "plush/geometry/mesh.hpp"
#include "plush/geometry/sdf.hpp"

// How much do two surfaces overlap, where, and how does that change when they move? By layered depth images
// along three axes: columns of pixels through both, and along every column the stretches that lie in both.
// No preparation, any closed surface, any depth of overlap.
//
// What counts as inside: where the winding number of a surface is 1 or more. So parts of a surface that
// overlap themselves count once; a surface that is inside out has no inside; and of a surface with holes the
// columns through a hole, in which it is entered and left a different number of times, are left out. The
// result says how many columns were open or inverted.

namespace plush {

/// What is one overlap.
enum class OverlapSplit {
    whole,      ///< all of it together
    connected,  ///< one for each connected part, at the resolution of the pixels
    cells,      ///< what lies in one cell of a grid along the images' axes, fixed in the world
};

PLUSH_API std::span<const Choice> overlap_split_choices();

/// How the three images' volumes become one.
enum class OverlapVolume {
    /// By the squared components of the summed gradient: a thin overlap counts as it is seen face on.
    weighted,
    mean,  ///< one third each (Faure et al. 2008)
};

PLUSH_API std::span<const Choice> overlap_volume_choices();

/// How finely an overlap is measured.
struct OverlapSettings {
    double pixel = 0;  ///< the side of a pixel, m; 0: chosen for the pair
    /// Where the pixel is chosen: so many across the overlap at least, fewer where memory ends.
    double pixels_across = 64;
    double depth = 0;  ///< where the pixel is chosen: an overlap this deep shall have a pixel's depth, m
    OverlapSplit split = OverlapSplit::connected;
    double cell = 0;  ///< the side of a cell where it is split by cells, m
    OverlapVolume volume = OverlapVolume::weighted;
    /// Turns the images' axes from those of the world: flat faces along the axes are their worst case.
    Quat axes{};
    bool gradients = false;      ///< for every vertex
    double memory_limit = 1024;  ///< of the images, MiB
    int threads = 1;             ///< 0: as many as the machine has. The result is the same
};
PLUSH_API void describe(FieldVisitor& v, OverlapSettings& s);

/// A quarter turn's worth of nothing special: the axes used where flat faces lie along the world's.
PLUSH_API Quat tilted_axes();

/// The change of the shared volume with one vertex.
struct VertexGradient {
    std::uint32_t vertex = 0;
    Vec3 gradient{};  ///< ∂V/∂p, m²
};

/// One overlap of a and b.
struct Overlap {
    double volume = 0;  ///< m³
    Vec3 volumes{};     ///< as each of the three images has it, m³
    /// Σ ∂V/∂p over the vertices of a, m²: what a common motion of a does to the volume. That of b is the
    /// opposite. (Of a surface with itself: over the side that the normal points away from.)
    Vec3 gradient{};
    Vec3 moment{};    ///< Σ (p − centre) × ∂V/∂p over a, m³; that of b is the opposite
    double area = 0;  ///< seen along the normal, m²
    Vec3 centre{};    ///< of the contact, weighted by area, m
    /// Where the force on each surface acts: Σ A_k p_k / Σ A_k over its own vertices, A_k = normal·∂V/∂p_k,
    /// m.
    std::array<Vec3, 2> sides{};
    Vec3 normal{};             ///< unit; the direction that pushes a out of b
    double mean_depth = 0;     ///< volume / area, m
    double largest_depth = 0;  ///< of all columns, along the normal, m
    /// The sum of the gradient tells the normal. False where it cancels (a rod through a block, one body
    /// wholly in another): the normal is the main axis then, of either sign.
    bool one_sided = true;
    std::size_t columns = 0;               ///< of the three images
    std::array<std::int64_t, 3> cell{};    ///< its index, where split by cells
    std::vector<VertexGradient> a{}, b{};  ///< where asked for; vertices that no column met are left out

    /// ∂V/∂q of a rigid body with its centre of mass at x: force (m²) is `gradient`, this the torque (m³).
    Vec3 moment_about(const Vec3& x) const { return moment + cross(centre - x, gradient); }
};

/// What was found of an overlap.
struct OverlapReport {
    std::vector<Overlap> overlaps{};  ///< the largest volume first; cells in the order of their indices
    double volume = 0;                ///< of all, m³
    double pixel = 0;                 ///< that was used, m
    std::array<int, 3> size{};        ///< of the window, pixels along the three axes
    std::size_t columns = 0, crossings = 0;     ///< processed
    std::array<std::size_t, 2> open_columns{};  ///< of a and b: left out, since the surface has a hole there
    std::array<std::size_t, 2> inverted_columns{};  ///< of a and b: in which a part of it is inside out
};

// Throws an Error where the settings cannot be met: pixels that are too small for the memory, a cell without
// a size. Each has a twin that returns it.

/// Of two meshes, each moved to its place.
PLUSH_API OverlapReport overlap(const Mesh& a, const Mesh& b, const OverlapSettings& settings = {});
PLUSH_API OverlapReport overlap(const Mesh& a, const Transform& a_to_world, const Mesh& b,
                                const Transform& b_to_world, const OverlapSettings& settings = {});
PLUSH_API Result<OverlapReport> try_overlap(const Mesh& a, const Transform& a_to_world, const Mesh& b,
                                            const Transform& b_to_world,
                                            const OverlapSettings& settings = {});

/// Of a mesh with the half-space under a plane: normal·x ≤ offset. The normal is taken as it is given.
PLUSH_API Result<OverlapReport> try_overlap_half_space(const Mesh& a, const Transform& a_to_world,
                                                       const Vec3& normal, double offset,
                                                       const OverlapSettings& settings = {});
/// Of a mesh with what is inside a signed distance, in the world's frame.
PLUSH_API Result<OverlapReport> try_overlap(const Mesh& a, const Transform& a_to_world,
                                            const SignedDistance& b, const OverlapSettings& settings = {});
/// Of a mesh with itself: where it winds twice or more.
PLUSH_API Result<OverlapReport> try_self_overlap(const Mesh& mesh, const OverlapSettings& settings = {});

}  // namespace plush
