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
}

}  // namespace plush
