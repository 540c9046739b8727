#pragma once

#include "core/parallel.hpp"
#include "render/stage.hpp"

namespace plush::render {

/// Draws stages at draft quality, by z-buffers instead of rays: every frame costs its triangles once or twice, and no
/// hierarchy is needed. Colours, lights, planes and marks are the tracer's. The meshes must outlive it.
class Rasteriser {
public:
    explicit Rasteriser(std::span<const FrameMesh> meshes);
    ~Rasteriser();
    Rasteriser(Rasteriser&&) noexcept;
    Rasteriser& operator=(Rasteriser&&) noexcept;

    /// Not what one sees through: translucent bodies, and shared volumes.
    static bool can_draw(const Stage& stage);
    /// The same picture for any number of threads.
    Picture draw(const Stage& stage, const Camera& camera, int width, int height, const Parallel& parallel);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace plush::render
