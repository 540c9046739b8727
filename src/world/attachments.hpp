#pragma once

#include "world/body_store.hpp"
#include "world/by_body.hpp"

// Vertices of deformable bodies that do not move freely: pinned where they are, or attached to a rigid, fixed or
// scripted body, for a time or for good.

namespace plush {

/// A vertex of a deformable body that is part of another body: it follows that body, and a rigid one feels its pull.
struct Attachment {
    std::uint32_t vertex = 0, to = 0;  ///< `to` is the index of a body
    Vec3 anchor{};                     ///< in the frame of that body
};
template <>
inline constexpr bool is_plain_state<Attachment> = true;

class Attachments {
public:
    explicit Attachments(BodyStore& bodies) : bodies_(bodies) {}

    std::span<const Attachment> of(std::uint32_t body) const { return held_[body].attachments; }
    bool any_to_dynamic(std::uint32_t body) const;
    /// Changes whenever an assembly of deformable bodies with rigid ones may have become another one.
    std::uint64_t revision() const { return revision_; }
    void mark_changed() { ++revision_; }

    void pin(BodyId body, std::uint32_t vertex);
    std::size_t pin(BodyId body, const Box3& box, double until);
    std::size_t attach(BodyId body, const Box3& box, BodyId to, double until);
    void unpin(BodyId body, std::uint32_t vertex);
    /// Frees the vertices whose time has come at the start of a step of h.
    void release_due(double time, double h);
    /// After a cut: what holds an old vertex holds the new ones (from `old_vertices` on) that go on from it with
    /// its material, too. `real` tells which have any.
    void follow_cut(std::uint32_t body, std::span<const std::uint32_t> parents, std::size_t old_vertices,
                    std::span<const std::uint8_t> real);

    void forget_body(std::uint32_t body);
    void visit_state(StateVisitor& v);
    bool is_consistent() const;  ///< of a state that was restored

private:
    /// A vertex that is held until a time.
    struct Release {
        std::uint32_t vertex = 0;
        double time = 0;  ///< s, of the world
    };
    friend void visit_state(StateVisitor& v, Attachments::Release& release) {  // not plain: it has padding
        v(release.vertex, release.time);
    }
    struct Held {
        std::vector<Attachment> attachments{};
        std::vector<Release> releases{};
    };
    void release_at(std::uint32_t body, std::span<const std::uint32_t> vertices, double until);

    BodyStore& bodies_;
    ByBody<Held> held_;
    std::uint64_t revision_ = 1;
};

}  // namespace plush
