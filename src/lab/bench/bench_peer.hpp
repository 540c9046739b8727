#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "plush/core/error.hpp"
#include "plush/math/rotation.hpp"
#include "plush/math/vec.hpp"

// Other engines are programs of their own in bench/peers/, built only where they are found. One run of one is
// a child process.

namespace plush::lab {

/// A level square of cloth that is held and let go.
struct ClothTask {
    int vertices = 100;      ///< a side
    double side = 1;         ///< m
    double mass = 1;         ///< kg
    double step = 1.0 / 60;  ///< s
    int steps = 120;
    int iterations = 10;
    bool whole_side = false;  ///< held along one side, or at its two corners
};

struct PeerCloth {
    std::string version;
    double ms = 0, wall_ms = 0;    ///< of the processor and of the clock, a step, mean
    double largest = 0, mean = 0;  ///< ratios of links to their rest lengths, the worst of the last second
};

/// Cubes in layers of 10 × 10 that fall on level ground.
struct MatchingTask {
    int bodies = 500, side = 5;  ///< vertices along an edge
    double length = 0.1;         ///< of an edge, m
    double step = 1.0 / 120;     ///< s
    int steps = 240;
    bool vertex_face = false;  ///< they touch one another too
};

struct PeerMatching {
    std::string version;
    double ms = 0, wall_ms = 0;  ///< of the processor and of the clock, a step, mean
    double depth = 0;            ///< of the deepest vertex below the ground at the end, by the length
};

/// Boxes of tets that hang by one side, of E = 260 kPa.
struct FemTask {
    int bodies = 10, side = 10;  ///< vertices along an edge
    double cell = 0.1;           ///< m
    double young = 2.6e5;        ///< Pa
    double step = 0.01;          ///< s
    int steps = 30;
    double damping = 0.01;  ///< in proportion to stiffness, s
};

struct PeerFem {
    std::string version;
    double ms = 0, wall_ms = 0;  ///< of the processor and of the clock, a step, mean
    double size = 0;  ///< the largest diagonal of a body's box, by that at rest; −1: not a number
};

/// Elastic boxes that fall into a pen, a little turned, and lie two to three deep; E = 260 kPa, 1000 kg/m³.
struct PilesTask {
    int bodies = 10, side = 10;  ///< vertices along an edge
    double cell = 0.1;           ///< m
    double young = 2.6e5;        ///< Pa
    double damping = 0.01;       ///< in proportion to stiffness, s
    double friction = 0.5;
    double seconds = 0.8;   ///< simulated
    double step = 0.0025;   ///< of the peer, s
    int iterations = 100;   ///< of the peer's contacts
    bool implicit = false;  ///< the peer's elasticity too, not only its damping
    double width() const { return cell * (side - 1); }
    int columns() const { return static_cast<int>(std::ceil(std::sqrt(bodies / 2.6))); }  ///< along each side
    double pen() const { return 0.62 * columns() * width() / 0.9; }  ///< half its width, m
    double wall() const { return 3 * width(); }                      ///< its height, m

    /// Of the middle of one, m.
    Vec3 place(int b) const {
        const int n = columns();
        const double i = b % n - 0.5 * (n - 1), j = b / n % n - 0.5 * (n - 1), k = b / (n * n);
        return Vec3{1.2 * i + 0.02 * std::sin(1.0 * b), 0.6 + 1.15 * k, 1.2 * j + 0.02 * std::cos(1.7 * b)} *
               (width() / 0.9);
    }
    Quat turn(int b) const {
        const Vec3 axis = normalised(Vec3{std::sin(2.1 * b), std::cos(1.3 * b), std::sin(0.7 * b + 1)});
        return exp_rotation(0.25 * std::sin(3.7 * b + 0.5) * axis);
    }
};

struct PeerPiles {
    std::string version;
    double ms = 0, late_ms = 0;  ///< of the processor a step, mean: of all steps, and of the second half
    double speed = 0;  ///< of the nodes over the last 0.1 s, root mean square, m/s; −1: not a number
    std::vector<Vec3> nodes{};  ///< where they are at the end, body by body, m
};

/// Soft spheres of 20 tets that fall into a box of four walls, 11 radii wide.
struct StackTask {
    int bodies = 120;
    double radius = 0.1;     ///< m
    double density = 500;    ///< kg/m³
    double step = 1.0 / 60;  ///< s
    int steps = 240;

