#pragma once

#include "geometry/shapes/implicit.hpp"
#include "geometry/shapes/implicit_mesh.hpp"
#include "plush/core/random.hpp"

namespace plush::shapes {

/// Models a figure from soft parts. All coordinates are in the sculptor's frame, which may be moved between
/// parts (to tilt a head, say). The last number is always the radius within which the part melts into what is
/// there.
class Sculptor {
public:
    Transform frame{};

    void ball(const Vec3& at, double radius, double melt) { egg(at, {radius, radius, radius}, melt); }
    void egg(const Vec3& at, const Vec3& radii, double melt, const Quat& turn = {}) {
        blend_.add(implicit::ellipsoid(frame * at, radii, frame.rotation * turn), melt);
    }
    void limb(const Vec3& a, double radius_a, const Vec3& b, double radius_b, double melt) {
        blend_.add(implicit::round_cone(frame * a, radius_a, frame * b, radius_b), melt);
    }
    void strand(std::vector<implicit::Station> stations, double melt) {
        blend_.add(implicit::tube(placed(std::move(stations))), melt);
    }
    /// A box with round edges; half_size is its outside.
    void block(const Vec3& at, const Vec3& half_size, double edge, double melt, const Quat& turn = {}) {
        blend_.add(placed_block(at, half_size, edge, turn), melt);
    }
    /// A disc or a rod about the frame's z axis, turned, with round rims.
    void disc(const Vec3& at, double radius, double half_height, double edge, double melt,
              const Quat& turn = {}) {
        blend_.add(placed_disc(at, radius, half_height, edge, turn), melt);
    }

    void dent(const Vec3& at, const Vec3& radii, double melt, const Quat& turn = {}) {
        blend_.carve(implicit::ellipsoid(frame * at, radii, frame.rotation * turn), melt);
    }
    void groove(std::vector<implicit::Station> stations, double melt) {
        blend_.carve(implicit::tube(placed(std::move(stations))), melt);
    }
    void cut_block(const Vec3& at, const Vec3& half_size, double edge, double melt, const Quat& turn = {}) {
        blend_.carve(placed_block(at, half_size, edge, turn), melt);
    }
    void cut_disc(const Vec3& at, double radius, double half_height, double edge, double melt,
                  const Quat& turn = {}) {
        blend_.carve(placed_disc(at, radius, half_height, edge, turn), melt);
    }

    [[nodiscard]] Sdf done() && { return std::move(blend_).done(); }

private:
    std::vector<implicit::Station> placed(std::vector<implicit::Station> stations) const {
        for (implicit::Station& s : stations) s.at = frame * s.at;
        return stations;
    }
    Sdf placed_block(const Vec3& at, const Vec3& half_size, double edge, const Quat& turn) const {
        const Sdf core = sdf::box(half_size - Vec3{edge, edge, edge});
        return sdf::transformed(sdf::rounded(core, edge), frame * Transform{at, turn});
    }
    Sdf placed_disc(const Vec3& at, double radius, double half_height, double edge, const Quat& turn) const {
        const Quat y_to_z = from_axis_angle({1, 0, 0}, 90);
        const Sdf core = sdf::capped_cylinder(radius - edge, half_height - edge);
        return sdf::transformed(sdf::rounded(core, edge), frame * Transform{at, turn * y_to_z});
    }

    implicit::Blend blend_;
};

/// Small differences between the figures of different seeds.
class Whim {
public:
    explicit Whim(int seed) : random_(static_cast<std::uint64_t>(seed)) {}
    /// x, up to `part` of itself more or less.
    double about(double x, double part) { return x * random_.uniform(1 - part, 1 + part); }
    double between(double low, double high) { return random_.uniform(low, high); }

private:
    Random random_;
};

}  // namespace plush::shapes
