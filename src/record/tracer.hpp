#pragma once

#include "core/parallel.hpp"
#include "record/stage.hpp"

namespace plush {

/// Draws stages. It holds the meshes, so that many frames of a run cost their hierarchies once.
class Tracer {
public:
    explicit Tracer(std::span<const FrameMesh> meshes);
    ~Tracer();
    Tracer(Tracer&&) noexcept;
    Tracer& operator=(Tracer&&) noexcept;

    /// The same picture for any number of threads.
    Result<Picture> draw(const Stage& stage, const Camera& camera, int width, int height,
                         RenderQuality quality, const Parallel& parallel);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace plush
