#pragma once

#include "geometry/cutting/blade_sheet.hpp"
#include "plush/bodies/settings.hpp"

namespace plush {

/// The sheet of a blade whose body is there.
inline BladeSheet sheet_of(const Blade& blade, const Transform& pose) {
    BladeSheet sheet;
    if (blade.edge.empty())
        sheet.edge = {pose * blade.from, pose * blade.to};
    else
        for (const Vec3& p : blade.edge) sheet.edge.push_back(pose * p);
    const Vec3& first = blade.edge.empty() ? blade.from : blade.edge[0];
    sheet.back = pose * (first + blade.back) - sheet.edge[0];
    return sheet;
}

}  // namespace plush
