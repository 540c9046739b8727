#include "scene/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "contact/volume/volume_contact.hpp"
#include "geometry/mesh/topology.hpp"
#include "world/reading.hpp"

namespace plush {
namespace {

constexpr std::size_t max_told = 4;      // warnings of one kind; the others are counted
constexpr std::size_t max_groups = 200;  // of bodies of one name
constexpr double large = 20;             // m: a mesh this long was probably drawn in millimetres
constexpr double many_parts = 50;        // substeps of a step
constexpr double coarse = 1.5;           // edges of a skin by those of its tets

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

struct Group {
    std::string name{};
    std::vector<BodyId> bodies{};
    bool thin = false, moves = false, deformable = false;
};

std::vector<Group> groups_of(const World& world) {
    std::vector<Group> groups;
    std::map<std::pair<std::string, BodyKind>, std::size_t> known;
    for (const BodyId body : world.bodies()) {
        const BodyKind kind = world.kind(body);
        const auto [at, fresh] = known.try_emplace({group_name(world, body), kind}, groups.size());
        if (fresh)
            groups.push_back({.name = group_name(world, body),
                              .thin = is_thin(world, body),
                              .moves = kind != BodyKind::fixed && kind != BodyKind::scripted,
                              .deformable = kind == BodyKind::deformable});
        groups[at->second].bodies.push_back(body);
    }
    return groups;
}

/// How two bodies touch, in words.
PairAdvice advice_of(const World& world, const Group& a, const Group& b, BodyId i, BodyId j) {
    PairAdvice advice{.a = a.name, .b = b.name};
    const ContactMethod method = world.pair_method(i, j);
    for (const Choice& choice : contact_method_choices())
        if (choice.value == static_cast<int>(method)) advice.how = choice.word;
    const bool tets = world.settings().contact.tets.method != TetContactMethod::none;
    if (method == ContactMethod::none) return advice;
    if (a.thin && b.thin) {
        advice.how = "nothing", advice.touch = false;
    } else if (vertices_touch_by_rows(world, i, j)) {
        advice.how = "vertices by rows";
    } else if (method == ContactMethod::points && (a.deformable || b.deformable)) {
        if (tets && !a.thin && !b.thin)
            advice.how = "tets";
        else
            advice.how = "vertices by forces";
    }
    return advice;
}

void add_pairs(const World& world, const Group& a, const Group& b, bool same, std::vector<PairAdvice>& out) {
    const auto n = static_cast<long long>(a.bodies.size()), m = static_cast<long long>(b.bodies.size());
    const long long pairs = same ? n * (n - 1) / 2 : n * m;
    if (pairs == 0 || (!a.moves && !b.moves)) return;
    const BodyId i = a.bodies.front(), j = same ? b.bodies[1] : b.bodies.front();
    if (!world.may_collide(i, j)) return;
    PairAdvice advice = advice_of(world, a, b, i, j);
    advice.pairs = pairs, advice.sampled = pairs > 1;
    out.push_back(std::move(advice));
}

/// Adds warnings of one kind, the first few whole and a number for the others.
void tell(std::vector<Error>& out, const std::vector<Error>& found, const char* what) {
    for (std::size_t k = 0; k < std::min(found.size(), max_told); ++k) out.push_back(found[k]);
    if (found.size() > max_told)
        out.push_back(Error({.place = "bodies",
                             .problem = fmt::format("{} more {}", found.size() - max_told, what),
                             .cure = found.front().cure()}));
}

std::string called(const World& world, BodyId id) {
    return world.name(id).empty() ? fmt::format("body {}", id.index) : fmt::format("\"{}\"", world.name(id));
}

Box3 box_of(const World& world, BodyId body) {
    Box3 box;
    if (world.kind(body) == BodyKind::deformable)
        for (const Vec3& p : world.drawn_positions(body)) box.add(p);
    else if (world.kind(body) != BodyKind::particles && world.shape(body).bounded())
        box = world.shape(body).bounds();
    return box;
}

double mean_edge(std::span<const Vec3> x, std::span<const Triangle> triangles) {
    double sum = 0;
    for (const Triangle& t : triangles)
        for (std::size_t c = 0; c < 3; ++c)
            sum += norm(x[static_cast<std::size_t>(t[c])] - x[static_cast<std::size_t>(t[(c + 1) % 3])]);
    return triangles.empty() ? 0 : sum / (3 * static_cast<double>(triangles.size()));
}

/// What is wrong with one body, by kind of warning.
struct BodyAdvice {
    std::vector<Error> huge{}, fast{}, stiff{}, coarse_skin{};

