#include "world.hpp"

#ifdef PLUSH_PYTHON_VIEW
#include "plush/view/view.hpp"
#endif

// world.view(): the live page, where the viewer is built.

namespace plush::python {

void bind_view([[maybe_unused]] py::module_& m) {
#ifdef PLUSH_PYTHON_VIEW
    m.def("view", [](PyWorld& w, const py::function& step, const py::function& ready, int port) {
        if (port < 0 || port > 65535) refuse("World.view.port", "it is out of range", "use 0 to 65535");
        view::View page(w.change(), {.port = port});
        ready(page.address());
        for (bool go_on = true; go_on;) {
            w.within_step([&](World&) { go_on = page.update(); });
            if (PyErr_CheckSignals() != 0) throw py::error_already_set();
            if (go_on) step();
        }
    });
#endif
}

}  // namespace plush::python
