#include <array>

#include "plush/detect/depth.hpp"

namespace plush {

std::span<const Choice> depth_method_choices() {
    static constexpr std::array words{
        Choice{"consistent", static_cast<int>(DepthMethod::consistent),
               "from the edges that cross the other's surface, propagated inward"},
        Choice{"closest_feature", static_cast<int>(DepthMethod::closest_feature),
               "the closest point of the other's surface: a baseline, sticks when deep"},
        Choice{"vertex_normal", static_cast<int>(DepthMethod::vertex_normal),
               "back along the vertex' own normal: a baseline"},
    };
    return words;
}

std::span<const Choice> depth_normals_choices() {
    static constexpr std::array words{
        Choice{"interpolated", static_cast<int>(DepthNormals::interpolated),
               "from the vertices of the face that is crossed"},
        Choice{"face", static_cast<int>(DepthNormals::face), "that of the face that is crossed"},
    };
    return words;
}

std::span<const Choice> depth_cells_choices() {
    static constexpr std::array words{
        Choice{"dense", static_cast<int>(DepthCells::dense),
               "a sorted box of cells, or a hash where most of them would be empty"},
        Choice{"hash", static_cast<int>(DepthCells::hash), "a hash table of cells"},
    };
    return words;
}

}  // namespace plush
