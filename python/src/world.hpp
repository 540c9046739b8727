#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "settings.hpp"
#include "world/world_impl.hpp"

// A world as Python holds it: who may touch it when, and the memory that arrays share with it.

namespace plush::python {

/// Memory that an array shows. While nothing has changed, it is the world's own. Before anything changes, the world gives
/// it away to `owned` and goes on with a copy: so an array shows for ever what it showed when it was taken, and taking
/// one copies nothing.
struct Lease {
    std::shared_ptr<void> owned{};
};

class PyWorld {
public:
    explicit PyWorld(World world);
    ~PyWorld();
    PyWorld(const PyWorld&) = delete;
    PyWorld& operator=(const PyWorld&) = delete;

    /// To read. Throws where another thread steps it, or from within a force field.
    World& read();
    /// To apply forces and the like, which custom forces may do within a step.
    World& act();
    /// To change it in ways that no step may see halfway.
    World& change();
    void step();
    /// f(world) as a part of a step: without the GIL, and with other threads refused.
    template <class F>
    void within_step(const F& f);

    /// An array of the world's own memory, shared until something changes.
    template <class T>
    py::array shared(std::uint64_t body, char what, std::vector<T>& values);

    /// An array of structs in the world's own memory, with their layout as a NumPy dtype.
    template <class T>
    py::object shared_rows(char what, std::vector<T>& values, const py::object& layout) {
        const std::shared_ptr<Lease> lease = lease_of(0, what, values);
        py::array array(py::reinterpret_borrow<py::dtype>(layout), {static_cast<py::ssize_t>(values.size())},
                        values.data(), keeper(lease));
        py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
        return array;
    }

    void add_custom_force(py::function force);
    void add_force_field(BodyId body, py::function force);
    /// Its Python functions, in the order of adding: forces, and force fields by body.
    bool has_functions() const { return !forces_.empty() || fields_ > 0; }
    std::unique_ptr<PyWorld> copy();

private:
    struct Entry {
        std::weak_ptr<Lease> lease;
        std::function<std::shared_ptr<void>()> give;
    };
    template <class T>
    std::shared_ptr<Lease> lease_of(std::uint64_t body, char what, std::vector<T>& values);
    void check_thread() const;
    void settle();
    void begin_step();
    void end_step() { stepping_ = false; }

    std::unique_ptr<World> world_;
    std::map<std::pair<std::uint64_t, char>, Entry> leases_;
    std::vector<py::function> forces_;
    std::size_t fields_ = 0;
    std::shared_ptr<std::atomic<int>> in_field_ = std::make_shared<std::atomic<int>>(0);
    bool stepping_ = false, in_force_ = false;
    std::thread::id stepper_{};
};

template <class F>
void PyWorld::within_step(const F& f) {
    begin_step();
    struct Done {
        PyWorld& world;
        ~Done() { world.end_step(); }
    } done{*this};
    const py::gil_scoped_release release;
    f(*world_);
}

template <class T>
std::shared_ptr<Lease> PyWorld::lease_of(std::uint64_t body, char what, std::vector<T>& values) {
    Entry& entry = leases_[{body, what}];
    std::shared_ptr<Lease> lease = entry.lease.lock();
    if (lease) return lease;
    lease = std::make_shared<Lease>();
    entry.lease = lease;
    entry.give = [&values]() -> std::shared_ptr<void> {
        auto given = std::make_shared<std::vector<T>>(std::move(values));
        values = *given;
        return given;
    };
    return lease;
}

template <class T>
py::array PyWorld::shared(std::uint64_t body, char what, std::vector<T>& values) {
    const std::shared_ptr<Lease> lease = lease_of(body, what, values);
    if constexpr (std::is_arithmetic_v<T>)
        return show(values.data(), values.size(), 0, keeper(lease));
    else
        return show(std::span<const T>(values), keeper(lease));
}

void bind_bodies(py::class_<PyWorld>& c);
void bind_joints(py::class_<PyWorld>& c);
void bind_reading(py::class_<PyWorld>& c);
void bind_acting(py::class_<PyWorld>& c);

// Functions of World for Python: with the checks of read(), act() or change() before them.
template <class R, class... A>
auto reading(R (World::*f)(A...) const) {
    return [f](PyWorld& w, std::decay_t<A>... a) -> std::decay_t<R> { return (w.read().*f)(a...); };
}
template <class R, class... A>
auto acting(R (World::*f)(A...)) {
    return [f](PyWorld& w, std::decay_t<A>... a) -> R { return (w.act().*f)(a...); };
}
template <class R, class... A>
auto changing(R (World::*f)(A...)) {
    return [f](PyWorld& w, std::decay_t<A>... a) -> R { return (w.change().*f)(a...); };
}

}  // namespace plush::python
