#include "geometry/sdf/sdf_base.hpp"

#include <string>

namespace plush {

bool is_convex(const SignedDistance& d) {
    const auto* known = dynamic_cast<const KnownDistance*>(&d);
    return known && known->is_convex();
}

Box3 level_bounds(const SignedDistance& d, double level) {
    if (const auto* known = dynamic_cast<const KnownDistance*>(&d)) return known->level_bounds(level);
    if (level == 0) return d.bounds();
    // Only an exact distance grows no faster than the level; a bound may stay below it for ever.
    return d.exactness() == Exactness::exact ? d.bounds().grown(level) : whole_space();
}

Box3 whole_space() {
    return {{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
}

void require_distance(bool ok, const char* kind, const char* problem, const char* cure) {
    if (!ok)
        throw Error(
            {.place = std::string("signed distance \"") + kind + "\"", .problem = problem, .cure = cure});
}

}  // namespace plush
