#include "plush/record/run.hpp"
#include "plush/render/render.hpp"
#include "plush/scene/scene.hpp"
#include "world.hpp"

// Scenes, and runs into folders.

namespace plush::python {
namespace {

py::list errors_of(const std::vector<Error>& errors) {
    const py::object type = py::module_::import("plush._error").attr("Error");
    py::list out;
    for (const Error& e : errors) out.append(type(e.problem(), e.cure(), e.place(), e.file()));
    return out;
}

/// The scene or None, errors, warnings.
py::tuple loaded(const SceneLoad& load) {
    const py::object scene = load.scene ? py::cast(*load.scene) : py::none();
    return py::make_tuple(scene, errors_of(load.errors), errors_of(load.warnings));
}

/// Ctrl-C while C++ works: a function that is called often looks for it, stops the work, and `rethrow()` then raises it.
class Interrupt {
public:
    /// Whether to go on.
    bool check() {
        const py::gil_scoped_acquire acquire;
        if (!raised_ && PyErr_CheckSignals() != 0) raised_.emplace();
        return !raised_;
    }
    /// What a function of the user raised stops the work too.
    template <class F>
    bool guard(const F& f) {
        try {
            return f();
        } catch (py::error_already_set& error) {
            raised_.emplace(std::move(error));
            return false;
        }
    }
    void rethrow() {
        if (raised_) throw std::exchange(raised_, std::nullopt).value();
    }

private:
    std::optional<py::error_already_set> raised_{};
};

RunSettings run_settings(const py::dict& given, Interrupt& interrupt) {
    RunSettings s;
    const auto take = [&](const char* key, auto& value) {
        if (given.contains(key) && !py::object(given[key]).is_none())
            value = given[key].cast<std::decay_t<decltype(value)>>();
    };
    std::string out, verify;
    double duration = -1;
    long long steps = -1;
    take("out", out), take("verify", verify), take("duration", duration), take("steps", steps);
    take("threads", s.threads), take("frames", s.frames), take("replace", s.replace);
    take("checkpoint_every", s.checkpoint_every);
    s.out = out, s.verify = verify;
    if (duration >= 0) s.duration = duration;
    if (steps >= 0) s.steps = steps;
    py::object progress = py::none();
    if (given.contains("progress")) progress = given["progress"];
    s.progress = [progress, &interrupt](const RunProgress& p) {
        const py::gil_scoped_acquire acquire;
        if (!interrupt.check()) return false;
        if (progress.is_none()) return true;
        return interrupt.guard([&] {
            const py::object go_on = progress(p.step, p.steps, p.time, p.wall, p.contacts);
            return go_on.is_none() || go_on.cast<bool>();
        });
    };
    return s;
}

std::string run(const Scene& scene, const py::dict& given) {
    Interrupt interrupt;
    const RunSettings settings = run_settings(given, interrupt);
    const RunSummary summary = [&] {
        const py::gil_scoped_release release;
        return run_scene(scene, settings).value();
    }();
    interrupt.rethrow();
    return to_json(summary);
}

std::string resume(const std::string& folder, const py::dict& given) {
    Interrupt interrupt;
    const RunSettings settings = run_settings(given, interrupt);
    const RunSummary summary = [&] {
        const py::gil_scoped_release release;
        return resume_run(folder, settings).value();
    }();
    interrupt.rethrow();
    return to_json(summary);
}

std::string render_folder(const std::string& folder, const std::string& out, std::optional<long long> frame,
                          std::optional<long long> every, int width, int height, const std::string& camera) {
    render::RenderSettings s;
    s.out = out, s.frame = frame, s.every = every, s.width = width, s.height = height;
    s.quality = every ? render::RenderQuality::draft : render::RenderQuality::normal;
    if (!camera.empty()) s.camera = render::parse_camera(camera).value();
    Interrupt interrupt;
    s.progress = [&](const render::RenderProgress&) { return interrupt.check(); };
    const render::RenderSummary summary = [&] {
        const py::gil_scoped_release release;
        return render::render_run(folder, s).value();
    }();
    interrupt.rethrow();
    if (summary.error) throw *summary.error;
    return render::to_json(summary);
}

}  // namespace

void bind_scenes(py::module_& m) {
    py::class_<Scene>(m, "Scene")
        .def_property_readonly("name", &Scene::name)
        .def_property_readonly("description", &Scene::description)
        .def_property_readonly("duration", &Scene::duration)
        .def_property_readonly("frame_rate", &Scene::frame_rate)
        .def_property_readonly("resolved", &Scene::resolved)
        .def_property_readonly("settings", [](const Scene& s) { return settings_to_dict(s.settings()); })
        .def("build", [](const Scene& s, int threads) { return std::make_unique<PyWorld>(s.build(threads)); })
        .def("run", &run);
    m.def("load_scene",
          [](const std::string& scene, const std::vector<std::string>& set, const std::string& variant) {
              return loaded(Scene::try_load(scene, set, variant));
          });
    m.def("parse_scene", [](const std::string& text, const std::string& folder, const std::string& name,
                            const std::vector<std::string>& set, const std::string& variant) {
        return loaded(Scene::try_parse(text, folder, name, set, variant));
    });
    m.def("resume", &resume);
    m.def("render", &render_folder);
    m.def("schema", &scene_schema);
    m.def("scenes", [] {
        py::dict out;
        for (const BuiltinScene& s : builtin_scenes()) out[py::str(s.name)] = s.description;
        return out;
    });
}

}  // namespace plush::python
