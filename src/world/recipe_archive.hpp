#pragma once

#include "plush/core/state.hpp"
#include "world/body_recipe.hpp"

// What bodies are made of, as bytes. Settings go by their descriptions; meshes, tets, distances, shapes and solids stand where they
// occur first and are numbers after that, so that bodies which shared one share it again. What was computed from them and is cheap
// to compute again (sampled distances, mass properties) is not kept; the weights of skins are.

namespace plush {

class RecipeArchive {
public:
    /// Over a StateWriter or a StateReader.
    explicit RecipeArchive(StateVisitor& v);

    /// Throws an Error where a body is made of what no file can hold (a distance of the user's own), or where what is read makes no
    /// sense. What is read has still to pass the checks of World::add().
    void visit(BodyRecipe& recipe);
    void visit(Look& look);
    /// Settings that have one description for all.
    template <class Settings>
    void described(Settings& settings);

private:
    /// Things that are shared, in the order of their first occurrence; number 0 is nothing.
    template <class T>
    struct Table {
        std::vector<T> items = std::vector<T>(1);
        std::vector<const void*> keys = std::vector<const void*>(1);
    };
    template <class T, class Content>
    void shared(Table<T>& table, T& value, const void* key, const Content& content);
    void visit(Mesh& mesh);
    void visit(TetMesh& tets);
    void visit(Embedding& weights, std::size_t points, std::size_t vertices);
    void visit(Sdf& distance);
    void visit(Shape& shape);
    void visit(SoftSolid& solid);
    void visit(Placement& placement);
    void visit(Filter& filter);
    void visit(Keyframe& key);
    void visit(MeshFrame& frame);
    void visit(Blade& blade);
    template <class T>
    void visit(std::optional<T>& value);
    template <class T>
    void visit_list(std::vector<T>& values);
    template <class Body>
    void common(Body& body);
    template <class Solid>
    void solid_body(Solid& body);

    void settings_of(Rigid& b);
    void settings_of(Fixed& b);
    void settings_of(Scripted& b);
    void settings_of(Particles& b);
    void settings_of(Rope& b);
    void settings_of(Cloth& b);
    void settings_of(Jelly& b);
    void settings_of(Shells& b);
    void settings_of(TetSprings& b);
    void settings_of(ShapeMatching& b);
    void settings_of(Soft& b);

    StateVisitor& v_;
    const bool reads_;
    int depth_ = 0;  ///< of distances within distances
    Table<Mesh> meshes_{};
    Table<TetMesh> tets_{};
    Table<Sdf> distances_{};
    Table<Shape> shapes_{};
    Table<SoftSolid> solids_{};
};

/// What is read of a world makes no sense.
[[noreturn]] void refuse_content(const char* what);

}  // namespace plush
