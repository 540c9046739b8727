#pragma once

#include "geometry/cutting/blade_sheet.hpp"
#include "geometry/cutting/plane_triangles.hpp"

namespace plush {

/// What closed lines on a sheet enclose, as triangles; `points` and `edges` as for a plane
/// (plane_triangles.hpp), with the points inside in space. Where the sheet bends there are edges along the
/// bend, but for bends that are nearer to one another than `spacing`.
[[nodiscard]] std::optional<PlaneTriangles> sheet_triangles(const CutSheet& sheet,
                                                            std::span<const Vec3> points,
                                                            std::span<const std::array<int, 2>> edges,
                                                            double spacing);

/// Which of some places on a sheet such lines enclose, a byte each.
[[nodiscard]] std::vector<std::uint8_t> enclosed(const CutSheet& sheet, std::span<const Vec3> points,
                                                 std::span<const std::array<int, 2>> edges,
                                                 std::span<const Vec3> places);

}  // namespace plush
