#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "plush/geometry/generate.hpp"
#include "plush/geometry/tetrahedralise.hpp"

namespace plush {
namespace {

TetMesh filled(const char* shape, TetMethod method, double scale) {
    GenerateSettings surface;
    surface.shape = shape, surface.triangles = 400, surface.size = 0.3 * scale;
    TetSettings settings;
    settings.nodes = 80, settings.method = method;
    return tetrahedralise(generate(surface).value(), settings);
}

// With a scale of 2ᵏ every operation of floating point is the same but for the exponent. The search for a number of nodes took roots and
// logarithms of lengths, which are not: all nodes differed by some 1e-16.
TEST(TetSimilarity, ASurfaceOfTwiceTheSizeHasTheSameTets) {
    for (const char* const shape : {"icosphere", "box"})
        for (const TetMethod method : {TetMethod::lattice, TetMethod::delaunay}) {
            const TetMesh one = filled(shape, method, 1);
            for (const int k : {-10, -7, 5}) {
                const double scale = std::ldexp(1, k);
                const TetMesh other = filled(shape, method, scale);
                ASSERT_EQ(other.positions().size(), one.positions().size());
                ASSERT_TRUE(std::equal(one.tets().begin(), one.tets().end(), other.tets().begin(),
                                       other.tets().end()));
                for (std::size_t i = 0; i < one.positions().size(); ++i)
                    ASSERT_EQ(other.positions()[i] / scale, one.positions()[i]) << shape << ", 2^" << k;
            }
        }
}

}  // namespace
}  // namespace plush
