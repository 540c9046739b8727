#include "geometry/sdf/sdf_form.hpp"

#include "geometry/sdf/sdf_base.hpp"

namespace plush {
namespace {

using Kind = SdfForm::Kind;

/// The arguments of a form, one after the other.
class Arguments {
public:
    explicit Arguments(const SdfForm& form) : form_(form) {}

    double number() {
        if (next_ >= form_.numbers.size()) refuse();
        return form_.numbers[next_++];
    }
    Vec3 vector() {
        const double x = number(), y = number(), z = number();
        return {x, y, z};
    }
    int count() {
        const double n = number();
        if (!(n >= 0 && n <= 1e9 && n == std::floor(n))) refuse();
        return static_cast<int>(n);
    }
    std::vector<double> rest() {
        const auto first = form_.numbers.begin() + static_cast<std::ptrdiff_t>(next_);
        next_ = form_.numbers.size();
        return {first, form_.numbers.end()};
    }
    const Sdf& part(std::size_t i) const {
        if (i >= form_.parts.size()) refuse();
        return form_.parts[i];
    }
    [[noreturn]] static void refuse() {
        throw Error({.place = "signed distance",
                     .problem = "its arguments are not those of its kind",
                     .cure = "take a file that was not changed"});
    }

private:
    const SdfForm& form_;
    std::size_t next_ = 0;
};

}  // namespace

const SdfForm* form_of(const SignedDistance& distance) {
    const auto* known = dynamic_cast<const KnownDistance*>(&distance);
    return known ? known->form() : nullptr;
}

Sdf make_sdf(const SdfForm& form) {
    Arguments a(form);
    // One argument a line: their order of evaluation is that of the numbers.
    switch (form.kind) {
        case Kind::plane: {
            const Vec3 point = a.vector(), normal = a.vector();
            return sdf::plane(point, normal);
        }
        case Kind::sphere: {
            const Vec3 centre = a.vector();
            return sdf::sphere(centre, a.number());
        }
        case Kind::cylinder: {
            const Vec3 point = a.vector(), axis = a.vector();
            return sdf::cylinder(point, axis, a.number());
        }
        case Kind::capped_cylinder: {
            const double radius = a.number();
            return sdf::capped_cylinder(radius, a.number());
        }
        case Kind::box:
            return sdf::box(a.vector());
        case Kind::capsule: {
            const Vec3 from = a.vector(), to = a.vector();
            return sdf::capsule(from, to, a.number());
        }
        case Kind::torus: {
            const double ring = a.number();
            return sdf::torus(ring, a.number());
        }
        case Kind::heightfield: {
            const Vec3 origin = a.vector();
            const double cell = a.number();
            const int nx = a.count(), nz = a.count();
            return sdf::heightfield(origin, cell, nx, nz, a.rest());
        }
        case Kind::intersection:
            return sdf::intersection(form.parts);
        case Kind::union_of:
            return sdf::union_of(form.parts);
        case Kind::difference:
            return sdf::difference(a.part(0), a.part(1));
        case Kind::rounded:
            return sdf::rounded(a.part(0), a.number());
        case Kind::transformed: {
            const Vec3 position = a.vector();
            const double w = a.number(), x = a.number(), y = a.number(), z = a.number();
            return sdf::transformed(a.part(0), {position, {w, x, y, z}});
        }
        case Kind::sampled:
            return sdf::sampled(form.mesh, a.count());
        case Kind::exact:
            return sdf::exact(form.mesh);
    }
    Arguments::refuse();
}

}  // namespace plush
