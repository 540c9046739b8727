#pragma once

#include "core/assert.hpp"
#include "detect/depth_images/overlap_rows.hpp"
#include "detect/depth_images/overlap_split.hpp"
#include "detect/depth_images/patch_outline.hpp"

// Columns to contacts. In pixels, with t the share of a stretch [z⁻, z⁺] that belongs to the contact and a
// the area of a pixel, the image along axis d gives
//
//     V_d = a Σ t (z⁺ − z⁻),   ∂V/∂p_k along d = a Σ ± t w_k    (+ at the upper crossing, − at the lower),
//
// w_k the barycentric weight of vertex k at the crossing (Faure et al. 2008; Allard et al. 2010, Eq. 11-14).
// A rigid motion needs no weights: a crossing at (u, v) pulls with ± a t along d at that place, whatever
// triangle it is on, so the sums over an object and its moments come straight from the columns. They add up
// to zero over both objects, column by column.
//
// A thin overlap is seen badly edge on. Of the three volumes each counts as the square of its component of
// the summed gradient G = Σ_a ∂V/∂p,  V = Σ V_d G_d² / |G|²,  and where G cancels (|G| < 0.1 of what it would
// be without) a third each.
//
// With n = −G/|G| the contact area is Σ |n_d| a Σ t, its centre the mean of the columns' middles with the
// same weights: Σ |A_k| p_k / Σ |A_k| with A_k = n·∂V/∂p_k, column by column instead of vertex by vertex.

namespace plush {

/// Which gradients to make.
enum class GradientRows {
    none,      ///< sums alone: all that rigid bodies need
    vertices,  ///< of the surface
    coarse,    ///< of the coarse vertices where a surface is embedded, else of its own
};

struct ModelSettings {
    OverlapSplit split = OverlapSplit::whole;
    double cell = 0;
    OverlapVolume volume = OverlapVolume::weighted;
    GradientRows rows = GradientRows::none;
    /// Normals of thin overlaps from the faces that bound them: columns along a sheet thinner than a pixel
    /// see all of it or nothing, and few of them tell its direction badly.
    bool face_normals = false;
    /// Of this object's faces alone (0 or 1): those of a rigid body are what they are, and those of a soft one as it happens
    /// to be deformed. A flat plate pushes along its own normal.
    std::optional<std::size_t> faces_of{};
    CellLimit limit{};
    /// Outlines of patches: those of one cell that is no wider are left out, m; negative: none are wanted.
    double outlines_above = PatchOutlines::none;
};

/// How lines pass through what two bodies share, over all three images. A line that goes in through the surface of one and
/// out through that of the other tells on which side they met; one that goes in and out through the same surface tells none.
struct LineCounts {
    std::size_t through_a = 0, through_b = 0, across = 0;
    Vec3 net{},
        met{};  ///< columns by axis: Σ ± 1 at crossings of a, and what that would be if nothing cancelled

    /// No line meets both surfaces: they do not cross, and one body is wholly inside the other.
    bool a_inside() const { return through_a > 0 && through_b == 0 && across == 0; }
    bool b_inside() const { return through_b > 0 && through_a == 0 && across == 0; }
    /// Most lines tell no side, and those that do contradict each other: one goes right through the other.
    bool right_through() const;
};

class OverlapModel {
public:
    /// With a parallel the gradients of contacts are made at the same time.
    void build(const OverlapPair& pair, const DepthPlan& plan, const DepthImages& images,
               const ModelSettings& settings, const Parallel* parallel = nullptr);

    /// With a and b left empty: the gradients stand in rows().
    std::vector<Overlap> contacts;
    /// ∂V/∂p of a contact over the vertices of an object.
    std::span<const VertexGradient> rows(std::size_t contact, std::size_t object) const {
        const std::size_t i = 2 * contact + object;
        PLUSH_ASSERT(object < 2 && i + 1 < first_row_.size());
        return std::span(rows_).subspan(first_row_[i], first_row_[i + 1] - first_row_[i]);
    }
    /// Of all contacts together; of a surface with itself there are none.
    const LineCounts& lines() const { return lines_; }
    /// Whether the faces of a thin overlap told its normal.
    bool by_faces(std::size_t contact) const { return by_faces_[contact] != 0; }
    /// For the next query of the pair: CellLimit::known.
    std::span<const KnownCell> cut() const { return splitter_.cut; }
    /// Corners of flat patches, where they are wanted.
    std::span<const OutlinePoint> outline() const { return outlines_.points; }

private:
    void sum_up(const OverlapPair& pair, const DepthPlan& plan, const DepthImages& images);
    void count_lines(const DepthImages& images);
    void find_main_axes(const OverlapPair& pair, const DepthPlan& plan, const DepthImages& images);
    void sum_face_normals(const OverlapPair& pair, const DepthPlan& plan, const DepthImages& images,
                          std::optional<std::size_t> of);
    void sum_field_normals(const OverlapPair& pair, const DepthPlan& plan, const DepthImages& images);
    void finish(const OverlapPair& pair, const ImageFrame& frame, OverlapVolume rule);
    void find_outlines(const DepthPlan& plan, const DepthImages& images, double point_width);
    void add_rows(const OverlapPair& pair, const DepthPlan& plan, const DepthImages& images,
                  GradientRows kind, const Parallel* parallel);
    /// Some contacts' rows.
    struct RowTask {
        std::array<VertexSums, 2> sums;
        std::vector<VertexGradient> rows;
        std::vector<std::size_t> ends;  ///< of each contact and side
    };
    void make_rows(const OverlapPair& pair, const DepthPlan& plan, GradientRows kind, std::size_t begin,
                   std::size_t end, RowTask& task);
    const Vec3& normal_of(const OverlapPair& pair, const DepthPlan& plan, std::uint32_t place);
    std::size_t side_of(const OverlapPair& pair, const DepthPlan& plan, std::uint32_t place,
                        std::size_t contact);

    /// Normals of triangles that were met lately, images' axes, by a hash of the place: neighbouring columns
    /// mostly meet the same few.
    struct KnownNormal {
        std::uint32_t place;
        Vec3 normal;
    };
    std::array<KnownNormal, 256> known_normals_;
    OverlapSplitter splitter_;
    std::vector<ContactSums> sums_;
    LineCounts lines_;
    std::vector<char> by_faces_;
    PatchOutlines outlines_;
    std::vector<Vec3> patch_normals_;  ///< of the contacts, images' axes
    std::vector<Mat3> tensors_;        ///< Σ area · N Nᵀ, images' axes
    std::vector<Vec3> main_axes_;      ///< of the tensors
    std::vector<Vec3> field_normals_;  ///< Σ area · N of a partner that has no mesh, images' axes
    std::vector<Vec3> face_normals_;   ///< Σ area · N of both meshes, b's less a's, where wanted
    std::vector<VertexGradient> rows_;
    std::vector<std::size_t> first_row_;
    TriangleSums triangle_sums_;
    std::vector<std::uint32_t> first_entry_, entry_numbers_;  ///< of its entries, contact by contact
    std::vector<RowTask> row_tasks_;
};

}  // namespace plush
