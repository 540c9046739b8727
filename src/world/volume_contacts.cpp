#include "world/volume_contacts.hpp"

#include <algorithm>
#include <iterator>

#include "core/tuning.hpp"

namespace plush {

VolumeContacts::VolumeContacts(const WorldSettings& settings, BodyStore& bodies, const PairRules& rules,
                               VolumeSurfaces& surfaces, ExpectedMotion& expected)
    : settings_(settings),
      bodies_(bodies),
      rules_(rules),
      surfaces_(surfaces),
      expected_(expected),
      volume_query_(settings, bodies, rules, surfaces),
      feature_query_(bodies, rules, surfaces),
      cache_(bodies, surfaces, expected),
      rows_(bodies, rules, surfaces) {}

// -- pairs

void VolumeContacts::begin_step(const StepContext& step) {
    surfaces_.make_soft();
    surfaces_.refit(step.parallel, BodyPlace::now);
    claimed_.clear();
}

void VolumeContacts::grow_bounds(std::uint32_t body, Box3& box) const {
    if (surfaces_.soft(body)) box.add(surfaces_.bounds(body, BodyPlace::now).all);  // of a skin
}

bool VolumeContacts::claim(std::uint32_t i, std::uint32_t j) {
    PLUSH_ASSERT(i <= j && (i != j || bodies_[i].parts.self_contact));
    const ContactMethod method = rules_.behaviour(i, j).method;
    bool taken = false;
    if (method == ContactMethod::closest_feature) {
        taken = feature_query_.prepare(i, j);
    } else if (is_volume_method(method)) {
        for (const std::uint32_t k : {i, j}) {
            if (bodies_[k].kind == BodyKind::deformable) {
                if (!surfaces_.soft(k)) return false;
            } else {
                if (bodies_[k].shape.empty()) return false;  // particles: points have no volume
                surfaces_.make_rigid(k);
            }
            taken = taken || surfaces_.has(k);
        }
    }
    if (taken) claimed_.emplace_back(i, j);
    return taken;
}

void VolumeContacts::detect(const StepContext& step) {
    std::sort(claimed_.begin(), claimed_.end());
    PLUSH_ASSERT(std::adjacent_find(claimed_.begin(), claimed_.end()) == claimed_.end());
    keep_known_pairs();
    revision_ = bodies_.revision();
    update(step, QueryTime::start);
}

/// Near pairs anew, with what is still known of the old ones.
void VolumeContacts::keep_known_pairs() {
    std::vector<VolumePair> old = std::move(pairs_);
    const std::vector<VolumeContact> old_contacts = std::move(contacts_);
    pairs_.clear();
    contacts_.clear();
    const auto before = [](const VolumePair& x, const VolumePair& y) {
        return std::tie(x.i, x.j) < std::tie(y.i, y.j);
    };
    for (const auto& [i, j] : claimed_) {
        const ContactMethod method = rules_.behaviour(i, j).method;
        VolumePair pair{.i = i,
                        .j = j,
                        .by_features = method == ContactMethod::closest_feature,
                        .outlines = !surfaces_.any_soft(i, j) && !rules_.is_compliant(i, j)};
        const auto known = std::lower_bound(old.begin(), old.end(), pair, before);
        if (revision_ == bodies_.revision() && known != old.end() && known->i == i && known->j == j) {
            pair = std::move(*known);
            PLUSH_ASSERT(pair.first + pair.count <= old_contacts.size());
            const auto first = old_contacts.begin() + pair.first;
            pair.first = static_cast<std::uint32_t>(contacts_.size());
            contacts_.insert(contacts_.end(), first, first + pair.count);
        }
        const auto cut = cache_.cut_of(i, j);  // state, where the rest is not
        pair.cut.assign(cut.begin(), cut.end());
        pair.parting = rules_.is_compliant(i, j) && warm_starts_.parting(i, j);
        pairs_.push_back(std::move(pair));
    }
}

// -- the contacts of now

std::span<const VolumeContact> VolumeContacts::contacts_of(const VolumePair& pair) const {
    PLUSH_ASSERT(pair.first + pair.count <= contacts_.size());
    return std::span(contacts_).subspan(pair.first, pair.count);
}

std::span<const VolumeContact> VolumeContacts::speculative_of(const VolumePair& pair) const {
    const std::vector<VolumeContact>& all = is_refined_ ? refined_ : step_contacts_;
    PLUSH_ASSERT(pair.first_speculative + pair.count_speculative <= all.size());
    return std::span(all).subspan(pair.first_speculative, pair.count_speculative);
}

/// Whether one of the two deforms and one of them moves.
bool VolumeContacts::moving_soft(const VolumePair& pair) const {
    return surfaces_.any_soft(pair.i, pair.j) && (bodies_[pair.i].moving() || bodies_[pair.j].moving());
}

/// Whether its contacts yield by a law of their own now.
bool VolumeContacts::is_compliant(const VolumePair& pair) const {
    return !pair.parting && rules_.is_compliant(pair.i, pair.j);
}

/// A compliant pair of which one is found inside the other is hard from then on, until it has parted.
void VolumeContacts::mark_parting(VolumePair& pair, std::span<VolumeContact> contacts) const {
    const auto inside = [](const VolumeContact& c) { return c.containment; };
    if (!pair.parting && std::any_of(contacts.begin(), contacts.end(), inside))
        pair.parting = rules_.is_compliant(pair.i, pair.j);
    for (VolumeContact& contact : contacts) contact.parting = pair.parting;
}

namespace {

std::uint64_t version_of(const VolumeSurfaces& surfaces, const BodyStore& bodies, std::uint32_t body) {
    return surfaces.soft(body) ? bodies[body].deformable().version() : 0;
}

}  // namespace

bool VolumeContacts::unmoved(const VolumePair& pair) const {
    return pair.measured && pair.pose_i == bodies_[pair.i].body->pose() &&
           pair.pose_j == bodies_[pair.j].body->pose() &&
           pair.version_i == version_of(surfaces_, bodies_, pair.i) &&
           pair.version_j == version_of(surfaces_, bodies_, pair.j);
}

/// Pairs with a deformable body that moves are not queried when a step starts: detect_speculative() does that, and where
/// they end near what was expected its contacts are extrapolated. So are those of a pair that a pass of the position
/// phase moves a little.
VolumeContacts::Reuse VolumeContacts::reuse_of(const VolumePair& pair, QueryTime when) const {
    const bool soft = moving_soft(pair);
    if (when == QueryTime::start) {
        if (soft && !is_compliant(pair)) return Reuse::drop;
        return unmoved(pair) && !pair.extrapolated ? Reuse::keep : Reuse::query;
    }
    if (!soft || !(when == QueryTime::end ? pair.speculative : pair.measured))
        return unmoved(pair) ? Reuse::keep : Reuse::query;
    const auto found = when == QueryTime::end ? speculative_of(pair) : contacts_of(pair);
    const bool good = pair.queried && cache_.may_reuse(pair, *pair.queried, found, reuse_unit(pair), when);
    return good ? Reuse::extrapolate : Reuse::query;
}

/// The pair's contacts are about to be those of now.
void VolumeContacts::note(VolumePair& pair, Reuse reuse, QueryTime when) const {
    const bool soft = moving_soft(pair);
    pair.pose_i = bodies_[pair.i].body->pose(), pair.pose_j = bodies_[pair.j].body->pose();
    pair.version_i = version_of(surfaces_, bodies_, pair.i);
    pair.version_j = version_of(surfaces_, bodies_, pair.j);
    pair.extrapolated = reuse == Reuse::extrapolate;
    pair.measured = when != QueryTime::start || !soft || reuse == Reuse::query;
    if (when == QueryTime::start) pair.speculative = false;
    if (reuse == Reuse::drop) pair.count = 0;
    if (reuse == Reuse::query) pair.queried.reset();
}

void VolumeContacts::update(const StepContext& step, QueryTime when) {
    surfaces_.refit(step.parallel, BodyPlace::now);
    if (when != QueryTime::start) cache_.measure_motion(step.parallel, when);
    std::vector<Reuse> reuse(pairs_.size());
    step.parallel.each(pairs_.size(), tuning::pairs_per_task,
                       [&](std::size_t p) { reuse[p] = reuse_of(pairs_[p], when); });
    std::vector<VolumePair> wanted;
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
        note(pairs_[p], reuse[p], when);
        if (reuse[p] == Reuse::query) wanted.push_back(pairs_[p]);
    }
    std::vector<std::vector<VolumeContact>> found = query(step, wanted, BodyPlace::now);

