#include <algorithm>

#include "bodies/deformable/deformable_body.hpp"
#include "bodies/elements/elastic_tets.hpp"
#include "core/assert.hpp"

// A deformable body whose vertices and tets become others, as by a cut. Each new vertex goes on with the
// position and velocity of an old one: where the masses of all that go on from one vertex add up to its own,
// mass, momentum and angular momentum stay as they were.

namespace plush {
namespace {

/// The old vertices' values for the new ones; empty lists stay so.
template <class T>
void follow(std::vector<T>& values, std::span<const std::uint32_t> from, std::size_t count) {
    if (values.empty() && !from.empty()) return;
    std::vector<T> out(count);
    for (std::size_t i = 0; i < from.size(); ++i) {
        PLUSH_ASSERT(from[i] < values.size());
        out[i] = values[from[i]];
    }
    values = std::move(out);
}

}  // namespace

void DeformableBody::remake(DeformableModel model, std::size_t replaced, const Succession& from) {
    const std::size_t count = model.masses.size();
    PLUSH_ASSERT(!matcher_ && replaced <= elements_.size());
    PLUSH_ASSERT(from.vertices.empty() || from.vertices.size() == count);
    PLUSH_ASSERT(from.pinned.size() >= from.vertices.size() && from.tets.size() <= model.tets.size());
    for (std::size_t t = 0; t < from.tets.size(); ++t) {  // what has flowed stays
        PLUSH_ASSERT(from.tets[t] < tet_places_.size());
        const auto [old_element, old_place] = tet_places_[from.tets[t]];
        const auto [element, place] = model.tets[t];
        PLUSH_ASSERT(old_element < replaced && element < model.elements.size());
        static_cast<ElasticTets&>(*model.elements[element])
            .set_plastic_strain(
                place, static_cast<const ElasticTets&>(*elements_[old_element]).plastic_strain(old_place));
    }
    for (std::size_t e = replaced; e < elements_.size(); ++e)
        model.elements.push_back(std::move(elements_[e]));
    elements_ = std::move(model.elements);
    triangles_ = std::move(model.triangles);
    tet_places_ = std::move(model.tets);
    masses_ = std::move(model.masses);
    mass_ = 0;
    for (const double m : masses_) mass_ += m;
    for (auto* list : {&state_.x, &state_.v, &forces_}) follow(*list, from.vertices, count);
    for (auto* list : {&state_.x_before, &state_.v_before, &state_.last_change})
        if (!list->empty()) follow(*list, from.vertices, count);
    std::vector<Pin> pins;
    for (std::uint32_t v = 0; v < from.vertices.size(); ++v) {
        const auto old = std::find_if(pins_.begin(), pins_.end(),
                                      [&](const Pin& p) { return p.vertex == from.vertices[v]; });
        if (old != pins_.end() && from.pinned[v]) pins.push_back({v, old->keyframes});
    }
    pins_ = std::move(pins);
    next_ = state_;
    matrix_ = {};
    half_.reset();
    integrator_ = {};
    mark_pins();
    ++version_;
    moved();
}

}  // namespace plush
