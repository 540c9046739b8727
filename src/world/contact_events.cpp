#include "world/contact_events.hpp"

#include <algorithm>

namespace plush {

int ContactEvents::update(const BodyStore& bodies, ContactModels& models) {
    std::vector<Pair> now;
    const auto add_pair = [&](std::uint32_t i, std::uint32_t j) {
        now.push_back({std::min(i, j), std::max(i, j)});
    };
    for (const ContactModel* model : models.all()) model->each_touching_pair(add_pair);
    std::sort(now.begin(), now.end());
    now.erase(std::unique(now.begin(), now.end()), now.end());
    PLUSH_ASSERT(std::is_sorted(touching_.begin(), touching_.end()));
    events_.clear();
    const auto add = [&](const Pair& p, ContactEvent::Kind kind) {
        if (!bodies[p.i].body || !bodies[p.j].body) return;
        events_.push_back({bodies.id(p.i), bodies.id(p.j), kind, bodies[p.i].sensor || bodies[p.j].sensor});
    };
    auto old = touching_.begin();
    for (const Pair& p : now) {
        for (; old != touching_.end() && *old < p; ++old) add(*old, ContactEvent::Kind::ended);
        const bool known = old != touching_.end() && *old == p;
        add(p, known ? ContactEvent::Kind::ongoing : ContactEvent::Kind::began);
        if (known) ++old;
    }
    for (; old != touching_.end(); ++old) add(*old, ContactEvent::Kind::ended);
    touching_ = std::move(now);
    return static_cast<int>(touching_.size());
}

bool ContactEvents::is_consistent(const BodyStore& bodies) const {
    return std::is_sorted(touching_.begin(), touching_.end()) &&
           std::all_of(touching_.begin(), touching_.end(),
                       [&](const Pair& p) { return bodies.is_body(p.i) && bodies.is_body(p.j); });
}

void ContactEvents::forget_body(std::uint32_t body) {
    std::erase_if(touching_, [&](const Pair& p) { return p.i == body || p.j == body; });
}

}  // namespace plush
