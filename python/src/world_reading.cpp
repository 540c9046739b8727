#include "world.hpp"

// What can be read of a world: arrays that share its memory, numbers, reports, queries.

namespace plush::python {
namespace {

std::uint64_t number_of(BodyId id) {
    return static_cast<std::uint64_t>(id.generation) << 32 | id.index;
}

const BodyRecord& record_of(PyWorld& w, BodyId id) {
    return WorldAccess::parts(w.read()).bodies.at(id);
}

py::array positions(PyWorld& w, BodyId id) {
    const BodyRecord& record = record_of(w, id);
    if (record.kind == BodyKind::particles)
        return w.shared(number_of(id), 'x', record.particles().position_memory());
    require_deformable(record);
    return w.shared(number_of(id), 'x', record.deformable().position_memory());
}

py::array velocities(PyWorld& w, BodyId id) {
    const BodyRecord& record = record_of(w, id);
    if (record.kind == BodyKind::particles)
        return w.shared(number_of(id), 'v', record.particles().velocity_memory());
    require_deformable(record);
    return w.shared(number_of(id), 'v', record.deformable().velocity_memory());
}

py::array masses(PyWorld& w, BodyId id) {
    return w.shared(number_of(id), 'm', require_deformable(record_of(w, id)).mass_memory());
}

py::array surface(PyWorld& w, BodyId id) {
    return w.shared(number_of(id), 's', require_deformable(record_of(w, id)).triangle_memory());
}

py::array tets(PyWorld& w, BodyId id) {
    require_deformable(record_of(w, id));
    const TetMesh& mesh = record_of(w, id).tets;
    return show(mesh.tets(), keeper(std::make_shared<TetMesh>(mesh)));
}

py::array drawn_surface(PyWorld& w, BodyId id) {
    const BodyRecord& record = record_of(w, id);
    if (record.is_deformable() && record.parts.skin.empty()) return surface(w, id);
    const Mesh& mesh = record.is_deformable() ? record.parts.skin : w.read().drawn(id);
    return show(mesh.triangles(), keeper(std::make_shared<Mesh>(mesh)));
}

py::array drawn_positions(PyWorld& w, BodyId id) {
    const BodyRecord& record = record_of(w, id);
    if (record.kind == BodyKind::particles) return positions(w, id);
    if (!record.is_deformable()) {
        const Transform pose = w.read().pose(id);
        std::vector<Vec3> points;
        for (const Vec3& p : w.read().drawn(id).positions()) points.push_back(pose * p);
        return own(std::move(points));
    }
    return record.parts.skin.empty() ? positions(w, id) : own(w.read().drawn_positions(id));
}

/// The contacts as rows of memory and the layout of a row: NumPy makes a structured array of them.
py::object contacts(PyWorld& w, const py::object& layout) {
    WorldParts& parts = WorldAccess::parts(w.read());
    static_assert(sizeof(bool) == 1);
    return w.shared_rows('c', parts.contacts, layout);
}

py::dict contact_layout() {
    py::list names, formats, offsets;
    const auto add = [&](const char* name, const py::object& format, std::size_t offset) {
        names.append(name), formats.append(format), offsets.append(offset);
    };
    const py::object vector = py::make_tuple("<f8", py::make_tuple(3)), number = py::str("<f8"),
                     id = py::str("<u8");
    const Contact c;
    const auto at = [&](const auto& member) {
        return static_cast<std::size_t>(reinterpret_cast<const char*>(&member) -
                                        reinterpret_cast<const char*>(&c));
    };
    add("a", id, at(c.a)), add("b", id, at(c.b)), add("point", vector, at(c.point));
    add("normal", vector, at(c.normal)), add("depth", number, at(c.depth));
    add("normal_force", number, at(c.normal_force)), add("friction_force", vector, at(c.friction_force));
    add("sticking", py::str("?"), at(c.sticking)), add("id", id, at(c.id)), add("area", number, at(c.area));
    add("volume", number, at(c.volume)), add("largest_depth", number, at(c.largest_depth));
    py::dict out;
    out["names"] = names, out["formats"] = formats, out["offsets"] = offsets,
    out["itemsize"] = sizeof(Contact);
    return out;
}

py::list events(PyWorld& w) {
    static constexpr const char* words[]{"began", "ongoing", "ended"};
    py::list out;
    for (const ContactEvent& e : w.read().events())
        out.append(py::make_tuple(e.a, e.b, words[static_cast<int>(e.kind)], e.sensor));
    return out;
}

py::dict energy_of(const Energy& e) {
    py::dict out;
    out["kinetic"] = e.kinetic, out["gravity"] = e.gravity, out["elastic"] = e.elastic,
    out["total"] = e.total();
    return out;
}

py::dict convergence_of(const ConvergenceReport& c) {
    py::dict out;
    for (const ConvergenceEntry& e : convergence_entries) out[py::str(std::string(e.name))] = c.*e.count;
    out["clean"] = c.clean();
    return out;
}

py::dict report(PyWorld& w) {
    const StepReport& r = w.read().report();
    py::dict out, ledger;
    out["pairs"] = r.pairs, out["contacts"] = r.contacts, out["islands"] = r.islands;
    out["iterations"] = r.iterations, out["residual"] = r.residual, out["largest_depth"] = r.largest_depth;
    out["stabilise_passes"] = r.stabilise_passes, out["awake"] = r.awake, out["pixel"] = r.pixel;
    out["motion_iterations"] = r.motion_iterations, out["queries"] = r.queries;
    for (const LedgerEntry& e : ledger_entries) ledger[py::str(std::string(e.name))] = r.ledger.*e.value;
    out["energy"] = energy_of(r.energy), out["ledger"] = ledger;
    out["convergence"] = convergence_of(r.convergence);
    return out;
}

py::dict force_of(const ContactForce& f) {
    py::dict out;
    out["normal"] = f.normal, out["friction"] = f.friction, out["torque"] = f.torque,
    out["force"] = f.force();
    return out;
}

Reading reading_of(bool smoothed) {
    return smoothed ? Reading::smoothed : Reading::last_step;
}

void bind_arrays(py::class_<PyWorld>& c) {
    c.def("positions", &positions);
    c.def("velocities", &velocities);
    c.def("masses", &masses);
    c.def("surface", &surface);
    c.def("tets", &tets);
    c.def("drawn_surface", &drawn_surface);
    c.def("drawn_positions", &drawn_positions);
    c.def("contacts", &contacts);
    c.def_static("contact_layout", &contact_layout);
    c.def("events", &events);
    c.def("edges", [](PyWorld& w, BodyId id) {
        const auto edges = w.read().edges(id);
        return own(std::vector<std::array<int, 2>>(edges.begin(), edges.end()));
    });
}

void bind_bodies_read(py::class_<PyWorld>& c) {
    c.def("bodies", reading(&World::bodies));
    c.def("alive", reading(&World::alive));
    c.def("kind", [](PyWorld& w, BodyId id) { return std::string(to_word(w.read().kind(id))); });
    c.def("name", reading(&World::name));
    c.def("find", [](PyWorld& w, const std::string& name) { return w.read().find(name); });
    c.def("pose", reading(&World::pose));
    c.def("centre", reading(&World::centre));
    c.def("velocity", reading(&World::velocity));
    c.def("angular_velocity", reading(&World::angular_velocity));
    c.def("angular_momentum", [](PyWorld& w, BodyId id) { return w.read().angular_momentum(id); });
    c.def("mass", reading(&World::mass));
    c.def("drawn", reading(&World::drawn));
    c.def("shape", reading(&World::shape));
    c.def("radius", [](PyWorld& w, BodyId id) {
        return w.read().kind(id) == BodyKind::particles ? w.read().particle_radius(id)
                                                        : w.read().vertex_radius(id);
    });
    c.def("asleep", reading(&World::asleep));
    c.def("elastic_energy", reading(&World::elastic_energy));
    c.def("largest_strain", reading(&World::largest_strain));
    c.def("look", [](PyWorld& w, BodyId id) { return settings_to_dict(w.read().look(id)); });
    c.def("constraint_error", reading(&World::constraint_error));
    c.def("largest_stable_step", reading(&World::largest_stable_step));
    c.def("cluster_count", reading(&World::cluster_count));
    c.def("displacement", reading(&World::displacement));
    c.def("pieces", reading(&World::pieces));
    c.def("cuts", reading(&World::cuts));
}

void bind_forces_read(py::class_<PyWorld>& c) {
    c.def("contact_force", [](PyWorld& w, BodyId id, bool smoothed) {
        return force_of(w.read().contact_force(id, reading_of(smoothed)));
    });
    c.def("pair_force", [](PyWorld& w, BodyId a, BodyId b, bool smoothed) {
        return force_of(w.read().pair_force(a, b, reading_of(smoothed)));
    });
    c.def("blade_wrench", [](PyWorld& w, BodyId id, bool smoothed) {
        const Wrench wrench = w.read().blade_wrench(id, reading_of(smoothed));
        return py::make_tuple(wrench.force, wrench.torque);
    });
    c.def("energy", [](PyWorld& w) { return energy_of(w.read().energy()); });
    c.def("momentum", reading(&World::momentum));
    c.def("total_angular_momentum", [](PyWorld& w) { return std::as_const(w.read()).angular_momentum(); });
}

}  // namespace

void bind_reading(py::class_<PyWorld>& c) {
    bind_arrays(c);
    bind_bodies_read(c);
    bind_forces_read(c);
    c.def("time", reading(&World::time));
    c.def("steps", reading(&World::steps));
    c.def("report", &report);
    c.def("settings", [](PyWorld& w) { return settings_to_dict(w.read().settings()); });
    c.def("threads", [](PyWorld& w) { return w.read().settings().threads; });
    c.def("state_hash", reading(&World::state_hash));
    c.def("motion_hash", reading(&World::motion_hash));
    c.def("ray", [](PyWorld& w, const Vec3& origin, const Vec3& direction, double most) -> py::object {
        const auto hit = w.read().ray(origin, direction, most);
        if (!hit) return py::none();
        return py::make_tuple(hit->body, hit->distance, hit->point, hit->normal);
    });
    c.def("closest", [](PyWorld& w, const Vec3& point, double most) -> py::object {
        const auto found = w.read().closest(point, most);
        if (!found) return py::none();
        return py::make_tuple(found->body, found->distance, found->point);
    });
    c.def("overlapping", [](PyWorld& w, const Box3& box) { return w.read().overlapping(box); });
    c.def("may_collide", reading(&World::may_collide));
}

}  // namespace plush::python
