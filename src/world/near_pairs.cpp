#include "world/near_pairs.hpp"

#include "core/tuning.hpp"

namespace plush {

bool NearPairs::may_touch(std::uint32_t i, std::uint32_t j) const {
    const BodyRecord &a = bodies_[i], &b = bodies_[j];
    if (a.is_given() && b.is_given() && !a.sensor && !b.sensor) return false;
    if (a.kind == BodyKind::fixed && b.kind == BodyKind::fixed) return false;
    return rules_.collision_allowed(i, j);
}

void NearPairs::find(const StepContext& step, std::span<ContactModel* const> models) {
    // Gravity alone closes a gap of g h² in a step.
    const double fall = step.h * step.h * norm(step.settings.gravity);
    bounds_.assign(bodies_.size(), {});
    step.parallel.each(bodies_.size(), tuning::bodies_per_task, [&](std::size_t i) {
        const Body* body = bodies_[i].body.get();
        if (!body) return;
        Box3 box = body->bounds();
        for (const ContactModel* model : models) model->grow_bounds(static_cast<std::uint32_t>(i), box);
        // In all directions: a blow may send it anywhere within the step.
        const double margin = rules_.margin(static_cast<std::uint32_t>(i)) + fall;
        bounds_[i] = box.grown(margin + step.h * body->speed_bound());
    });
    const auto offer = [&](std::uint32_t i, std::uint32_t j) {
        for (auto model = models.rbegin(); model != models.rend(); ++model)
            if ((*model)->claim(i, j)) return;
        if (const auto error = rules_.without_contact(i, j)) step.rollback.fail(*error);
    };
    pairs_.clear();
    for (const auto& [i, j] : broad_phase_.find(bounds_)) {
        PLUSH_ASSERT(i < j && bodies_[i].body && bodies_[j].body);
        if (may_touch(i, j)) pairs_.emplace_back(i, j);
    }
    for (const auto& [i, j] : pairs_) offer(i, j);
    for (std::uint32_t i = 0; i < bodies_.size(); ++i)
        if (bodies_[i].body && bodies_[i].parts.self_contact) offer(i, i);
}

}  // namespace plush
