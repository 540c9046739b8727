#include "world.hpp"

// Adding bodies and joints.

namespace plush::python {
namespace {

/// Arguments of a body besides its described settings.
class Extras {
public:
    Extras(const py::dict& extras, std::string kind) : extras_(extras), kind_(std::move(kind)) {}

    template <class T>
    void take(const char* key, T& value) const {
        if (!extras_.contains(key)) return;
        try {
            value = extras_[key].cast<T>();
        } catch (const py::cast_error&) {
            refuse(
                kind_ + "." + key,
                std::string("this is of the wrong type: ") + Py_TYPE(py::object(extras_[key]).ptr())->tp_name,
                "");
        }
    }
    template <class Body>
    void common(Body& body) const {
        body.material = read_settings<Material>(dict("material"), (kind_ + ".material").c_str());
        body.look = read_settings<Look>(dict("look"), (kind_ + ".look").c_str());
        take("name", body.name);
        take("groups", body.filter.groups), take("collides_with", body.filter.collides_with);
    }
    template <class Body>
    void solid(Body& body) const {
        common(body);
        take("mesh", body.mesh), take("shape", body.shape);
    }
    void masses(Deformable& body) const {
        if (!extras_.contains("masses")) return;
        const Rows rows = Rows::ensure(extras_["masses"]);
        if (!rows || rows.ndim() != 1)
            PyErr_Clear(), refuse(kind_ + ".masses", "this is not a list of numbers", "");
        body.masses.assign(rows.data(), rows.data() + rows.size());
    }
    std::vector<Vec3> points(const char* key) const {
        if (!extras_.contains(key)) return {};
        const Rows rows = Rows::ensure(extras_[key]);
        if (!rows)
            PyErr_Clear(), refuse(kind_ + "." + key, "this is not an array of rows of three numbers", "");
        return to_points(rows, (kind_ + "." + key).c_str());
    }
    py::dict dict(const char* key) const {
        return extras_.contains(key) ? py::dict(extras_[key]) : py::dict();
    }
    py::list list(const char* key) const {
        return extras_.contains(key) ? py::list(extras_[key]) : py::list();
    }
    bool has(const char* key) const { return extras_.contains(key); }

private:
    const py::dict& extras_;
    std::string kind_;
};

std::vector<Keyframe> keyframes_of(const py::list& items) {
    std::vector<Keyframe> out;
    for (const auto& item : items) {
        py::dict given = py::reinterpret_borrow<py::dict>(item).attr("copy")();
        Keyframe key;
        if (given.contains("rotation")) {
            key.rotation = given["rotation"].cast<Quat>();
            given.attr("pop")("rotation");
        }
        out.push_back(read_settings<Keyframe>(given, "Keyframe", key));
    }
    return out;
}

template <class Body>
Body deformable(const py::dict& given, const Extras& extras, const char* kind) {
    Body body = read_settings<Body>(given, kind);
    extras.common(body);
    extras.masses(body);
    return body;
}

BodyId add_solid(World& world, const std::string& kind, const py::dict& given, const Extras& extras,
                 const Placement& at) {
    if (kind == "Rigid") {
        Rigid body = read_settings<Rigid>(given, "Rigid");
        extras.solid(body), extras.take("tets", body.tets);
        return world.add(body, at);
    }
    if (kind == "Fixed") {
        Fixed body = read_settings<Fixed>(given, "Fixed");
        extras.solid(body);
        return world.add(body, at);
    }
    if (kind == "Scripted") {
        Scripted body = read_settings<Scripted>(given, "Scripted");
        extras.solid(body);
        body.keyframes = keyframes_of(extras.list("keyframes"));
        for (const auto& item : extras.list("frames")) {
            const auto pair = py::reinterpret_borrow<py::sequence>(item);
            if (py::len(pair) != 2) refuse("Scripted.frames", "one is not a pair of a time and a Mesh", "");
            body.frames.push_back({py::object(pair[0]).cast<double>(), py::object(pair[1]).cast<Mesh>()});
        }
        if (extras.has("blade")) body.blade = read_settings<Blade>(extras.dict("blade"), "Blade");
        return world.add(body);
    }
    Particles body = read_settings<Particles>(given, "Particles");
    extras.common(body);
    body.positions = extras.points("positions"), body.velocities = extras.points("velocities");
    if (extras.has("integration"))
        body.integration =
            read_settings<IntegrationSettings>(extras.dict("integration"), "Particles.integration");
    return world.add(body);
}

BodyId add_soft(World& world, const py::dict& given, const Extras& extras, const Placement& at) {
    Soft body = deformable<Soft>(given, extras, "Soft");
    extras.take("mesh", body.mesh), extras.take("solid", body.solid);
    for (const auto& region : extras.list("regions"))
        body.regions.push_back(
            read_settings<ElasticRegion>(py::reinterpret_borrow<py::dict>(region), "ElasticRegion"));
    return world.add(body, at);
}

BodyId add_springs(World& world, const std::string& kind, const py::dict& given, const Extras& extras,
                   const Placement& at) {
    if (kind == "Rope") return world.add(deformable<Rope>(given, extras, "Rope"), at);
    if (kind == "Jelly") return world.add(deformable<Jelly>(given, extras, "Jelly"), at);
    if (kind == "Cloth") {
        Cloth body = deformable<Cloth>(given, extras, "Cloth");
        extras.take("mesh", body.mesh);
        return world.add(body, at);
    }
    if (kind == "Shells") {
        Shells body = deformable<Shells>(given, extras, "Shells");
        extras.take("mesh", body.mesh);
        return world.add(body, at);
    }
    if (kind == "TetSprings") {
        TetSprings body = deformable<TetSprings>(given, extras, "TetSprings");
        extras.take("mesh", body.mesh);
        return world.add(body, at);
    }
    ShapeMatching body = deformable<ShapeMatching>(given, extras, "ShapeMatching");
    extras.take("mesh", body.mesh), extras.take("tets", body.tets), extras.take("skin", body.skin);
    extras.take("shape", body.shape);
    return world.add(body, at);
}

BodyId add(PyWorld& w, const std::string& kind, const py::dict& given, const py::dict& more,
           const Vec3& position, const Quat& rotation, const Vec3& velocity, const Vec3& angular_velocity) {
    World& world = w.change();
    const Extras extras(more, kind);
    const Placement at{position, rotation, velocity, angular_velocity};
    BodyId id;
    if (kind == "Rigid" || kind == "Fixed" || kind == "Scripted" || kind == "Particles")
        id = add_solid(world, kind, given, extras, at);
    else if (kind == "Soft")
        id = add_soft(world, given, extras, at);
    else
        id = add_springs(world, kind, given, extras, at);
    if (extras.has("surface"))
        world.set_surface(id, read_settings<SurfaceSettings>(extras.dict("surface"), "surface"));
    return id;
}

template <class Joint>
JointId add_joint_of(World& world, const py::dict& given, const char* kind, const JointEnd& a,
                     const JointEnd& b) {
    return world.add(read_settings<Joint>(given, kind), a, b);
}

JointId add_joint(PyWorld& w, const std::string& kind, const py::dict& given, BodyId a,
                  std::optional<std::uint32_t> va, BodyId b, std::optional<std::uint32_t> vb) {
    World& world = w.change();
    const JointEnd at_a(a, va), at_b = b ? JointEnd(b, vb) : JointEnd{};
    if (kind == "BallJoint") return add_joint_of<BallJoint>(world, given, "BallJoint", at_a, at_b);
    if (kind == "HingeJoint") return add_joint_of<HingeJoint>(world, given, "HingeJoint", at_a, at_b);
    if (kind == "SliderJoint") return add_joint_of<SliderJoint>(world, given, "SliderJoint", at_a, at_b);
    if (kind == "FixedJoint") return add_joint_of<FixedJoint>(world, given, "FixedJoint", at_a, at_b);
    if (kind == "DistanceJoint")
        return add_joint_of<DistanceJoint>(world, given, "DistanceJoint", at_a, at_b);
    return add_joint_of<RopeJoint>(world, given, "RopeJoint", at_a, at_b);
}

py::dict wrench(const Wrench& w) {
    py::dict out;
    out["force"] = w.force, out["torque"] = w.torque;
    return out;
}

}  // namespace

void bind_bodies(py::class_<PyWorld>& c) {
    c.def("add", &add);
    c.def("add_ground", [](PyWorld& w, double height, const py::dict& material) {
        return w.change().add_ground(height, read_settings<Material>(material, "material"));
    });
    c.def("add_cluster",
          [](PyWorld& w, BodyId body, const std::vector<std::uint32_t>& vertices, const py::dict& given) {
              w.change().add_cluster(body, vertices, read_settings<MatchSettings>(given, "add_cluster"));
          });
    c.def("remove", [](PyWorld& w, BodyId body) { w.change().remove(body); });
    c.def("cut", [](PyWorld& w, BodyId body, const py::dict& given) {
        return w.change().cut(body, read_settings<Blade>(given, "Blade"));
    });
    c.def("set_keyframes", [](PyWorld& w, BodyId body, const py::list& keyframes) {
        w.change().set_keyframes(body, keyframes_of(keyframes));
    });
}

void bind_joints(py::class_<PyWorld>& c) {
    c.def("add_joint", &add_joint);
    c.def("remove_joint", [](PyWorld& w, JointId joint) { w.change().remove(joint); });
    c.def("joints", reading(&World::joints));
    c.def("joint_gap", reading(&World::joint_gap));
    c.def("joint_position", reading(&World::joint_position));
    c.def("joint_speed", reading(&World::joint_speed));
    c.def("joint_wrench", [](PyWorld& w, JointId joint, bool smoothed) {
        return wrench(w.read().joint_wrench(joint, smoothed ? Reading::smoothed : Reading::last_step));
    });
    c.def("set_motor", [](PyWorld& w, JointId joint, const py::dict& given) {
        w.act().set_motor(joint, read_settings<JointMotor>(given, "motor"));
    });
    c.def("set_limits", [](PyWorld& w, JointId joint, const py::dict& given) {
        w.act().set_limits(joint, read_settings<JointLimits>(given, "limits"));
    });
    c.def("set_spring", [](PyWorld& w, JointId joint, const py::dict& given) {
        w.act().set_spring(joint, read_settings<JointSpring>(given, "spring"));
    });
    c.def("add_drag", [](PyWorld& w, BodyId body, const Vec3& near, const py::dict& given,
                         std::optional<Vec3> target) {
        World& world = w.change();
        const auto found = world.closest(near);
        if (!found || found->body != body)
            refuse("add_drag", "the surface of this body is not the closest to the point",
                   "give a point on its surface");
        const Drag drag = read_settings<Drag>(given, "Drag");
        return target ? world.add_drag(found->surface, drag, *target) : world.add_drag(found->surface, drag);
    });
    c.def("set_drag_target", [](PyWorld& w, DragId drag, const Vec3& target, const Vec3& velocity) {
        w.act().set_drag_target(drag, target, velocity);
    });
    c.def("remove_drag", changing(&World::remove_drag));
    c.def("drags", reading(&World::drags));
    c.def("drag_force", reading(&World::drag_force));
    c.def("drag_target", reading(&World::drag_target));
}

}  // namespace plush::python
