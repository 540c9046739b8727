#pragma once

#include "bodies/rigid/rigid_body.hpp"

namespace plush::test {

/// Of water's density.
inline RigidBody rigid(const Shape& shape, const Placement& placement) {
    return {shape, shape.mass(1000).value(), placement, 0};
}

}  // namespace plush::test
