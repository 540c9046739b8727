#pragma once

#include "render/stage.hpp"

// The light of the studio: a sun with a soft edge, a sky that is brighter above than below, and how surfaces
// answer. Values are linear light; a white paper under all of it comes out just below full.

namespace plush::render {

/// Light that reaches the eye along a ray, kept apart by what can hide it:
///     colour = base + sun_seen · sun + sky_seen · sky.
struct Light {
    Vec3 base{}, sun{}, sky{};

    Light& operator+=(const Light& o) {
        base += o.base, sun += o.sun, sky += o.sky;
        return *this;
    }
    Vec3 seen(double sun_part, double sky_part) const { return base + sun * sun_part + sky * sky_part; }
};
inline Light operator*(const Light& l, double s) {
    return {l.base * s, l.sun * s, l.sky * s};
}

class Studio {
public:
    explicit Studio(const Vec3& up);

    const Vec3& up() const { return up_; }
    const Vec3& sun() const { return sun_; }  ///< towards the middle of it
    /// Towards a place on the sun's disc, from two numbers in [0, 1).
    Vec3 sun_sample(double a, double b) const;
    /// What stands behind everything.
    Vec3 background(const Vec3& direction) const;
    /// A cloth-like surface with a soft sheen along its outline.
    Light cloth(const Vec3& colour, const Vec3& normal, const Vec3& view) const;
    /// A smooth one: the sun's highlight, and the sky in it along its outline.
    Light shiny(const Vec3& colour, const Vec3& normal, const Vec3& view) const;
    /// A plain matt one.
    Light matt(const Vec3& colour, const Vec3& normal) const;

private:
    Vec3 sky_towards(const Vec3& normal) const;
    Vec3 up_, sun_, sun_across_, sun_along_;
};

/// Bends the bright end of the scale, so that highlights keep their hue instead of being cut off.
Vec3 tone(const Vec3& linear);

}  // namespace plush::render
