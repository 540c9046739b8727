#pragma once

#include "bodies/deformable/contact_compliance.hpp"
#include "bodies/deformable/topologies.hpp"
#include "bodies/elements/elastic_tets.hpp"
#include "plush/core/random.hpp"
#include "plush/geometry/generate.hpp"
#include "support/random.hpp"

// A small elastic body, and random rows for its contact compliance.

namespace plush::test {

inline DeformableModel elastic_box() {
    auto model =
        elastic_solid(tet_box({0.1, 0.15, 0.1}, {2, 3, 2}).value(),
                      {.young = 3e4, .poisson = 0.4, .density = 900, .stiffness_damping = 0.01}, {}, {});
    return std::move(model).value();
}

/// Each over three vertices.
inline void add_random_rows(ContactCompliance& compliance, std::size_t vertices, std::size_t rows,
                            std::uint64_t seed = 5) {
    Random random(seed);
    for (std::size_t r = 0; r < rows; ++r) {
        const auto first = static_cast<std::uint32_t>(random.uniform(0, static_cast<double>(vertices) - 3.5));
        for (std::uint32_t k = 0; k < 3; ++k) compliance.add(first + k, random_vector(random));
        compliance.end_row();
    }
}

}  // namespace plush::test
