#include "bodies/deformable/vertex_script.hpp"

#include <algorithm>
#include <cmath>

#include "bodies/rigid/kinematic_body.hpp"
#include "core/assert.hpp"

namespace plush {

VertexScript::VertexScript(std::vector<MeshFrame> frames, std::vector<Keyframe> keyframes, bool loop)
    : frames_(std::move(frames)), keyframes_(std::move(keyframes)), loop_(loop) {
    PLUSH_ASSERT(!frames_.empty());
}

std::vector<Vec3> VertexScript::at(double time) const {
    const double first = frames_.front().time, last = frames_.back().time;
    double now = time;
    if (loop_ && last > first) now = first + std::fmod(std::max(now - first, 0.0), last - first);
    const auto after = std::upper_bound(frames_.begin(), frames_.end(), now,
                                        [](double t, const MeshFrame& f) { return t < f.time; });
    const auto before = after == frames_.begin() ? after : after - 1;
    std::vector<Vec3> x(before->mesh.positions().begin(), before->mesh.positions().end());
    if (after != frames_.end() && after != before) {
        const double t = (now - before->time) / (after->time - before->time);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += t * (after->mesh.positions()[i] - x[i]);
    }
    if (keyframes_.empty()) return x;
    const Transform pose = pose_at(keyframes_, loop_, time);
    for (Vec3& p : x) p = pose * p;
    return x;
}

bool VertexScript::ended(double time) const {
    const double last =
        std::max(frames_.back().time, keyframes_.empty() ? -HUGE_VAL : keyframes_.back().time);
    return (frames_.size() == 1 && keyframes_.size() <= 1) || (!loop_ && time >= last);
}

}  // namespace plush
