#include "scene/body_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "geometry/mesh/topology.hpp"

namespace plush {
namespace {

constexpr std::size_t max_groups = 200;

bool is_thin(const World& world, BodyId body) {
    if (world.kind(body) == BodyKind::particles) return true;
    if (world.kind(body) != BodyKind::deformable) return false;
    const auto triangles = world.drawn_surface(body);
    if (triangles.empty()) return true;
    const EdgeTable edges(world.drawn_positions(body).size(), triangles);
    for (std::size_t e = 0; e < edges.size(); ++e)
        if (edges[e].size() == 1) return true;
    return false;
}

/// "toy" of "toy 12": copies of one body. Bodies without a name go by their kind.
std::string group_name(const World& world, BodyId body) {
    const std::string& name = world.name(body);
    if (name.empty()) return fmt::format("({})", to_word(world.kind(body)));
    const std::size_t last = name.find_last_not_of("0123456789");
    const bool copy =
        last != name.npos && last + 1 < name.size() && last > 0 && (name[last] == ' ' || name[last] == '.');
    return copy ? name.substr(0, last) : name;
}

}  // namespace

std::vector<BodyGroup> body_groups(const World& world) {
    std::vector<BodyGroup> groups;
    std::map<std::pair<std::string, BodyKind>, std::size_t> known;
    for (const BodyId body : world.bodies()) {
        const BodyKind kind = world.kind(body);
        const std::pair key{group_name(world, body), kind};
        auto at = known.find(key);
        if (at == known.end() && groups.size() == max_groups) continue;
        if (at == known.end()) {
            at = known.emplace(key, groups.size()).first;
            groups.push_back({.name = key.first,
                              .thin = is_thin(world, body),
                              .moves = kind != BodyKind::fixed && kind != BodyKind::scripted,
                              .deformable = kind == BodyKind::deformable});
        }
        groups[at->second].bodies.push_back(body);
    }
    return groups;
}

Box3 box_of(const World& world, BodyId body) {
    Box3 box;
    if (world.kind(body) == BodyKind::deformable)
        for (const Vec3& p : world.drawn_positions(body)) box.add(p);
    else if (world.kind(body) != BodyKind::particles && world.shape(body).bounded())
        box = world.shape(body).bounds();
    return box;
}

double thickness_of(const World& world, const BodyGroup& group, BodyId body) {
    if (group.thin) return 0;
    if (group.deformable) {
        const Vec3 size = box_of(world, body).size();
        return std::min({size.x, size.y, size.z});
    }
    return world.shape(body).bounded() ? 2 * world.shape(body).thickness() : HUGE_VAL;
}

}  // namespace plush
