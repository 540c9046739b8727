#pragma once

#include <memory>
#include <vector>

#include "core/parallel.hpp"
#include "plush/record/frames.hpp"

namespace plush {
class SolidQuery;
}

namespace plush::render {

/// What two bodies have in common: its surface as triangles in the world, outward.
struct SharedVolume {
    std::uint32_t a = 0, b = 0;  ///< bodies of the header
    std::vector<Vec3f> positions{};
    std::vector<std::int32_t> triangles{};
    double volume = 0;  ///< that it encloses, m³
};

/// Finds them in the frames of one run. Hierarchies of rigid bodies are kept from frame to frame.
class SharedVolumes {
public:
    SharedVolumes();
    ~SharedVolumes();
    SharedVolumes(SharedVolumes&&) noexcept;
    SharedVolumes& operator=(SharedVolumes&&) noexcept;

    /// Of the pairs that touch in this frame and are closed surfaces, or one of them a half-space; those that
    /// share nothing are left out. The same for any number of threads.
    std::vector<SharedVolume> find(const FramesHeader& header, const Frame& frame, const Parallel& parallel);

private:
    struct Solid;
    void place(const FramesHeader& header, const Frame& frame);
    const SolidQuery* query_of(const FramesHeader& header, int mesh);

    std::vector<std::unique_ptr<SolidQuery>> stiff_;  ///< of the header's meshes, in their own frames
    std::vector<char> looked_at_;                     ///< the same: null there is no closed surface
    std::vector<Solid> solids_;                       ///< of the bodies, in the frame looked at
};

}  // namespace plush::render
