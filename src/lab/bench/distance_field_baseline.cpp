#include "lab/bench/distance_field_baseline.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "bodies/rigid/kinematic_body.hpp"
#include "contact/solver/block_solver.hpp"
#include "core/tuning.hpp"

namespace plush::lab {
namespace {

using Clock = std::chrono::steady_clock;

/// Adds the ms of its life to a time.
class Timed {
public:
    explicit Timed(double& ms) : ms_(ms) {}
    ~Timed() { ms_ += 1e3 * std::chrono::duration<double>(Clock::now() - start_).count(); }
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;

private:
    double& ms_;
    Clock::time_point start_ = Clock::now();
};

}  // namespace

// Cubic cells, so large that the mesh fits with two of padding all round.
DistanceField::DistanceField(const Mesh& mesh, std::array<int, 3> cells) {
    const Box3 box = mesh.bounds();
    const Vec3 size = box.size();
    std::array<std::size_t, 3> by_size{0, 1, 2};
    std::stable_sort(by_size.begin(), by_size.end(),
                     [&](std::size_t a, std::size_t b) { return size[a] > size[b]; });
    std::sort(cells.begin(), cells.end(), std::greater{});
    for (std::size_t k = 0; k < 3; ++k) cells_[by_size[k]] = cells[k];
    constexpr int padding = 2;
    for (std::size_t a = 0; a < 3; ++a) {
        PLUSH_ASSERT(cells_[a] > 2 * padding);
        grid_.cell = std::max(grid_.cell, size[a] / (cells_[a] - 2 * padding));
        grid_.nodes[a] = cells_[a] + 1;
    }
    grid_.origin = box.centre() - 0.5 * grid_.cell * Vec3{1. * cells_[0], 1. * cells_[1], 1. * cells_[2]};
    for (const double d : signed_distances(mesh, grid_)) values_.push_back(static_cast<float>(d));
}

bool DistanceField::sample(const Vec3& p, double& value, Vec3& gradient) const {
    const Vec3 u = (p - grid_.origin) / grid_.cell;
    std::array<int, 3> at{};
    Vec3 f;
    for (std::size_t a = 0; a < 3; ++a) {
        if (!(u[a] >= 0 && u[a] < cells_[a])) return false;
        at[a] = static_cast<int>(u[a]), f[a] = u[a] - at[a];
    }
    value = 0, gradient = {};
    for (int c = 0; c < 8; ++c) {
        const bool x = c & 1, y = c & 2, z = c & 4;
        const double d = static_cast<double>(values_[grid_.index(at[0] + x, at[1] + y, at[2] + z)]);
        const double wx = x ? f.x : 1 - f.x, wy = y ? f.y : 1 - f.y, wz = z ? f.z : 1 - f.z;
        value += d * wx * wy * wz;
        gradient += d * Vec3{(x ? 1 : -1) * wy * wz, (y ? 1 : -1) * wx * wz, (z ? 1 : -1) * wx * wy};
    }
    gradient = normalised(gradient, {0, 1, 0});
    return true;
}

double DistanceField::value(const Vec3& p) const {
    const Vec3 u = (p - grid_.origin) * (1 / grid_.cell);
    if (!(u.x >= 0 && u.y >= 0 && u.z >= 0 && u.x < cells_[0] && u.y < cells_[1] && u.z < cells_[2]))
        return HUGE_VAL;
    const int i = static_cast<int>(u.x), j = static_cast<int>(u.y), k = static_cast<int>(u.z);
    const double x = u.x - i, y = u.y - j, z = u.z - k;
    const auto along_x = [&](int dj, int dk) {
        const float* const v = &values_[grid_.index(i, j + dj, k + dk)];
        return (1 - x) * static_cast<double>(v[0]) + x * static_cast<double>(v[1]);
    };
    return (1 - z) * ((1 - y) * along_x(0, 0) + y * along_x(1, 0)) +
           z * ((1 - y) * along_x(0, 1) + y * along_x(1, 1));
}

DistanceFieldBaseline::DistanceFieldBaseline(const Shape& moving, const MassProperties& mass,
                                             const Placement& placement, const Shape& fixed,
                                             const Transform& fixed_pose, std::array<int, 3> cells,
                                             const BaselineSettings& settings)
    : settings_(settings),
      parallel_(settings.threads),
      field_(fixed.drawn(), cells),
      fixed_pose_(fixed_pose),
      fixed_(std::make_unique<KinematicBody>(fixed, fixed_pose, std::vector<Keyframe>{}, false)),
      body_(moving, mass, placement, 0),
      vertices_(moving.drawn().positions().begin(), moving.drawn().positions().end()),
      impulses_(vertices_.size()) {}

/// Whether a vertex touches, or will: nearer than half a cell to a surface, which is all that a field can tell.
void DistanceFieldBaseline::measure(std::uint32_t k, std::vector<Touch>& found) const {
    const double margin = 0.5 * field_.cell();
    const Vec3 x = body_.pose() * vertices_[k];
    const auto touch = [&](const Vec3& normal, double value) {
        found.push_back({k,
                         {.point = k,
                          .of_b = false,
                          .position = x - 0.5 * value * normal,
                          .normal = normal,
                          .depth = -value}});
    };
    if (x.y < margin) touch({0, 1, 0}, x.y);
    double value = 0;
    Vec3 gradient;
    const Vec3 local = rotate(conjugate(fixed_pose_.rotation), x - fixed_pose_.position);
    if (field_.sample(local, value, gradient) && value < margin)
        touch(rotate(fixed_pose_.rotation, gradient), value);
}

/// Of all vertices.
std::vector<DistanceFieldBaseline::Touch> DistanceFieldBaseline::search() const {
    constexpr std::size_t chunk = 4096;
    std::vector<std::vector<Touch>> parts((vertices_.size() + chunk - 1) / chunk);
    parallel_.chunks(vertices_.size(), chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k)
            measure(static_cast<std::uint32_t>(k), parts[begin / chunk]);
    });
    std::vector<Touch> all;
    for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