    /// Of the middle of one, m: in layers of 4 × 4, a little out of place.
    Vec3 place(int b) const {
        const double i = b % 4 - 1.5, j = b / 4 % 4 - 1.5, k = b / 16, shake = 0.19;
        return Vec3{2.4 * i + shake * std::sin(1.0 * b), 4 + 2.4 * k, 2.4 * j + shake * std::cos(1.7 * b)} *
               radius;
    }
};

struct PeerStack {
    std::string version;
    double ms = 0;        ///< of the processor, a step, mean
    double overlap = 0;   ///< pairs nearer than their radius, at the end
    double inverted = 0;  ///< tets
    double speed = 0;     ///< of the nodes, root mean square, m/s
};

/// A slab that rests on another with a bumpy face that fits (bench_bumps.hpp).
struct BumpsTask {
    static constexpr double gyration = 0.41;  ///< of a slab of 1 m × 1 m about its normal: spin as speed, m
    std::string lower, upper;                 ///< OBJ files; the upper one about its centre of mass
    double mass = 0;                          ///< kg
    Vec3 inertia{};                           ///< about its axes, kg m²
    double centre = 0;                        ///< height of its centre in the exact fit, m
    double gap = 1e-3;                        ///< at the start, m
    double friction = 0.5;
    double step = 1.0 / 60;       ///< s
    int settle = 90, steps = 30;  ///< steps before the clock runs, and with it
};

struct PeerBumps {
    std::string version;           ///< with the engine's name
    double ms = 0, median_ms = 0;  ///< of the processor, a step
    double contacts = 0;           ///< a step, mean
    double speed = 0;              ///< root mean square, spin included, m/s
    double depth = 0;              ///< the largest that the engine has seen, m
    double sink = 0;               ///< of the centre below the exact fit, at the end, m
};
enum class BumpsPeer { bullet, ode };

/// Boxes in a pyramid, one box deep, with gaps of a tenth of a side between neighbours.
struct PyramidTask {
    static constexpr int topmost = 10;  ///< boxes whose lean is looked at: four rows
    int rows = 45;
    double side = 1;        ///< m
    double density = 1000;  ///< kg/m³
    double friction = 0.5;
    double step = 1.0 / 60;  ///< s
    int iterations = 10;
    int steps = 300;
    int boxes() const { return rows * (rows + 1) / 2; }

    /// Of the middle of one, m: row by row from below.
    Vec3 place(int b) const {
        int row = 0;
        for (; b >= rows - row; ++row) b -= rows - row;
        return Vec3{1.1 * (b - 0.5 * (rows - row - 1)), row + 0.5, 0} * side;
    }
};

struct PeerPyramid {
    std::string version;
    double ms = 0, median_ms = 0;  ///< of the processor, a step
    double contacts = 0;           ///< a step, mean
    double lean = 0, sink = 0;     ///< at the end, m
    double speed = 0;              ///< root mean square of all boxes at the end, m/s
};

struct PeerOverlap {
    std::string version;
    double ms = 0, volume = 0;  ///< the least of its runs, m³
};

/// Of two mesh files, by `cgal_overlap` or `embree_overlap`; rays are `pixel` apart, m.
Result<PeerOverlap> run_overlap_peer(const std::string& name, const std::string& a, const std::string& b,
                                     double pixel, int runs);

/// An error says what is missing and how to get it.
Result<PeerCloth> run_bullet(const ClothTask& task);
Result<PeerMatching> run_bullet(const MatchingTask& task);
Result<PeerFem> run_bullet(const FemTask& task);
Result<PeerPiles> run_bullet(const PilesTask& task);
Result<PeerStack> run_bullet(const StackTask& task);
Result<PeerPyramid> run_bullet(const PyramidTask& task);
Result<PeerBumps> run_bumps(BumpsPeer peer, const BumpsTask& task);

}  // namespace plush::lab
