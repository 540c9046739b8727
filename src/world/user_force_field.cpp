#include "world/user_force_field.hpp"

#include <fmt/format.h>

namespace plush {

void UserForceField::add_forces(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                                const Parallel&) {
    forces_.assign(x.size(), {});
    function_(x, v, time_, forces_);
    for (std::size_t i = 0; i < f.size(); ++i) {
        if (!is_finite(forces_[i]))
            throw Error({.place = fmt::format("force field, vertex {}", i),
                         .problem = "it gave a force that is not finite",
                         .cure = "look at what the function divides by"});
        f[i] += forces_[i];
    }
}

}  // namespace plush
