#include "world/volume_warm_starts.hpp"

#include <algorithm>
#include <tuple>

#include "core/assert.hpp"

namespace plush {

/// The contact that was this one in the last step: the nearest, where they can have overlapped.
const VolumeWarmStarts::Known* VolumeWarmStarts::nearest(std::span<const Known> known,
                                                         std::span<const char> taken,
                                                         const VolumeContact& contact) {
    PLUSH_ASSERT(taken.size() == known.size());
    const Known* best = nullptr;
    double nearest = HUGE_VAL;
    for (std::size_t k = 0; k < known.size(); ++k) {
        if (taken[k] || (known[k].part == VolumePart::outline) != contact.is_outline()) continue;
        const double away = norm2(known[k].centre - contact.overlap.centre);
        if (away < nearest && away <= std::max(known[k].area, contact.overlap.area))
            nearest = away, best = &known[k];
    }
    return best;
}

std::vector<Vec3> VolumeWarmStarts::match(std::span<VolumeContact> contacts) {
    std::vector<Vec3> impulses(contacts.size());
    std::vector<char> taken(known_.size(), 0);
    const auto order = [](const Known& x, const Known& y) { return std::tie(x.i, x.j) < std::tie(y.i, y.j); };
    PLUSH_ASSERT(std::is_sorted(known_.begin(), known_.end(), order));  // sort() after the last record()
    for (std::size_t k = 0; k < contacts.size(); ++k) {
        VolumeContact& contact = contacts[k];
        const Known key{.i = std::min(contact.a, contact.b), .j = std::max(contact.a, contact.b)};
        const auto [begin, end] = std::equal_range(known_.begin(), known_.end(), key, order);
        const auto first = static_cast<std::size_t>(begin - known_.begin());
        const std::span<const Known> pair(begin, end);
        const Known* same = nearest(pair, std::span(taken).subspan(first, pair.size()), contact);
        contact.id = same ? same->id : ++names_;
        if (!same) continue;
        taken[static_cast<std::size_t>(same - known_.data())] = 1;
        impulses[k] = same->impulse;
    }
    return impulses;
}

void VolumeWarmStarts::record(const VolumeContact& contact, const Vec3& impulse) {
    PLUSH_ASSERT(contact.id != 0);                                                   // match() has named it
    const double area = contact.is_outline() ? contact.overlap.area : contact.area;  // that of its cell
    const VolumePart part = contact.is_outline() ? VolumePart::outline
                            : contact.parting && (contact.containment || contact.depth > contact.allowed)
                                ? VolumePart::parting
                                : VolumePart::cell;
    known_.push_back({std::min(contact.a, contact.b), std::max(contact.a, contact.b), contact.id,
                      contact.overlap.centre, area, impulse, part});
}

bool VolumeWarmStarts::parting(std::uint32_t i, std::uint32_t j) const {
    PLUSH_ASSERT(i <= j);
    const auto order = [](const Known& x, const Known& y) { return std::tie(x.i, x.j) < std::tie(y.i, y.j); };
    const auto [begin, end] = std::equal_range(known_.begin(), known_.end(), Known{.i = i, .j = j}, order);
    return std::any_of(begin, end, [](const Known& k) { return k.part == VolumePart::parting; });
}

void VolumeWarmStarts::sort() {
    std::stable_sort(known_.begin(), known_.end(), [](const Known& x, const Known& y) {
        return std::tie(x.i, x.j, x.id) < std::tie(y.i, y.j, y.id);
    });
}

void VolumeWarmStarts::forget_body(std::uint32_t body) {
    std::erase_if(known_, [&](const Known& k) { return k.i == body || k.j == body; });
}

void VolumeWarmStarts::visit_state(StateVisitor& v) {
    v(known_, names_);
}

bool VolumeWarmStarts::is_consistent() const {
    return std::is_sorted(
               known_.begin(), known_.end(),
               [](const Known& x, const Known& y) { return std::tie(x.i, x.j) < std::tie(y.i, y.j); }) &&
           std::all_of(known_.begin(), known_.end(),
                       [](const Known& k) { return k.id != 0 && k.part <= VolumePart::parting; });
}

}  // namespace plush
