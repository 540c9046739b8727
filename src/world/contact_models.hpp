#pragma once

#include <array>

#include "world/cluster_contacts.hpp"
#include "world/near_pairs.hpp"
#include "world/point_contacts.hpp"
#include "world/surface_contacts.hpp"
#include "world/tet_contacts.hpp"
#include "world/vertex_contacts.hpp"
#include "world/volume_contacts.hpp"

namespace plush {

/// All ways in which bodies touch, and what they share.
struct ContactModels {
    ContactModels(const WorldSettings& settings, BodyStore& bodies, const PairRules& rules,
                  const Attachments& attachments)
        : expected(bodies),
          surfaces(bodies, rules, expected),
          near(bodies, rules),
          points(settings, bodies, rules, surfaces),
          volumes(settings, bodies, rules, surfaces, expected),
          clusters(bodies, rules),
          tets(settings, bodies, rules, attachments),
          cloth(settings, bodies, rules, surfaces, expected),
          vertices(bodies, rules, near) {}

    ExpectedMotion expected;
    VolumeSurfaces surfaces;
    NearPairs near;

    PointContacts points;
    VolumeContacts volumes;
    ClusterContacts clusters;
    TetContacts tets;
    VertexContacts cloth;
    SurfaceContacts vertices;

    /// Their order is that of their rows; pairs are offered to the last one first.
    std::array<ContactModel*, 6> all() { return {&points, &volumes, &clusters, &tets, &cloth, &vertices}; }
};

}  // namespace plush
