#pragma once

#include "contact/volume/volume_contact.hpp"
#include "world/attachments.hpp"
#include "world/body_store.hpp"

// Which bodies may touch, by which method, and with which law. `automatic` ends here: all others see the method
// that it stands for.

namespace plush {

/// The settings of one pair of bodies, i < j.
struct PairRule {
    std::uint32_t i = 0, j = 0;
    std::optional<std::uint8_t> collide{};  ///< a truth value
    std::optional<double> friction{}, restitution{};
    std::optional<ContactMethod> method{};
};

/// How a pair touches.
struct PairBehaviour {
    PairLaw law{};
    ContactMethod method = ContactMethod::none;  ///< never `automatic`
};

inline bool is_volume_method(ContactMethod method) {
    return method == ContactMethod::volume || method == ContactMethod::volume_penalty;
}

class PairRules {
public:
    PairRules(const WorldSettings& settings, BodyStore& bodies, const Attachments& attachments)
        : settings_(settings), bodies_(bodies), attachments_(attachments) {}

    // -- what the user says
    void set_filter(BodyId body, const Filter& filter);
    void set_collide(BodyId a, BodyId b, bool collide);
    void set_material(BodyId a, BodyId b, const Material& material);
    void set_method(BodyId a, BodyId b, ContactMethod method);
    /// A joint that keeps its bodies from touching begins or ends. Two bodies may share several.
    void set_jointed(std::uint32_t i, std::uint32_t j, bool jointed);

    // -- who may touch
    /// By filters, rules and joints alone.
    bool rules_allow(std::uint32_t i, std::uint32_t j) const;
    /// A blade passes through what it cuts.
    bool collision_allowed(std::uint32_t i, std::uint32_t j) const;
    bool may_cut(std::uint32_t blade, std::uint32_t body) const;
    /// Volume contact is what a cut leaves: where another method was chosen for a body, blades are bodies to it.
    bool can_be_cut(std::uint32_t body) const;

    // -- how they touch
    PairBehaviour behaviour(std::uint32_t i, std::uint32_t j) const;
    /// Of a volume contact with this area, m².
    VolumeLaw volume_law(std::uint32_t i, std::uint32_t j, double area) const;
    /// The overlap of a pair that is left alone, and how near its points are watched, m.
    double allowed_depth(std::uint32_t i, std::uint32_t j) const;
    double margin(std::uint32_t i, std::uint32_t j) const;
    double margin(std::uint32_t body) const {
        return margin(body, body);
    }  ///< no smaller than that of any pair of it
    /// Below which a body rests, m/s.
    double sleep_speed(std::uint32_t body) const;
    /// Whether volume contacts of a pair yield by a law of their own.
    bool is_compliant(std::uint32_t i, std::uint32_t j) const;
    bool by_tets(std::uint32_t i, std::uint32_t j) const {
        return bodies_[i].tet_shape && bodies_[j].tet_shape;
    }
    /// Whether a pair with a deformable body is held apart by rows: volume contact, or closest features.
    bool soft_by_rows(std::uint32_t i, std::uint32_t j) const;
    /// Whether `vertices` is a body without an inside (cloth, rope, particles) and `surface` a soft one, that touch each
    /// other by rows of the first one's vertices (vertex_contacts.hpp).
    bool vertices_by_rows(std::uint32_t vertices, std::uint32_t surface) const;
    /// The same where the other one is a rigid body that moves freely.
    bool vertices_on_free(std::uint32_t vertices, std::uint32_t rigid) const;
    /// Why the contact that two bodies ought to have would be none; nothing where it is well, or wished.
    std::optional<Error> without_contact(std::uint32_t i, std::uint32_t j) const;
    /// Throws where that holds of any two bodies.
    void require_contact() const;
    /// Whether any pair has a method of its own.
    bool names_method(ContactMethod method) const;
    /// Whether any body takes volume contact where its pairs have no setting.
    bool any_prefers_volume() const;
    bool bears_volume(std::uint32_t body) const;
    bool prefers_volume(std::uint32_t body) const;

    /// Of a world with the same bodies.
    void copy_from(const PairRules& other) { rules_ = other.rules_, jointed_ = other.jointed_; }
    void forget_body(std::uint32_t body);
    void visit_state(StateVisitor& v);
    bool is_consistent() const;  ///< of a state that was restored

private:
    bool has_inside(std::uint32_t body) const;
    bool is_thin(std::uint32_t body) const;
    bool is_soft_solid(std::uint32_t body) const;
    bool takes_rows(std::uint32_t body) const;
    bool may_ever_touch(std::uint32_t i, std::uint32_t j) const;
    ContactMethod automatic_method(std::uint32_t i, std::uint32_t j) const;
    PairRule& rule(BodyId a, BodyId b);
    const PairRule* find(std::uint32_t i, std::uint32_t j) const;

    const WorldSettings& settings_;
    BodyStore& bodies_;
    const Attachments& attachments_;
    std::vector<PairRule> rules_;  ///< sorted by (i, j)
    /// i < j, sorted; once for each joint that keeps the two from touching.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> jointed_;
};

void require_material(const std::string& name, const Material& material);  ///< throws where it is nonsense
void require_look(const std::string& name, const Look& look);              ///< the same
/// Throws where the method is one of rows, and the body closed and advanced by an explicit integrator.
void require_rows(const BodyRecord& record, ContactMethod method);

}  // namespace plush
