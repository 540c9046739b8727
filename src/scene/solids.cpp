#include "scene/solids.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "geometry/shapes/implicit_mesh.hpp"

namespace plush {
namespace {

std::string vector_key(const Vec3& v) {
    return fmt::format("{} {} {}", v.x, v.y, v.z);
}

std::string parts_key(std::span<const PartSpec> parts, Combine combine, double round);

std::string part_key(const PartSpec& s) {
    const std::string of[]{fmt::format("{}", s.sphere.radius),
                           vector_key(s.box.half_size),
                           fmt::format("{} {}", s.capsule.radius, s.capsule.half_height),
                           fmt::format("{} {}", s.cylinder.radius, s.cylinder.half_height),
                           fmt::format("{} {}", s.torus.ring_radius, s.torus.tube_radius),
                           vector_key(s.half_space.normal),
                           parts_key(s.parts, s.combine, 0)};
    return fmt::format("{}({}) {} at {} turned {} {}", static_cast<int>(s.kind), of[static_cast<int>(s.kind)],
                       s.round, vector_key(s.at), vector_key(s.rotate.axis), s.rotate.degrees);
}

std::string parts_key(std::span<const PartSpec> parts, Combine combine, double round) {
    std::string key = fmt::format("{} {}", static_cast<int>(combine), round);
    for (const PartSpec& part : parts) key += " [" + part_key(part) + "]";
    return key;
}

bool parts_are_whole(std::span<const PartSpec> parts, const Place& place, Messages& messages) {
    if (parts.empty()) {
        messages.error(at_key(place, "parts"), "the list is empty", "give at least one part");
        return false;
    }
    bool whole = true;
    for (const PartSpec& part : parts) {
        if (part.kind == PartSpec::Kind::none) whole = false;  // the reader has complained
        if (!(norm(part.rotate.axis) > 0)) {
            messages.error(at_key(part.rotate.place, "axis"), "the axis has no direction",
                           "use [0, 1, 0] for up");
            whole = false;
        }
        if (part.kind == PartSpec::Kind::parts && !parts_are_whole(part.parts, part.place, messages))
            whole = false;
    }
    return whole;
}

Sdf joined(std::span<const PartSpec> parts, Combine combine, double round);

Sdf distance_of(const PartSpec& s) {
    using Kind = PartSpec::Kind;
    Sdf own;
    switch (s.kind) {
        case Kind::sphere:
            own = sdf::sphere({}, s.sphere.radius);
            break;
        case Kind::box:
            own = sdf::box(s.box.half_size);
            break;
        case Kind::capsule:
            own =
                sdf::capsule({0, -s.capsule.half_height, 0}, {0, s.capsule.half_height, 0}, s.capsule.radius);
            break;
        case Kind::cylinder:
            own = sdf::capped_cylinder(s.cylinder.radius, s.cylinder.half_height);
            break;
        case Kind::torus:
            own = sdf::torus(s.torus.ring_radius, s.torus.tube_radius);
            break;
        case Kind::half_space:
            own = sdf::plane({}, s.half_space.normal);
            break;
        case Kind::parts:
        case Kind::none:
            own = joined(s.parts, s.combine, 0);
            break;
    }
    if (s.round > 0) own = sdf::rounded(own, s.round);
    const Transform pose{s.at, s.rotate.rotation()};
    return pose == Transform{} ? own : sdf::transformed(own, pose);
}

Sdf joined(std::span<const PartSpec> parts, Combine combine, double round) {
    std::vector<Sdf> all;
    for (const PartSpec& part : parts) all.push_back(distance_of(part));
    Sdf sum;
    if (combine == Combine::difference) {
        sum = all.front();
        if (all.size() > 1) sum = sdf::difference(sum, sdf::union_of({all.begin() + 1, all.end()}));
    } else {
        sum = combine == Combine::intersection ? sdf::intersection(all) : sdf::union_of(all);
    }
    return round > 0 ? sdf::rounded(sum, round) : sum;
}

/// A grid of samples: which pieces there are, and where each is thickest.
class Pieces {
public:
    static constexpr int cells = 48;  // along the longest side

