#pragma once

#include <array>
#include <cstddef>

// Every tuning constant of the engine, with its unit and its reason. Settings that a user may want to change
// are not here but in the settings structs.

namespace plush::tuning {

// -- rigid motion --

/// Substeps of a free rotation: each turns about an axis of the body by no more than `rotation_angle`, rad, and the
/// product of what it turns about both is no more than `rotation_error`. Of 2,000 random solids with inertias of ratio to
/// 10⁴ and h|ω| to 3 the largest error of the energy in 60 s is 4.6e-4 (0.6 % with the first alone), with 3.9 substeps on the
/// mean. With angles near π the turns about one axis are in step with those about the other, and errors grow.
inline constexpr double rotation_angle = 1, rotation_error = 0.005;
/// A body is taken for a symmetric top where a step turns it by less than this about its third axis, rad.
inline constexpr double symmetric_top = 1e-8;
/// Faster spins than these resolve keep |L| and lose their energy's bound: h|ω| of some hundred.
inline constexpr int max_rotation_substeps = 1000;

// -- detection --

/// Points in a leaf of the tree that culls them: one distance sample rejects as many.
inline constexpr std::size_t leaf_points = 8;

/// A search among the points of a pair reaches farther than it must, so that it is good for some steps: by as
/// much as the pair may move in this many, within two fractions of the owner's radius. Where a single step
/// moves more than the fraction `calm_step` it would not last and is not tried.
inline constexpr double search_steps = 4;
inline constexpr double least_slack = 0.01, max_slack = 0.2;
inline constexpr double calm_step = 0.2;

/// Clusters are asked line by line where the edges of a surface are shorter than this many pixels on the
/// whole. (The images of two balls, ms triangle by triangle and line by line: 0.56 and 0.70 with edges of
/// 0.38 pixels, 1.54 and 1.34 with 0.19.) And where a cluster has no more than so many lines in its box.
inline constexpr double line_edge = 0.3;
inline constexpr int max_lines = 32;
/// What is narrower than this, in pixels, is not asked one by one when images are planned. With 2 the balls
/// of 0.38 pixels take as long, and two creatures in light contact a fifth longer.
inline constexpr double least_part = 1;

/// A surface point touches only where its own normal and the other surface's normal face each other. At −0.1
/// a point may still touch a face that it meets almost edge-on; at 0 corners exactly above an edge would be
/// pushed out sideways.
inline constexpr double facing_limit = -0.1;

/// Where a point's place is ambiguous it is queried this many allowed depths inside its own body: enough
/// for the face that it rests on to be the nearest one, and far less than anything a user could see.
inline constexpr double inset_depths = 4.0;

/// Samples of a rim or ring within 30° (this cosine) of its deepest point are left out where it rolls: as rows they would
/// make a polygon of it, with an impact at each corner. The rows are linear in the angle, so a sample at angle Δ says
/// something false once a step turns the body by Δ/2: 15° a step here.
inline constexpr double rim_arc = 0.8660254037844386;
/// Of two separating axes the later must be better by this part of the bodies' diameters: above rounding, and faces
/// come first.
inline constexpr double axis_tie = 1e-10;
/// Directions whose cross product is shorter than this are parallel.
inline constexpr double least_sine = 1e-7;
/// Halvings of an angle or a segment: down to rounding. Projections in turn for corners that are apart, where a poorer
/// answer only gives a smaller gap.
inline constexpr int halvings = 50, projections = 40;
/// Outlines that miss each other by less than this part of the bodies' diameters touch; it is rounding.
inline constexpr double outline_slack = 1e-9;

/// Two contact points of one pair that are closer than this fraction of the pair's contact extent say the
/// same.
inline constexpr double same_point = 1e-3;
/// Depths that differ by less than this fraction of it are equal: rounding of poses and distances is below 1e-12.
inline constexpr double equal_depth = 1e-9;

/// A point that carried load in the last step is kept unless another is farther from the rest by the root of
/// this.
inline constexpr double known_point_favour = 4.0;

/// Patches of two surfaces are asked where they can cross if there are so many columns to draw for each
/// cluster that would be asked, and of two surfaces so many in all. (Queries of two toys, ms without and with
/// asking: 0.84 and 1.04 of 4,000 to 8,000 columns, 2.05 and 2.06 of 8,000 to 16,000. At octopuses: 1.34
/// and 1.13 of 8,000 to 16,000, 3.1 and 1.7 of 16,000 to 32,000, 8.0 and 3.9 of more.)
inline constexpr std::size_t columns_a_cluster = 30, columns_to_ask = 12'000;

// -- time of impact --

/// The gap is evaluated whenever the bodies have moved by this part of the thinner one's inscribed radius: neither is jumped
/// over. After so many queries the strides are doubled, and the report says so.
inline constexpr double impact_stride = 0.5;
inline constexpr int impact_queries = 256;
/// How far surfaces are searched at such a moment, in strides; where nothing is found, twice as far the next time.
inline constexpr double impact_sight = 4;
/// Steps of false position, and the gap that is left, of the allowed depth.
inline constexpr int impact_roots = 40;
inline constexpr double impact_tolerance = 0.01;
/// An impact in this last part of a step is one at the start of the next.
inline constexpr double impact_end = 1e-6;
/// Bodies that move against each other by less than this part of the smaller one's size in a step meet where the step begins.
inline constexpr double impact_travel = 0.01;
/// Volume contact sees an impact where the bodies overlap by this part of the thinner one's inscribed radius, along its normal.
/// It is so many pixels at least: a thinner one may fall between the columns. (A pixel is no larger than half of that radius.)
inline constexpr double impact_overlap = 0.05, impact_pixels = 2;
/// Rigid bodies that touch by volume are queried at the end of the step, too, where they turn by more than this part of the thinner one's inscribed
/// radius in a step.
inline constexpr double swing = 0.25;

// -- drags --

/// What a drag is where the user leaves it open. A rate of two swings a second follows a hand without a jerk; twenty weights
/// lift a toy out of a heap of its like. Weight is by this gravity where there is none, m/s².
inline constexpr double drag_rate = 12.6;  ///< rad/s
inline constexpr double drag_weights = 20;
/// Of explicit integrators: the fastest rate of a drag is so much over the step. Eight ask Verlet for nine substeps.
inline constexpr double drag_rate_of_stages = 8;
/// The part of a body's mean edge by which a drag moves its point in a step, at most.
inline constexpr double drag_edge = 0.5;
inline constexpr double drag_gravity = 9.81;
/// Where a body has a size: so much of it (1/s²), which is 10 m/s² of 20 cm.
inline constexpr double drag_gravity_of_size = 50;

// -- lengths and speeds that a scene leaves open --

/// A law for a length (m) or a speed (m/s): what is `usual` under a gravity of 9.81 m/s², in proportion to gravity, but between
/// two parts of a body's size (a second, for speeds); without gravity a part of its size alone. So it is the same for all things
/// of 5 cm to 2 m, and a scene whose lengths, gravity and speeds are s times as large has s times as much.
struct Derived {
    double usual, least, most, alone;
};
inline constexpr double usual_gravity = 9.81;  ///< m/s²
inline constexpr Derived derived_allowed_depth{1e-4, 5e-5, 2e-3, 5e-4};
inline constexpr Derived derived_margin{1e-3, 5e-4, 2e-2, 5e-3};
inline constexpr Derived derived_sleep_speed{0.01, 5e-3, 0.2, 0.05};
/// Of surface laws of vertices.
inline constexpr Derived derived_buffer{1e-3, 5e-4, 2e-2, 5e-3};
inline constexpr Derived derived_stick_speed{1e-3, 5e-4, 2e-2, 5e-3};
/// Their stiffness (N/m) goes with the cube of gravity, between parts of the body's mass: the same from 1 g to 100 kg. Alone, 1 kg
/// on a single vertex under 9.81 m/s² is a millimetre deep.
inline constexpr Derived derived_stiffness{1e4, 1e2, 1e7, 1e4};
/// What stands for a radian where gaps and impulses of joints along lines and about axes are compared, m.
inline constexpr Derived derived_lever{1, 0.5, 20, 2};
/// What is thin counts as if it were so many times its inscribed radius long: a margin of 1 mm is for plates of 2 mm and more.
inline constexpr double derived_thin = 50;

// -- contact --

/// Newton steps for the length of an impulse that is at its limit, and how near it must come; it is scaled to the limit
/// then. Three or four steps do for compliances of ratio 10⁶.
inline constexpr int limited_iterations = 20;
inline constexpr double limited_tolerance = 1e-12;

/// What touches in place of a skin has edges of no more than this times what carries it (refined_skin.hpp). A surface that is
/// straight between its corners leaves out what the tets between them do, with an error of second order: blocks of 4 to 8 cells
/// that lie under their own weight, with 12 and with 60,000 triangles on the same tets, are squashed alike within 5.5 % with 1
/// and within 1.0 % with 0.5 (seven random blocks; test_coarse_skins.cpp).
inline constexpr double skin_edge = 0.5;

/// Elastic bodies with at least so many vertices have an approximate contact compliance, with an iteration, where
/// nobody says how: `plush study compliance`.
inline constexpr std::size_t approximate_vertices = 1500;
/// What a body may keep of its compliance at rest, bytes.
inline constexpr std::size_t rest_compliance_bytes = std::size_t{256} << 20;
/// Compliance iterations, at most; and the factor by which one of two must shrink the residual, or the bodies are
/// factorised.
inline constexpr int compliance_iterations = 30;
inline constexpr double compliance_progress = 0.9;
/// The true motion is known to this fraction of the tolerance of the solver.
inline constexpr double true_motion_tolerance = 0.1;
/// Before that, to this fraction of the residual that is left; and at first to this much.
inline constexpr double true_motion_progress = 0.02;
inline constexpr double true_motion_first = 1e-3;
/// Positions are moved by what the compliance iteration finds to this tolerance: contacts are measured anew after that.
inline constexpr double position_compliance_tolerance = 0.05;
/// Contacts by closest features of one deformable body, at most. It does so by one full matrix of 9 numbers for
/// each two: 2,000 take half a gigabyte and some seconds a step, and a pair of fine meshes would have ten thousand.
inline constexpr std::size_t max_feature_contacts = 2000;

/// A body with more single vertices than this in contact responds vertex by vertex, with an iteration: a cloth of 14 × 14 on foam
/// takes 0.4 s a step with the full matrix, one of 16 × 16 takes 0.06 s without. The iteration ends after so many solves of so
/// many sweeps, and the next step goes on from where it was.
inline constexpr std::size_t exact_vertices = 64;
inline constexpr int nodal_iterations = 8, nodal_sweeps = 30;

/// Restitution fades in between one and this many times the resting speed.
inline constexpr double restitution_fade = 2.0;

/// Contacts of an island with bounces may do this much work, of what their impulses turn over: less is rounding and what the
/// solver leaves. Where they do more, their rebounds are made smaller, in so many solves at most.
inline constexpr double restitution_excess = 1e-6;
inline constexpr int restitution_solves = 5;

/// The default resting speed in units of g h: below it a body would leave and return within about two steps.
inline constexpr double resting_steps = 2.0;

/// Friction of explicit methods, where it is limited to their substep, takes this fraction of a slide in a substep at most:
/// 1 would stop it dead, and leave nothing of the stable step to the elastic forces.
inline constexpr double substep_friction = 0.25;

/// It is limited where a step would take more than the first number of substeps and more than the second times what all other
/// forces ask for: in an impact friction alone would take 10⁵.
inline constexpr double free_substeps = 100, friction_substeps = 4;

/// The stabilise phase aims at this fraction of the allowed depth, so that it arrives inside and not on the
/// border.
inline constexpr double stabilise_aim = 0.5;

/// A pixel of volume contact is no larger than this times the inscribed radius of a thin body.
inline constexpr double pixels_of_thickness = 0.5;
/// Deformable bodies are seen with pixels smaller by this, and left as deep as with larger ones: a light
/// touch of a soft limb is then some columns wide, and does not come and go from step to step. Piles of six
/// came down to 1.5 mm/s with 1, and to 0.2 mm/s with 0.5, at the same speed; 0.25 takes half as long again.
inline constexpr double soft_pixel = 0.5;
/// Cells of a patch of a deformable body, however many of its vertices touch: their compliance is one full matrix.
inline constexpr std::size_t max_soft_cells = 128;
/// A contact of a soft body is held at a volume, the allowed depth times its area, and that stays as it is while the contact
/// lasts: the largest that it has had. A surface that bulges within a cell leaves it in parts, so that the mean depth of what
/// is left rises as the bodies part: held at a depth by its area of now, a block of 500 times a slab's mass hopped for ever
/// from one area to a smaller one and back. A contact that has lost more than half of its area is another one: without a bound
/// what has nearly left would be pulled deep. The bound is chosen and follows from no law: 1.25 let one load of `RestLawsFull` rest that
/// does not with 2, and left two others restless.
inline constexpr double largest_shrinkage = 2;
/// The contacts of a pair with a deformable body are extrapolated within a step, and not queried again,
/// while the two are this many pixels from where they were queried, together. While forty toys fall into a
/// box a near pair is queried 3.5 times a step with 0.25, 2.4 times with 1, 1.8 with 2 and 1.6 with 4; with
/// all of them they come to rest alike.
inline constexpr double reuse_pixels_in_step = 2;
/// The same into the next step, and of pairs that do not touch. Ten toys that come to rest are queried
/// 14,000 times with 0.5, 10,000 with 1 and 9,000 with 2, and take longest to rest with 2.
inline constexpr double reuse_pixels = 1;
/// Contacts whose sides move against each other by less than the first in a step, in pixels, are about to
/// rest, and are queried again after the second: what they rest on must be what is there. Of eight heaps
/// of ten toys five came below 1 mm/s within 4 s with 0.1, and six with a query in every step, which took two
/// to four times as long; with 0.25 one was seen to sink and to be lifted again for ever. (Measured while
/// ways of a step were added up; now they are taken from where a contact was found.)
inline constexpr double resting_pixels = 0.1, resting_reuse_pixels = 0.1;
/// What moves on a soft body counts for a pair where it is in the other's box, or so near to it, as a
/// fraction of the body's size: the points that are asked lie about a tenth of it apart.
inline constexpr double sample_reach = 0.1;
/// A body that touches itself and turns as a whole by an angle counts as if it moved by so many pixels times
/// that: normals that are off by a twentieth are seen anew.
inline constexpr double pixels_a_turn = 20;
/// A volume contact of so many pixels is still seen when it is as shallow as wished; smaller ones may
/// vanish between the columns and are left half a pixel deep.
inline constexpr double pixels_of_large_contact = 64;

/// Sweeps of the position solver a pass. It starts near the solution and is repeated with fresh contacts.
inline constexpr int position_sweeps = 30;
inline constexpr double position_tolerance = 1e-3;

/// A point that moves farther in a step than this times the size of its body is moved by a fault, not by forces. Dust of
/// 1 mm at 1,000 m/s with a step of 0.1 s comes to 10⁵.
inline constexpr double absurd_way = 1e7;
/// An edge that is longer than this times the mean edge of its body at rest is no deformation any more.
inline constexpr double absurd_stretch = 1e4;

/// The largest correction of one stabilise pass, as a fraction of the body's size: a deep overlap is pushed
/// out over several passes or steps, with fresh contacts each time, since a far jump would be along stale
/// normals.
inline constexpr double largest_correction = 0.2;

/// Deformable bodies are moved as wholes where they overlap by more than this many times the allowed depth.
inline constexpr double deep_overlap = 4;
/// A pass that leaves more than this fraction of the depth to be removed has not helped: deformable bodies
/// then yield instead of moving as wholes.
inline constexpr double soft_progress = 0.7;

/// Joints that gape by less than this, rad, or m by their lever, are closed by the velocities of the next step; what is more
/// is left to the stabilise phase, which gives no energy.
inline constexpr double joint_slack = 1e-6;

/// Compliances of the position rows of joints that are tried one after the other, relative to a row's own. The last moves
/// a body by a hundredth of a gap.
inline constexpr std::array joint_dampings{0.0, 1e-6, 1e-4, 1e-2, 1.0, 100.0};

/// The projection of joints makes at most so many steps of Levenberg and Marquardt, of which a group that can be closed
/// needs a few. The first has this compliance, relative to a row's own. A step is made where it brings this part of
/// what the linear rows promise; where such a step promises less than this part of the cost, joints contradict each other.
inline constexpr int joint_projections = 40;
inline constexpr double joint_first_damping = 1e-6;
inline constexpr double joint_progress = 0.1;
inline constexpr double joint_stationary = 1e-3;
/// A motion that would open joints is followed in parts. Smaller parts of a step than this are not tried: the way ends there.
inline constexpr double joint_least_part = 1.0 / 64;

/// Contacts that push bodies apart turn them, which opens their joints by the square of the angle, until the next pass: by
/// so much, rad, or m by the lever, or the sum of squares of gaps that are there by this factor, in a pass.
inline constexpr double joint_opening = 1e-3;
inline constexpr double joint_opening_growth = 1.2;

/// A step aims its joints at its end in this many solves at most, or until all would be met within the
/// tolerance, rad, or m by the lever. Two solves leave a gap of (h ω)³ times the lever arm, and each more takes another
/// factor h ω.
inline constexpr int joint_aims = 4;
inline constexpr double joint_aim_tolerance = 1e-11;

/// What the rows of a joint may give in all, as a part of the kinetic energy of its bodies against each other. A step that
/// starts on the tangent of a circle gives (h ω/2)², which a free swing takes and gives back.
inline constexpr double joint_gain = 0.01;
/// Joints that would give more are released one after the other in so many solves; in the last all joints of the island.
inline constexpr int joint_releases = 3;

/// ε of the system of joints, relative to its diagonal. Where something may be redundant, rounding (1e-16) is
/// divided by it twice and what is softer than it counts as redundant; in trees it is there for the pivots
/// alone.
inline constexpr double joint_epsilon = 1e-8;
inline constexpr double joint_epsilon_tree = 1e-14;
/// What is taken for contradictory of a row that is softer by σ than its diagonal: (ε/σ) to this power.
inline constexpr int joint_filter_power = 3;
/// The conjugate gradients on top of the factor end at this relative error, or after so many turns.
inline constexpr double joint_tolerance = 1e-11;
inline constexpr int joint_solve_turns = 12;
/// Tolerance of the response of a soft body to an impulse on a jointed vertex: a joint must not gape
/// because a body was solved loosely.
inline constexpr double jointed_vertex_tolerance = 1e-12;
/// Up to this fraction of what is just stable, the stiffness that joint forces at levers have against turning
/// is left explicit and costs no energy.
inline constexpr double explicit_turning = 0.25;
/// Velocities of joints that differ from what they shall be by less than this fraction of the largest are
/// rounding: to solve for it would drive redundant joints against each other.
inline constexpr double joint_noise = 1e-14;
/// A bounded row that moves by more than this fraction of the fastest joint after it was solved for is contradicted by
/// others: the solver's own error is smaller.
inline constexpr double joint_contradiction = 1e-4;
/// How often a bounded row may enter the direct system in a solve; from then on it is swept.
inline constexpr int max_activations = 4;
/// A row on its bound comes in again where it would leave the bound by more than this fraction of the largest
/// impulse: less is rounding.
inline constexpr double least_activation = 1e-12;

// -- vertices by forces --

/// Linear solves of an implicit step, at most, that look for the surfaces which vertices touch at its end. Two do for
/// most steps with contact; a crumpled cloth takes up to ten.
inline constexpr int end_iterations = 16;
/// From this one on no vertex is let go again, so that the search ends.
inline constexpr int last_release = 6;
/// They end where vertices would have been given no more than this fraction of the energy that is there.
inline constexpr double unpaid_energy = 1e-5;

// -- solver --

/// Inner steps of the local problem of one contact block while it slips.
inline constexpr int slip_iterations = 12;

/// They end early when one changes less than this fraction of the normal impulse: the sweeps do the rest.
inline constexpr double slip_tolerance = 1e-3;

/// An island is swept so often at least, and until its sweeps have cost this part of one factorisation, before Newton's
/// method takes over. It may have so many rows: a factor of 1,500 takes half a second.
inline constexpr int sweeps_before_newton = 20;
inline constexpr double sweeps_per_factor = 0.25;
inline constexpr std::size_t newton_rows = 1500;
/// Factorisations of a solve, at most: as many as this many products of numbers allow, within the two limits. Wedged heaps in
/// motion may need hundreds, and what a step leaves above the tolerance is reported.
inline constexpr double newton_work = 5e8;
inline constexpr int least_factorisations = 8, max_factorisations = 400;
/// Added to the diagonal of a row, relative to its own: redundant rows then share what they carry. Rounding (1e-16) divided
/// by it is at the tolerance of the solver.
inline constexpr double newton_epsilon = 1e-8;
/// Steps by active sets before the first proximal problem and after each; they end after so many that leave more than the
/// best before.
inline constexpr int newton_first_steps = 8, newton_next_steps = 5, newton_patience = 3;
/// ε of the proximal problems, relative to the diagonal: the first, its factor where a problem was solved at the first try
/// and where it was not, and the least. Small ones need fewer problems and more steps for each.
inline constexpr double newton_first_epsilon = 0.1, newton_shrink = 0.1, newton_grow = 3,
                        newton_least_epsilon = 1e-7;
/// A proximal problem is solved to this part of ε, by so many minima at most, each with so many steps, and so many steps with
/// Coulomb's law after each.
inline constexpr double newton_inner = 0.01;
inline constexpr int newton_rounds = 4, newton_convex_steps = 25, newton_coulomb_steps = 10;
/// A line search ends where the slope is this part of the first, or after so many evaluations.
inline constexpr double newton_slope = 0.1;
inline constexpr int newton_line_steps = 30;
/// A step with Coulomb's law must shrink the merit function by this part of its length.
inline constexpr double newton_decrease = 0.3;
/// The centre moves to where active sets led if they left less than this part of the residual.
inline constexpr double newton_jump = 0.1;

/// Sweeps between two evaluations of the residual (which costs about one sweep).
inline constexpr int residual_every = 5;

/// A contact force on a body by BDF2 goes on, and is no blow, where it has grown by no more than this factor since the last step.
inline constexpr double lasting_growth = 2.0;

// -- parallel loops --

inline constexpr std::size_t bodies_per_task = 32;
inline constexpr std::size_t pairs_per_task = 8;
/// With fewer pairs than this a thread that are queried at once, a pair may be shared among threads.
inline constexpr std::size_t few_pairs = 8;
/// Clusters of a large surface that one task turns into crossings: about 2,000 triangles, 50 µs.
inline constexpr std::size_t clusters_per_task = 32;
/// Groups of clusters that one task turns into crossings, where clusters are smaller than pixels.
inline constexpr std::size_t groups_per_task = 4;
inline constexpr std::size_t islands_per_task = 1;

}  // namespace plush::tuning
