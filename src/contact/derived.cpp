#include "contact/derived.hpp"

#include <algorithm>
#include <cmath>

namespace plush {

double derived(const tuning::Derived& law, double size, double gravity) {
    const double usual = law.usual * (gravity / tuning::usual_gravity);
    if (!(size < HUGE_VAL)) return gravity > 0 ? usual : law.usual;  // nothing tells what is small
    if (!(gravity > 0)) return law.alone * size;
    return std::clamp(usual, law.least * size, law.most * size);
}

namespace {

/// k in proportion to s³. m g/k, by which all of a body sinks on one vertex, is then in proportion to s.
double derived_stiffness(double mass, double gravity) {
    const tuning::Derived& law = tuning::derived_stiffness;
    const double part = gravity / tuning::usual_gravity, usual = law.usual * part * part * part;
    if (!(mass > 0)) return gravity > 0 ? usual : law.usual;
    if (!(gravity > 0)) return law.alone * mass;
    return std::clamp(usual, law.least * mass, law.most * mass);
}

}  // namespace

SurfaceSettings resolved(SurfaceSettings s, const BodyScale& scale) {
    if (s.stiffness == 0) s.stiffness = derived_stiffness(scale.mass, scale.gravity);
    if (s.buffer == 0) s.buffer = derived(tuning::derived_buffer, scale.size, scale.gravity);
    if (s.stick_speed == 0) s.stick_speed = derived(tuning::derived_stick_speed, scale.size, scale.gravity);
    return s;
}

}  // namespace plush
