#pragma once

#include "contact/derived.hpp"
#include "world/body_store.hpp"

namespace plush {

/// The longest side of a body's box at rest, or of what is thin less, m; HUGE_VAL where it has no bounds.
double size_of(const BodyRecord& record);

/// Of its surface law.
BodyScale scale_of(const BodyRecord& record, double gravity);

}  // namespace plush