    std::vector<VolumeContact> all;
    all.reserve(std::max(contacts_.size(), step_contacts_.size()));
    std::size_t next = 0;
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
        VolumePair& pair = pairs_[p];
        const auto first = static_cast<std::uint32_t>(all.size());
        if (reuse[p] == Reuse::query) {
            pair.direction = wanted[next].direction, pair.pixel = wanted[next].pixel;
            pair.coarsened = wanted[next].coarsened, pair.cut = std::move(wanted[next].cut);
            if (when != QueryTime::start) pair.queried = cache_.poses_of(pair, when);
            std::move(found[next].begin(), found[next].end(), std::back_inserter(all));
            ++next;
        } else {
            const bool speculative = when == QueryTime::end && reuse[p] == Reuse::extrapolate;
            const auto old = speculative ? speculative_of(pair) : contacts_of(pair);
            all.insert(all.end(), old.begin(), old.end());
            for (std::size_t k = first; reuse[p] == Reuse::extrapolate && k < all.size(); ++k)
                cache_.extrapolate(all[k], when);
        }
        pair.first = first;
        pair.count = static_cast<std::uint32_t>(all.size()) - first;
        mark_parting(pair, std::span(all).subspan(first));
    }
    PLUSH_ASSERT(next == wanted.size());
    contacts_ = std::move(all);
    if (when != QueryTime::start) cache_.set_reference(when);
}

