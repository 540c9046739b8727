#include "plush/contact/volume_settings.hpp"

#include "core/quantities.hpp"

#include <array>

namespace plush {

std::span<const Choice> volume_friction_choices() {
    static constexpr std::array laws{Choice{"coulomb", static_cast<int>(VolumeFriction::coulomb),
                                            "at most the coefficient of friction times the normal force"},
                                     Choice{"viscous", static_cast<int>(VolumeFriction::viscous),
                                            "the drag of viscosity, and no dry friction"},
                                     Choice{"no_slip", static_cast<int>(VolumeFriction::no_slip),
                                            "nothing slides, whatever force that takes"}};
    return laws;
}

void describe(FieldVisitor& v, VolumeSettings& s) {
    v.choice({.key = "split", .text = "what is one contact"}, s.split, overlap_split_choices());
    v.field({.key = "cells_across",
             .text = "the smallest cells, along the longest side of the smaller body",
             .min = 1,
             .max = 1024},
            s.cells_across);
    v.field({.key = "max_cells",
             .text = "of a connected patch; where there are more their side is doubled. A patch of a "
                     "deformable body may have one for each of its vertices there",
             .min = 1,
             .max = 1e6},
            s.max_cells);
    v.field({.key = "cell",
             .unit = "m",
             .text = "the side of all cells; 0: by cells_across and max_cells",
             .min = 0},
            s.cell);
    v.field(quantity::pixels_across("pixels along the longest side of the smaller body, at least"),
            s.pixels_across);
    v.field({.key = "pixel", .unit = "m", .text = "the side of a pixel; 0: by pixels_across", .min = 0},
            s.pixel);
    v.choice({.key = "combine", .text = "how the volumes of the three images become one"}, s.combine,
             overlap_volume_choices());
    v.choice({.key = "friction", .text = "what holds a contact along its tangents"}, s.friction,
             volume_friction_choices());
    v.field({.key = "friction_at_surfaces",
             .text = "on each body at its own surface; false: on both at the contact's centre"},
            s.friction_at_surfaces);
    v.field(
        {.key = "viscosity",
         .unit = "Pa s/m",
         .text = "drag a square metre of contact, against its sliding; with coulomb beside the dry friction",
         .min = 0,
         .max = 1e15},
        s.viscosity);
    v.field({.key = "stiffness",
             .unit = "Pa/m³",
             .text = "k of ½ k V² of a pair, however it is split, for the method volume_penalty",
             .min = 0,
             .max = 1e30,
             .min_excluded = true},
            s.stiffness);
    v.field({.key = "memory_limit",
             .unit = "MiB",
             .text = "of the images of pairs, and of the compliance of a deformable body's contacts",
             .min = 1,
             .max = 1e6},
            s.memory_limit);
}

}  // namespace plush
