#pragma once

#include "world/world_impl.hpp"

// The inside of a world, for tests of what its rows promise: contacts that are reported have no gradients.

namespace plush::testing_world {

// The names in an explicit instantiation may be private ([temp.spec]). A friend in the public header would
// be seen by every user.
struct OfWorld {};
auto inside_pointer(OfWorld);
template <class Of, auto pointer>
struct Opened {
    friend auto inside_pointer(Of) { return pointer; }
};
template struct Opened<OfWorld, &World::impl_>;

inline auto& inside(World& world) {
    return *(world.*inside_pointer(OfWorld{}));
}

}  // namespace plush::testing_world
