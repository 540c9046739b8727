#pragma once

#include <algorithm>

#include "detect/features/vertex_touches.hpp"
#include "world/contact_model.hpp"
#include "world/expected_motion.hpp"
#include "world/volume_surfaces.hpp"

// Vertices of what has no inside (cloth, ropes, particles) on bodies that yield, soft ones and free rigid ones: rows, in the
// solve that all others are in.
//
// A vertex p touches the point q of a triangle of the deformed surface. With the normal n there and the gap g at the end
// of the step that is expected, at velocities that lead to a relative velocity w* = J u,
//
//     w = v_p − Σ_k A_k v_k,      w_n + (g − ρ)/h − w*_n ≥ 0,      Coulomb's law along the tangents,
//
// ρ what the vertex keeps away from surfaces: its radius, and the buffer of its law. A_k (vertex_touches.hpp) carry p with the
// triangle as it is when the step starts, so that the two impulses have no net force and no net moment about any point. Both
// bodies respond by the matrices of their own steps; a body with many such vertices vertex by vertex and with an iteration
// (constraint_system.hpp). Nothing is split off: what else holds or pushes the soft body in the step is in the same solve.
//
// Where a solve takes a vertex deeper than allowed, contacts are found again there and the step is solved again. A vertex that
// is inside when a step starts is brought out by the solve of positions (Recovery), and gets no velocity from it.

namespace plush {

class VertexContacts final : public ContactModel {
public:
    VertexContacts(const WorldSettings& settings, BodyStore& bodies, const PairRules& rules,
                   VolumeSurfaces& surfaces, const ExpectedMotion& expected)
        : settings_(settings), bodies_(bodies), rules_(rules), surfaces_(surfaces), expected_(expected) {}

    /// Whether any pair is near.
    bool any() const { return !pairs_.empty(); }
    /// Whether the rows of this step push a body.
    bool touches(std::uint32_t body) const {
        return std::any_of(touches_.begin(), touches_.end(), [&](const Touch& t) {
            return t.block && (t.vertices == body || t.surface == body);
        });
    }

    void begin_step(const StepContext& step) override;
    bool claim(std::uint32_t i, std::uint32_t j) override;
    void detect_speculative(const StepContext& step) override;
    bool refine_speculative(const StepContext& step, const ConstraintSystem& system) override;
    void redetect(const StepContext& step, const Redetection& why) override;
    void add_constraint_nodes(ConstraintSystem& system, bool positions) override;
    void add_velocity_rows(const StepContext& step, ConstraintSystem& system) override;
    void report(const StepContext& step, const ConstraintSystem& system,
                std::vector<ContactRecord>& out) override;
    void end_step(const StepContext& step) override;
    double largest_depth() const override { return largest_depth_; }
    void each_linked_pair(PairVisitor visit) const override;
    void each_touching_pair(PairVisitor visit) const override;
    void forget_body(std::uint32_t body) override;
    void forget_contacts() override { touches_.clear(), pairs_.clear(); }
    void visit_state(StateVisitor& v) override;

private:
    /// A body with vertices, and a soft or rigid one.
    struct Pair {
        std::uint32_t vertices = 0, surface = 0;
        bool rigid = false;
    };
    /// Where a body ends as far as is known.
    struct End {
        std::vector<Vec3> x{}, v{};
    };
    struct Touch {
        std::uint32_t vertices = 0, surface = 0;  ///< bodies
        VertexTouch at{};
        double gap = 0;                   ///< less what the vertex keeps away, m
        double approach = 0;              ///< w*_n, m/s
        std::vector<VertexPart> parts{};  ///< of a soft surface
        Vec3 start{};                     ///< of the vertex, m
        // Points of the constraint system: of the vertex; of the surface, one, or one for each of its parts.
        std::optional<std::uint32_t> vertex_point{};
        std::vector<std::uint32_t> surface_points{};
        std::optional<std::uint32_t> block{};
        bool pressed = false;
    };
    struct WarmStart {
        std::uint32_t vertices = 0, surface = 0, vertex = 0;
        Vec3 impulse{};
        auto key() const { return std::tie(vertices, surface, vertex); }
    };
    friend void visit_state(StateVisitor& v, VertexContacts::WarmStart& warm) {
        v(warm.vertices, warm.surface, warm.vertex, warm.impulse);
    }

    void expect_ends(const StepContext& step);
    End expected_end(const StepContext& step, std::uint32_t body) const;
    void find(const StepContext& step);
    void find_on_soft(const StepContext& step, const Pair& pair, std::vector<Touch>& out);
    void find_on_rigid(const StepContext& step, const Pair& pair, std::vector<Touch>& out) const;
    SoftFeatures& features(std::uint32_t body);
    double kept_away(std::uint32_t body) const;
    bool moves(const Touch& touch) const;
    void add_rows(const StepContext& step, ConstraintSystem& system, Touch& touch);
    Vec3 last_impulse(const Touch& touch) const;
    void record_warm_starts(const ConstraintSystem& system);

    const WorldSettings& settings_;
    BodyStore& bodies_;
    const PairRules& rules_;
    VolumeSurfaces& surfaces_;
    const ExpectedMotion& expected_;
    ByBody<std::unique_ptr<SoftFeatures>> features_;
    ByBody<End> ends_;
    std::vector<Pair> pairs_;             ///< sorted
    std::vector<Touch> touches_;          ///< by pairs, then vertices
    std::vector<WarmStart> warm_starts_;  ///< sorted by key
    double largest_depth_ = 0;
};

}  // namespace plush
