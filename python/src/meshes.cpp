#include "binding.hpp"
#include "plush/bodies/soft.hpp"
#include "plush/detect/overlap.hpp"
#include "plush/geometry/check.hpp"
#include "plush/geometry/components.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/geometry/mass.hpp"
#include "plush/geometry/tetrahedralise.hpp"
#include "settings.hpp"

// Meshes, what is made of them, and their overlap.

namespace plush::python {

std::vector<Vec3> to_points(const Rows& rows, const char* what) {
    if (rows.size() == 0) return {};
    if (rows.ndim() != 2 || rows.shape(1) != 3)
        refuse(what, "this is not an array of rows of three numbers", "give an array of the shape (n, 3)");
    std::vector<Vec3> points(static_cast<std::size_t>(rows.shape(0)));
    for (std::size_t i = 0; i < points.size(); ++i)
        points[i] = {rows.data()[3 * i], rows.data()[3 * i + 1], rows.data()[3 * i + 2]};
    return points;
}

namespace {

/// Meshes share their data: an array of it keeps a copy of the mesh.
template <class AnyMesh>
py::capsule keep_mesh(const AnyMesh& mesh) {
    return keeper(std::make_shared<AnyMesh>(mesh));
}

py::dict report_of(const Mesh& mesh) {
    const MeshReport r = check(mesh);
    py::dict out;
    const auto put = [&](const char* key, const auto& value) { out[key] = value; };
    put("vertices", r.vertices), put("triangles", r.triangles), put("components", r.components);
    put("boundary_edges", r.boundary_edges), put("nonmanifold_edges", r.nonmanifold_edges);
    put("nonmanifold_vertices", r.nonmanifold_vertices), put("misoriented_edges", r.misoriented_edges);
    put("degenerate_triangles", r.degenerate_triangles), put("duplicate_triangles", r.duplicate_triangles);
    put("unused_vertices", r.unused_vertices), put("coincident_vertices", r.coincident_vertices);
    put("self_intersections", r.self_intersections), put("closed", r.closed), put("oriented", r.oriented);
    put("outward", r.outward), put("volume", r.volume), put("area", r.area), put("genus", r.genus);
    put("usable", r.usable()), put("bounds", r.bounds);
    py::list problems;
    for (const MeshReport::Problem& p : r.problems) {
        py::dict one;
        one["where"] = p.where, one["what"] = p.what, one["fix"] = p.cure, one["fatal"] = p.fatal;
        problems.append(one);
    }
    out["problems"] = problems;
    return out;
}

py::dict mass_of(const MassProperties& m) {
    py::dict out;
    out["mass"] = m.mass, out["centre"] = m.centre;
    py::list rows;
    for (std::size_t i = 0; i < 3; ++i)
        rows.append(py::make_tuple(m.inertia(i, 0), m.inertia(i, 1), m.inertia(i, 2)));
    out["inertia"] = rows;
    return out;
}

template <class AnyMesh>
AnyMesh load(const std::string& file, const py::dict& given) {
    return AnyMesh::load(file, read_settings<ImportSettings>(given, "load"));
}

py::dict gradients_of(const std::vector<VertexGradient>& list) {
    std::vector<std::uint32_t> vertices;
    std::vector<Vec3> gradients;
    for (const VertexGradient& g : list) vertices.push_back(g.vertex), gradients.push_back(g.gradient);
    py::dict out;
    out["vertices"] = own(std::move(vertices)), out["gradients"] = own(std::move(gradients));
    return out;
}

py::dict overlap_of(const Mesh& a, const Transform& at_a, const Mesh& b, const Transform& at_b,
                    const py::dict& given) {
    OverlapReport r;
    {
        const auto settings = read_settings<OverlapSettings>(given, "overlap");
        const py::gil_scoped_release release;
        r = overlap(a, at_a, b, at_b, settings);
    }
    py::dict out;
    out["volume"] = r.volume, out["pixel"] = r.pixel, out["size"] = r.size;
    out["columns"] = r.columns, out["crossings"] = r.crossings;
    out["open_columns"] = r.open_columns, out["inverted_columns"] = r.inverted_columns;
    py::list overlaps;
    for (const Overlap& o : r.overlaps) {
        py::dict one;
        one["volume"] = o.volume, one["volumes"] = o.volumes, one["gradient"] = o.gradient;
        one["moment"] = o.moment, one["area"] = o.area, one["centre"] = o.centre, one["sides"] = o.sides;
        one["normal"] = o.normal, one["mean_depth"] = o.mean_depth, one["largest_depth"] = o.largest_depth;
        one["one_sided"] = o.one_sided, one["columns"] = o.columns, one["cell"] = o.cell;
        one["a"] = gradients_of(o.a), one["b"] = gradients_of(o.b);
        overlaps.append(one);
    }
    out["overlaps"] = overlaps;
    return out;
}

void bind_mesh(py::module_& m) {
    py::class_<Mesh>(m, "Mesh")
        .def(py::init([](const Rows& positions, const Indices& triangles) {
            return Mesh(to_points(positions, "positions"), to_indices<3>(triangles, "triangles"));
        }))
        .def(py::init<>())
        .def_static("load", &load<Mesh>)
        .def("save", [](const Mesh& mesh, const std::string& file) { mesh.save(file); })
        .def_property_readonly("positions",
                               [](const Mesh& mesh) { return show(mesh.positions(), keep_mesh(mesh)); })
        .def_property_readonly("triangles",
                               [](const Mesh& mesh) { return show(mesh.triangles(), keep_mesh(mesh)); })
        .def_property_readonly("empty", &Mesh::empty)
        .def_property_readonly("bounds", &Mesh::bounds)
        .def_property_readonly("volume", [](const Mesh& mesh) { return volume(mesh); })
        .def_property_readonly("area", [](const Mesh& mesh) { return area(mesh); })
        .def("transformed", &Mesh::transformed)
        .def("same", [](const Mesh& a, const Mesh& b) { return a.identity() == b.identity(); })
        .def("check", &report_of)
        .def("repair",
             [](const Mesh& mesh, const py::dict& given) {
                 Repair r = repair(mesh, read_settings<RepairSettings>(given, "repair"));
                 return py::make_tuple(r.mesh, r.actions);
             })
        .def("components", [](const Mesh& mesh, bool join) { return split_components(mesh, join); })
        .def("mass_properties", [](const Mesh& mesh, double density) {
            return mass_of(mass_properties(mesh, density).value());
        });
    py::class_<TetMesh>(m, "TetMesh")
        .def(py::init([](const Rows& positions, const Indices& tets) {
            return TetMesh(to_points(positions, "positions"), to_indices<4>(tets, "tets"));
        }))
        .def(py::init<>())
        .def_static("load", &load<TetMesh>)
        .def("save", [](const TetMesh& mesh, const std::string& file) { mesh.save(file); })
        .def_property_readonly("positions",
                               [](const TetMesh& mesh) { return show(mesh.positions(), keep_mesh(mesh)); })
        .def_property_readonly("tets", [](const TetMesh& mesh) { return show(mesh.tets(), keep_mesh(mesh)); })
        .def("surface", &TetMesh::surface);
    py::class_<SoftSolid>(m, "SoftSolid")
        .def(py::init<TetMesh>())
        .def_static("fill",
                    [](const Mesh& mesh, const py::dict& given) {
                        const auto settings = read_settings<TetSettings>(given, "SoftSolid.fill");
                        const py::gil_scoped_release release;
                        return SoftSolid::fill(mesh, settings);
                    })
        .def_static("embed", [](const Mesh& mesh,
                                const TetMesh& tets) { return SoftSolid::try_embed(mesh, tets).value(); })
        .def_property_readonly("tets", [](const SoftSolid& s) { return s.tets(); })
        .def_property_readonly("skin", [](const SoftSolid& s) { return s.skin(); });
}

}  // namespace

void bind_meshes(py::module_& m) {
    bind_mesh(m);
    m.def("generate", [](const py::dict& given) {
        const auto settings = read_settings<GenerateSettings>(given, "generate");
        const py::gil_scoped_release release;
        return generate(settings).value();
    });
    m.def("shape_names", [] {
        py::dict names;
        for (const ShapeName& shape : shape_names())
            names[py::str(std::string(shape.name))] = std::string(shape.text);
        return names;
    });
    m.def("tet_box", [](const Vec3& half_size, const std::array<int, 3>& cells) {
        return tet_box(half_size, cells).value();
    });
    m.def("tet_ball", [](double radius) { return tet_ball(radius).value(); });
    m.def("tetrahedralise", [](const Mesh& mesh, const py::dict& given) {
        const auto settings = read_settings<TetSettings>(given, "tetrahedralise");
        const py::gil_scoped_release release;
        return tetrahedralise(mesh, settings);
    });
    m.def("overlap", &overlap_of);
    m.def("self_overlap", [](const Mesh& mesh, const py::dict& given) {
        return try_self_overlap(mesh, read_settings<OverlapSettings>(given, "self_overlap")).value().volume;
    });
}

}  // namespace plush::python