    void look_at(const World& world, BodyId body) {
        const double h = world.settings().step;
        const Box3 box = box_of(world, body);
        const double size = max_component(box.size());
        const bool moves = world.kind(body) == BodyKind::rigid || world.kind(body) == BodyKind::deformable;
        if (moves && size > large)
            huge.push_back(Error(
                {.place = "bodies",
                 .problem =
                     fmt::format("{} is {:.4g} m long: are these millimetres?", called(world, body), size),
                 .cure = "say \"import\": { \"unit\": \"mm\" } beside its mesh, or \"size\": of a shape"}));
        if (moves && size > 0) {
            const double way = norm(world.velocity(body)) * h;
            const double thin = world.kind(body) == BodyKind::rigid
                                    ? world.shape(body).thickness()
                                    : 0.5 * std::min({box.size().x, box.size().y, box.size().z});
            if (way > 2 * thin && thin > 0)
                fast.push_back(Error(
                    {.place = "bodies",
                     .problem = fmt::format("{} moves {:.3g} m in a step, and is {:.3g} m thick: it may pass "
                                            "through what it meets",
                                            called(world, body), way, 2 * thin),
                     .cure =
                         fmt::format("take a step below {:.2g} s", 2 * thin / norm(world.velocity(body)))}));
        }
        if (world.kind(body) != BodyKind::deformable) return;
        const double parts = h / world.largest_stable_step(body);
        if (parts > many_parts)
            stiff.push_back(Error(
                {.place = "bodies",
                 .problem = fmt::format("{} is so stiff that its integrator cuts every step into {:.0f}",
                                        called(world, body), std::ceil(parts)),
                 .cure = "take integrator implicit_euler or bdf2, or a softer or heavier body"}));
        const auto tets = world.tets(body);
        const auto skin = world.drawn_surface(body), faces = world.surface(body);
        if (tets.empty() || skin.size() == faces.size()) return;
        const double of_skin = mean_edge(world.drawn_positions(body), skin),
                     of_tets = mean_edge(world.vertex_positions(body), faces);
        if (of_skin > coarse * of_tets)
            coarse_skin.push_back(
                Error({.place = "bodies",
                       .problem = fmt::format(
                           "the skin of {} has edges of {:.3g} m, those of its tets are {:.3g} m: contact "
                           "refines it, pictures do not",
                           called(world, body), of_skin, of_tets),
                       .cure = "say \"subdivide\": 1 or more beside its mesh, more \"triangles\" of a shape, "
                               "or fewer tets"}));
    }
};

}  // namespace

std::vector<PairAdvice> pair_advice(const World& world) {
    std::vector<PairAdvice> out;
    const std::vector<Group> groups = groups_of(world);
    const std::size_t n = std::min(groups.size(), max_groups);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i; j < n; ++j) add_pairs(world, groups[i], groups[j], i == j, out);
    return out;
}

std::vector<Error> run_advice(const World& world) {
    std::vector<Error> out, apart;
    for (const PairAdvice& pair : pair_advice(world)) {
        if (pair.touch) continue;
        apart.push_back(
            Error({.place = "bodies",
                   .problem = fmt::format(
                       "{} and {} pass through each other: thin bodies (cloth, rope, particles) do not "
                       "touch one another yet",
                       pair.a, pair.a == pair.b ? "its copies" : pair.b),
                   .cure = "keep them apart, or say \"collides_with\" so that it is meant"}));
    }
    tell(out, apart, "pairs of thin bodies pass through each other");
    BodyAdvice bodies;
    for (const BodyId body : world.bodies()) bodies.look_at(world, body);
    tell(out, bodies.huge, "bodies are as large");
    tell(out, bodies.fast, "bodies are as fast");
    tell(out, bodies.stiff, "bodies are as stiff");
    tell(out, bodies.coarse_skin, "skins are as coarse");
    return out;
}

}  // namespace plush
