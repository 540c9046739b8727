#include <algorithm>

#include "core/tuning.hpp"
#include "world/impacts.hpp"
#include "world/volume_contacts.hpp"

// Speculative volume contacts: queried where bodies are expected at the end of the step, and where rigid pairs meet in it.

namespace plush {

/// Whether a pair is wanted where its bodies are expected, and its poses `there`.
bool VolumeContacts::speculates(const VolumePair& pair, const StepContext& step, VolumePair& there) const {
    const bool soft = surfaces_.any_soft(pair.i, pair.j);
    bool moves = false, asleep = false;
    for (const auto& [k, pose] : {std::pair{pair.i, &there.pose_i}, std::pair{pair.j, &there.pose_j}}) {
        const BodyRecord& record = bodies_[k];
        asleep = asleep || (record.dynamic() && record.asleep);
        if (record.kind == BodyKind::scripted) *pose = record.kinematic().next_pose();
        if (record.awake() && record.kind != BodyKind::deformable)
            *pose = soft ? expected_.pose(k) : record.rigid().pose_after({});
        moves = moves || *pose != record.body->pose();
    }
    if (asleep || soft) return !asleep && !is_compliant(pair);
    if (impact_of(pair)) return true;
    return moves && (pair.count == 0 || (!is_compliant(pair) && swings(pair, step.h)));
}

/// The impact at which a pair is queried, or null: one that its bodies were advanced to, or would jump over.
const Impact* VolumeContacts::impact_of(const VolumePair& pair) const {
    const Impact* impact = impacts_->of(pair.i, pair.j);
    const bool looked_at = impact && (impact->reached || (impact->far && pair.count == 0));
    return looked_at ? impact : nullptr;
}

/// Whether a pair that touches swings so far that other parts of it may touch within the step. Turning about the normal
/// brings nothing nearer.
bool VolumeContacts::swings(const VolumePair& pair, double h) const {
    const Body &a = *bodies_[pair.i].body, &b = *bodies_[pair.j].body;
    const double enough = tuning::swing * std::min(a.thickness(), b.thickness());
    const auto swing = [](const Body& body, const Vec3& normal) {
        const Vec3 turn = body.motion().twist.angular;
        return turn == Vec3{} ? 0 : body.speed_spread() * norm(cross(turn, normal)) / norm(turn);
    };
    const auto contacts = contacts_of(pair);
    return std::any_of(contacts.begin(), contacts.end(), [&](const VolumeContact& c) {
        return h * (swing(a, c.overlap.normal) + swing(b, c.overlap.normal)) > enough;
    });
}

/// How deep bodies overlap where an impact is queried: its volume is zero when the bodies meet, so they are pushed into each other along its
/// normal.
double VolumeContacts::sinking(std::uint32_t i, std::uint32_t j) const {
    const double thickness = std::min(surfaces_.thickness(i), surfaces_.thickness(j));
    return std::max({2 * rules_.allowed_depth(i, j), tuning::impact_overlap * thickness,
                     tuning::impact_pixels * volume_query_.pixel_of(i, j)});
}

void VolumeContacts::place_impact(const Impact& impact, VolumePair& there) const {
    there.pose_i = impacts_->place(impact.i, impact.time).pose;
    there.pose_j = impacts_->place(impact.j, impact.time).pose;
    if (surfaces_.any_soft(impact.i, impact.j)) return;  // place_soft_impacts() has moved it
    const Vec3 half = 0.5 * sinking(impact.i, impact.j) * impact.normal;
    there.pose_i.position -= half, there.pose_j.position += half;
}

/// Deformable bodies are expected where they meet what they hit.
void VolumeContacts::place_soft_impacts(const StepContext& step) {
    for (const Impact& impact : impacts_->all())
        for (const auto& [k, sign] : {std::pair{impact.i, -1.0}, std::pair{impact.j, 1.0}}) {
            if (!surfaces_.soft(k) || !impacts_->advanced(k)) continue;
            const auto from = bodies_[k].deformable().positions();
            const auto& to = bodies_[k].deformable().after().x;
            const Vec3 shift = sign * sinking(impact.i, impact.j) * impact.normal;
            std::vector<Vec3> there(from.size());
            for (std::size_t v = 0; v < from.size(); ++v)
                there[v] = from[v] + impact.time / step.h * (to[v] - from[v]) + shift;
            expected_.place(k, std::move(there));
        }
}

void VolumeContacts::detect_speculative(const StepContext& step) {
    step_contacts_.clear();
    is_refined_ = false;
    expected_.update(step, surfaces_.soft_bodies());
    place_soft_impacts(step);
    surfaces_.refit(step.parallel, BodyPlace::expected);
    cache_.measure_motion(step.parallel, QueryTime::expected);
    std::vector<CachedPair*> cached(pairs_.size());
    step.parallel.each(pairs_.size(), tuning::pairs_per_task, [&](std::size_t p) {
        const auto& [i, j] = std::tie(pairs_[p].i, pairs_[p].j);
        if (surfaces_.any_soft(i, j) && !impacts_->of(i, j)) cached[p] = cache_.find(pairs_[p]);
    });
    std::vector<VolumePair> wanted;
    std::vector<std::size_t> origins;
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
        VolumePair& pair = pairs_[p];
        pair.queried.reset();
        VolumePair there = pair;
        if (!speculates(pair, step, there)) {
            const auto now = contacts_of(pair);
            step_contacts_.insert(step_contacts_.end(), now.begin(), now.end());
        } else if (cached[p]) {
            std::vector<VolumeContact> reused = std::move(cached[p]->contacts);
            for (VolumeContact& contact : reused) cache_.extrapolate(contact, QueryTime::expected);
            pair.pixel = cached[p]->pixel, pair.direction = cached[p]->direction;
            pair.queried = std::move(cached[p]->queried);
            add_speculative(step, pair, reused, nullptr, step_contacts_);
        } else {
            there.outlines = false;  // in an impact the overlap is no patch
            if (const Impact* impact = impact_of(pair)) place_impact(*impact, there);
            wanted.push_back(there);
            origins.push_back(p);
        }
    }
    std::vector<std::vector<VolumeContact>> found = query(step, wanted, BodyPlace::expected);
    for (std::size_t k = 0; k < wanted.size(); ++k) {
        VolumePair& pair = pairs_[origins[k]];
        pair.pixel = wanted[k].pixel, pair.coarsened = wanted[k].coarsened;
        pair.cut = std::move(wanted[k].cut);
        if (surfaces_.any_soft(pair.i, pair.j)) {
            pair.direction = wanted[k].direction;
            pair.queried = cache_.poses_of(pair, QueryTime::expected);
        }
        add_speculative(step, pair, found[k], impact_of(pair), step_contacts_);
    }
    feature_query_.require_few(step, step_contacts_);
    cache_.set_reference(QueryTime::expected);
}

