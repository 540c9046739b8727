#pragma once

#include "world/contact_models.hpp"

namespace plush {

/// Who touches whom, and what of that is new. The pairs that touched when the last step ended are state.
class ContactEvents {
public:
    struct Pair {
        std::uint32_t i, j;
        auto operator<=>(const Pair&) const = default;
    };

    /// After a step; returns how many pairs touch.
    int update(const BodyStore& bodies, ContactModels& models);
    std::span<const Pair> touching() const { return touching_; }  ///< sorted
    std::span<const ContactEvent> events() const { return events_; }

    void forget_body(std::uint32_t body);
    void visit_state(StateVisitor& v) { v(touching_); }
    bool is_consistent(const BodyStore& bodies) const;  ///< of a state that was restored

private:
    friend void visit_state(StateVisitor& v, ContactEvents::Pair& pair) { v(pair.i, pair.j); }

    std::vector<Pair> touching_;
    std::vector<ContactEvent> events_;
};

}  // namespace plush
