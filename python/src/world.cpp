#include "world.hpp"

#include <pybind11/stl/filesystem.h>

#include <fmt/format.h>

namespace plush::python {
namespace {

/// The Python world of a World whose functions are called. Read and written with the GIL held.
std::map<const World*, PyWorld*>& worlds() {
    static std::map<const World*, PyWorld*> all;
    return all;
}

/// The answer of a force field: n × 3 numbers, added to the forces.
void take_forces(const py::object& answer, std::span<Vec3> f) {
    const Rows rows = Rows::ensure(answer);
    if (!rows || rows.ndim() != 2 || rows.shape(0) != static_cast<py::ssize_t>(f.size()) ||
        rows.shape(1) != 3) {
        PyErr_Clear();
        refuse("force field", fmt::format("it did not return an array of {} rows of three forces", f.size()),
               "return an array of the shape of x, N");
    }
    for (std::size_t i = 0; i < f.size(); ++i)
        for (std::size_t k = 0; k < 3; ++k) f[i][k] += rows.data()[3 * i + k];
}

py::array copied(std::span<const Vec3> points) {
    return own(std::vector<Vec3>(points.begin(), points.end()));
}

}  // namespace

PyWorld::PyWorld(World world) : world_(std::make_unique<World>(std::move(world))) {
    worlds()[world_.get()] = this;
}

PyWorld::~PyWorld() {
    settle();
    worlds().erase(world_.get());
}

void PyWorld::settle() {
    for (auto& [key, entry] : leases_)
        if (const auto lease = entry.lease.lock()) lease->owned = entry.give();
    leases_.clear();
}

void PyWorld::check_thread() const {
    if (stepping_ && std::this_thread::get_id() != stepper_)
        refuse("world", "another thread is stepping it",
               "wait for that thread, or give each thread a world of its own");
    if (in_field_->load() > 0 && stepping_)
        refuse("world", "a force field must not use the world", "compute the forces from x, v and t alone");
}

World& PyWorld::read() {
    check_thread();
    return *world_;
}

World& PyWorld::act() {
    check_thread();
    settle();
    return *world_;
}

World& PyWorld::change() {
    check_thread();
    if (stepping_)
        refuse("world", "it is in the middle of a step",
               "do this after the step; a custom force only applies forces");
    settle();
    return *world_;
}

void PyWorld::begin_step() {
    change();
    stepping_ = true, stepper_ = std::this_thread::get_id();
}

void PyWorld::step() {
    within_step([](World& world) { world.step(); });
}

void PyWorld::add_custom_force(py::function force) {
    World& world = change();
    forces_.push_back(std::move(force));
    if (forces_.size() > 1) return;
    world.add_custom_force([](World& w) {
        const py::gil_scoped_acquire acquire;
        PyWorld& self = *worlds().at(&w);
        struct Settled {
            PyWorld& world;
            ~Settled() { world.settle(); }
        } settled{self};
        const py::object handle = py::cast(self, py::return_value_policy::reference);
        for (const py::function& f : self.forces_) f(handle);
    });
}

void PyWorld::add_force_field(BodyId body, py::function force) {
    // The function dies with the GIL held, whoever lets go of it last.
    const std::shared_ptr<py::function> kept(new py::function(std::move(force)), [](py::function* f) {
        const py::gil_scoped_acquire acquire;
        delete f;
    });
    change().add_force_field(body, [kept, busy = in_field_](std::span<const Vec3> x, std::span<const Vec3> v,
                                                            double t, std::span<Vec3> f) {
        const py::gil_scoped_acquire acquire;
        struct Busy {
            std::atomic<int>& count;
            explicit Busy(std::atomic<int>& c) : count(c) { ++count; }
            ~Busy() { --count; }
        } guard(*busy);
        take_forces((*kept)(copied(x), copied(v), t), f);
    });
    ++fields_;
}

std::unique_ptr<PyWorld> PyWorld::copy() {
    auto made = std::make_unique<PyWorld>(change().copy());
    made->forces_ = forces_, made->fields_ = fields_, made->in_field_ = in_field_;
    return made;
}

void bind_world(py::module_& m) {
    py::class_<PyWorld> c(m, "World");
    c.def(py::init([](const py::dict& given, int threads) {
        WorldSettings settings = read_settings<WorldSettings>(given, "World");
        if (threads < 0 || threads > 4096) refuse("World.threads", "it is out of range", "use 0 to 4096");
        settings.threads = threads;
        return std::make_unique<PyWorld>(World(settings));
    }));
    c.def("step", &PyWorld::step);
    c.def("copy", &PyWorld::copy);
    c.def("add_custom_force", &PyWorld::add_custom_force);
    c.def("add_force_field", &PyWorld::add_force_field);
    c.def("has_functions", &PyWorld::has_functions);
    c.def("snapshot", [](PyWorld& w) {
        const std::vector<std::byte> bytes = w.read().snapshot();
        return py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    });
    c.def("restore", [](PyWorld& w, const py::bytes& bytes) {
        const std::string_view text = bytes;
        w.change().restore(std::as_bytes(std::span(text)));
    });
    c.def("save", [](PyWorld& w, const std::filesystem::path& file) { w.read().save(file); });
    c.def("to_bytes", [](PyWorld& w) {
        const std::vector<std::byte> bytes = w.read().to_bytes();
        return py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    });
    c.def_static("load", [](const std::filesystem::path& file, int threads) {
        return std::make_unique<PyWorld>(World::load(file, threads));
    });
    c.def_static("from_bytes", [](const py::bytes& bytes, int threads) {
        const std::string_view text = bytes;
        return std::make_unique<PyWorld>(
            World::try_from_bytes(std::as_bytes(std::span(text)), threads).value());
    });
    bind_bodies(c);
    bind_joints(c);
    bind_reading(c);
    bind_acting(c);
}

}  // namespace plush::python
