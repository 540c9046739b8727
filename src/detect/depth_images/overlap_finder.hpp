#pragma once

#include "detect/depth_images/overlap_model.hpp"

namespace plush {

/// How the images of a pair are made.
struct ImageSettings {
    double pixel = 0;  ///< m
    Mat3 axes = Mat3::identity();
    std::size_t max_bytes = std::size_t{1} << 30;
    /// A guess of the direction from a to b, such as the last contact's normal with its sign turned; zero:
    /// from the boxes. It changes how much is culled and nothing else.
    Vec3 direction{};
    bool cull = true;
};

/// The overlap of one pair after another, from positions to contacts; the memory is kept. Pairs that are
/// found in parallel need one each.
class OverlapFinder {
public:
    /// False where the images would need more memory than they may take; there are no contacts then.
    bool find(const OverlapPair& pair, const ImageSettings& images, const ModelSettings& model,
              const Parallel* parallel = nullptr);

    const DepthPlan& plan() const { return plan_; }
    const DepthImages& images() const { return images_; }
    const OverlapModel& model() const { return model_; }

private:
    DepthPlan plan_;
    DepthImages images_;
    OverlapModel model_;
};

/// A mesh with all that the images need of it. Not to be copied: the view points into it.
struct PosedSurface {
    Mesh mesh;
    SurfaceClusters clusters;
    LazyPatches patches{0};
    ClusterBounds bounds;
    SurfaceView view;

    /// With patches less of it is processed, and what images count is only what they were asked for.
    explicit PosedSurface(Mesh m, const Transform& pose = {}, bool with_patches = false);
    PosedSurface(const PosedSurface&) = delete;
    PosedSurface& operator=(const PosedSurface&) = delete;
};

/// All of plush/detect/overlap.hpp: checks the settings, chooses the pixel where none is given.
Result<OverlapReport> measure_overlap(const OverlapPair& pair, const OverlapSettings& settings);

/// What a pixel size is chosen from.
struct PixelWish {
    double across = 64;  ///< pixels along the longest side of what overlaps
    double depth = 0;    ///< one pixel of depth for an overlap this deep, m; 0: no wish
};

/// A power of two of a metre for an overlap of this extent (m): as many pixels across as wished; up to four
/// times as many where triangles are smaller than that; and so that the wished depth has one. No more than
/// 2,048 across, nor than fit into the memory. 0 where the boxes do not meet.
double choose_pixel(const OverlapPair& pair, const Mat3& axes, const Vec3& extent, const PixelWish& wish,
                    std::size_t max_bytes);

/// The smallest pixel for which the numbers of this pair's images fit their bits, m.
double least_pixel(const OverlapPair& pair, const Mat3& axes);

}  // namespace plush
