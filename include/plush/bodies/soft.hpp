#pragma once

#include <memory>

#include "plush/bodies/elastic.hpp"
#include "plush/geometry/tetrahedralise.hpp"

namespace plush {

/// Tets, and the detailed surface embedded in them: what a soft body is made of before it has a material. Made
/// once, shared by copies and by all bodies that are given it.
class PLUSH_API SoftSolid {
public:
    SoftSolid();
    /// The tets themselves are the body.
    explicit SoftSolid(TetMesh tets);
    /// Fills a closed surface and embeds it. Throws an Error.
    static SoftSolid fill(const Mesh& surface, const TetSettings& settings = {});
    static Result<SoftSolid> try_fill(const Mesh& surface, const TetSettings& settings = {});
    /// A closed surface in tets that are given.
    static Result<SoftSolid> try_embed(const Mesh& surface, const TetMesh& tets);

    bool empty() const;
    const TetMesh& tets() const;
    const Mesh& skin() const;  ///< empty where the tets are the body
    /// The part of each tet's volume that is inside the skin; empty: all of it.
    std::span<const double> shares() const;

    struct Data;
    const Data& data() const { return *data_; }
    static SoftSolid of_data(std::shared_ptr<const Data> data);  ///< not null

private:
    std::shared_ptr<const Data> data_;
};

/// An elastic body. `masses` of Deformable does not count with a skin.
struct Soft : Deformable {
    /// A closed surface: filled with tets as SoftSolid::fill() does by itself, once for all bodies of a world
    /// that have this mesh. Instead of a solid.
    Mesh mesh{};
    SoftSolid solid{};
    ElasticMaterial elastic{};
    std::vector<ElasticRegion> regions{};
    std::optional<double> mass{};  ///< kg in all, instead of the densities
    /// Tets that are partly outside of the skin have the mass and the stiffness of the part inside; false:
    /// tets count as they are.
    bool by_skin = true;
    double pressure = 0;  ///< from inside, on the skin or the outer faces, Pa
};
/// All but the regions. "static" stands for the integrator quasi_static.
PLUSH_API void describe(FieldVisitor& v, Soft& s);

}  // namespace plush
