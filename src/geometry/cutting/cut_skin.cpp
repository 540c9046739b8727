#include "geometry/cutting/cut_skin.hpp"

#include <algorithm>

#include "geometry/cutting/skin_layer.hpp"
#include "geometry/cutting/skin_slit.hpp"
#include "geometry/cutting/skin_turn.hpp"
#include "geometry/mesh/topology.hpp"

namespace plush {
namespace {

using Index = std::uint32_t;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

}  // namespace

CutSkin::CutSkin(const Mesh& skin, const Embedding& weights, const TetMesh& tets)
    : triangles_(skin.triangles().begin(), skin.triangles().end()) {
    std::vector<std::pair<Tet, Index>> known;
    for (Index t = 0; t < tets.tets().size(); ++t) known.emplace_back(tets.tets()[t], t);
    std::sort(known.begin(), known.end());
    for (std::size_t p = 0; p < weights.size(); ++p) {
        Tet tet{};
        SkinVertex vertex;
        const auto row = weights.row(p);
        for (std::size_t k = 0; k < 4 && k < row.size(); ++k)
            tet[k] = static_cast<int>(row[k].vertex), vertex.weight[k] = row[k].weight;
        const auto place = std::lower_bound(known.begin(), known.end(), std::pair{tet, Index{0}});
        if (place != known.end() && place->first == tet) vertex.cell = place->second;
        vertices_.push_back(vertex);
    }
}

std::vector<Vec3> CutSkin::positions(const CutSolid& solid, std::span<const Vec3> x) const {
    std::vector<Vec3> y;
    y.reserve(vertices_.size());
    for (const SkinVertex& v : vertices_) y.push_back(v.place(solid, x));
    return y;
}

Mesh CutSkin::surface(const CutSolid& solid, Embedding& weights) const {
    std::vector<std::array<Embedding::Entry, 4>> rows;
    for (const SkinVertex& v : vertices_) {
        auto& row = rows.emplace_back();
        for (std::size_t k = 0; k < 4; ++k) row[k] = {solid.cells()[v.cell].corners[k], v.weight[k]};
    }
    weights = Embedding::of_rows(rows);
    const TetMesh tets = solid.tets();
    return Mesh(positions(solid, tets.positions()), triangles_);
}

std::vector<int> CutSkin::groups(const CutSolid& solid) const {
    DisjointSets sets(solid.cells().size());
    for (const CutFace& face : solid.faces())
        if (face.cells[1] != CutFace::none)
            sets.merge(static_cast<int>(face.cells[0]), static_cast<int>(face.cells[1]));
    for (const Triangle& t : triangles_)
        for (std::size_t c = 1; c < 3; ++c)
            sets.merge(static_cast<int>(vertices_[at(t[0])].cell),
                       static_cast<int>(vertices_[at(t[c])].cell));
    std::vector<int> roots(solid.cells().size());
    for (std::size_t c = 0; c < roots.size(); ++c) roots[c] = sets.root(static_cast<int>(c));
    return roots;
}

std::size_t CutSkin::pieces(const CutSolid& solid) const {
    const std::vector<int> group = groups(solid);
    std::vector<int> used;
    for (const SkinVertex& v : vertices_) used.push_back(group[v.cell]);
    std::sort(used.begin(), used.end());
    return static_cast<std::size_t>(std::unique(used.begin(), used.end()) - used.begin());
}

bool CutSkin::sound(const CutSolid& solid) const {
    const int count = static_cast<int>(vertices_.size());
    return std::all_of(vertices_.begin(), vertices_.end(),
                       [&](const SkinVertex& v) {
                           return v.cell < solid.cells().size() &&
                                  std::all_of(v.weight.begin(), v.weight.end(),
                                              [](double w) { return std::isfinite(w); });
                       }) &&
           std::all_of(triangles_.begin(), triangles_.end(),
                       [&](const Triangle& t) {
                           return std::all_of(t.begin(), t.end(), [&](int v) { return v >= 0 && v < count; });
                       }) &&
           twins_.size() <= vertices_.size() &&
           std::all_of(twins_.begin(), twins_.end(), [&](int v) { return v >= -1 && v < count; }) &&
           std::all_of(ways_.begin(), ways_.end(),
                       [&](const SkinWay& way) { return way.sound(solid, vertices_.size()); });
}

namespace {

/// Several outcomes, one after the other.
void append(CutOutcome& all, const CutOutcome& next) {
    const auto follow = [](std::vector<Index>& parents, const std::vector<Index>& later) {
        std::vector<Index> result;
        for (const Index i : later) result.push_back(parents.empty() ? i : parents[i]);
        parents = std::move(result);
    };
    if (next.cuts == 0) return;
    all.cuts += next.cuts;
    follow(all.cell_parents, next.cell_parents);
    follow(all.vertex_parents, next.vertex_parents);
}

/// Marks what a stroke has laid its way through: it does so once.
void mark(CutStroke& stroke, std::span<const int> group, int part) {
    for (std::size_t c = 0; c < group.size(); ++c)
        if (group[c] == part) stroke.sides[c] = 0;
}

void follow(CutStroke& stroke, const CutOutcome& outcome) {
    for (std::size_t c = stroke.sides.size(); c < outcome.cell_parents.size(); ++c)
        stroke.sides.push_back(stroke.sides[outcome.cell_parents[c]]);
}

}  // namespace

/// One evaluation of a blade.
class SkinRound {
public:
    SkinRound(CutSkin& skin, CutSolid& solid, const BladeSheet& blade, std::span<const Vec3> x,
              CutStroke& stroke)
        : skin_(skin), solid_(solid), sheet_(blade), x_(x.begin(), x.end()), stroke_(stroke) {
        stroke_.sides.resize(solid_.cells().size(), CutStroke::unknown);
    }

