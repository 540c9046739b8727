#pragma once

#include <array>
#include <string_view>

// Keys of scenes that have another name now. A scene with the old one is read as before, with a warning that names the new
// one; the scene file of its run has the new one.

namespace plush {

struct RenamedKey {
    std::string_view before, now;
};
inline constexpr std::array<RenamedKey, 5> renamed_keys{{{"most_cells", "max_cells"},
                                                         {"most_flow", "max_flow"},
                                                         {"most_plastic", "max_plastic"},
                                                         {"most_stretch", "max_stretch"},
                                                         {"most_substeps", "max_substeps"}}};

}  // namespace plush