std::size_t DistanceFieldBaseline::step(BaselineTimes& times) {
    std::vector<Touch> found;
    {
        const Timed timed(times.detect);
        found = search();
    }
    {
        const Timed timed(times.motion);
        body_.predict(settings_.step, settings_.gravity, RotationMethod::momentum);
    }
    const PairSides pair{{&body_, 0u}, {fixed_.get(), {}}};
    const std::array<Node, 1> nodes{body_.node(0)};
    std::array<Twist, 1> velocity{nodes[0].velocity};
    Rows rows;
    {
        const Timed timed(times.model);
        for (const Touch& t : found) {
            Block& block = add_point_block(rows, pair, t.hit, nodes, 3);
            set_contact_law(block, rows, pair, t.hit, {.friction = settings_.friction}, nodes,
                            settings_.step);
            if (settings_.solver.warm_start)
                block.impulse = contact_frame(t.hit.normal) * impulses_[t.vertex];
        }
    }
    std::vector<std::uint32_t> all(rows.blocks.size());
    std::iota(all.begin(), all.end(), 0u);
    {
        const Timed timed(times.solve);
        sweeps_ = solve_blocks(rows, all, nodes, velocity, settings_.solver).iterations;
        for (Vec3& impulse : impulses_) impulse = {};
        for (std::size_t k = 0; k < found.size(); ++k)
            impulses_[found[k].vertex] +=
                transpose_times(contact_frame(found[k].hit.normal), rows.blocks[k].impulse);
    }
    {
        const Timed timed(times.motion);
        const Twist change{velocity[0].linear - nodes[0].velocity.linear,
                           velocity[0].angular - nodes[0].velocity.angular};
        body_.correct(settings_.step, std::span(&change, 1));
    }
    solve_positions(found, times);
    return found.size();
}

// As the engine's position phase: the vertices that were found are measured again, until none is deeper than allowed or the
// passes are used up.
void DistanceFieldBaseline::solve_positions(std::span<const Touch> near, BaselineTimes& times) {
    for (int pass = 0;; ++pass) {
        std::vector<Touch> found;
        {
            const Timed timed(times.detect);
            for (std::size_t k = 0; k < near.size(); ++k)
                if (k == 0 || near[k].vertex != near[k - 1].vertex) measure(near[k].vertex, found);
        }
        deepest_ = 0;
        for (const Touch& t : found) deepest_ = std::max(deepest_, t.hit.depth);
        if (deepest_ <= tuning::derived_allowed_depth.usual || pass == settings_.contact.stabilise_passes)
            return;
        const Timed timed(times.solve);
        const PairSides pair{{&body_, 0u}, {fixed_.get(), {}}};
        Node node = body_.node(0);
        node.origin = body_.centre(), node.inverse_inertia = inverse(body_.world_inertia());
        const std::array<Node, 1> nodes{node};
        std::array<Twist, 1> change{};
        Rows rows;
        for (const Touch& t : found) {
            Block& block = add_point_block(rows, pair, t.hit, nodes, 1);
            block.bias.x =
                -std::min(t.hit.depth - tuning::stabilise_aim * tuning::derived_allowed_depth.usual,
                          tuning::largest_correction * body_.size());
        }
        std::vector<std::uint32_t> all(rows.blocks.size());
        std::iota(all.begin(), all.end(), 0u);
        solve_blocks(rows, all, nodes, change, settings_.solver);
        body_.displace(change);
    }
}

}  // namespace plush::lab
