#include "plush/bodies/settings.hpp"

namespace plush {

void describe(FieldVisitor& v, Material& s) {
    v.field({.key = "friction",
             .text = "Coulomb's coefficient; of two bodies, the geometric mean counts",
             .min = 0,
             .max = 1e6},
            s.friction);
    v.field({.key = "restitution",
             .text = "speed after an impact by the speed before; of two bodies, the larger counts",
             .min = 0,
             .max = 1},
            s.restitution);
    v.field({.key = "young",
             .unit = "Pa",
             .text = "of contact by volume: how stiff the body is against an overlap; absent: hard",
             .min = 0,
             .max = 1e15,
             .min_excluded = true},
            s.young);
}

}  // namespace plush
