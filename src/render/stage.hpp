#pragma once

#include "plush/record/frames.hpp"
#include "render/camera.hpp"
#include "render/picture.hpp"
#include "render/rays.hpp"

// What one picture shows, as plain data: who draws it need not know what a run is.

namespace plush::render {

struct StageBody {
    int mesh = 0;  ///< of the tracer
    Transform pose{};
    Vec3 colour{};
    Finish finish = Finish::matt;
};

/// The surface of a deformable body.
struct StageSoft {
    int mesh = 0;                    ///< of the tracer: its triangles, and its form at rest
    std::vector<Vec3f> positions{};  ///< where its vertices are now, in the world
    Vec3 colour{};
    std::vector<std::int32_t> triangles{};  ///< of a body that was cut, in place of the mesh's
    Finish finish = Finish::matt;
    std::size_t body = 0;  ///< of the header
};

/// Ropes and springs: round tubes of one colour, with round ends.
struct StageTubes {
    std::vector<RoundCone> tubes{};
    double radius = 0;
    Vec3 colour{};
    Finish finish = Finish::matt;
};

/// Small balls of one colour.
struct StageBalls {
    std::vector<Vec3f> centres{};
    double radius = 0;
    Vec3 colour{};
    Finish finish = Finish::matt;
};

/// A half-space: its surface has no end, and fades out with distance.
struct StagePlane {
    Vec3 point{}, normal{};
    Vec3 across{}, along{};  ///< the axes of the grid, of unit length
    Vec3 colour{};
    bool operator==(const StagePlane&) const = default;
};

/// A line, a dot or a part of an arrow; seen through bodies, faintly.
struct StageMark {
    RoundCone shape{};
    Vec3 colour{};
};

/// A volume that bodies share, as a closed surface; seen through bodies like a mark.
struct StageVolume {
    std::vector<Vec3f> positions{};
    std::vector<std::int32_t> triangles{};
    Vec3 colour{};
};

struct Stage {
    std::vector<StageBody> bodies{};
    std::vector<StageSoft> softs{};
    std::vector<StageBalls> balls{};
    std::vector<StageTubes> tubes{};
    std::vector<StagePlane> planes{};
    std::vector<StageMark> marks{};
    std::vector<StageVolume> volumes{};
    Vec3 up{0, 1, 0};
    Vec3 centre{};      ///< of what the picture is about
    double radius = 1;  ///< of it, m
    double grid = 0.1;  ///< from line to line on planes, m
    bool wire = false;  ///< draw the edges of triangles
    double pale = 0;    ///< 1: bodies without colour, behind marks
};

/// 1, 2 or 5 times a power of ten, at most `value`.
double round_number_below(double value);

/// The bodies and planes of a frame. `colours` as from body_colours(), mesh k of the header is mesh k of the
/// tracer.
Stage stage_of(const FramesHeader& header, const Frame& frame, std::span<const Vec3> colours,
               const Subject& subject);

/// Opposite to gravity; y where there is none.
Vec3 up_of(const FramesHeader& header);

}  // namespace plush::render
