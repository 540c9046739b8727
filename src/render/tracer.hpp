#pragma once

#include "core/parallel.hpp"
#include "render/stage.hpp"

namespace plush::render {

/// Draws stages. It keeps hierarchies of the meshes, so that many frames of a run cost them once; those of
/// deformable bodies are made anew for every picture. The meshes must outlive it.
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

}  // namespace plush::render
