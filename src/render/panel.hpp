#pragma once

#include "render/lettering.hpp"
#include "render/marks.hpp"
#include "render/rasteriser.hpp"
#include "render/shared_volumes.hpp"
#include "render/tracer.hpp"

// One run, drawn: alone, or as one of several side by side.

namespace plush::render {

/// What the wanted frames of all panels have in common.
struct Survey {
    std::vector<Extent> extents{};
    MarkSurvey marks{};
    std::optional<Vec3> downhill{};  ///< of the first half-space that is a slope
};

/// What all panels share.
struct PanelStyle {
    RenderMode mode = RenderMode::surface;
    RenderQuality quality = RenderQuality::normal;
    Subject subject{};
    MarkScale marks{};
    Font* font = nullptr;  ///< null: no words
};

class Panel {
public:
    /// A run folder. `label` may be empty.
    static Result<Panel> open(const std::filesystem::path& run, const std::string& label);

    const std::filesystem::path& folder() const { return folder_; }
    const FramesHeader& header() const { return reader_.header(); }
    std::size_t frames() const { return reader_.frames(); }
    long long triangles() const;  ///< of all bodies
    /// The places of what cannot be read of the file of frames.
    std::vector<std::string> damage() const;
    /// An Error where the frames do not hold what this mode shows.
    Result<void> can_show(RenderMode mode) const;
    /// A body by its name.
    Result<std::size_t> find(const std::string& name) const;
    /// Where it is in frame k, in the world.
    Result<Box3> box_at(std::size_t k, std::size_t body);
    /// Adds frame k to the survey.
    Result<void> look(std::size_t k, Survey& survey);
    Result<Picture> draw(std::size_t k, const PanelStyle& style, const Camera& camera, int width, int height,
                         const Parallel& parallel);

private:
    Panel(std::filesystem::path folder, FrameReader reader, std::string label);
    Result<void> read(std::size_t k);
    void add_volumes(Stage& stage, const Parallel& parallel);
    void write_words(Picture& picture, const Stage& stage, const PanelStyle& style, const Lens& lens) const;

    std::filesystem::path folder_;
    FrameReader reader_;
    std::string label_;
    std::vector<Vec3> colours_;
    std::vector<Box3> boxes_;  // of the meshes
    Tracer tracer_;
    Rasteriser rasteriser_;  // for drafts
    SharedVolumes volumes_;
    double shared_ = 0;  // m³, in the frame drawn last
    Frame frame_;
    std::optional<std::size_t> read_{};  // which it is
};

}  // namespace plush::render
