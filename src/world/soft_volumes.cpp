#include <algorithm>

#include "core/tuning.hpp"
#include "geometry/shapes/shape_data.hpp"
#include "world/world_impl.hpp"

// What contact by volume adds for deformable bodies: their surfaces, and where everything is expected at the
// end of a step, which is where contacts with them are looked for.

namespace plush {
namespace {

/// What contact by volume sees of a deformable body; null where it has no inside.
std::unique_ptr<SoftSurface> soft_surface_of(const Slot& slot) {
    const DeformableBody& body = slot.deformable();
    // A quasi-static body has no velocities, and its matrix no masses.
    if (slot.points || body.settings().integration.method == IntegrationMethod::quasi_static) return {};
    const bool skinned = !slot.skin.empty();
    auto surface =
        std::make_unique<SoftSurface>(slot.rest, skinned ? slot.skin.triangles() : body.triangles(),
                                      skinned ? slot.skin_weights : std::shared_ptr<const Embedding>{});
    if (!surface->closed()) return {};
    return surface;
}

std::unique_ptr<SoftFeatures> soft_features_of(const Slot& slot) {
    const bool skinned = !slot.skin.empty();
    return std::make_unique<SoftFeatures>(slot.rest,
                                          skinned ? slot.skin.triangles() : slot.deformable().triangles(),
                                          skinned ? slot.skin_weights : std::shared_ptr<const Embedding>{});
}

}  // namespace

/// Those of deformable bodies, where any pair may touch by volume or features, and their boxes.
void World::Impl::make_soft_surfaces() {
    const bool features = wants(ContactMethod::closest_feature);
    const bool told = features || wants(ContactMethod::volume) || wants(ContactMethod::volume_penalty);
    const bool preferred = wants(ContactMethod::automatic) &&
                           std::any_of(slots.begin(), slots.end(),
                                       [&](const Slot& slot) { return slot.body && prefers_volume(slot); });
    for (Slot& slot : slots) {
        if (!slot.body || slot.kind != BodyKind::deformable) continue;
        if (!told && !(preferred && bears_volume(slot))) continue;
        if (!slot.volume_looked_at) slot.soft_surface = soft_surface_of(slot);
        slot.volume_looked_at = true;
        if (features && slot.soft_surface && !slot.soft_features) slot.soft_features = soft_features_of(slot);
    }
    refit_soft_surfaces(false);
}

/// Boxes of the surfaces of deformable bodies, where they are or will be.
void World::Impl::refit_soft_surfaces(bool ahead) {
    parallel.each(slots.size(), 1, [&](std::size_t i) {
        Slot& slot = slots[i];
        if (!slot.body || !slot.soft_surface) return;
        DeformableBody& body = slot.deformable();
        if (ahead) {
            if (!slot.asleep) slot.soft_surface->refit(slot.expected_positions, slot.bounds_ahead);
        } else if (slot.bounds_version != body.version() || slot.bounds_now.boxes.empty()) {
            slot.soft_surface->refit(body.positions(), slot.bounds_now);
            slot.bounds_version = body.version();
        }
    });
}

/// Skins are deformed, and their boxes fitted to them, where they may meet those that they are looked at
/// with: a body in a pile is looked at with many, and a patch of it would be deformed for each of them.
void World::Impl::tighten_soft_surfaces(std::span<const VolumePair> wanted) {
    const bool ahead = !wanted.empty() && wanted.front().ahead;
    const auto bounds_of = [&](const Slot& slot) -> const ClusterBounds& {
        return ahead ? slot.bounds_ahead : slot.bounds_now;
    };
    std::vector<std::vector<Box3>> near(slots.size());
    // Boxes of the second that may meet the first.
    const auto add = [&](std::uint32_t first, std::uint32_t second, const Transform& pose) {
        const Slot& other = slots[second];
        if (!slots[first].soft_surface) return;
        const Box3& mine = bounds_of(slots[first]).all;
        const auto keep = [&](const Box3& box) {
            if (box.overlaps(mine)) near[first].push_back(box);
        };
        if (other.soft_surface) {
            for (const Box3& box : bounds_of(other).steady_groups()) keep(box);
        } else if (other.volume_surface) {
            const ImageMap map{to_matrix(pose.rotation), pose.position};
            for (const Box3& box : other.volume_surface->view.bounds->groups) keep(map(box));
        } else if (const auto normal = other.shape.data().plane_normal;
                   normal && rotate(pose.rotation, *normal) == Vec3{0, 1, 0}) {
            // Level ground: all that is below it. Of other planes and distances the boxes stay as they are.
            keep({{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, pose.position.y, HUGE_VAL}});
        }
    };
    for (const VolumePair& pair : wanted) {
        if (pair.by_features) continue;
        add(pair.i, pair.j, pair.pose_j);
        if (pair.i != pair.j) add(pair.j, pair.i, pair.pose_i);
    }
    parallel.each(slots.size(), 1, [&](std::size_t i) {
        Slot& slot = slots[i];
        if (near[i].empty()) return;
        const SurfaceView view = view_of(slot, {}, ahead);
        slot.soft_surface->tighten(view.positions, near[i], ahead ? slot.bounds_ahead : slot.bounds_now);
    });
}

namespace {

/// Of a rigid body.
Twist expected_change(const Slot& slot) {
    if (slot.pressed.size() != 1) return {};
    return {slot.steadiness * slot.pressed[0].linear, slot.steadiness * slot.pressed[0].angular};
}

}  // namespace

/// Where bodies are expected at the end of the step: free motion, and on top of it as much of what rows did
/// to them in the last step as they did in the one before,
///
///     u + θ Δu,      θ = ⟨Δu, Δu_before⟩ / ⟨Δu, Δu⟩, between 0 and 1.
///
/// A pile at rest is expected where it will be, and its contacts are found there; without θ a soft limb is
/// expected where it would be without what it lies on, a centimetre further, and is never quite at rest. What
/// was hit in the last step (θ = 0) is expected where free motion takes it.
void World::Impl::expect_motion() {
    const double h = settings.step;
    parallel.each(slots.size(), 1, [&](std::size_t i) {
        Slot& slot = slots[i];
        if (!slot.body || !slot.soft_surface || slot.asleep) return;
        const MotionState& next = slot.deformable().next();
        slot.expected_positions = next.x, slot.expected_velocities = next.v;
        if (slot.pressed.size() != next.x.size()) return;
        for (std::size_t k = 0; k < next.x.size(); ++k) {
            const Vec3 change = slot.steadiness * slot.pressed[k].linear;
            slot.expected_velocities[k] += change, slot.expected_positions[k] += h * change;
        }
    });
}

/// After a step: what rows did to the velocities of a body.
void World::Impl::remember_press(Slot& slot, std::span<const Twist> change) {
    const auto mass = [&](std::size_t k) {
        return slot.kind == BodyKind::deformable ? slot.deformable().masses()[k] : 1.0;
    };
    double both = 0, square = 0;
    const bool known = slot.pressed.size() == change.size();
    for (std::size_t k = 0; k < change.size(); ++k) {
        square += mass(k) * norm2(change[k].linear);
        if (known) both += mass(k) * dot(change[k].linear, slot.pressed[k].linear);
    }
    slot.steadiness = square > 0 ? std::clamp(both / square, 0.0, 1.0) : 0.0;
    slot.pressed.assign(change.begin(), change.end());
}

/// Pairs that are apart, looked at where their free motion takes them: what is found there becomes rows that
/// let the gap close and no more. A body asleep is not looked at: the blow must wake it first.
///
/// Pairs with a deformable body are looked at where they are expected even where they touch. Each part of its
/// surface moves for itself, and those that were apart at the start would fall freely for a step, one after
/// the other for ever: a soft box on the ground kept 4 cm/s. Those that were seen near there in a step before
/// are not looked at again: what was found is carried along.
void World::Impl::look_ahead() {
    step_volumes.clear();
    expect_motion();
    refit_soft_surfaces(true);
    for (Slot& slot : slots) {
        if (!slot.body) continue;
        slot.expected_pose =
            slot.kind == BodyKind::scripted ? slot.kinematic().next_pose() : slot.body->pose();
        if (slot.first_node && slot.kind == BodyKind::rigid)
            slot.expected_pose = slot.rigid().pose_after(settings.step, expected_change(slot));
    }
    measure_missed(VolumeLook::ahead);
    std::vector<VolumePair> ahead;
    std::vector<std::size_t> origins;
    std::vector<SeenPair*> seen(volume_pairs.size());
    parallel.each(seen.size(), tuning::pairs_per_task, [&](std::size_t p) {
        const VolumePair& pair = volume_pairs[p];
        if (slots[pair.i].soft_surface || slots[pair.j].soft_surface) seen[p] = seen_near(pair);
    });
    for (std::size_t p = 0; p < volume_pairs.size(); ++p) {
        VolumePair& pair = volume_pairs[p];
        pair.places.reset();
        VolumePair there = pair;
        there.ahead = true;
        bool moves = false, asleep = false;
        const bool soft = slots[pair.i].soft_surface || slots[pair.j].soft_surface;
        for (const auto& [k, pose] : {std::pair{pair.i, &there.pose_i}, std::pair{pair.j, &there.pose_j}}) {
            const Slot& slot = slots[k];
            asleep = asleep || (slot.dynamic() && slot.asleep);
            if (slot.kind == BodyKind::scripted) *pose = slot.kinematic().next_pose();
            if (slot.first_node)
                *pose = soft ? slot.expected_pose : slot.rigid().pose_after(settings.step, {});
            moves = moves || *pose != slot.body->pose();
        }
        const bool wanted = !asleep && (soft ? !flexible(pair.i, pair.j) : moves && pair.count == 0);
        if (wanted && seen[p]) {
            expect_seen(pair, *seen[p]);
        } else if (wanted) {
            ahead.push_back(there);
            origins.push_back(p);
        } else {
            const auto first = volume_contacts.begin() + pair.first;
            step_volumes.insert(step_volumes.end(), first, first + pair.count);
        }
    }
    std::vector<std::vector<VolumeContact>> found(ahead.size());
    measure_pairs(ahead, found);
    for (std::size_t p = 0; p < ahead.size(); ++p) {
        VolumePair& pair = volume_pairs[origins[p]];
        pair.pixel = ahead[p].pixel;
        if (slots[pair.i].soft_surface || slots[pair.j].soft_surface) {
            pair.direction = ahead[p].direction;
            pair.places = places_of(pair, VolumeLook::ahead);
        }
        expect_contacts(pair, found[p]);
    }
}

/// What is there at the end of the step becomes the step's.
void World::Impl::expect_contacts(VolumePair& pair, std::span<VolumeContact> found) {
    const bool soft = slots[pair.i].soft_surface || slots[pair.j].soft_surface;
    pair.looked_ahead = soft;
    pair.first_ahead = static_cast<std::uint32_t>(step_volumes.size());
    for (VolumeContact& contact : found) {
        if (!soft && (contact.escape || volume_law(contact).flexibility > 0)) continue;
        contact.ahead = !contact.escape, contact.moved = {};
        int free = 0;
        for (const std::uint32_t k : {contact.a, contact.b})
            if (const auto node = slots[k].first_node) {
                contact.moved += settings.step * nodes[*node].velocity.linear, ++free;
                if (soft) contact.moved += settings.step * expected_change(slots[k]).linear;
            }
        if (free > 0) contact.moved = contact.moved / free;
        step_volumes.push_back(std::move(contact));
    }
    pair.count_ahead = static_cast<std::uint32_t>(step_volumes.size()) - pair.first_ahead;
}

/// The velocities that lead there, of all nodes.
void World::Impl::expect_velocities() {
    expected.assign(velocities.begin(), velocities.end());
    for (const Slot& slot : slots) {
        if (slot.first_node && slot.kind == BodyKind::rigid) {
            expected[*slot.first_node].linear += expected_change(slot).linear;
            expected[*slot.first_node].angular += expected_change(slot).angular;
        }
        for (std::size_t k = 0, row = 0; k < slot.grips.size(); row += slot.grips[k++])
            if (slot.soft_surface) {
                Vec3& w = expected[slot.first_grip + k].linear = {};
                for (std::size_t r = 0; r < slot.grips[k]; ++r)
                    for (const HalfSolves::Entry& e : slot.answer->row(row + r))
                        w[r] += dot(e.value, slot.expected_velocities[e.row]);
            }
    }
}

}  // namespace plush
