#include "plush/geometry/mesh.hpp"

#include <cmath>
#include <map>

#include "geometry/io/test_io_samples.hpp"

namespace plush {
namespace {

using namespace io_test;

TEST(Mesh, CopiesShareTheirDataAndMeshesMadeApartDoNot) {
    const Mesh a = corner(), copy = a, b = corner();
    EXPECT_EQ(a.identity(), copy.identity());
    EXPECT_EQ(a.positions().data(), copy.positions().data());
    EXPECT_NE(a.identity(), b.identity());
    EXPECT_NE(Mesh().identity(), a.identity());
}

TEST(Mesh, EmptyAndMovedFromMeshesAreUsable) {
    Mesh a = corner();
    const Mesh b = std::move(a);
    for (const Mesh& m : {a, Mesh()}) {  // NOLINT: the moved-from state is what this test is about
        EXPECT_TRUE(m.empty());
        EXPECT_TRUE(m.positions().empty());
        EXPECT_TRUE(m.bounds().empty());
        EXPECT_TRUE(m.transformed({}).empty());
    }
    EXPECT_FALSE(b.empty());
}

TEST(Mesh, BoundsAndTransform) {
    const Mesh m = corner();
    EXPECT_EQ(m.bounds().low, (Vec3{0, 0, 0}));
    EXPECT_EQ(m.bounds().high, (Vec3{1, 1, 1}));
    const Mesh moved = m.transformed({.position = {1, 2, 3}, .rotation = from_axis_angle({0, 0, 1}, 90)}, 2);
    // x becomes y, twice as long; 4e-16 measured.
    EXPECT_NEAR(norm(moved.positions()[1] - Vec3{1, 4, 3}), 0, 1e-14);
    EXPECT_EQ(moved.triangles().size(), 4u);
    EXPECT_NE(moved.identity(), m.identity());
}

TEST(Mesh, BadIndicesAndCoordinatesAreErrorsThatNameThem) {
    EXPECT_EQ(Mesh::try_make({{0, 0, 0}}, {{0, 0, 0}, {0, 0, 1}}).error().place(), "triangle 1");
    EXPECT_EQ(Mesh::try_make({{0, 0, 0}}, {{0, -1, 0}}).error().place(), "triangle 0");
    EXPECT_EQ(Mesh::try_make({{0, 0, 0}, {0, std::nan(""), 0}}, {}).error().place(), "vertex 1");
    EXPECT_THROW(Mesh({{HUGE_VAL, 0, 0}}, {}), Error);
    EXPECT_THROW(static_cast<void>(corner().transformed({}, HUGE_VAL)), Error);
}

TEST(TetMesh, NegativeTetsAreTurnedAndFlatOnesRefused) {
    const TetMesh mesh(corner_points, {{0, 2, 1, 3}});
    EXPECT_EQ(volume6(mesh.surface()), 1);
    std::vector<Vec3> flat = corner_points;
    flat[3] = {0.25, 0.5, 0};
    EXPECT_EQ(TetMesh::try_make(flat, {{0, 1, 2, 3}}).error().place(), "tet 0");
    // Flat but for rounding: four points of the plane x + y + z = 0.3 whose determinant is not exactly zero.
    const std::vector<Vec3> nearly{{0.1, 0.1, 0.1}, {0.3, 0, 0}, {0, 0.3, 0}, {0.7, -0.3, -0.1}};
    EXPECT_FALSE(TetMesh::try_make(nearly, {{0, 1, 2, 3}}).ok());
    EXPECT_FALSE(TetMesh::try_make(corner_points, {{0, 1, 2, 2}}).ok());
    EXPECT_EQ(TetMesh::try_make(corner_points, {{0, 1, 2, 3}, {0, 1, 2, 4}}).error().place(), "tet 1");
    EXPECT_EQ(TetMesh::try_make({{std::nan(""), 0, 0}}, {}).error().place(), "vertex 0");
    // A tiny tet is a tet.
    EXPECT_TRUE(
        TetMesh::try_make({{0, 0, 0}, {1e-9, 0, 0}, {0, 1e-9, 0}, {0, 0, 1e-9}}, {{0, 1, 2, 3}}).ok());
}

TEST(TetMesh, TheSurfaceHasTheFacesOfOneTetOnTheVerticesTheyUse) {
    // Six tets about the diagonal of the unit cube, and one vertex that none uses.
    std::vector<Vec3> p{{9, 9, 9}};
    for (int i = 0; i < 8; ++i) p.push_back({double(i & 1), double(i >> 1 & 1), double(i >> 2)});
    const TetMesh cube(p,
                       {{1, 2, 4, 8}, {1, 4, 3, 8}, {1, 3, 7, 8}, {1, 7, 5, 8}, {1, 5, 6, 8}, {1, 6, 2, 8}});
    const Mesh surface = cube.surface();
    EXPECT_EQ(surface.triangles().size(), 12u);
    EXPECT_EQ(surface.positions().size(), 8u);
    EXPECT_EQ(open_edges(surface), 0);
    EXPECT_EQ(volume6(surface), 6);
    EXPECT_TRUE(TetMesh().surface().empty());
}

/// Takes the words of choices and the numbers it is told, by key.
class Setter : public FieldVisitor {
public:
    std::map<std::string, std::string, std::less<>> words_to_set;
    std::vector<std::string> keys;

    void field(const FieldInfo& info, double& value) override {
        keys.emplace_back(info.key);
        EXPECT_EQ(info.min, 0);
        EXPECT_TRUE(info.min_excluded);
        value = 3;
    }
    void choice(const FieldInfo& info, int& value, std::span<const Choice> choices) override {
        keys.emplace_back(info.key);
        for (const Choice& c : choices)
            if (c.word == words_to_set[std::string(info.key)]) value = c.value;
    }
    void field(const FieldInfo&, bool&) override { FAIL(); }
    void field(const FieldInfo&, int&) override { FAIL(); }
    void field(const FieldInfo&, std::string&) override { FAIL(); }
    void field(const FieldInfo&, std::optional<double>&) override { FAIL(); }
    void numbers(const FieldInfo&, std::span<double>) override { FAIL(); }
    void counts(const FieldInfo&, std::span<int>) override { FAIL(); }
    void points(const FieldInfo&, std::vector<Vec3>&) override { FAIL(); }
    void words(const FieldInfo&, std::vector<std::string>&) override { FAIL(); }

protected:
    bool begin_group(const FieldInfo&) override { return false; }
    void end_group() override {}
    std::size_t begin_list(const FieldInfo&, std::size_t) override { return 0; }
    void begin_item(std::size_t) override {}
    void end_item() override {}
    void end_list() override {}
};

TEST(ImportSettings, AreDescribedByTheirWords) {
    Setter setter;
    setter.words_to_set = {{"unit", "inch"}, {"up", "z"}};
    ImportSettings s;
    describe(setter, s);
    EXPECT_EQ(setter.keys, (std::vector<std::string>{"scale", "unit", "up"}));
    EXPECT_EQ(s.scale, 3);
    EXPECT_EQ(s.unit, ImportSettings::Unit::inch);
    EXPECT_EQ(s.up, ImportSettings::UpAxis::z);
}

}  // namespace
}  // namespace plush
