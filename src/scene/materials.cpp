#include "scene/materials.hpp"

#include <array>

// Friction belongs to pairs: two bodies rub with the geometric mean of their values, so that a value is that of the material
// on itself, and a pair that is known better is said in "pairs". Poisson's ratio of what hardly changes its volume is entered
// as 0.45, not as 0.499: linear tets grow stiff near 0.5.

namespace plush {

std::span<const KnownMaterial> known_materials() {
    static constexpr std::array<KnownMaterial, 8> materials{
        {{"rubber", 2e6, 0.45, 930, 1.0, "#4A4A48", Finish::matt},
         {"silicone", 1.5e5, 0.45, 1070, 0.8, "#D9C7A3", Finish::shiny},
         {"jelly", 5e3, 0.45, 1030, 0.2, "#C8322B", Finish::translucent},
         {"foam", 5e4, 0.3, 30, 0.6, "#E9D98C", Finish::matt},
         {"liver", 5e3, 0.45, 1060, 0.1, "#7A2E2A", Finish::shiny},
         {"skin", 1.5e5, 0.45, 1110, 0.5, "#E3B59B", Finish::matt},
         {"wood", 1.1e10, 0.35, 700, 0.4, "#B07D4B", Finish::matt},
         {"steel", 2.0e11, 0.3, 7850, 0.57, "#C3C7CC", Finish::shiny}}};
    return materials;
}

const KnownMaterial* known_material(std::string_view name) {
    for (const KnownMaterial& m : known_materials())
        if (m.name == name) return &m;
    return nullptr;
}

}  // namespace plush
