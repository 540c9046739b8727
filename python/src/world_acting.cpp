#include "world.hpp"

// What changes a world that runs: forces, velocities, materials, filters.

namespace plush::python {
namespace {

ContactMethod method_of(const std::string& word) {
    py::dict given;
    given["method"] = word;
    return read_settings<ContactSettings>(given, "set_contact_method").method;
}

void bind_forces(py::class_<PyWorld>& c) {
    c.def("apply_force", [](PyWorld& w, BodyId id, const Vec3& force, std::optional<Vec3> point) {
        if (point)
            w.act().apply_force(id, force, *point);
        else
            w.act().apply_force(id, force);
    });
    c.def("apply_vertex_force", acting(&World::apply_vertex_force));
    c.def("apply_torque", acting(&World::apply_torque));
    c.def("apply_impulse", [](PyWorld& w, BodyId id, const Vec3& impulse, const Vec3& point) {
        w.act().apply_impulse(id, impulse, point);
    });
    c.def("smooth_forces", changing(&World::smooth_forces));
}

void bind_state(py::class_<PyWorld>& c) {
    c.def("set_pose", changing(&World::set_pose));
    c.def("set_velocity",
          [](PyWorld& w, BodyId id, const Vec3& v, const Vec3& spin) { w.act().set_velocity(id, v, spin); });
    c.def("set_vertex", changing(&World::set_vertex));
    c.def("wake", acting(&World::wake));
    c.def("sleep", changing(&World::sleep));
    c.def("pin_vertex", [](PyWorld& w, BodyId id, std::uint32_t vertex) { w.change().pin(id, vertex); });
    c.def("pin_box", [](PyWorld& w, BodyId id, const Box3& box, double until) {
        return w.change().pin(id, box, until);
    });
    c.def("attach", changing(&World::attach));
    c.def("unpin", changing(&World::unpin));
    c.def("set_wind", acting(&World::set_wind));
}

void bind_changes(py::class_<PyWorld>& c) {
    c.def("set_material", [](PyWorld& w, BodyId id, const py::dict& given) {
        w.change().set_material(id, read_settings<Material>(given, "material"));
    });
    c.def("set_friction", changing(&World::set_friction));
    c.def("set_look", [](PyWorld& w, BodyId id, const py::dict& given) {
        w.change().set_look(id, read_settings<Look>(given, "look"));
    });
    c.def("set_damping", changing(&World::set_damping));
    c.def("set_elastic", [](PyWorld& w, BodyId id, const py::dict& given) {
        w.change().set_elastic(id, read_settings<ElasticMaterial>(given, "elastic"));
    });
    c.def("set_young", changing(&World::set_young));
    c.def("set_gravity", changing(&World::set_gravity));
    c.def("set_step", changing(&World::set_step));
    c.def("set_contact", [](PyWorld& w, const py::dict& given) {
        w.change().set_contact(read_settings<ContactSettings>(given, "contact", w.read().settings().contact));
    });
    c.def("set_contact_method",
          [](PyWorld& w, const std::string& word) { w.change().set_contact_method(method_of(word)); });
    c.def("set_cells", changing(&World::set_cells));
    c.def("set_surface", [](PyWorld& w, BodyId id, const py::dict& given) {
        w.change().set_surface(id, read_settings<SurfaceSettings>(given, "surface"));
    });
}

void bind_pairs(py::class_<PyWorld>& c) {
    c.def("set_filter", [](PyWorld& w, BodyId id, unsigned groups, unsigned collides_with) {
        w.change().set_filter(id, {groups, collides_with});
    });
    c.def("set_collide", changing(&World::set_collide));
    c.def("set_pair_material", [](PyWorld& w, BodyId a, BodyId b, const py::dict& given) {
        w.change().set_pair_material(a, b, read_settings<Material>(given, "material"));
    });
    c.def("set_pair_method", [](PyWorld& w, BodyId a, BodyId b, const std::string& word) {
        w.change().set_pair_method(a, b, method_of(word));
    });
    c.def("pair_method", [](PyWorld& w, BodyId a, BodyId b) {
        const ContactMethod method = w.read().pair_method(a, b);
        for (const Choice& choice : contact_method_choices())
            if (choice.value == static_cast<int>(method)) return std::string(choice.word);
        return std::string();
    });
    c.def("allowed_depth", [](PyWorld& w, BodyId a, BodyId b) { return w.read().allowed_depth(a, b); });
    c.def("contact_margin", [](PyWorld& w, BodyId a, BodyId b) { return w.read().contact_margin(a, b); });
    c.def("sleep_speed", [](PyWorld& w, BodyId body) { return w.read().sleep_speed(body); });
}

}  // namespace

void bind_acting(py::class_<PyWorld>& c) {
    bind_forces(c);
    bind_state(c);
    bind_changes(c);
    bind_pairs(c);
}

}  // namespace plush::python
