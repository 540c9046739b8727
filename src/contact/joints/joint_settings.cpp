#include "plush/contact/joints.hpp"

namespace plush {
namespace {

// 1e12 m is beyond anything simulated here and still far from losing digits to overflow.
constexpr double largest = 1e12;

void vector(FieldVisitor& v, FieldInfo info, Vec3& value, bool required = false) {
    info.min = -largest, info.max = largest, info.required = required;
    v.numbers(info, std::span(&value.x, 3));
}

void collide_field(FieldVisitor& v, bool& collide) {
    v.field({.key = "collide", .text = "whether the two bodies touch each other as well"}, collide);
}

template <class T>
void coordinate_groups(FieldVisitor& v, T& s) {
    v.group({.key = "limits", .text = "hard stops"}, s.limits);
    v.group({.key = "motor", .text = "drives it"}, s.motor);
    v.group({.key = "spring", .text = "pulls it to its rest"}, s.spring);
}

void length_field(FieldVisitor& v, std::optional<double>& length) {
    v.field({.key = "length",
             .unit = "m",
             .text = "between the anchors; default: as it is",
             .min = 0,
             .max = largest},
            length);
}

}  // namespace

void describe(FieldVisitor& v, JointLimits& s) {
    v.field({.key = "low", .unit = "rad or m", .text = "the least", .min = -largest, .max = largest}, s.low);
    v.field({.key = "high", .unit = "rad or m", .text = "the most", .min = -largest, .max = largest}, s.high);
}

void describe(FieldVisitor& v, JointMotor& s) {
    v.field({.key = "speed",
             .unit = "rad/s or m/s",
             .text = "of a against b; with a position, the largest",
             .min = -largest,
             .max = largest},
            s.speed);
    v.field({.key = "position",
             .unit = "rad or m",
             .text = "where it goes, and stays",
             .min = -largest,
             .max = largest},
            s.position);
    v.field({.key = "max_force",
             .unit = "N or N m",
             .text = "default: as much as it takes",
             .min = 0,
             .max = largest},
            s.max_force);
}

void describe(FieldVisitor& v, JointSpring& s) {
    v.field({.key = "stiffness",
             .unit = "N/m or N m/rad",
             .text = "force for each unit off the rest",
             .min = 0,
             .max = largest},
            s.stiffness);
    v.field({.key = "damping",
             .unit = "N s/m or N m s/rad",
             .text = "force for each unit of speed",
             .min = 0,
             .max = largest},
            s.damping);
    v.field({.key = "rest",
             .unit = "rad or m",
             .text = "default: as it is at the start",
             .min = -largest,
             .max = largest},
            s.rest);
}

void describe(FieldVisitor& v, BallJoint& s) {
    vector(v, {.key = "anchor", .unit = "m", .text = "the point that both share, in the world at the start"},
           s.anchor, true);
    vector(v, {.key = "axis", .text = "of the cone"}, s.axis);
    v.field({.key = "cone",
             .unit = "rad",
             .text = "the largest angle by which it bends",
             .min = 0,
             .max = 3.141592653589793},
            s.cone);
    v.group({.key = "spring", .text = "makes it straight"}, s.spring);
    collide_field(v, s.collide);
}

void describe(FieldVisitor& v, HingeJoint& s) {
    vector(v, {.key = "anchor", .unit = "m", .text = "a point of the axis, in the world at the start"},
           s.anchor, true);
    vector(v, {.key = "axis", .text = "that it turns about, in the world at the start"}, s.axis);
    coordinate_groups(v, s);
    collide_field(v, s.collide);
}

void describe(FieldVisitor& v, SliderJoint& s) {
    vector(v, {.key = "anchor", .unit = "m", .text = "a point of the axis, in the world at the start"},
           s.anchor, true);
    vector(v, {.key = "axis", .text = "that it slides along, in the world at the start; fixed to b"}, s.axis);
    coordinate_groups(v, s);
    collide_field(v, s.collide);
}

void describe(FieldVisitor& v, FixedJoint& s) {
    vector(v,
           {.key = "anchor",
            .unit = "m",
            .text = "where its force and torque are measured, in the world at "
                    "the start"},
           s.anchor);
    collide_field(v, s.collide);
}

void describe(FieldVisitor& v, DistanceJoint& s) {
    vector(v, {.key = "anchor_a", .unit = "m", .text = "on a, in the world at the start"}, s.anchor_a);
    vector(v, {.key = "anchor_b", .unit = "m", .text = "on b, or of the world"}, s.anchor_b);
    length_field(v, s.length);
    coordinate_groups(v, s);
    collide_field(v, s.collide);
}

void describe(FieldVisitor& v, RopeJoint& s) {
    vector(v, {.key = "anchor_a", .unit = "m", .text = "on a, in the world at the start"}, s.anchor_a);
    vector(v, {.key = "anchor_b", .unit = "m", .text = "on b, or of the world"}, s.anchor_b);
    length_field(v, s.length);
    collide_field(v, s.collide);
}

}  // namespace plush
