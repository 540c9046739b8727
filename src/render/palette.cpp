#include "render/palette.hpp"

#include <algorithm>
#include <array>

// The palette of Okabe and Ito (2008, "Color Universal Design"), without black, a little greyer, so that
// light and shade stay visible on it. tests/record/test_palette.cpp looks at it through the eyes of people
// without red or green cones.

namespace plush::render {

namespace {

const std::array<Vec3, 7>& okabe_ito() {
    static const std::array<Vec3, 7> colours{colour_of(0xE69F00), colour_of(0x56B4E9), colour_of(0x009E73),
                                             colour_of(0xF0E442), colour_of(0x0072B2), colour_of(0xD55E00),
                                             colour_of(0xCC79A7)};
    return colours;
}

constexpr double greyness = 0.12;
/// After the seven colours come the same seven, lighter; then darker.
constexpr std::array<double, 3> rounds{0.0, 0.28, -0.45};
/// Neighbours of one kind differ this much in lightness.
constexpr std::array<double, 4> shades{0.0, 0.07, -0.16, 0.13};

double fraction(double x) {
    return x - std::floor(x);
}

/// Turned about the grey axis of RGB: another hue, about as light.
Vec3 other_hue(const Vec3& c, double degrees) {
    const Vec3 turned = rotate(from_axis_angle(normalised(Vec3{1, 1, 1}), degrees), c);
    return {std::clamp(turned.x, 0.0, 1.0), std::clamp(turned.y, 0.0, 1.0), std::clamp(turned.z, 0.0, 1.0)};
}

Vec3 lighter(const Vec3& c, double by) {
    return by >= 0 ? mix(c, {1, 1, 1}, by) : c * (1 + by);
}

/// The k-th of the bodies whose kind has this colour. After the first few hue and lightness spread evenly (multiples of
/// the golden and the plastic number), so that no two are the same.
Vec3 shade_of(const Vec3& kind, std::size_t k) {
    if (k < shades.size()) return lighter(kind, shades[k]);
    const auto n = static_cast<double>(k);
    return lighter(other_hue(kind, 36 * (fraction(0.7548776662466927 * n) - 0.5)),
                   0.6 * fraction(0.618033988749895 * n) - 0.35);
}

/// Kinds are worth a colour each where there are some, and not too many to tell apart.
constexpr std::size_t fewest_kinds = 3, max_kinds = 14;

}  // namespace

Vec3 body_colour(std::size_t k) {
    const Vec3 pure = okabe_ito()[k % 7];
    const double grey = luminance(pure);
    const Vec3 soft = mix(pure, {grey, grey, grey}, greyness);
    const std::size_t round = k / 7;
    return round < rounds.size() ? lighter(soft, rounds[round]) : shade_of(soft, round + 1);
}

std::vector<Vec3> body_colours(const FramesHeader& header) {
    const auto moves = [](const FrameBody& body) { return body.kind != "fixed"; };
    std::vector<std::int32_t> kinds;  // meshes of moving bodies, by first appearance
    for (const FrameBody& body : header.bodies) {
        if (moves(body) && std::find(kinds.begin(), kinds.end(), body.mesh) == kinds.end())
            kinds.push_back(body.mesh);
        if (kinds.size() > max_kinds) break;
    }
    const bool by_kind = kinds.size() >= fewest_kinds && kinds.size() <= max_kinds;
    std::vector<std::size_t> seen(kinds.size(), 0);
    std::vector<Vec3> colours;
    std::size_t next = 0;
    for (const FrameBody& body : header.bodies) {
        if (body.colour >= 0) {
            colours.push_back(colour_of(static_cast<unsigned>(body.colour)));
        } else if (!moves(body)) {
            colours.push_back(body.normal == Vec3f{} ? paint::china : paint::ground);
        } else if (by_kind) {
            const auto kind =
                static_cast<std::size_t>(std::find(kinds.begin(), kinds.end(), body.mesh) - kinds.begin());
            colours.push_back(shade_of(body_colour(kind), seen[kind]++));
        } else {
            colours.push_back(body_colour(next++));
        }
    }
    return colours;
}

}  // namespace plush::render