    Pieces(const SignedDistance& distance, const Box3& box) {
        side_ = max_component(box.size()) / cells;
        for (std::size_t d = 0; d < 3; ++d)
            n_[d] = std::max(2, static_cast<int>(std::ceil(box.size()[d] / side_)) + 1);
        values_.resize(static_cast<std::size_t>(n_[0]) * static_cast<std::size_t>(n_[1]) *
                       static_cast<std::size_t>(n_[2]));
        for (std::size_t i = 0; i < values_.size(); ++i) {
            points_.push_back(point(i, box));
            values_[i] = distance.value(points_[i]);
        }
    }
    struct Piece {
        Vec3 inside{};
        std::size_t samples = 0;
    };
    std::vector<Piece> find() const {
        std::vector<Piece> pieces;
        std::vector<char> seen(values_.size());
        for (std::size_t start = 0; start < values_.size(); ++start) {
            if (seen[start] || !(values_[start] < 0)) continue;
            Piece& piece = pieces.emplace_back();
            std::vector<std::size_t> open{start};
            std::size_t deepest = start;
            seen[start] = 1;
            while (!open.empty()) {
                const std::size_t i = open.back();
                open.pop_back();
                ++piece.samples;
                if (values_[i] < values_[deepest]) deepest = i;
                each_neighbour(i, [&](std::size_t j) {
                    if (!seen[j] && values_[j] < 0) seen[j] = 1, open.push_back(j);
                });
            }
            piece.inside = points_[deepest];
        }
        return pieces;
    }
    double spacing() const { return side_; }
    double volume(const Piece& piece) const {
        return static_cast<double>(piece.samples) * side_ * side_ * side_;
    }

private:
    Vec3 point(std::size_t i, const Box3& box) const {
        const auto nx = static_cast<std::size_t>(n_[0]), ny = static_cast<std::size_t>(n_[1]);
        const Vec3 at{static_cast<double>(i % nx), static_cast<double>(i / nx % ny),
                      static_cast<double>(i / nx / ny)};
        return box.low + side_ * at;
    }
    template <class F>
    void each_neighbour(std::size_t i, const F& f) const {
        const auto nx = static_cast<std::size_t>(n_[0]), ny = static_cast<std::size_t>(n_[1]);
        const std::size_t at[]{i % nx, i / nx % ny, i / nx / ny}, stride[]{1, nx, nx * ny};
        for (std::size_t d = 0; d < 3; ++d) {
            if (at[d] > 0) f(i - stride[d]);
            if (at[d] + 1 < static_cast<std::size_t>(n_[d])) f(i + stride[d]);
        }
    }

    std::array<int, 3> n_{};
    double side_ = 0;
    std::vector<double> values_;
    std::vector<Vec3> points_;
};

Error no_solid(const char* problem, const char* cure) {
    return Error({.problem = problem, .cure = cure});
}

/// Its surface, all pieces of it.
Result<Mesh> mesh_of(const Sdf& distance, const Box3& box, int triangles) {
    const Pieces grid(*distance, box);
    const auto pieces = grid.find();
    if (pieces.empty())
        return no_solid("nothing is left of it, or what is left is thinner than a 48th of its size",
                        "look at the places and sizes of its parts");
    double all = 0;
    for (const auto& piece : pieces) all += grid.volume(piece);
    std::vector<Vec3> positions;
    std::vector<Triangle> faces;
    for (const auto& piece : pieces) {
        const int share = static_cast<int>(std::lround(triangles * grid.volume(piece) / all));
        const Mesh mesh = mesh_implicit({distance, piece.inside, grid.spacing()}, std::max(200, share));
        const auto first = static_cast<int>(positions.size());
        positions.insert(positions.end(), mesh.positions().begin(), mesh.positions().end());
        for (const Triangle& t : mesh.triangles())
            faces.push_back({t[0] + first, t[1] + first, t[2] + first});
    }
    const Mesh whole(std::move(positions), std::move(faces));
    const auto mass = mass_properties(whole, 1.0);
    // Samples on a grid know a volume to a few per cent.
    if (!mass || std::abs(mass.value().mass - all) > 0.1 * all)
        return no_solid("its mesh does not show it: it has a closed cavity, or parts thinner than the mesh",
                        "open the cavity, give more \"triangles\", or make thin parts thicker");
    return whole;
}

}  // namespace

std::string solid_key(const SolidSpec& s) {
    return fmt::format("{} {}", s.triangles, parts_key(s.parts, s.combine, s.round));
}

bool solid_is_whole(const SolidSpec& spec, Messages& messages) {
    return parts_are_whole(spec.parts, spec.place, messages);
}

Result<Shape> shape_of(const SolidSpec& spec, int distance_cells) {
    try {
        const Sdf distance = joined(spec.parts, spec.combine, spec.round);
        const Box3 box = distance->bounds();
        if (box.empty() || !std::isfinite(norm(box.size())))
            return no_solid(
                box.empty() ? "its parts have nothing in common" : "it has no end",
                "look at the places and sizes of its parts; half-spaces may only cut from bounded ones");
        const double margin = 0.01 * max_component(box.size());
        const auto mesh = mesh_of(distance, box.grown(margin), spec.triangles);
        if (!mesh) return mesh.error();
        if (distance->exactness() == Exactness::exact) return Shape::distance(distance, mesh.value());
        return Shape::try_mesh(mesh.value(), distance_cells);
    } catch (const Error& error) {
        return Error(
            {.problem = error.place().empty() ? error.problem() : error.place() + ": " + error.problem(),
             .cure = error.cure()});
    }
}

}  // namespace plush