void VolumeContacts::redetect(const StepContext& step, const Redetection& why) {
    update(step, why.after_pass ? QueryTime::after_pass : QueryTime::end);
    feature_query_.require_few(step, contacts_);
}

// -- rows

void VolumeContacts::add_constraint_nodes(ConstraintSystem& system, bool positions) {
    for (VolumeContact& contact : positions ? contacts_ : step_contacts_) system.add_contact(contact);
}

void VolumeContacts::add_velocity_rows(const StepContext& step, ConstraintSystem& system) {
    warm_impulses_ = warm_starts_.match(step_contacts_);
    const auto is_rigid = [&](const VolumeContact& c) { return !surfaces_.any_soft(c.a, c.b); };
    spread_impulses(step_contacts_, is_rigid, warm_impulses_);
    rows_.add(step, system, step_contacts_, warm_impulses_);
}

namespace {

/// How far a contact is pushed at once. Where its sides nearly cancel, as those of a limb that reaches through a wall,
/// volume by area is many times what is there, and a body that jumped as far would land in others.
double depth_to_push(const VolumeContact& contact) {
    return contact.containment ? contact.depth : std::min(contact.depth, contact.overlap.largest_depth);
}

}  // namespace

void VolumeContacts::add_position_rows(const StepContext&, PositionRows& out) {
    const auto size = [&](std::uint32_t k) {
        return surfaces_.soft(k) && out.soft_as_rigid ? surfaces_.soft(k)->size() : bodies_[k].body->size();
    };
    for (const VolumeContact& contact : contacts_) {
        const PairSides pair = rows_.sides(out.system, contact);
        if (!pair.a.first_node && !pair.b.first_node) continue;
        // A compliant contact is as deep as its force makes it.
        if (!contact.parting && rules_.volume_law(contact.a, contact.b, contact.area).flexibility > 0)
            continue;
        if (contact.is_outline()) continue;  // bodies rest as deep as the volume of a cell says
        const double most = tuning::largest_correction * std::min(size(contact.a), size(contact.b));
        Block& block = add_volume_block(out.system.rows(), pair, contact, out.system.nodes(), false, 1);
        // What deforms is parted by the solve itself, but for overlaps that were given, or came too fast.
        const bool yields =
            !out.soft_as_rigid && !contact.containment && surfaces_.any_soft(contact.a, contact.b);
        block.bias.x = -std::min(depth_to_push(contact) - tuning::stabilise_aim * contact.allowed, most);
        if (yields) block.bias.x = std::max(0.0, block.bias.x);
        out.urgent.push_back(!yields && contact.depth > contact.allowed);
    }
}

// -- what comes of it

