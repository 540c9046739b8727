#include "world.hpp"

#ifdef PLUSH_PYTHON_VIEW
#include "plush/view/view.hpp"
#endif

// plush.View and world.view(): the live page, where the viewer is built.

namespace plush::python {

#ifdef PLUSH_PYTHON_VIEW
namespace {

/// While the page is paused there is nothing to do: Python's signals are looked at so often, s.
constexpr double signals_every = 0.1;

class PyView {
public:
    PyView(PyWorld& world, int port, const std::string& name)
        : world_(world), page_(world.change(), {.port = checked(port), .name = name}) {}

    const std::string& address() const { return page_.address(); }
    void stop() { page_.stop(); }

    bool update() {
        for (;;) {
            auto turn = view::View::Turn::wait;
            world_.within_step([&](World&) { turn = page_.update_within(signals_every); });
            if (PyErr_CheckSignals() != 0) throw py::error_already_set();
            if (turn != view::View::Turn::wait) return turn == view::View::Turn::step;
        }
    }

private:
    static int checked(int port) {
        if (port < 0 || port > 65535) refuse("View.port", "it is out of range", "use 0 to 65535");
        return port;
    }
    PyWorld& world_;
    view::View page_;
};

}  // namespace
#endif

void bind_view([[maybe_unused]] py::module_& m) {
#ifdef PLUSH_PYTHON_VIEW
    py::class_<PyView>(m, "View")
        .def(py::init<PyWorld&, int, const std::string&>(), py::keep_alive<1, 2>())
        .def_property_readonly("address", &PyView::address)
        .def("update", &PyView::update)
        .def("stop", &PyView::stop);
#endif
}

}  // namespace plush::python
