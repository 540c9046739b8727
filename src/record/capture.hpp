#pragma once

#include "plush/record/frames.hpp"
#include "plush/world/world.hpp"

namespace plush {

/// Takes frames of a world whose list of bodies does not change meanwhile.
class FrameCapture {
public:
    explicit FrameCapture(const World& world);

    FramesHeader header(const World& world, const std::string& scene, double frame_rate) const;
    /// The present state, into `frame`, whose memory is used again.
    void take(const World& world, Frame& frame) const;

private:
    std::vector<BodyId> bodies_;
    std::vector<std::uint32_t> place_;  // in bodies_, by BodyId::index
};

}  // namespace plush
