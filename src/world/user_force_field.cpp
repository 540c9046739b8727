#include "world/user_force_field.hpp"

#include <fmt/format.h>

#include "world/world_impl.hpp"

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

void World::add_force_field(BodyId body, ForceFunction force) {
    Slot& slot = impl_->slot(body);
    if (slot.kind != BodyKind::deformable || !force)
        throw Error({.place = slot.name.empty() ? "force field" : fmt::format("body \"{}\"", slot.name),
                     .problem = force ? "only deformable bodies have force fields" : "the function is empty",
                     .cure = force ? "use add_custom_force and apply_force" : "give a function"});
    auto field = std::make_unique<UserForceField>(std::move(force));
    slot.force_fields.push_back(field.get());
    slot.deformable().add_element(std::move(field));
    impl_->touched(slot);
}

// Functions of the user are called from the user's own thread, one body after the other.
void World::Impl::guard_user_code(std::uint32_t slot, const std::function<void()>& action,
                                  const std::vector<std::byte>& before) {
    try {
        action();
    } catch (const Error& error) {
        restore(before).value();
        throw Error({.place = fmt::format("{}, {}", name_of(slots[slot]), error.place()),
                     .problem = error.problem(),
                     .cure = error.cure()});
    } catch (...) {
        restore(before).value();
        throw;
    }
}

}  // namespace plush
