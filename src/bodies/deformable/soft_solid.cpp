#include "bodies/deformable/soft_data.hpp"
#include "geometry/mesh/skin_pieces.hpp"
#include "geometry/tets/solid_query.hpp"
#include "geometry/tets/tet_topology.hpp"

// Which part of a tet is inside of the skin: by points on a regular grid of barycentric weights, each of
// which stands for as much of the volume. With 56 points the mass of a torus in a coarse cage
// is right to 0.8 %, by test.

namespace plush {
namespace {

constexpr int divisions = 6;  // 56 points: all i + j + k ≤ 5

double share_inside(const SolidQuery& solid, const std::array<Vec3, 4>& p) {
    int inside = 0, all = 0;
    for (int i = 0; i < divisions; ++i)
        for (int j = 0; i + j < divisions; ++j)
            for (int k = 0; i + j + k < divisions; ++k) {
                const auto part = [](int n) { return (n + 0.25) / divisions; };
                const double a = part(i), b = part(j), c = part(k);
                const Vec3 point = (1 - a - b - c) * p[0] + a * p[1] + b * p[2] + c * p[3];
                inside += solid.inside(point) ? 1 : 0;
                ++all;
            }
    return static_cast<double>(inside) / all;
}

/// Of each tet, by the skin of its own piece: the cages of bodies beside each other lie in one place.
std::vector<double> shares_inside(const TetMesh& mesh, const Mesh& skin, const SkinPieces& pieces) {
    const std::vector<Vec3> positions(skin.positions().begin(), skin.positions().end());
    std::vector<SolidQuery> solids;
    for (const std::vector<Triangle>& triangles : pieces.triangles) solids.emplace_back(positions, triangles);
    if (solids.empty())
        solids.emplace_back(positions,
                            std::vector<Triangle>(skin.triangles().begin(), skin.triangles().end()));
    const std::vector<int> piece = solids.size() > 1 ? tet_pieces(mesh.tets()) : std::vector<int>();
    std::vector<double> shares;
    shares.reserve(mesh.tets().size());
    for (std::size_t k = 0; k < mesh.tets().size(); ++k) {
        const Tet& t = mesh.tets()[k];
        std::array<Vec3, 4> p;
        for (std::size_t a = 0; a < 4; ++a) p[a] = mesh.positions()[static_cast<std::size_t>(t[a])];
        shares.push_back(share_inside(solids[piece.empty() ? 0 : static_cast<std::size_t>(piece[k])], p));
    }
    return shares;
}

}  // namespace

SoftSolid::SoftSolid() : data_(std::make_shared<const Data>()) {}

SoftSolid::SoftSolid(TetMesh tets) {
    auto data = std::make_shared<Data>();
    data->tets = std::move(tets);
    data_ = std::move(data);
}

SoftSolid SoftSolid::fill(const Mesh& surface, const TetSettings& settings) {
    return try_fill(surface, settings).value();
}

Result<SoftSolid> SoftSolid::try_fill(const Mesh& surface, const TetSettings& settings) {
    auto tets = try_tetrahedralise(surface, settings);
    if (!tets) return tets.error();
    return try_embed(surface, tets.value());
}

Result<SoftSolid> SoftSolid::try_embed(const Mesh& surface, const TetMesh& tets) {
    const SkinPieces pieces = skin_pieces(surface, tets);
    auto weights = Embedding::in_tets(tets, surface.positions(), pieces.of_vertex);
    if (!weights) return weights.error();
    auto data = std::make_shared<Data>();
    data->tets = tets, data->skin = surface;
    data->weights = std::move(weights).value();
    data->shares = shares_inside(tets, surface, pieces);
    data->refined = refined_skin(surface, data->weights, tets);
    SoftSolid solid;
    solid.data_ = std::move(data);
    return solid;
}

SoftSolid SoftSolid::of_data(std::shared_ptr<const Data> data) {
    SoftSolid solid;
    solid.data_ = std::move(data);
    return solid;
}

bool SoftSolid::empty() const {
    return data_->tets.tets().empty();
}
const TetMesh& SoftSolid::tets() const {
    return data_->tets;
}
const Mesh& SoftSolid::skin() const {
    return data_->skin;
}
std::span<const double> SoftSolid::shares() const {
    return data_->shares;
}

}  // namespace plush
