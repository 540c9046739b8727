#pragma once

#include "bodies/deformable/contact_compliance.hpp"
#include "contact/points/point_contact.hpp"
#include "geometry/mesh/function_ref.hpp"
#include "plush/contact/settings.hpp"
#include "plush/detect/overlap.hpp"

// Volume contact (Allard et al. 2010). The gap of a pair is g = −V, the volume that it shares, or the
// part of it in a cell; its equation is Signorini's at the level of velocities,
//
//     0 ≤ ρ ⟂ −(∂V/∂q) u⁺ ≥ 0,
//
// ρ a pressure impulse (Pa s). Divided by the contact area A it is a row like that of a point, w = −V̇/A (m/s)
// against λ = ρ A (N s), so that materials, friction and the solver mean the same for both. The row's forces
// on the two bodies are opposite, and so are their moments, whatever the images saw.
//
// Friction: with A_k = n·∂V/∂p_k the relative velocity is Σ A_k ṗ_k / A. Over a rigid body that is the
// velocity of the one point Σ A_k p_k / Σ A_k.
//
// A partner that has an exact normal (a half-space, another distance) brings it, and of an overlap thinner
// than two pixels the faces tell it: the row pushes along n at that point, and a block on a slope feels no
// error of the images.
//
// A deformable body has a row of its own for every contact, over the vertices that carry the surface there:
//
//     w = −1/A Σ_k (∂V/∂p_k, A_k t_1, A_k t_2) · v_k,      A_k = n·∂V/∂p_k,
//
// the same for the two sides, whose A_k have opposite signs, and for a contact of a body with itself, which
// has both sides among its own vertices. To the solver it is one node that moves with w, and responds as the
// body's matrix says (contact_compliance.hpp).
//
// Compliant on request: pressure κ V/A at the end of the step, 1/κ = H_a/E_a + H_b/E_b,
//
//     0 ≤ ρ ⟂ −(∂V/∂q) u⁺ + A/(h² κ) ρ − V/h ≥ 0,
//
// and the penalty energy ½ k V² (Faure et al. 2008), pressure k V, is the same with κ = k A. There V is the whole volume
// of the pair: where it is divided, all of its contacts share one normal row, w = −V̇/A with V = Σ V_c and A = Σ A_c, one
// pressure, and each has friction by its part A_c/A of the impulse.
//
// Along the tangents a contact obeys Coulomb's law; or the paper's viscous friction f_k = −ν v_rel A_k, or its no-slip
// rows Σ A_k t·ṗ_k = 0, both as rows without a bound.

namespace plush {

/// Whether soft bodies touch by volume where neither they nor the pair have a setting.
bool soft_bodies_touch_by_volume(const ContactSettings& s);

/// What two bodies share, or a part of it.
struct VolumeContact {
    std::uint32_t a = 0, b = 0;  ///< slots of bodies; the overlap's a and b
    std::uint64_t id = 0;        ///< of the step's first contacts: the same while a contact lasts
    Overlap overlap{};
    bool own_normal = false;   ///< the partner's or the faces': the row pushes along it
    bool containment = false;  ///< of a body that is inside another: the shortest way out, by distance
    /// Of a compliant pair of which one was inside the other: until they are apart they are hard, since compliance would give
    /// back what it has not taken.
    bool parting = false;
    double area = 0;     ///< A of the row, m²
    double depth = 0;    ///< V/A, m
    double allowed = 0;  ///< depth that is left alone, m
    /// A corner of the outline of a flat patch of two rigid bodies: how many places before it its cell stands; 0: it is
    /// a cell. It is a point, with the depth there as `depth`, and may sink as deep as the patch lies on average.
    std::uint32_t outline_of = 0;
    double rest = 0;  ///< m
    /// Found where the bodies are expected at the end of the step, and by how much its points are taken
    /// back: one way for both bodies, so that their moments stay opposite.
    bool speculative = false;
    Vec3 travel{};
    /// When its rows act, where that is not the whole step. `at_impact`: it is queried a little after that moment, when its
    /// gap is none.
    std::optional<ContactTime> time{};
    bool at_impact = false;
    /// How far its sides have moved against each other since it was found, m.
    Vec3 slip{};

    /// Constraint nodes of the solve under way, of those sides that are deformable bodies awake.
    std::array<std::optional<std::uint32_t>, 2> nodes{};

