#pragma once

#include <gtest/gtest.h>

#include "bodies/body.hpp"

namespace plush::test {

inline std::vector<std::byte> state_of(Body& body) {
    StateWriter writer;
    body.visit_state(writer);
    return writer.take();
}

/// Puts a state into another body, which must then hold exactly that state.
inline void restore(Body& body, const std::vector<std::byte>& state) {
    StateReader reader(state);
    body.visit_state(reader);
    ASSERT_TRUE(reader.finish().ok());
    EXPECT_EQ(state_of(body), state);
}

/// One step of free motion.
inline void step(Body& body, double h, const Vec3& gravity = {},
                 RotationMethod rotation = RotationMethod::momentum) {
    body.predict(h, gravity, rotation);
    body.correct(h, std::vector<Twist>(body.node_count()));
}

}  // namespace plush::test
