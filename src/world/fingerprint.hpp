#pragma once

#include "world/joint_store.hpp"

// What a snapshot does not hold, but must find again in the world that it is restored into: what bodies and joints are made
// of, and those settings that never change. Two worlds that were built the same way have the same fingerprints.

namespace plush {

/// Of a body as it was added.
std::uint64_t fingerprint_of(const BodyRecord& record);
/// Of the world that bodies and joints are in.
std::uint64_t fingerprint_of(const WorldSettings& settings, const BodyStore& bodies,
                             const JointStore& joints);

}  // namespace plush
