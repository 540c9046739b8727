#include "plush/geometry/generate.hpp"

#include <fmt/format.h>

#include <numbers>

#include "core/did_you_mean.hpp"
#include "core/transcendental.hpp"
#include "geometry/shapes/generate_build.hpp"
#include "geometry/shapes/generate_shapes.hpp"

// Shapes by name. To add one: a function in a shapes_*.cpp, its declaration in generate_shapes.hpp, a line in
// the table. The first ones are patterns of triangles; from the bear on they are figures of soft parts, made
// by mesh_implicit().

namespace plush {
namespace {

struct Shape {
    ShapeName name;
    int triangles;                          ///< where the settings say 0
    Mesh (*make)(int triangles, int seed);  ///< of any size, anywhere: generate() scales and centres it
};

constexpr double degree = std::numbers::pi / 180;

constexpr std::array table{
    Shape{{"box", "a cube"},
          12,
          [](int n, int) {
              return shapes::box({1, 1, 1}, n);
          }},
    Shape{{"icosphere", "a sphere of near-equal triangles"},
          1280,
          [](int n, int) { return shapes::icosphere(1, n); }},
    Shape{{"uv_sphere", "a sphere of latitudes and meridians"},
          1280,
          [](int n, int) { return shapes::uv_sphere(1, n); }},
    Shape{{"torus", "a ring of round section"}, 2048, [](int n, int) { return shapes::torus(1, 0.4, n); }},
    Shape{{"capsule", "a cylinder with half spheres as ends"},
          1024,
          [](int n, int) { return shapes::capsule(1, 1, n); }},
    Shape{{"cylinder", "a cylinder as tall as wide"},
          512,
          [](int n, int) { return shapes::cylinder(1, 1, n); }},
    Shape{{"cone", "a cone as tall as wide, tip up"}, 512, [](int n, int) { return shapes::cone(1, 2, n); }},
    Shape{{"rounded_box", "a cube with round edges"},
          1200,
          [](int n, int) {
              return shapes::rounded_box({1, 1, 1}, 0.2, n);
          }},
    Shape{{"bowl", "a half sphere with a wall a twentieth of its width, open upward"},
          8192,
          [](int n, int) { return shapes::bowl(1, 0.1, n); }},
    Shape{{"arch_stone", "a stone of an arch, 20 degrees wide"},
          64,
          [](int n, int) { return shapes::arch_stone(1, 1.3, 80 * degree, 100 * degree, 0.3, n); }},
    Shape{{"chain_link", "a link of a chain, long side along y"},
          2048,
          [](int n, int) { return shapes::chain_link(1, 0.62, 0.1, n); }},
    Shape{{"pebble", "a smooth stone, another one for each seed"},
          1280,
          [](int n, int seed) { return shapes::pebble(n, seed); }},
    Shape{{"bear", "a teddy bear that sits"},
          4000,
          [](int n, int seed) { return mesh_implicit(shapes::bear(seed), n); }},
    Shape{{"bunny", "a toy rabbit that sits"},
          4000,
          [](int n, int seed) { return mesh_implicit(shapes::bunny(seed), n); }},
    Shape{{"elephant", "a toy elephant on its four feet"},
          6000,
          [](int n, int seed) { return mesh_implicit(shapes::elephant(seed), n); }},
    Shape{{"octopus", "a head and eight curling arms"},
          6000,
          [](int n, int seed) { return mesh_implicit(shapes::octopus(seed), n); }},
    Shape{{"snake", "a coiled body with its head raised"},
          5000,
          [](int n, int seed) { return mesh_implicit(shapes::snake(seed), n); }},
    Shape{{"eel", "a snake stretched out along x"},
          4000,
          [](int n, int seed) { return mesh_implicit(shapes::eel(seed), n); }},
    Shape{{"hand", "an open hand, the palm to the front"},
          5000,
          [](int n, int seed) { return mesh_implicit(shapes::hand(seed), n); }},
    Shape{{"star", "a plump star of five arms with a face"},
          3000,
          [](int n, int seed) { return mesh_implicit(shapes::star(seed), n); }},
    Shape{{"liver", "a liver with its gallbladder"},
          3000,
          [](int n, int seed) { return mesh_implicit(shapes::liver(seed), n); }},
    Shape{{"stomach", "a stomach with its inlet and outlet"},
          3000,
          [](int n, int seed) { return mesh_implicit(shapes::stomach(seed), n); }},
    Shape{{"kidney", "a kidney with the stump of its duct"},
          3000,
          [](int n, int seed) { return mesh_implicit(shapes::kidney(seed), n); }},
    Shape{{"gut", "a length of gut laid in bends"},
          6000,
          [](int n, int seed) { return mesh_implicit(shapes::gut(seed), n); }},
    Shape{{"gripper", "a surgical gripper: two jaws with fine teeth on a shaft"},
          20000,
          [](int n, int seed) { return mesh_implicit(shapes::gripper(seed), n); }},
    Shape{{"jaw", "one jaw of the gripper: a bar along y with fine teeth to -x"},
          8000,
          [](int n, int seed) { return mesh_implicit(shapes::jaw(seed), n); }},
    Shape{{"gear", "a toothed wheel with a bore, its axis along z"},
          8000,
          [](int n, int seed) { return mesh_implicit(shapes::gear(seed), n); }},
    Shape{{"bumpy", "a ball with knobs and dents, another one for each seed"},
          5000,
          [](int n, int seed) { return mesh_implicit(shapes::bumpy(seed), n); }},
    Shape{{"armadillo", "a bumpy creature with limbs, tail, snout and ears"},
          10000,
          [](int n, int seed) { return mesh_implicit(shapes::armadillo(seed), n); }},
};

constexpr auto names = [] {
    std::array<ShapeName, table.size()> all{};
    for (std::size_t i = 0; i < table.size(); ++i) all[i] = table[i].name;
    return all;
}();

const Shape* find(std::string_view name) {
    for (const Shape& shape : table)
        if (shape.name.name == name) return &shape;
    return nullptr;
}

Error unknown_shape(const std::string& name) {
    std::array<std::string_view, table.size()> known;
    for (std::size_t i = 0; i < table.size(); ++i) known[i] = table[i].name.name;
    std::string cure = did_you_mean(name, known);
    if (cure.empty()) {
        cure = "known are";
        for (const std::string_view word : known)
            cure += fmt::format("{} {}", word == known[0] ? "" : ",", word);
    }
    return Error({.problem = fmt::format("there is no shape \"{:.64}\"", name), .cure = cure});
}

/// The mesh with its bounding box centred on the origin and `size` long.
Mesh fitted(const Mesh& mesh, double size) {
    const Box3 box = mesh.bounds();
    const double scale = size / max_component(box.size());
    return mesh.transformed({-scale * box.centre()}, scale);
}

}  // namespace

void describe(FieldVisitor& v, GenerateSettings& s) {
    v.field({.key = "shape", .text = "the name of the shape", .required = true}, s.shape);
    v.field(
        {.key = "triangles",
         .text =
             "about how many triangles (figures, from the bear on: exactly, if even and 200 or more); 0 for "
             "the shape's own number",
         .min = 0,
         .max = shapes::max_triangles},
        s.triangles);
    v.field({.key = "size",
             .unit = "m",
             .text = "the longest side of the bounding box",
             .min = 0,
             .max = 1e6,
             .min_excluded = true},
            s.size);
    v.field({.key = "seed", .text = "chooses among shapes with something random in them", .min = 0}, s.seed);
}

std::span<const ShapeName> shape_names() {
    return names;
}

Result<Mesh> generate(const GenerateSettings& settings) {
    const Shape* shape = find(settings.shape);
    if (!shape) return unknown_shape(settings.shape);
    if (!shapes::positive(settings.size))
        return Error({.place = "size",
                      .problem = fmt::format("{} m is not a size", settings.size),
                      .cure = "give a length above 0 m"});
    try {
        return fitted(
            shape->make(settings.triangles == 0 ? shape->triangles : settings.triangles, settings.seed),
            settings.size);
    } catch (const Error& error) {
        return error;
    }
}

}  // namespace plush
