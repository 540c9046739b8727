#include <array>

#include "plush/geometry/mesh.hpp"

namespace plush {

void describe(FieldVisitor& v, ImportSettings& s) {
    using Unit = ImportSettings::Unit;
    using Up = ImportSettings::UpAxis;
    static constexpr std::array<Choice, 4> units{
        {{"m", static_cast<int>(Unit::m), "metres"},
         {"cm", static_cast<int>(Unit::cm), "centimetres"},
         {"mm", static_cast<int>(Unit::mm), "millimetres"},
         {"inch", static_cast<int>(Unit::inch), "inches of 25.4 mm"}}};
    static constexpr std::array<Choice, 3> axes{
        {{"x", static_cast<int>(Up::x), "a quarter turn about z brings x up"},
         {"y", static_cast<int>(Up::y), "as it is"},
         {"z", static_cast<int>(Up::z), "a quarter turn about x brings z up"}}};
    v.field({.key = "scale",
             .text = "factor on the size of the mesh, on top of its unit",
             .min = 0,
             .min_excluded = true},
            s.scale);
    v.choice({.key = "unit", .text = "the unit of length in the file"}, s.unit, units);
    v.choice({.key = "up", .text = "the axis of the file that points up"}, s.up, axes);
}

}  // namespace plush
