#pragma once

#include "world/constraint_system.hpp"
#include "world/pair_rules.hpp"
#include "world/volume_surfaces.hpp"

// The rows of volume contacts in a velocity solve. A contact has up to two blocks:
//
//     its own     the normal and both tangents, by Signorini and Coulomb
//     tangents    no-slip or viscous rows, which have no bound
//
// Where a pair has the penalty energy ½ k V² and more than one contact, a block before these is the normal row of the
// whole pair, and the contacts' own blocks have friction alone.

namespace plush {

class VolumeRows {
public:
    VolumeRows(const BodyStore& bodies, const PairRules& rules, const VolumeSurfaces& surfaces)
        : bodies_(bodies), rules_(rules), surfaces_(surfaces) {}

    PairSides sides(const ConstraintSystem& system, const VolumeContact& contact) const;
    /// Adds those of all contacts, of which those of one pair are together. `warm`: impulses to start from, world
    /// vectors, one a contact.
    void add(const StepContext& step, ConstraintSystem& system, std::span<const VolumeContact> contacts,
             std::span<const Vec3> warm);
    /// The own block of each contact; none where nothing can move.
    std::span<const std::optional<std::uint32_t>> blocks() const { return blocks_; }

    /// What a contact's blocks came to, N s.
    struct Impulse {
        Vec3 all{};  ///< on a, a world vector
        Vec3
            warm{};  ///< without the drag that is added to Coulomb's friction: what the next step starts from
        bool sticking = false;
    };
    Impulse impulse(const ConstraintSystem& system, const VolumeContact& contact, std::size_t k) const;

private:
    void add_pair(const StepContext& step, ConstraintSystem& system, std::span<const VolumeContact> contacts,
                  std::size_t first);
    void add_tangents(const StepContext& step, ConstraintSystem& system, const VolumeContact& contact,
                      std::size_t k);

    const BodyStore& bodies_;
    const PairRules& rules_;
    const VolumeSurfaces& surfaces_;
    std::vector<std::optional<std::uint32_t>> blocks_, tangents_;
    std::vector<VolumeLaw> laws_;
    std::vector<Twist> expected_;  ///< velocities of nodes
};

}  // namespace plush