    /// Of a deformable body in an impact: the blow is over long before the step is, and a body that rolls on at once turns farther
    /// than its vertices can follow in a straight line. Friction acts from the next step on.
    bool slides() const { return time && (nodes[0] || nodes[1]); }
    bool self() const { return a == b; }
    bool is_outline() const { return outline_of > 0; }
};

/// How a volume contact behaves.
struct VolumeLaw {
    PairLaw pair{};
    double flexibility = 0;      ///< 1/κ, m/Pa; 0 where it is hard
    bool of_whole_pair = false;  ///< one pressure for all contacts of the pair
    bool friction_at_surfaces = false;
    VolumeFriction friction = VolumeFriction::coulomb;
    double viscosity = 0;  ///< Pa s/m

    /// Whether the tangents have rows of their own, without a bound.
    bool has_tangent_rows() const { return friction == VolumeFriction::no_slip || viscosity > 0; }
};

/// Adds what a contact sees of a deformable body (side 0 or 1; of a contact with itself: 0, for both) as so
/// many rows to its compliance.
void add_compliance_rows(ContactCompliance& compliance, const VolumeContact& contact, std::size_t side,
                         std::span<const double> masses, std::uint8_t row_count);

/// By how much a contact deepens to first order, m: where a rigid body with its centre at x moves by so much,
double deepening(const VolumeContact& contact, std::size_t side, const Vec3& x, const Twist& way);
/// or the vertices of a deformable one from here to there.
double deepening(const VolumeContact& contact, std::size_t side, std::span<const Vec3> from,
                 std::span<const Vec3> to);

/// How far a side of a contact moves, on average over its area, m: for a rigid and for a deformable
/// body. Of a contact of a body with itself how far its sides move against each other.
Vec3 movement(const VolumeContact& contact, std::size_t side, const Vec3& x, const Twist& way);
Vec3 movement(const VolumeContact& contact, std::size_t side, std::span<const Vec3> from,
              std::span<const Vec3> to);

/// Adds the block of a contact: three rows, or the normal alone. Bodies without nodes add nothing.
Block& add_volume_block(Rows& rows, const PairSides& pair, const VolumeContact& contact,
                        std::span<const Node> nodes, bool friction_at_surfaces, std::uint8_t row_count);

/// Sets the law of a velocity block. `expected` are the velocities that have led a speculative contact to
/// where it was found. Returns as set_contact_law() does.
double set_volume_law(Block& block, const Rows& rows, const PairSides& pair, const VolumeContact& contact,
                      const VolumeLaw& law, std::span<const Node> nodes, std::span<const Twist> expected,
                      double h);

/// Impulses along the normals of one pair's contacts, spread as evenly as their common wrench allows: of all
/// that push alike, those with the least Σ λ²/A, which have one pressure where nothing tilts. A rigid pair
/// does not tell how its cells share the load, and friction against spinning needs to know. Left as they are
/// where the even ones would pull.
void spread_impulses(std::span<const VolumeContact> contacts, std::span<double> impulses);
/// Spreads the normal parts of these impulses (world vectors, N s), pair by pair, where is_rigid(contact).
void spread_impulses(std::span<const VolumeContact> contacts,
                     FunctionRef<bool(const VolumeContact&)> is_rigid, std::span<Vec3> impulses);

/// Adds the two tangents of a contact as rows without a bound: none slips, or the viscous −ν A w_t, taken implicitly.
Block& add_tangent_block(Rows& rows, const PairSides& pair, const VolumeContact& contact,
                         std::span<const Node> nodes, const VolumeLaw& law, double h);

/// Adds the one normal row of a pair with the energy ½ k V², V the volume of all its contacts. `law` is that of their
/// area together. `sides` are those of each contact.
Block& add_pair_block(Rows& rows, std::span<const PairSides> sides, std::span<const VolumeContact> contacts,
                      std::span<const Node> nodes, const VolumeLaw& law, double h);
/// Makes friction alone of a contact's block: its normal impulse is a share of that of its pair's block.
void follow_pair_block(Block& block, Rows& rows, const PairSides& pair, const VolumeContact& contact,
                       const VolumeLaw& law, std::uint32_t pair_block, double share);

}  // namespace plush
