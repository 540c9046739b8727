#pragma once

#include "plush/record/frames.hpp"
#include "view/picture.hpp"

namespace plush::view {

/// How fast bodies of a recorded run moved: frames hold no velocities, so they are differences of two neighbouring ones.
class RecordedMotion {
public:
    /// From `before` to `after`, in either order of their times; both outlive this.
    RecordedMotion(const FramesHeader& header, const Frame& before, const Frame& after);

    /// Of the points of a body, 3 numbers each; empty where a cut between the frames has changed them.
    std::vector<float> of_points(std::size_t body) const;
    /// Of all bodies with a pose that can move: of its origin, and the turn.
    ListPicture of_bodies() const;

private:
    const FramesHeader& header_;
    const Frame &before_, &after_;
    double per_second_ = 0;
};

}  // namespace plush::view
