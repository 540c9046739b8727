#pragma once

#include <string>

#include "render/stage.hpp"

// Contacts as dots and arrows.

namespace plush::render {

/// What the wanted frames hold, for scales that stay the same through a film.
struct MarkSurvey {
    std::vector<double> forces{}, depths{};  ///< of contacts that press, and that overlap
    std::size_t max_contacts = 0;            ///< in a frame
    void add(const Frame& frame);
};

struct MarkScale {
    double metres_per_newton = 0;
    double longest = 0;        ///< arrows of force are cut there, m
    bool cut = false;          ///< and at least one was
    double magnification = 1;  ///< of depths
    double deepest = 0;        ///< of the survey, m
    double thickness = 1;      ///< of arrows and dots: thinner where there are many
};
MarkScale mark_scale(MarkSurvey survey, double radius);

/// Adds the contacts of the frame, with their forces, to the stage, and turns the bodies pale.
void add_contact_marks(Stage& stage, const FramesHeader& header, const Frame& frame, const MarkScale& scale);
/// The same with their depths.
void add_depth_marks(Stage& stage, const FramesHeader& header, const Frame& frame, const MarkScale& scale);

struct LegendLine {
    enum class Sign { none, dot, arrow };
    Sign sign = Sign::none;
    Vec3 colour{};
    std::string text{};
    double length = 0;  ///< of the arrow, m in the middle of the stage
};
std::vector<LegendLine> contact_legend(const MarkScale& scale, double radius);
std::vector<LegendLine> depth_legend(const MarkScale& scale, double radius);
/// Of so many pairs that share this volume (m³).
std::vector<LegendLine> volume_legend(std::size_t pairs, double volume);

}  // namespace plush::render
