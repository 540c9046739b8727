#include "scene/shape_library.hpp"

#include <fmt/format.h>

#include "geometry/mesh/subdivide.hpp"
#include "plush/geometry/check.hpp"
#include "plush/geometry/components.hpp"
#include "scene/mesh_frames.hpp"
#include "scene/solids.hpp"

namespace plush {
namespace {

using Kind = ShapeSpec::Kind;

bool is_meshed(const ShapeSpec& spec) {
    return spec.kind == Kind::mesh || spec.kind == Kind::shape;
}

std::string file_key(const ImportSettings& import_as, const std::string& file) {
    return fmt::format("{} {} {} {}", import_as.scale, static_cast<int>(import_as.unit),
                       static_cast<int>(import_as.up), file);
}

/// Equal for specs that give the same mesh under the same conditions.
std::string mesh_key(const ShapeSpec& s) {
    if (s.kind == Kind::mesh)
        return fmt::format("{}mesh {} {} {} {}", s.may_be_open ? "open " : "",
                           s.component < 0 ? 0 : static_cast<int>(s.components), s.component, s.subdivide,
                           file_key(s.import_as, s.mesh));
    return fmt::format("shape {} {} {} {}", s.generated.shape, s.generated.triangles, s.generated.size,
                       s.generated.seed);
}

std::string frames_key(const FramesSpec& s) {
    return fmt::format("{} {}", s.rate, file_key(s.import_as, s.files));
}

std::string tets_key(const TetsSpec& s) {
    if (s.kind == TetsSpec::Kind::mesh) return "mesh " + file_key(s.import_as, s.mesh);
    if (s.kind == TetsSpec::Kind::ball) return fmt::format("ball {}", s.ball.radius);
    const auto [nx, ny, nz] = s.box.cells;
    const Vec3& half = s.box.half_size;
    return fmt::format("box {} {} {} {} {} {}", half.x, half.y, half.z, nx, ny, nz);
}

/// Equal for specs that give the same shape.
std::string shape_key(const ShapeSpec& s) {
    const auto vector = [](const Vec3& v) { return fmt::format("{} {} {}", v.x, v.y, v.z); };
    switch (s.kind) {
        case Kind::mesh:
        case Kind::shape:
            return fmt::format("{} {}", s.distance_cells, mesh_key(s));
        case Kind::sphere:
            return fmt::format("sphere {}", s.sphere.radius);
        case Kind::box:
            return "box " + vector(s.box.half_size);
        case Kind::capsule:
            return fmt::format("capsule {} {}", s.capsule.radius, s.capsule.half_height);
        case Kind::cylinder:
            return fmt::format("cylinder {} {}", s.cylinder.radius, s.cylinder.half_height);
        case Kind::torus:
            return fmt::format("torus {} {}", s.torus.ring_radius, s.torus.tube_radius);
        case Kind::half_space:
            return "half_space " + vector(s.half_space.normal);
        case Kind::solid:
            return fmt::format("solid {} {}", s.distance_cells, solid_key(s.solid));
        case Kind::none:
        case Kind::frames:
            break;
    }
    return {};
}

Shape analytic(const ShapeSpec& s) {
    switch (s.kind) {
        case Kind::sphere:
            return Shape::sphere(s.sphere.radius);
        case Kind::box:
            return Shape::box(s.box.half_size);
        case Kind::capsule:
            return Shape::capsule(s.capsule.radius, s.capsule.half_height);
        case Kind::cylinder:
            return Shape::cylinder(s.cylinder.radius, s.cylinder.half_height);
        case Kind::torus:
            return Shape::torus(s.torus.ring_radius, s.torus.tube_radius);
        case Kind::half_space:
            return Shape::half_space(normalised(s.half_space.normal));
        default:
            return {};
    }
}

/// The fix that check() gives, for this file.
std::string with_file(std::string cure, const std::string& file) {
    if (const auto at = cure.find("FILE"); at != cure.npos) return cure.replace(at, 4, file);
    return cure + (cure.empty() ? "" : "; ") + "try: plush mesh repair " + file;
}

void complain_of_mesh(const Mesh& mesh, const std::string& file, const Place& place, Messages& messages) {
    const MeshReport report = check(mesh);
    const std::string name = std::filesystem::path(file).filename().string();
    for (const MeshReport::Problem& problem : report.problems) {
        if (!problem.fatal) continue;
        const std::string where = problem.where.empty() ? "" : problem.where + ": ";
        messages.error(place, fmt::format("{}: {}{}", name, where, problem.what),
                       with_file(problem.cure, file));
    }
    if (report.usable() && report.self_intersections > 0)
        messages.warning(place,
                         fmt::format("{}: the surface passes through itself, at {} pairs of triangles", name,
                                     report.self_intersections),
                         "contacts near there may be wrong");
}

/// Springs need no inside; a vertex without a triangle would be one without mass.
void complain_of_sheet(const Mesh& mesh, const std::string& file, const Place& place, Messages& messages) {
    if (const int unused = check(mesh).unused_vertices; unused > 0)
        messages.error(place,
                       fmt::format("{}: {} of its vertices are in no triangle",
                                   std::filesystem::path(file).filename().string(), unused),
                       "remove them in the program that made the mesh");
}

/// What a reader or a generator says, at the place in the scene that asked it.
void pass_on(const Error& error, bool of_file, const Place& place, Messages& messages) {
    const std::string in = error.place().empty() ? "" : " at " + error.place();
    const std::string what = of_file ? error.file() + in : error.place();
    messages.error(place, (what.empty() ? "" : what + ": ") + error.problem(), error.cure());
}

}  // namespace

/// That its mesh is read from; empty where it is generated.
std::string ShapeLibrary::file_of(const ShapeSpec& spec) const {
    if (spec.kind == Kind::mesh) return spec.mesh;
    return spec.kind == Kind::shape ? folder_.find(spec.generated.shape) : std::string();
}

Result<Mesh> ShapeLibrary::load(const ShapeSpec& spec) const {
    if (spec.kind != Kind::mesh) {
        const std::string file = file_of(spec);
        return file.empty() ? generate(spec.generated) : fitted(file, spec.generated);
    }
    const Result<Mesh> mesh = Mesh::try_load(spec.mesh, spec.import_as);
    return mesh ? subdivided(mesh.value(), spec.subdivide) : mesh;
}

void ShapeLibrary::prepare(const ShapeSpec& spec, const Place& place, Messages& messages) {
    if (spec.kind == Kind::mesh && spec.mesh.empty()) return;  // the reader has complained
    if (spec.kind == Kind::torus && !(spec.torus.tube_radius < spec.torus.ring_radius))
        messages.error(at_key(at_key(place, "torus"), "tube_radius"),
                       "the tube is as thick as the ring is wide",
                       "make tube_radius smaller than ring_radius");
    if (spec.kind == Kind::half_space && !(norm(spec.half_space.normal) > 0))
        messages.error(at_key(at_key(place, "half_space"), "normal"), "the normal has no direction",
                       "use [0, 1, 0] for up");
    if (spec.kind == Kind::solid) {
        if (solid_is_whole(spec.solid, messages) && !shapes_.count(shape_key(spec))) {
            const Result<Shape> made = shape_of(spec.solid, spec.distance_cells);
            if (made)
                shapes_[shape_key(spec)] = made.value();
            else
                messages.error(at_key(place, "solid"), made.error().problem(), made.error().cure());
        }
        return;
    }
    if (!is_meshed(spec)) return;
    const std::string key = mesh_key(spec);
    if (meshes_.count(key)) return;
    const Place where = at_key(place, spec.kind == Kind::mesh ? "mesh" : "shape");
    const std::string file = file_of(spec);
    took_from_folder_ = took_from_folder_ || (spec.kind == Kind::shape && !file.empty());
    const Result<Mesh> mesh = load(spec);
    meshes_[key] = mesh ? mesh.value() : Mesh{};
    if (!mesh)
        pass_on(mesh.error(), !file.empty(), where, messages);
    else if (!file.empty() && spec.may_be_open)
        complain_of_sheet(mesh.value(), file, where, messages);
    else if (!file.empty())
        complain_of_mesh(mesh.value(), file, where, messages);
}

int ShapeLibrary::split(const ShapeSpec& spec, const Place& place, Messages& messages) {
    prepare(spec, place, messages);
    const Mesh whole = mesh(spec);
    if (whole.empty() || !check(whole).usable()) return 0;  // prepare() has said why
    const auto parts = try_split_components(whole, spec.components == SplitMesh::overlapping);
    if (!parts) {
        messages.error(at_key(place, "mesh"), parts.error().place() + ": " + parts.error().problem(),
                       parts.error().cure());
        return 0;
    }
    ShapeSpec part = spec;
    for (part.component = 0; part.component < static_cast<int>(parts.value().size()); ++part.component)
        meshes_[mesh_key(part)] = parts.value()[static_cast<std::size_t>(part.component)];
    return part.component;
}

void ShapeLibrary::prepare(const TetsSpec& spec, const Place& place, Messages& messages) {
    const bool of_file = spec.kind == TetsSpec::Kind::mesh;
    if (spec.kind == TetsSpec::Kind::none || (of_file && spec.mesh.empty())) return;  // the reader complained
    const std::string key = tets_key(spec);
    if (tets_.count(key)) return;
    const bool ball = spec.kind == TetsSpec::Kind::ball;
    const Result<TetMesh> tets = of_file ? TetMesh::try_load(spec.mesh, spec.import_as)
                                 : ball  ? tet_ball(spec.ball.radius)
                                         : tet_box(spec.box.half_size, spec.box.cells);
    tets_[key] = tets ? tets.value() : TetMesh{};
    if (!tets)
        pass_on(tets.error(), of_file,
                at_key(place, of_file ? spec.file_key
                              : ball  ? "ball"
                                      : "box"),
                messages);
}

void ShapeLibrary::prepare(const FramesSpec& spec, const Place& place, Messages& messages) {
    if (spec.files.empty()) return;  // the reader has complained
    auto loaded = load_frames(spec);
    if (!loaded) {
        pass_on(loaded.error(), true, at_key(at_key(place, "frames"), "files"), messages);
        return;
    }
    complain_of_mesh(loaded.value().front().mesh, spec.files, at_key(place, "frames"), messages);
    frames_[frames_key(spec)] = std::move(loaded).value();
}

std::vector<MeshFrame> ShapeLibrary::frames(const FramesSpec& spec) const {
    return frames_.at(frames_key(spec));
}

const TetMesh& ShapeLibrary::tets(const TetsSpec& spec) const {
    return tets_.at(tets_key(spec));
}

const Mesh& ShapeLibrary::mesh(const ShapeSpec& spec) const {
    return meshes_.at(mesh_key(spec));
}

Shape ShapeLibrary::touched(const ShapeSpec& spec) {
    {
        const std::lock_guard lock(mutex_);
        const Mesh& mesh = meshes_.at(mesh_key(spec));
        if (mesh.empty() || !check(mesh).usable()) return {};
    }
    return shape(spec);
}

Shape ShapeLibrary::shape(const ShapeSpec& spec) {
    const std::lock_guard lock(mutex_);
    Shape& shape = shapes_[shape_key(spec)];
    if (shape.empty())
        shape = is_meshed(spec) ? Shape::try_mesh(meshes_.at(mesh_key(spec)), spec.distance_cells).value()
                                : analytic(spec);
    return shape;
}

}  // namespace plush
