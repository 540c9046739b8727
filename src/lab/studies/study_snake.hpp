#pragma once

#include "lab/studies/study.hpp"

namespace plush::lab {

/// The scene `snake` with smaller and smaller cells, by its difference to hard contact with friction at every
/// vertex. After Allard et al. 2010, the table in Figure 7. Part of `plush study resolution`.
void snake_against_points(Report& report, const StudySettings& settings);

}  // namespace plush::lab
