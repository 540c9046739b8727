#include "plush/bodies/settings.hpp"

#include <array>

#include "core/quantities.hpp"

namespace plush {
namespace {

void sensor_field(FieldVisitor& v, bool& sensor) {
    v.field({.key = "sensor", .text = "reports touches and pushes nothing"}, sensor);
}
void distance_field(FieldVisitor& v, int& cells) {
    v.field({.key = "distance_cells",
             .text = "cells of a mesh's sampled distance, along its longest side",
             .min = 4,
             .max = 256},
            cells);
}

}  // namespace

std::span<const Choice> easing_choices() {
    static constexpr std::array words{
        Choice{"linear", static_cast<int>(Easing::linear), "evenly; the velocity jumps at keyframes"},
        Choice{"ease_in", static_cast<int>(Easing::ease_in), "from rest"},
        Choice{"ease_out", static_cast<int>(Easing::ease_out), "to rest"},
        Choice{"smooth", static_cast<int>(Easing::smooth), "from rest to rest"},
    };
    return words;
}

void describe(FieldVisitor& v, Material& s) {
    v.field(quantity::friction("Coulomb's coefficient; of two bodies, the geometric mean counts"),
            s.friction);
    v.field(
        quantity::restitution("speed after an impact by the speed before; of two bodies, the larger counts"),
        s.restitution);
    v.field({.key = "young",
             .unit = "Pa",
             .text = "Young's modulus: how a rigid body yields where contact is by volume (absent: hard); in "
                     "scenes also that of soft "
                     "bodies made of it",
             .min = 0,
             .max = 1e15,
             .min_excluded = true},
            s.young);
}

void describe(FieldVisitor& v, Rigid& s) {
    v.at_most_one_of({"density", "mass"});
    v.field(quantity::density("of the whole solid"), s.density);
    v.field(quantity::mass("instead of the density"), s.mass);
    distance_field(v, s.distance_cells);
    sensor_field(v, s.sensor);
    v.field({.key = "damping",
             .unit = "1/s",
             .text = "rate at which velocity and spin die away",
             .min = 0,
             .max = 1e6},
            s.damping);
}

void describe(FieldVisitor& v, Fixed& s) {
    distance_field(v, s.distance_cells);
    sensor_field(v, s.sensor);
}

void describe(FieldVisitor& v, Keyframe& s) {
    v.field({.key = "time",
             .unit = "s",
             .text = "later than the keyframe before",
             .min = 0,
             .max = 1e9,
             .required = true},
            s.time);
    v.vector(quantity::position("position", "of the shape's origin"), s.position);
    v.choice({.key = "easing", .text = "how fast the body goes on its way here"}, s.easing, easing_choices());
}

void describe(FieldVisitor& v, Blade& s) {
    const bool straight = v.exactly_one_of({"edge", "from"}) == 1;
    v.only_with("to", "from");
    v.points(quantity::position("edge",
                                "a bent edge: two to 1000 points, in the body's frame; where the last is the "
                                "first it is a ring"),
             s.edge);
    v.vector(quantity::position("from", "where a straight edge begins, in the body's frame"), s.from);
    v.vector(quantity::position("to", "where it ends", straight), s.to);
    v.vector(quantity::position("back", "from the edge to the other end of the blade", true), s.back);
}

void describe(FieldVisitor& v, Scripted& s) {
    v.field({.key = "loop", .text = "start again after the last keyframe"}, s.loop);
    distance_field(v, s.distance_cells);
    sensor_field(v, s.sensor);
}

void describe(FieldVisitor& v, Particles& s) {
    v.field(quantity::mass("of each"), s.mass);
    v.field(quantity::extent("radius", "of each"), s.radius);
    v.field(
        {.key = "drag", .unit = "kg/s", .text = "force against the motion, by speed", .min = 0, .max = 1e12},
        s.drag);
}

}  // namespace plush
