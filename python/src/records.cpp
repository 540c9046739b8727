#include "plush/record/frames.hpp"
#include "record/capture.hpp"
#include "world.hpp"

// Recorded frames: reading those of a run, and writing those of a world.

namespace plush::python {
namespace {

py::array own_floats(std::vector<Vec3f> points) {
    auto kept = std::make_shared<std::vector<Vec3f>>(std::move(points));
    return show(reinterpret_cast<const float*>(kept->data()), kept->size(), 3, keeper(kept));
}

py::array own_indices(std::vector<std::int32_t> numbers, std::size_t columns) {
    auto kept = std::make_shared<std::vector<std::int32_t>>(std::move(numbers));
    return show(kept->data(), kept->size() / columns, columns, keeper(kept));
}

py::dict header_of(const FramesHeader& h) {
    py::dict out;
    out["scene"] = h.scene, out["step"] = h.step, out["frame_rate"] = h.frame_rate,
    out["gravity"] = h.gravity;
    py::list bodies, meshes;
    for (const FrameBody& b : h.bodies) {
        py::dict body;
        body["name"] = b.name, body["kind"] = b.kind, body["mesh"] = b.mesh, body["points"] = b.points;
        body["radius"] = b.radius;
        bodies.append(body);
    }
    for (const FrameMesh& mesh : h.meshes) {
        py::dict one;
        one["positions"] = own_floats(mesh.positions), one["triangles"] = own_indices(mesh.triangles, 3);
        one["segments"] = own_indices(mesh.segments, 2);
        meshes.append(one);
    }
    out["bodies"] = bodies, out["meshes"] = meshes;
    return out;
}

py::dict frame_of(const FramesHeader& header, Frame& frame) {
    py::dict out;
    out["step"] = frame.step, out["time"] = frame.time;
    py::list poses, points;
    std::size_t pose = 0, first = 0;
    for (std::size_t b = 0; b < header.bodies.size(); ++b) {
        const auto count = static_cast<std::size_t>(frame.points_of(header, b));
        poses.append(header.bodies[b].points == 0 ? py::cast(frame.poses.at(pose++)) : py::none());
        std::vector<Vec3f> part;
        if (header.bodies[b].points > 0) {
            const auto begin = frame.points.begin() + static_cast<std::ptrdiff_t>(first);
            part.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
            first += count;
        }
        points.append(own_floats(std::move(part)));
    }
    out["poses"] = poses, out["points"] = points;
    const std::size_t n = frame.contacts.size();
    std::vector<Vec3f> at(n), normals(n), forces(n);
    std::vector<std::int32_t> pairs;
    std::vector<float> depths(n);
    for (std::size_t i = 0; i < n; ++i) {
        const FrameContact& c = frame.contacts[i];
        at[i] = c.point, normals[i] = c.normal, forces[i] = c.force, depths[i] = c.depth;
        pairs.push_back(static_cast<std::int32_t>(c.a)), pairs.push_back(static_cast<std::int32_t>(c.b));
    }
    py::dict contacts;
    contacts["point"] = own_floats(std::move(at)), contacts["normal"] = own_floats(std::move(normals));
    contacts["force"] = own_floats(std::move(forces)), contacts["bodies"] = own_indices(std::move(pairs), 2);
    contacts["depth"] = own(std::move(depths));
    out["contacts"] = contacts;
    return out;
}

/// Frames of a world whose bodies stay.
class WorldRecorder {
public:
    WorldRecorder(const std::string& file, PyWorld& w, const std::string& name, double frame_rate)
        : bodies_(w.read().bodies()),
          capture_(w.read()),
          writer_(FrameWriter::create(file, capture_.header(w.read(), name, frame_rate)).value()) {}

    void write(PyWorld& w) {
        if (w.read().bodies() != bodies_)
            refuse("record", "bodies were added or removed since the recording began",
                   "begin another recording");
        capture_.take(w.read(), frame_);
        writer_.write(frame_).value();
    }

private:
    std::vector<BodyId> bodies_;
    FrameCapture capture_;
    FrameWriter writer_;
    Frame frame_;
};

}  // namespace

void bind_records(py::module_& m) {
    py::class_<FrameReader>(m, "FrameReader")
        .def(py::init([](const std::string& file) { return FrameReader::open(file).value(); }))
        .def_property_readonly("header", [](const FrameReader& r) { return header_of(r.header()); })
        .def("__len__", &FrameReader::frames)
        .def("refresh", &FrameReader::refresh)
        .def("read", [](FrameReader& r, std::size_t k) {
            Frame frame;
            r.read(k, frame).value();
            return frame_of(r.header(), frame);
        });
    py::class_<WorldRecorder>(m, "WorldRecorder")
        .def(py::init<const std::string&, PyWorld&, const std::string&, double>())
        .def("write", &WorldRecorder::write);
}

}  // namespace plush::python
