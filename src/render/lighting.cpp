#include "render/lighting.hpp"

#include <algorithm>
#include <numbers>

namespace plush::render {

namespace {

constexpr double degree = std::numbers::pi / 180;
// High enough for short shadows, left of the camera's own place (azimuth 35°), so that forms are modelled.
constexpr double sun_azimuth = -28 * degree, sun_elevation = 52 * degree;
/// Half the angle of the sun's disc: shadows are sharp where bodies touch and soft a body's size away.
constexpr double sun_half_angle = 4.5 * degree;
const Vec3 sun_light{1.02, 0.95, 0.82};
const Vec3 sky_above{0.60, 0.64, 0.70}, sky_below{0.33, 0.29, 0.25};
const Vec3 horizon = colour_of(0xF3EFE8), zenith = colour_of(0xD9E2EA), nadir = colour_of(0xD8D2C8);
/// How much of the outline's light is sheen, and how far in it reaches (a power of 1 − cos).
constexpr double sheen = 0.35;
/// Of shiny surfaces: the brightness of the sun's highlight and its size (a power of the cosine), and of the sky in them.
constexpr double highlight = 0.55, highlight_power = 70, highlight_sky = 0.7;

double smooth(double low, double high, double x) {
    const double t = std::clamp((x - low) / (high - low), 0.0, 1.0);
    return t * t * (3 - 2 * t);
}

double shoulder(double x) {
    constexpr double knee = 0.7;
    return x <= knee ? x : knee + (1 - knee) * (1 - std::exp(-(x - knee) / (1 - knee)));
}

}  // namespace

Studio::Studio(const Vec3& up) : up_(up) {
    const Vec3 z = std::abs(up.z) < 0.9 ? Vec3{0, 0, 1} : Vec3{0, -1, 0};
    const Vec3 level_z = normalised(z - up * dot(z, up)), level_x = cross(up, level_z);
    sun_ = (level_z * std::cos(sun_azimuth) + level_x * std::sin(sun_azimuth)) * std::cos(sun_elevation) +
           up * std::sin(sun_elevation);
    sun_across_ = perpendicular(sun_);
    sun_along_ = cross(sun_, sun_across_);
}

Vec3 Studio::sun_sample(double a, double b) const {
    const double r = std::tan(sun_half_angle) * std::sqrt(a), angle = 2 * std::numbers::pi * b;
    return normalised(sun_ + sun_across_ * (r * std::cos(angle)) + sun_along_ * (r * std::sin(angle)));
}

Vec3 Studio::background(const Vec3& direction) const {
    const double height = dot(direction, up_);
    return height >= 0 ? mix(horizon, zenith, smooth(0, 0.7, height))
                       : mix(horizon, nadir, smooth(0, 0.9, -height));
}

Vec3 Studio::sky_towards(const Vec3& normal) const {
    return mix(sky_below, sky_above, 0.5 + 0.5 * dot(normal, up_));
}

Light Studio::matt(const Vec3& colour, const Vec3& normal) const {
    // The first degrees of grazing light are held back: that is where the facets of a mesh would show.
    const double facing = std::max(dot(normal, sun_), 0.0);
    return {.sun = times(colour, sun_light) * (facing * smooth(-0.05, 0.25, facing)),
            .sky = times(colour, sky_towards(normal))};
}

Light Studio::cloth(const Vec3& colour, const Vec3& normal, const Vec3& view) const {
    Light light = matt(colour, normal);
    const double grazing = 1 - std::clamp(dot(normal, view), 0.0, 1.0);
    const Vec3 fuzz = mix(colour, {1, 1, 1}, 0.5);
    light.sky += times(fuzz, sky_towards(normal)) * (sheen * grazing * grazing * grazing);
    return light;
}

Light Studio::shiny(const Vec3& colour, const Vec3& normal, const Vec3& view) const {
    Light light = matt(colour, normal);
    const double facing = std::clamp(dot(normal, view), 0.0, 1.0);
    // Schlick's approximation of Fresnel's law, for a clear coat of refractive index 1.5.
    const double mirrored = 0.04 + 0.96 * std::pow(1 - facing, 5);
    const Vec3 reflected = normal * (2 * dot(normal, view)) - view;
    light.sky += background(reflected) * (highlight_sky * mirrored);
    const double towards_sun = std::max(dot(normal, normalised(sun_ + view)), 0.0);
    light.sun += sun_light * (highlight * std::pow(towards_sun, highlight_power));
    return light;
}

Vec3 tone(const Vec3& c) {
    return {shoulder(c.x), shoulder(c.y), shoulder(c.z)};
}

}  // namespace plush::render
