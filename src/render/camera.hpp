#pragma once

#include <span>

#include "plush/render/render.hpp"

// Where a picture is taken from.

namespace plush::render {

struct Camera {
    Vec3 position{}, target{}, up{0, 1, 0};
    double fov = CameraSettings{}.fov;  ///< vertical, degrees
    bool operator==(const Camera&) const = default;
};

/// A camera with a picture size: pixels to rays and back. Pixel (0, 0) is the upper left one, and its centre
/// (0.5, 0.5).
class Lens {
public:
    Lens(const Camera& camera, int width, int height);
    Vec3 direction(double x, double y) const;  ///< of unit length
    /// Where a point is seen; `depth` is the distance along the view, negative behind the camera.
    struct Seen {
        double x = 0, y = 0, depth = 0;
    };
    Seen project(const Vec3& p) const;
    const Vec3& position() const { return position_; }
    // Its axes, of unit length; the view goes forward.
    const Vec3& right() const { return right_; }
    const Vec3& up() const { return up_; }
    const Vec3& forward() const { return forward_; }
    /// The size of a pixel at distance 1.
    double pixel() const { return pixel_; }

private:
    Vec3 position_, right_, up_, forward_;
    double pixel_, centre_x_, centre_y_;
};

/// Something to be in the picture: a box in the frame of a body.
struct Extent {
    Box3 box{};
    Transform pose{};
    bool moves = true;
};

/// What of the extents the picture is about, and how large it is. Left out: what flew away from the rest, and
/// fixed things far larger than what moves.
struct Subject {
    std::vector<Vec3> corners{};
    Vec3 centre{};
    double radius = 0.5;
    std::optional<Vec3> downhill{};  ///< level, of unit length: where a slope goes down
};
Subject find_subject(std::span<const Extent> extents);

/// Fills in what the settings leave open so that every corner of the subject is in the picture, just.
/// `up` is of unit length.
Camera place_camera(const CameraSettings& settings, const Subject& subject, const Vec3& up, double aspect);

/// The camera, turned about the target by this angle, far enough away for every angle.
Camera orbit(const Camera& camera, const Subject& subject, double degrees, double aspect);

}  // namespace plush::render
