#include <algorithm>

#include "fuzz/targets.hpp"
#include "geometry/io/io_formats.hpp"
#include "geometry/io/test_io_samples.hpp"
#include "plush/geometry/check.hpp"
#include "plush/world/world.hpp"

// The readers of meshes on memory; and what follows a mesh that was read, up to a step of a body made of it.

namespace plush::fuzz {
namespace {

void require_sound(const RawMesh& mesh) {
    const auto in_range = [&](const auto& items) {
        return std::all_of(items.begin(), items.end(), [&](const auto& item) {
            return std::all_of(item.begin(), item.end(), [&](int v) {
                return v >= 0 && static_cast<std::size_t>(v) < mesh.positions.size();
            });
        });
    };
    expect(in_range(mesh.triangles) && in_range(mesh.tets), "indices of a mesh that is read are in range");
    expect(
        std::all_of(mesh.positions.begin(), mesh.positions.end(), [](const Vec3& p) { return is_finite(p); }),
        "coordinates of a mesh that is read are finite");
}

void run_reader(Result<RawMesh> (*read)(std::string_view), std::string_view input) {
    Result<RawMesh> mesh = read(input);
    if (!mesh) {
        expect(!mesh.error().place().empty() && !mesh.error().cure().empty(),
               "what is refused has a place and a fix");
        return;
    }
    require_sound(mesh.value());
    weld_split_vertices(mesh.value());
    require_sound(mesh.value());
}

std::vector<std::string> samples(std::string_view ending) {
    std::vector<std::string> list;
    for (const auto& [name, bytes] : io_test::all_samples())
        if (std::string_view(name).ends_with(ending)) list.push_back(bytes);
    return list;
}

/// Two steps of a world with the body and a floor.
template <class Body>
void step_with(const Body& body, const Box3& box) {
    World world(WorldSettings{.threads = 1});
    world.add_ground();
    try {
        world.add(body, {.position = {0, -box.low.y, 0}});
        world.step();
        world.step();
    } catch (const Error&) {  // a mesh may be of any size: what cannot be stepped is told
    }
}

void step_soft(const Mesh& mesh) {
    const auto solid = SoftSolid::try_fill(mesh, {.cells_across = 3});
    if (!solid) return;
    Soft soft;
    soft.solid = solid.value();
    step_with(soft, mesh.bounds());
}

}  // namespace

void run_obj(std::string_view input) {
    run_reader(read_obj, input);
}
void run_off(std::string_view input) {
    run_reader(read_off, input);
}
void run_ply(std::string_view input) {
    run_reader(read_ply, input);
}
void run_stl(std::string_view input) {
    run_reader(read_stl, input);
}
void run_msh(std::string_view input) {
    run_reader(read_msh, input);
}
void run_medit(std::string_view input) {
    run_reader(read_medit, input);
}

std::vector<std::string> obj_seeds() {
    return samples(".obj");
}
std::vector<std::string> off_seeds() {
    return samples(".off");
}
std::vector<std::string> ply_seeds() {
    return samples(".ply");
}
std::vector<std::string> stl_seeds() {
    return samples(".stl");
}
std::vector<std::string> msh_seeds() {
    return samples(".msh");
}
std::vector<std::string> medit_seeds() {
    return samples(".mesh");
}

// Read, check, repair, check again, tetrahedralise, step: by the format that the content names, else as OBJ.
void run_pipeline(std::string_view input) {
    const std::string file = file_with("mesh.obj", input);
    if (const auto tets = TetMesh::try_load(file)) {
        if (tets.value().tets().size() < 200) {
            Soft soft;
            soft.solid = SoftSolid(tets.value());
            step_with(soft, {});
        }
    }
    const auto mesh = Mesh::try_load(file);
    if (!mesh || mesh.value().triangles().size() > 500) return;
    const MeshReport before = check(mesh.value());
    const Mesh repaired = repair(mesh.value()).mesh;
    const MeshReport after = check(repaired);
    expect(after.vertices >= 0 && before.triangles >= 0, "a report counts");
    if (!after.usable()) return;
    const auto shape = Shape::try_mesh(repaired, 8);
    if (shape) step_with(Rigid{.shape = shape.value()}, repaired.bounds());
    step_soft(repaired);
}

std::vector<std::string> pipeline_seeds() {
    std::vector<std::string> list = samples(".obj");
    for (const std::string_view ending : {".off", ".ply", ".stl", ".msh", ".mesh"})
        for (std::string& sample : samples(ending)) list.push_back(std::move(sample));
    const Mesh ball = Shape::box({0.1, 0.2, 0.1}).drawn();
    list.push_back(write_obj(ball.positions(), ball.triangles()));
    return list;
}

}  // namespace plush::fuzz
