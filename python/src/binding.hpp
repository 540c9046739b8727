#pragma once

#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <filesystem>
#include <memory>
#include <span>

#include "plush/core/error.hpp"
#include "plush/geometry/mesh.hpp"
#include "plush/world/ids.hpp"

// What all sources of the module share: how small types cross the border, and arrays that show memory of C++.
//
// The module _plush is thin: it hands over settings, arrays and numbers. What a user sees of Plush is written in Python
// (python/plush), on top of it.

namespace py = pybind11;

namespace plush::python {

void bind_settings(py::module_& m);
void bind_meshes(py::module_& m);
void bind_distances(py::module_& m);
void bind_world(py::module_& m);
void bind_scenes(py::module_& m);
void bind_records(py::module_& m);
void bind_view(py::module_& m);  ///< where the viewer is built

[[noreturn]] inline void refuse(std::string place, std::string problem, std::string cure) {
    throw Error({.place = std::move(place), .problem = std::move(problem), .cure = std::move(cure)});
}

/// A read-only array of rows × columns numbers at `data`, which `owner` keeps alive.
template <class Number>
py::array show(const Number* data, std::size_t rows, std::size_t columns, py::object owner) {
    std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(rows)};
    if (columns > 0) shape.push_back(static_cast<py::ssize_t>(columns));
    py::array array(py::dtype::of<Number>(), shape, data, owner);
    py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
    return array;
}
/// What keeps memory alive for arrays.
template <class T>
py::capsule keeper(std::shared_ptr<T> owner) {
    return py::capsule(new std::shared_ptr<T>(std::move(owner)),
                       [](void* p) { delete static_cast<std::shared_ptr<T>*>(p); });
}

inline py::array show(std::span<const Vec3> points, py::object owner) {
    return show(reinterpret_cast<const double*>(points.data()), points.size(), 3, std::move(owner));
}
template <std::size_t N>
py::array show(std::span<const std::array<int, N>> rows, py::object owner) {
    return show(reinterpret_cast<const int*>(rows.data()), rows.size(), N, std::move(owner));
}
/// An array of its own.
template <class T>
py::array own(std::vector<T> values) {
    auto kept = std::make_shared<std::vector<T>>(std::move(values));
    const std::span<const T> shown(*kept);
    if constexpr (std::is_arithmetic_v<T>)
        return show(shown.data(), shown.size(), 0, keeper(kept));
    else
        return show(shown, keeper(kept));
}

using Rows = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Indices = py::array_t<int, py::array::c_style | py::array::forcecast>;

/// An array of n × 3 numbers as points.
std::vector<Vec3> to_points(const Rows& rows, const char* what);
template <std::size_t N>
std::vector<std::array<int, N>> to_indices(const Indices& rows, const char* what) {
    if (rows.ndim() != 2 || rows.shape(1) != static_cast<py::ssize_t>(N))
        refuse(what, "this is not an array of rows of " + std::to_string(N) + " whole numbers", "");
    std::vector<std::array<int, N>> out(static_cast<std::size_t>(rows.shape(0)));
    std::copy(rows.data(), rows.data() + rows.size(), reinterpret_cast<int*>(out.data()));
    return out;
}

}  // namespace plush::python

namespace pybind11::detail {

/// Three numbers: a list, a tuple or an array; given back as an array.
template <>
struct type_caster<plush::Vec3> {
    PYBIND11_TYPE_CASTER(plush::Vec3, const_name("numpy.ndarray"));
    bool load(handle source, bool) {
        if (!source || isinstance<str>(source) || !PySequence_Check(source.ptr())) return false;
        if (PySequence_Size(source.ptr()) != 3) return PyErr_Clear(), false;
        for (std::size_t i = 0; i < 3; ++i) {
            const object item =
                reinterpret_steal<object>(PySequence_GetItem(source.ptr(), static_cast<Py_ssize_t>(i)));
            if (!item) return PyErr_Clear(), false;
            value[i] = PyFloat_AsDouble(item.ptr());
            if (PyErr_Occurred()) return PyErr_Clear(), false;
        }
        return true;
    }
    static handle cast(const plush::Vec3& v, return_value_policy, handle) {
        return array_t<double>(3, &v.x).release();
    }
};

/// A rotation as w, x, y, z.
template <>
struct type_caster<plush::Quat> {
    PYBIND11_TYPE_CASTER(plush::Quat, const_name("numpy.ndarray"));
    bool load(handle source, bool) {
        if (!source || isinstance<str>(source) || !PySequence_Check(source.ptr())) return false;
        if (PySequence_Size(source.ptr()) != 4) return PyErr_Clear(), false;
        double* const out[]{&value.w, &value.x, &value.y, &value.z};
        for (std::size_t i = 0; i < 4; ++i) {
            const object item =
                reinterpret_steal<object>(PySequence_GetItem(source.ptr(), static_cast<Py_ssize_t>(i)));
            if (!item) return PyErr_Clear(), false;
            *out[i] = PyFloat_AsDouble(item.ptr());
            if (PyErr_Occurred()) return PyErr_Clear(), false;
        }
        return true;
    }
    static handle cast(const plush::Quat& q, return_value_policy, handle) {
        const double values[]{q.w, q.x, q.y, q.z};
        return array_t<double>(4, values).release();
    }
};

/// Names of bodies, joints and drags are one number: the generation above the index.
template <class Id>
struct id_caster {
    PYBIND11_TYPE_CASTER(Id, const_name("int"));
    bool load(handle source, bool) {
        if (!source || !PyLong_Check(source.ptr())) return false;
        const unsigned long long n = PyLong_AsUnsignedLongLong(source.ptr());
        if (PyErr_Occurred()) return PyErr_Clear(), false;
        value = Id{static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(n >> 32)};
        return true;
    }
    static handle cast(const Id& id, return_value_policy, handle) {
        return PyLong_FromUnsignedLongLong(static_cast<unsigned long long>(id.generation) << 32 | id.index);
    }
};
template <>
struct type_caster<plush::BodyId> : id_caster<plush::BodyId> {};
template <>
struct type_caster<plush::JointId> : id_caster<plush::JointId> {};
template <>
struct type_caster<plush::DragId> : id_caster<plush::DragId> {};

/// A box as its low and high corners.
template <>
struct type_caster<plush::Box3> {
    PYBIND11_TYPE_CASTER(plush::Box3, const_name("tuple"));
    bool load(handle source, bool convert) {
        make_caster<std::pair<plush::Vec3, plush::Vec3>> corners;
        if (!corners.load(source, convert)) return false;
        const auto [low, high] = cast_op<std::pair<plush::Vec3, plush::Vec3>>(corners);
        value = {low, high};
        return true;
    }
    static handle cast(const plush::Box3& b, return_value_policy, handle) {
        return make_tuple(b.low, b.high).release();
    }
};

/// A pose as position and rotation.
template <>
struct type_caster<plush::Transform> {
    PYBIND11_TYPE_CASTER(plush::Transform, const_name("tuple"));
    bool load(handle source, bool convert) {
        make_caster<std::pair<plush::Vec3, plush::Quat>> parts;
        if (!parts.load(source, convert)) return false;
        const auto [position, rotation] = cast_op<std::pair<plush::Vec3, plush::Quat>>(parts);
        value = {position, plush::normalised(rotation)};
        return true;
    }
    static handle cast(const plush::Transform& t, return_value_policy, handle) {
        return make_tuple(t.position, t.rotation).release();
    }
};

}  // namespace pybind11::detail
