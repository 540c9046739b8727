#pragma once

#include "scene/spec.hpp"

namespace plush {

/// The mesh files that a pattern with one * means, in the order of the numbers, or else the letters, that stand for it. An Error
/// where there are none.
Result<std::vector<std::string>> files_of_pattern(const std::string& pattern);
/// All of them, read, with their times.
Result<std::vector<MeshFrame>> load_frames(const FramesSpec& spec);

}  // namespace plush
