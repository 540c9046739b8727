#pragma once

#include "plush/detect/overlap.hpp"

namespace plush {

/// What holds a volume contact along its tangents. Its sliding velocity is the paper's v_rel = Σ A_k ṗ_k by the area of
/// the contact, so that no law depends on how the contact is divided into cells.
enum class VolumeFriction {
    coulomb,  ///< at most μ times the normal force
    viscous,  ///< f_k = −ν v_rel A_k, and no dry friction
    no_slip,  ///< v_rel = 0 along both tangents, whatever force that takes
};
PLUSH_API std::span<const Choice> volume_friction_choices();

/// Volume contact (Allard et al. 2010): how the intersection volume is split into contacts and sampled.
struct VolumeSettings {
    /// What is one contact: a cell of a grid (multi-volume; what would fit into one and a half is not cut),
    /// or one for each connected part (mono-volume).
    OverlapSplit split = OverlapSplit::cells;
    double cells_across = 16;  ///< the smallest cells: so many along the longest side of the smaller body
    int max_cells = 12;        ///< of a connected patch: where there are more their side is doubled
    double cell = 0;           ///< the side of all cells instead, m; 0: by cells_across and max_cells
    /// Along the longest side of the smaller body, at least; more where it is thin.
    double pixels_across = 64;
    double pixel = 0;  ///< the side of a pixel instead, m; 0: by pixels_across
    /// How the volumes along the three viewing directions become one; Allard et al. take the mean.
    OverlapVolume combine = OverlapVolume::weighted;
    VolumeFriction friction = VolumeFriction::coulomb;
    /// Friction acts on each body at its own surface; else on both at the contact's centre, where a deep
    /// overlap makes no torque out of it.
    bool friction_at_surfaces = false;
    /// ν: a drag a square metre of contact, against its sliding, Pa s/m. All there is where friction is viscous, added to
    /// Coulomb's where it is not.
    double viscosity = 0;
    /// k of ½ k V², V the volume that a pair shares, however it is divided; for the method volume_penalty, Pa/m³.
    double stiffness = 1e12;
    double memory_limit = 1024;  ///< of the images of a pair, MiB
};
PLUSH_API void describe(FieldVisitor& v, VolumeSettings& s);

}  // namespace plush
