#pragma once

#include "contact/fields/inside_memory.hpp"
#include "contact/fields/tet_contact.hpp"
#include "detect/penetration/penetration.hpp"
#include "world/contact_model.hpp"
#include "world/pair_rules.hpp"

// Bodies with tets against one another by consistent penetration depth: depths are found at the positions that the step
// starts from, and become impulses (contact/fields/tet_contact.hpp). Explicit ones are forces of the step; implicit ones come
// after the free motion of deformable bodies and before that of rigid ones, which get them as forces, as from all
// vertices.

namespace plush {

class TetContacts final : public ContactModel {
public:
    TetContacts(const WorldSettings& settings, BodyStore& bodies, const PairRules& rules,
                const Attachments& attachments)
        : settings_(settings), bodies_(bodies), rules_(rules), attachments_(attachments) {}

    /// A mesh that many bodies share has one shape; null where tets do not touch.
    std::shared_ptr<const TetShape> shape_of(const TetMesh& mesh);

    void begin_step(const StepContext&) override { contacts_.clear(); }
    bool claim(std::uint32_t i, std::uint32_t j) override { return i != j && rules_.by_tets(i, j); }
    void detect_awake(const StepContext& step) override;
    void push_before_prediction(const StepContext& step) override;
    void push_after_prediction(const StepContext& step) override;
    void report(const StepContext& step, const ConstraintSystem& system,
                std::vector<ContactRecord>& out) override;
    double largest_depth() const override;
    void each_linked_pair(PairVisitor visit) const override;
    void each_touching_pair(PairVisitor visit) const override;
    void forget_body(std::uint32_t body) override;
    void visit_state(StateVisitor& v) override { v(inside_memory_); }

private:
    /// A body that is pushed, and its first node.
    struct Pushed {
        std::uint32_t body, first;
    };
    std::vector<TetObject> objects();
    void make_contacts(const StepContext& step, bool after_prediction);
    void add_nodes(const StepContext& step, std::uint32_t body, bool after_prediction);
    TetContactNode rigid_node(const StepContext& step, const RigidBody& body) const;
    TetContact contact_of(const Penetration& p, std::uint32_t first_a, std::uint32_t first_b) const;
    Vec3 mean_velocity(std::uint32_t body) const;
    void respond(const Pushed& pushed, std::span<const Twist> impulses, std::span<Twist> change,
                 bool exactly) const;
    void push_rigid(std::uint32_t body, const Twist& impulse, double h);

    const WorldSettings& settings_;
    BodyStore& bodies_;
    const PairRules& rules_;
    const Attachments& attachments_;
    struct KnownShape {
        TetMesh mesh;
        std::weak_ptr<const TetShape> shape;
    };
    std::vector<KnownShape> known_shapes_;
    InsideMemory inside_memory_;
    PenetrationSearch search_;
    ByBody<std::vector<Vec3>>
        rigid_positions_;  ///< of the tets' vertices in the world, of the step under way
    std::vector<std::uint32_t> body_of_object_;  ///< of the search
    std::vector<Penetration> penetrations_;
    std::vector<TetContact> contacts_;  ///< between bodies
    std::vector<TetContactNode> nodes_;
    std::vector<Pushed> pushed_;
};

}  // namespace plush