    CutOutcome run() {
        take_over();
        for (std::size_t w = 0; w < skin_.ways_.size(); ++w)
            if (skin_.ways_[w].blade == stroke_.blade) go_on(w);
        while (begin()) {
        }
        const auto all = [](const std::vector<std::uint8_t>& bytes) {
            return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t b) { return b != 0; });
        };
        std::erase_if(skin_.ways_, [&](const SkinWay& way) { return all(way.opened) && all(way.divided); });
        return std::move(outcome_);
    }

private:
    /// Ways that a blade has left, and that this one goes along.
    void take_over() {
        for (SkinWay& way : skin_.ways_) {
            if (way.blade != SkinWay::nobody || !way.holds(solid_, sheet_, x_)) continue;
            way.blade = stroke_.blade;
            const std::vector<int> group = skin_.groups(solid_);
            std::vector<int> parts;
            for (const Index c : way.cells) parts.push_back(group[c]);
            std::sort(parts.begin(), parts.end());
            parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
            for (const int part : parts) mark(stroke_, group, part);
        }
    }

    void go_on(std::size_t w) {
        skin_.ways_[w].look(solid_, sheet_, x_);
        turn(w);
        if (skin_.ways_[w].lost(solid_, sheet_, x_)) return abandon(skin_.ways_[w]);
        const std::vector<std::uint8_t> passed = skin_.ways_[w].passed(solid_);
        if (passed == skin_.ways_[w].divided) return;
        CutSkin next = skin_;
        if (open(next, next.ways_[w], passed)) skin_ = std::move(next);
    }

    /// Lays again what is ahead of a blade that does not go along its way.
    void turn(std::size_t w) {
        skin_.ways_[w].follow(solid_, sheet_, x_);
        const auto turned = skin_.ways_[w].turned_away(solid_, sheet_, x_);
        if (!turned) return;
        CutSkin next = skin_;
        if (!SkinTurn(next, solid_, w, sheet_, x_).run(*turned)) return;
        next.ways_[w].look(solid_, sheet_, x_);
        next.ways_[w].stay(solid_, x_);
        skin_ = std::move(next);
        CutOutcome made;
        made.cuts = 1;  // the skin is another
        for (Index c = 0; c < solid_.cells().size(); ++c) made.cell_parents.push_back(c);
        for (Index v = 0; v < x_.size(); ++v) made.vertex_parents.push_back(v);
        append(outcome_, made);
    }

    /// The blade may begin another way through the part.
    void abandon(SkinWay& way) {
        way.blade = SkinWay::nobody;
        const std::vector<int> group = skin_.groups(solid_);
        std::vector<std::uint8_t> part(group.size(), 0);
        for (const Index c : way.cells) part[at(group[c])] = 1;
        for (std::size_t c = 0; c < group.size(); ++c)
            if (part[at(group[c])]) stroke_.sides[c] = CutStroke::unknown;
    }

    bool open(CutSkin& next, SkinWay& way, std::span<const std::uint8_t> passed) {
        const CutOutcome made = SkinSlit(next, solid_, way, x_).open(passed);
        if (made.cuts == 0) return false;
        std::vector<Vec3> x;
        for (const Index v : made.vertex_parents) x.push_back(x_[v]);
        x_ = std::move(x);
        follow(stroke_, made);
        append(outcome_, made);
        return true;
    }

    /// Cells of parts that this stroke has been through, or that others are on.
    std::vector<std::uint8_t> closed_cells() const {
        std::vector<std::uint8_t> closed = refused_;
        for (std::size_t c = 0; c < closed.size(); ++c)
            closed[c] = closed[c] || stroke_.sides[c] != CutStroke::unknown;
        for (const SkinWay& way : skin_.ways_)
            for (const Index c : way.cells) closed[c] = closed[c] || way.blade != SkinWay::nobody;
        return closed;
    }

    /// Lays a new way and opens it as far as the blade is. False where there is none.
    bool begin() {
        refused_.resize(solid_.cells().size(), 0);
        auto finer = skin_.refined(solid_, sheet_, x_);
        CutSkin next = finer ? std::move(*finer) : skin_;
        SkinLayer layer(next, solid_, sheet_, x_);
        for (const int part : layer.parts(closed_cells())) {
            std::optional<SkinWay> way = layer.lay(part);
            if (!way) continue;
            if (!open_first(next, std::move(*way), layer.groups(), part))
                for (std::size_t c = 0; c < layer.groups().size(); ++c)
                    if (layer.groups()[c] == part) refused_[c] = 1;
            return true;  // the others, from the skin as it is now
        }
        return false;
    }

    /// Older ways through the part that blades have left end where they are.
    bool open_first(CutSkin& next, SkinWay way, std::span<const int> group, int part) {
        std::erase_if(next.ways_, [&](const SkinWay& old) {
            return std::any_of(old.cells.begin(), old.cells.end(), [&](Index c) { return group[c] == part; });
        });
        way.blade = stroke_.blade;
        const std::vector<std::uint8_t> passed = way.passed(solid_);
        next.ways_.push_back(std::move(way));
        CutStroke before = stroke_;
        mark(stroke_, group, part);
        if (open(next, next.ways_.back(), passed)) {
            skin_ = std::move(next);
            return true;
        }
        stroke_ = std::move(before);
        return false;
    }

    CutSkin& skin_;
    CutSolid& solid_;
    CutSheet sheet_;
    std::vector<Vec3> x_;
    CutStroke& stroke_;
    std::vector<std::uint8_t> refused_;  ///< cells of parts that cannot be cut now
    CutOutcome outcome_;
};

CutOutcome CutSkin::cut(CutSolid& solid, const BladeSheet& blade, std::span<const Vec3> x,
                        CutStroke& stroke) {
    return SkinRound(*this, solid, blade, x, stroke).run();
}

void CutSkin::leave(Index blade) {
    for (SkinWay& way : ways_)
        if (way.blade == blade) way.blade = SkinWay::nobody;
}

}  // namespace plush
