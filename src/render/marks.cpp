#include "render/marks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "render/palette.hpp"

namespace plush::render {

namespace {

// Sizes as parts of the subject's radius.
constexpr double dot_radius = 0.016, shaft_radius = 0.007, head_radius = 0.02, head_length = 0.06;
/// The force, or depth, below which nine in ten lie is drawn this long.
constexpr double usual_length = 0.3;
constexpr double longest_length = 1.2;
/// Up to so many contacts are drawn at full size.
constexpr double few_contacts = 40;

double high_value(std::vector<double>& values) {
    if (values.empty()) return 0;
    const auto at = static_cast<std::ptrdiff_t>(0.9 * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + at, values.end());
    return values[static_cast<std::size_t>(at)];
}

void add_dot(Stage& stage, const Vec3& at, double size, const Vec3& colour) {
    const double r = dot_radius * stage.radius * size;
    // Not quite one point: a cone needs an axis.
    const Vec3 bit = stage.up * (0.01 * r);
    stage.marks.push_back({{at - bit, at + bit, r, r}, colour});
}

void add_arrow(Stage& stage, const Vec3& from, const Vec3& along, double size, const Vec3& colour) {
    const double length = norm(along), r = stage.radius * size;
    if (!(length > shaft_radius * r)) return;
    const Vec3 d = along / length;
    const double head = std::min(head_length * r, 0.6 * length);
    const Vec3 neck = from + d * (length - head), tip = from + along;
    stage.marks.push_back({{from, neck, shaft_radius * r, shaft_radius * r}, colour});
    const double wide = head_radius * r * std::min(1.0, head / (head_length * r));
    stage.marks.push_back({{neck, tip, wide, 0.05 * wide}, colour});
}

/// Forces are drawn on the body that moves: the other one may be the ground.
double side_drawn(const FramesHeader& header, const FrameContact& c) {
    return header.bodies[c.a].kind == "fixed" && header.bodies[c.b].kind != "fixed" ? -1 : 1;
}

}  // namespace

void MarkSurvey::add(const Frame& frame) {
    max_contacts = std::max(max_contacts, frame.contacts.size());
    for (const FrameContact& c : frame.contacts) {
        const double force = norm(to_double(c.force));
        if (force > 0 && std::isfinite(force)) forces.push_back(force);
        if (c.depth > 0) depths.push_back(static_cast<double>(c.depth));
    }
}

MarkScale mark_scale(MarkSurvey survey, double radius) {
    MarkScale scale;
    const auto many = static_cast<double>(std::max<std::size_t>(survey.max_contacts, 1));
    scale.thickness = std::clamp(std::sqrt(few_contacts / many), 0.3, 1.0);
    scale.longest = longest_length * radius;
    if (const double usual = high_value(survey.forces); usual > 0) {
        scale.metres_per_newton = usual_length * std::sqrt(scale.thickness) * radius / usual;
        const double most = *std::max_element(survey.forces.begin(), survey.forces.end());
        scale.cut = most * scale.metres_per_newton > scale.longest;
    }
    if (const double usual = high_value(survey.depths); usual > 0) {
        scale.magnification = round_number_below(usual_length * radius / usual);
        scale.deepest = *std::max_element(survey.depths.begin(), survey.depths.end());
    }
    return scale;
}

void add_contact_marks(Stage& stage, const FramesHeader& header, const Frame& frame, const MarkScale& scale) {
    stage.pale = 1;
    for (const FrameContact& c : frame.contacts) {
        const Vec3 point = to_double(c.point), normal = to_double(c.normal);
        const Vec3 force = to_double(c.force) * (side_drawn(header, c) * scale.metres_per_newton);
        const bool pressed = norm(force) > 0;
        add_dot(stage, point, pressed ? scale.thickness : 0.6 * scale.thickness,
                !pressed     ? paint::gap
                : c.sticking ? paint::stick
                             : paint::slip);
        const auto cut = [&](const Vec3& v) {
            const double length = norm(v);
            return length > scale.longest ? v * (scale.longest / length) : v;
        };
        const Vec3 pressing = normal * dot(force, normal);
        add_arrow(stage, point, cut(pressing), scale.thickness, paint::normal_force);
        add_arrow(stage, point, cut(force - pressing), scale.thickness, paint::friction);
    }
}

void add_depth_marks(Stage& stage, const FramesHeader& header, const Frame& frame, const MarkScale& scale) {
    stage.pale = 1;
    for (const FrameContact& c : frame.contacts) {
        const bool overlaps = c.depth > 0;
        add_dot(stage, to_double(c.point), overlaps ? scale.thickness : 0.6 * scale.thickness,
                overlaps ? paint::slip : paint::gap);
        if (!overlaps) continue;
        const double length = static_cast<double>(c.depth) * scale.magnification * side_drawn(header, c);
        add_arrow(stage, to_double(c.point), to_double(c.normal) * length, scale.thickness, paint::slip);
    }
}

std::vector<LegendLine> contact_legend(const MarkScale& scale, double radius) {
    using Sign = LegendLine::Sign;
    std::vector<LegendLine> lines{{Sign::dot, paint::stick, "sticks"},
                                  {Sign::dot, paint::slip, "slips"},
                                  {Sign::dot, paint::gap, "touches without force"}};
    if (scale.metres_per_newton > 0) {
        const double newtons = round_number_below(0.25 * radius / scale.metres_per_newton);
        lines.push_back({Sign::arrow, paint::normal_force, fmt::format("pressing, {:g} N", newtons),
                         newtons * scale.metres_per_newton});
        lines.push_back({Sign::arrow, paint::friction, fmt::format("friction, {:g} N", newtons),
                         newtons * scale.metres_per_newton});
    }
    if (scale.cut)
        lines.push_back(
            {Sign::none, {}, fmt::format("cut at {:.2g} N", scale.longest / scale.metres_per_newton)});
    return lines;
}

std::vector<LegendLine> depth_legend(const MarkScale& scale, double radius) {
    using Sign = LegendLine::Sign;
    if (!(scale.deepest > 0)) return {{Sign::none, {}, "no overlap"}, {Sign::dot, paint::gap, "touches"}};
    const double depth = round_number_below(0.25 * radius / scale.magnification);
    return {
        {Sign::arrow, paint::slip, fmt::format("overlap, {:g} mm", 1e3 * depth), depth * scale.magnification},
        {Sign::none, {}, fmt::format("drawn {:g} times as long", scale.magnification)},
        {Sign::none, {}, fmt::format("deepest {:.3g} mm", 1e3 * scale.deepest)},
        {Sign::dot, paint::gap, "touches without overlap"}};
}

std::vector<LegendLine> volume_legend(std::size_t pairs, double volume) {
    using Sign = LegendLine::Sign;
    if (pairs == 0) return {{Sign::none, {}, "no pair shares a volume"}};
    return {
        {Sign::dot, paint::slip, "shared by two bodies"},
        {Sign::none, {}, fmt::format("{} pair{}, {:.3g} cm³", pairs, pairs == 1 ? "" : "s", 1e6 * volume)}};
}

}  // namespace plush::render
