#include "binding.hpp"
#include "plush/geometry/sdf.hpp"
#include "plush/geometry/shape.hpp"

// Signed distances and shapes.

namespace plush::python {
namespace {

/// A distance, held by a class that Python sees (pybind11 cannot hold a pointer to const).
struct Distance {
    Sdf sdf;
};

const char* word_of(Exactness e) {
    return e == Exactness::exact ? "exact" : e == Exactness::lower_bound ? "lower_bound" : "approximate";
}

std::vector<Sdf> parts_of(const std::vector<Distance>& parts) {
    std::vector<Sdf> out;
    for (const Distance& d : parts) out.push_back(d.sdf);
    return out;
}

void positive(const char* what, std::initializer_list<double> values) {
    for (const double v : values)
        if (!(v > 0 && std::isfinite(v)))
            refuse(what, std::to_string(v) + " is out of range", "use a number above 0 m");
}

py::tuple sample(const Distance& d, const Rows& rows) {
    const std::vector<Vec3> points = to_points(rows, "points");
    std::vector<double> values(points.size());
    std::vector<Vec3> gradients(points.size());
    {
        const py::gil_scoped_release release;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const DistanceSample s = d.sdf->sample(points[i]);
            values[i] = s.value, gradients[i] = s.gradient;
        }
    }
    return py::make_tuple(own(std::move(values)), own(std::move(gradients)));
}

py::array values(const Distance& d, const Rows& rows) {
    const std::vector<Vec3> points = to_points(rows, "points");
    std::vector<double> out(points.size());
    {
        const py::gil_scoped_release release;
        for (std::size_t i = 0; i < points.size(); ++i) out[i] = d.sdf->value(points[i]);
    }
    return own(std::move(out));
}

Vec3 direction(const char* what, const Vec3& v) {
    if (!(norm(v) > 0) || !is_finite(v)) refuse(what, "it has no direction", "use (0, 1, 0) for up");
    return v / norm(v);
}

Distance heightfield(const Vec3& origin, double cell, const Rows& heights) {
    positive("heightfield.cell", {cell});
    if (heights.ndim() != 2 || heights.shape(0) < 2 || heights.shape(1) < 2)
        refuse("heightfield.heights", "this is not an array of at least 2 by 2 heights",
               "give z by rows, x by columns");
    return {sdf::heightfield(origin, cell, static_cast<int>(heights.shape(1)),
                             static_cast<int>(heights.shape(0)),
                             {heights.data(), heights.data() + heights.size()})};
}

void bind_makers(py::class_<Distance>& c) {
    c.def_static("plane",
                 [](const Vec3& point, const Vec3& normal) {
                     return Distance{sdf::plane(point, direction("plane.normal", normal))};
                 })
        .def_static("sphere",
                    [](const Vec3& centre, double radius) {
                        positive("sphere.radius", {radius});
                        return Distance{sdf::sphere(centre, radius)};
                    })
        .def_static("cylinder",
                    [](const Vec3& point, const Vec3& axis, double radius) {
                        positive("cylinder.radius", {radius});
                        return Distance{sdf::cylinder(point, direction("cylinder.axis", axis), radius)};
                    })
        .def_static("capped_cylinder",
                    [](double radius, double half_height) {
                        positive("capped_cylinder", {radius, half_height});
                        return Distance{sdf::capped_cylinder(radius, half_height)};
                    })
        .def_static("box",
                    [](const Vec3& half_size) {
                        positive("box.half_size", {half_size.x, half_size.y, half_size.z});
                        return Distance{sdf::box(half_size)};
                    })
        .def_static("capsule",
                    [](const Vec3& a, const Vec3& b, double radius) {
                        positive("capsule.radius", {radius});
                        return Distance{sdf::capsule(a, b, radius)};
                    })
        .def_static("torus",
                    [](double ring, double tube) {
                        positive("torus", {ring, tube});
                        return Distance{sdf::torus(ring, tube)};
                    })
        .def_static("heightfield", &heightfield)
        .def_static("sampled",
                    [](const Mesh& mesh, int cells) {
                        if (cells < 4 || cells > 256)
                            refuse("sampled.cells_across", "it is out of range", "use 4 to 256");
                        return Distance{std::shared_ptr<const SignedDistance>(sdf::sampled(mesh, cells))};
                    })
        .def_static("exact", [](const Mesh& mesh) { return Distance{sdf::exact(mesh)}; });
}

}  // namespace

void bind_distances(py::module_& m) {
    py::class_<Distance> distance(m, "Distance");
    bind_makers(distance);
    distance.def("sample", &sample)
        .def("values", &values)
        .def_property_readonly("exactness", [](const Distance& d) { return word_of(d.sdf->exactness()); })
        .def_property_readonly("bounds", [](const Distance& d) { return d.sdf->bounds(); })
        .def("union",
             [](const Distance& a, const Distance& b) {
                 return Distance{sdf::union_of(parts_of({a, b}))};
             })
        .def("intersection",
             [](const Distance& a, const Distance& b) {
                 return Distance{sdf::intersection(parts_of({a, b}))};
             })
        .def("difference",
             [](const Distance& a, const Distance& b) { return Distance{sdf::difference(a.sdf, b.sdf)}; })
        .def("rounded",
             [](const Distance& a, double radius) {
                 positive("rounded.radius", {radius});
                 return Distance{sdf::rounded(a.sdf, radius)};
             })
        .def("transformed",
             [](const Distance& a, const Transform& t) { return Distance{sdf::transformed(a.sdf, t)}; });

    py::class_<Shape>(m, "Shape")
        .def_static("sphere",
                    [](double radius) { return positive("sphere.radius", {radius}), Shape::sphere(radius); })
        .def_static("box",
                    [](const Vec3& h) {
                        return positive("box.half_size", {h.x, h.y, h.z}), Shape::box(h);
                    })
        .def_static("capsule",
                    [](double r, double h) {
                        return positive("capsule", {r, h}), Shape::capsule(r, h);
                    })
        .def_static("cylinder",
                    [](double r, double h) {
                        return positive("cylinder", {r, h}), Shape::cylinder(r, h);
                    })
        .def_static("torus",
                    [](double ring, double tube) {
                        positive("torus", {ring, tube});
                        if (!(tube < ring))
                            refuse("torus.tube_radius", "the tube is as thick as the ring is wide",
                                   "make tube_radius smaller than ring_radius");
                        return Shape::torus(ring, tube);
                    })
        .def_static("half_space",
                    [](const Vec3& n) { return Shape::half_space(direction("half_space.normal", n)); })
        .def_static("mesh",
                    [](const Mesh& mesh, int cells) {
                        if (cells < 4 || cells > 256)
                            refuse("mesh.cells_across", "it is out of range", "use 4 to 256");
                        return Shape::mesh(mesh, cells);
                    })
        .def_static("distance",
                    [](const Distance& d, const Mesh& mesh) { return Shape::distance(d.sdf, mesh); })
        .def_property_readonly("name", &Shape::name)
        .def_property_readonly("bounded", &Shape::bounded)
        .def_property_readonly("bounds", &Shape::bounds)
        .def_property_readonly("thickness", &Shape::thickness)
        .def_property_readonly("drawn", [](const Shape& s) { return s.drawn(); })
        .def("mass", [](const Shape& s, double density) { return s.mass(density).value().mass; });
}

}  // namespace plush::python