namespace {

ContactRecord record_of(const VolumeContact& contact, const VolumeRows::Impulse& solved, double h) {
    const Overlap& o = contact.overlap;
    const Vec3& impulse = solved.all;
    const double normal = dot(impulse, o.normal);
    // The point that the normal force goes through.
    const Vec3 point = contact.own_normal || contact.containment
                           ? o.sides[0]
                           : o.centre + cross(o.gradient, o.moment) / norm2(o.gradient);
    return {contact.a,
            contact.b,
            {.point = point,
             .normal = o.normal,
             .depth = contact.depth,
             .normal_force = normal / h,
             .friction_force = (impulse - o.normal * normal) / h,
             .sticking = solved.sticking,
             .id = contact.id,
             .area = contact.area,
             .volume = o.volume,
             .largest_depth = o.largest_depth}};
}

/// What the corner of a patch does counts as its cell's.
void add_outline(const ContactRecord& corner, ContactRecord& cell) {
    Contact& to = cell.contact;
    const Contact& from = corner.contact;
    const double force = to.normal_force + from.normal_force;
    if (!(from.normal_force > 0) || !(force > 0)) return;
    to.point += (from.normal_force / force) * (from.point - to.point);
    // A corner that carries next to nothing may be at its bound where the cell holds.
    to.sticking = from.sticking || (to.sticking && to.normal_force > 0);
    to.normal_force = force;
    to.friction_force += from.friction_force;
}

}  // namespace

void VolumeContacts::report(const StepContext& step, const ConstraintSystem& system,
                            std::vector<ContactRecord>& out) {
    const auto blocks = rows_.blocks();
    PLUSH_ASSERT(blocks.size() == step_contacts_.size() && warm_impulses_.size() == step_contacts_.size());
    warm_starts_.clear();
    std::vector<std::size_t> records(step_contacts_.size());
    const auto add = [&](std::size_t k, const VolumeRows::Impulse& solved) {
        const VolumeContact& contact = step_contacts_[k];
        const ContactRecord record = record_of(contact, solved, step.h);
        warm_starts_.record(contact, solved.warm);
        if (contact.is_outline()) {
            PLUSH_ASSERT(contact.outline_of <= k);
            return add_outline(record, out[records[k - contact.outline_of]]);
        }
        records[k] = out.size();
        out.push_back(record);
    };
    for (std::size_t k = 0; k < step_contacts_.size(); ++k)
        if (blocks[k]) add(k, rows_.impulse(system, step_contacts_[k], k));
    // Bodies asleep press on each other as hard as in their last step awake.
    for (std::size_t k = 0; k < step_contacts_.size(); ++k) {
        const VolumeContact& contact = step_contacts_[k];
        if (blocks[k] || (!bodies_[contact.a].dynamic() && !bodies_[contact.b].dynamic())) continue;
        add(k, {warm_impulses_[k], warm_impulses_[k], true});
    }
    warm_starts_.sort();
}

void VolumeContacts::end_step(const StepContext& step) {
    double& pixel = step.report.pixel;
    for (const VolumePair& pair : pairs_)
        if (pair.pixel > 0) pixel = pixel > 0 ? std::min(pixel, pair.pixel) : pair.pixel;
    for (const VolumePair& pair : pairs_)
        step.report.convergence.count(coarse_trouble, {pair.pixel, bodies_.id(pair.i), bodies_.id(pair.j)},
                                      pair.coarsened);
    cache_.store(pairs_, contacts_);
}

double VolumeContacts::largest_depth() const {
    double largest = 0;
    for (const VolumeContact& c : contacts_) largest = std::max(largest, c.overlap.largest_depth);
    return largest;
}

double VolumeContacts::largest_soft_excess() const {
    double largest = 0;
    for (const VolumeContact& c : contacts_)
        if (surfaces_.any_soft(c.a, c.b)) largest = std::max(largest, depth_to_push(c) / c.allowed);
    return largest;
}

void VolumeContacts::each_linked_pair(PairVisitor visit) const {
    for (const VolumeContact& c : contacts_) visit(c.a, c.b);
}

/// They share a volume, or a vertex is on the other's surface or in it.
void VolumeContacts::each_touching_pair(PairVisitor visit) const {
    for (const VolumePair& pair : pairs_) {
        const auto found = contacts_of(pair);
        const double allowed = rules_.allowed_depth(pair.i, pair.j);
        const auto touches = [&](const VolumeContact& c) { return !pair.by_features || c.depth > -allowed; };
        if (std::any_of(found.begin(), found.end(), touches)) visit(pair.i, pair.j);
    }
}

void VolumeContacts::forget_body(std::uint32_t body) {
    surface_changed(body);
    warm_starts_.forget_body(body);
}

void VolumeContacts::surface_changed(std::uint32_t body) {
    cache_.forget_body(body);
    forget_contacts();
}

void VolumeContacts::forget_contacts() {
    pairs_.clear();
    contacts_.clear();
}

void VolumeContacts::visit_state(StateVisitor& v) {
    warm_starts_.visit_state(v);
    cache_.visit_state(v);
}

}  // namespace plush
