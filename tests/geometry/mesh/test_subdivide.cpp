#include "geometry/mesh/subdivide.hpp"

#include <gtest/gtest.h>

#include "plush/geometry/check.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/geometry/mass.hpp"
#include "support/errors.hpp"

namespace plush {
namespace {

using test::says;

// The same surface: closed, of the same volume, with four times the triangles each time.
TEST(Subdivide, KeepsTheSurface) {
    const Mesh mesh = generate({.shape = "torus", .triangles = 200, .size = 0.4}).value();
    const double volume = mass_properties(mesh, 1).value().mass;
    for (const int times : {0, 1, 2}) {
        const Mesh fine = subdivided(mesh, times).value();
        const std::size_t factor = std::size_t{1} << 2 * times;
        EXPECT_EQ(fine.triangles().size(), mesh.triangles().size() * factor);
        EXPECT_EQ(fine.positions().size(), mesh.positions().size() * factor);  // genus 1: V = F/2
        EXPECT_TRUE(check(fine).usable());
        EXPECT_NEAR(mass_properties(fine, 1).value().mass, volume, 1e-14);  // measured: 1e-17
    }
}

TEST(Subdivide, RefusesWhatNoMemoryHolds) {
    const Mesh mesh = shapes::box({1, 1, 1});
    const auto error = subdivided(mesh, 40);
    ASSERT_FALSE(error.ok());
    EXPECT_TRUE(says(error.error().cure(), "at most"));
}

}  // namespace
}  // namespace plush
