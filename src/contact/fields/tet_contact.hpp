#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bodies/body.hpp"
#include "geometry/mesh/function_ref.hpp"
#include "plush/contact/tet_settings.hpp"

// The penalty law at points that are inside tets. A point p at the depth d, whose way out is r, and that
// moves with w against the tet it is in, gets in a step of h the impulse
//
//     λ = h max(0, k d − c w·r) r,   and friction |τ| ≤ μ |λ| across it against w,
//
// and the corners of the tet get the opposite by p's barycentric weights. The weights sum to 1 and Σ w_i x_i
// is p, so momentum and its moment are kept whatever λ is.
//
// Explicit: d and w of the start of the step. Implicit: of its end, d − h w·r and w, with
//
//     w = w* + W λ,   W = G A⁻¹ Gᵀ,
//
// w* from the free motion of all bodies, G the weights, A⁻¹ what each body makes of impulses: 1/m of a
// vertex, or (M − hB − h²K)⁻¹ of a body that is implicit itself. So a stiff contact is as stable as the
// bodies are, and a stiff body responds as a whole. With κ = h² k + h c the condition is
//
//     w·r + λ/κ − h k d/κ  ≥ 0   ⊥   λ ≥ 0,   and w across r is 0 or opposite to τ with |τ| = μ λ.
//
// It is solved by projected gradients with the steps of Barzilai & Borwein (Two-point step size gradient
// methods, 1988), scaled by a diagonal D that bounds W from above: a vertex that n contacts share counts n
// times. One response of all bodies an iteration; the best iteration is kept.

namespace plush {

/// A part of the motion that a contact sees: `weight` times the velocity at `arm` from the node's origin.
struct TetContactEnd {
    std::uint32_t node = 0;
    double weight = 0;
    Vec3 arm{};
};

struct TetContact {
    std::uint32_t a = 0, b = 0;  ///< the caller's names: of the point's body, and of the one that it is in
    Vec3 point{}, normal{};      ///< world; out of b
    double depth = 0;            ///< m
    double friction = 0;
    std::array<TetContactEnd, 5> ends{};
    std::uint32_t count = 0;  ///< of ends
    Vec3 given{};             ///< velocity of a against b that is not of nodes: given motion
    double impulse = 0;       ///< along the normal, N s
    Vec3 rub{};               ///< across it, on a, N s
};

/// What the contacts know of a node.
struct TetContactNode {
    Twist velocity{};            ///< u of the start (explicit) or u* (implicit)
    double inverse_mass = 0;     ///< 0: nothing moves it
    double inverse_inertia = 0;  ///< an upper bound, 1/(kg m²)
};

/// From impulses on the nodes (N s, N m s) to changes of their velocities. `exactly` in the last call.
using ImpulseResponse =
    FunctionRef<void(std::span<const Twist> impulses, std::span<Twist> change, bool exactly)>;

/// Sets the impulses from the nodes' velocities.
void push_explicitly(std::span<TetContact> contacts, std::span<const TetContactNode> nodes, double h,
                     const TetContactSettings& settings);

struct TetContactReport {
    int iterations = 0;
    double residual = 0;  ///< relative
};
/// Sets the impulses, and `change` to what they do to the nodes.
TetContactReport push_implicitly(std::span<TetContact> contacts, std::span<const TetContactNode> nodes,
                                 double h, const TetContactSettings& settings, ImpulseResponse response,
                                 std::span<Twist> change);

/// Adds the contacts' impulses to those of the nodes.
void add_impulses(std::span<const TetContact> contacts, std::span<Twist> impulses);

}  // namespace plush
