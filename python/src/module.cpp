#include "binding.hpp"
#include "core/did_you_mean.hpp"
#include "plush/core/version.hpp"

// The extension _plush. Errors of C++ become plush.Error, which is written in Python.

PYBIND11_MODULE(_plush, m) {
    using namespace plush;
    m.attr("version") = std::string(version());
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            if (thrown) std::rethrow_exception(thrown);
        } catch (const Error& e) {
            const py::object type = py::module_::import("plush._error").attr("Error");
            const py::object error = type(e.problem(), e.cure(), e.place(), e.file());
            PyErr_SetObject(type.ptr(), error.ptr());
        }
    });
    m.def("did_you_mean", [](const std::string& word, const std::vector<std::string>& known) {
        return did_you_mean(word, std::vector<std::string_view>(known.begin(), known.end()));
    });
    python::bind_settings(m);
    python::bind_meshes(m);
    python::bind_distances(m);
    python::bind_world(m);
    python::bind_scenes(m);
    python::bind_records(m);
    python::bind_view(m);
}
