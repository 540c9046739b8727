#pragma once

#include <compare>
#include <cstdint>

namespace plush {

/// Names a body of a world: an index and a generation. Zero is null; the name of a removed body is refused.
struct BodyId {
    std::uint32_t index = 0;
    std::uint32_t generation = 0;
    explicit operator bool() const { return generation != 0; }
    auto operator<=>(const BodyId&) const = default;
};
/// The name of a joint; zero is null.
struct JointId {
    std::uint32_t index = 0;
    std::uint32_t generation = 0;
    explicit operator bool() const { return generation != 0; }
    auto operator<=>(const JointId&) const = default;
};
/// The name of a drag; zero is null.
struct DragId {
    std::uint32_t index = 0;
    std::uint32_t generation = 0;
    explicit operator bool() const { return generation != 0; }
    auto operator<=>(const DragId&) const = default;
};

}  // namespace plush
