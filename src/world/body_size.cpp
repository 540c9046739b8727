#include "world/body_size.hpp"

#include <algorithm>
#include <cmath>

namespace plush {

double size_of(const BodyRecord& record) {
    if (record.kind == BodyKind::particles || record.parts.point_cloud) {
        const double radius = record.body->thickness();
        return radius > 0 ? 2 * radius : HUGE_VAL;
    }
    if (record.kind == BodyKind::deformable) {
        Box3 box;
        for (const Vec3& x : record.parts.rest) box.add(x);
        const double size = record.parts.rest.empty() ? 0 : max_component(box.size());
        return size > 0 ? size : HUGE_VAL;
    }
    if (!record.shape.bounded()) return HUGE_VAL;
    const double size = max_component(record.shape.bounds().size()), thickness = record.shape.thickness();
    return thickness > 0 ? std::min(size, tuning::derived_thin * thickness) : size;
}

BodyScale scale_of(const BodyRecord& record, double gravity) {
    BodyScale scale{.size = record.size, .gravity = gravity};
    if (!record.is_deformable()) return scale;
    scale.mass = record.deformable().mass();
    if (record.parts.point_cloud) scale.mass /= static_cast<double>(record.parts.rest.size());
    return scale;
}

}  // namespace plush
