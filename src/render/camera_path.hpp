#pragma once

#include "render/camera.hpp"

// A camera that moves while the simulated time goes on.

namespace plush::render {

class CameraPath {
public:
    /// `start`: where it stands at `begin`, s. With keyframes it is where those say, instead.
    CameraPath(const CameraSettings& settings, const Camera& start, double begin)
        : settings_(settings), start_(start), begin_(begin) {}

    /// At a time, s. `moved`: how far the followed body is from where it was at the start, m.
    Camera at(double time, const Vec3& moved) const;
    bool moves() const {
        return settings_.keyframes.size() > 1 || settings_.orbit != 0 || !settings_.follow.empty();
    }

private:
    Camera by_keyframes(double time) const;

    CameraSettings settings_;
    Camera start_;
    double begin_;
};

}  // namespace plush::render