/// What counts as little motion since a pair was queried, m. Closest features are exact: the depth that is left alone tells.
double VolumeContacts::reuse_unit(const VolumePair& pair) const {
    return pair.by_features ? 0.125 * rules_.allowed_depth(pair.i, pair.j) : pair.pixel;
}

/// What is there at the end of the step becomes the step's.
void VolumeContacts::add_speculative(const StepContext& step, VolumePair& pair,
                                     std::span<VolumeContact> found, const Impact* impact,
                                     std::vector<VolumeContact>& out) {
    const bool soft = surfaces_.any_soft(pair.i, pair.j);
    pair.speculative = soft;
    pair.first_speculative = static_cast<std::uint32_t>(out.size());
    for (VolumeContact& contact : found) {
        PLUSH_ASSERT(std::min(contact.a, contact.b) == pair.i && std::max(contact.a, contact.b) == pair.j);
        PLUSH_ASSERT(contact.area > 0 && contact.allowed >= 0);
        if (!soft && (contact.containment || is_compliant(pair))) continue;
        contact.parting = pair.parting;
        contact.speculative = !contact.containment;
        contact.at_impact = impact && !contact.containment;
        contact.time.reset();
        if (impacts_->advanced(pair.i) || impacts_->advanced(pair.j) || impact)
            contact.time = impacts_->time_of(pair.i, pair.j);
        if (contact.at_impact)
            contact.travel = impact->reached ? Vec3{} : impacts_->travel(*impact);
        else
            set_travel(step, soft, contact);
        out.push_back(std::move(contact));
    }
    pair.count_speculative = static_cast<std::uint32_t>(out.size()) - pair.first_speculative;
}

void VolumeContacts::set_travel(const StepContext& step, bool soft, VolumeContact& contact) const {
    contact.travel = {};
    int free = 0;
    for (const std::uint32_t k : {contact.a, contact.b}) {
        const BodyRecord& record = bodies_[k];
        if (!record.awake() || record.kind == BodyKind::deformable) continue;
        const double window = impacts_->remaining(k);
        contact.travel += window * record.body->node(0).velocity.linear, ++free;
        if (soft) contact.travel += step.h * expected_.rigid_change(k).linear;
    }
    if (free > 0) contact.travel = contact.travel / free;
}

}  // namespace plush
