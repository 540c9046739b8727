#include "scene/advice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "contact/volume/volume_contact.hpp"
#include "scene/body_groups.hpp"
#include "world/reading.hpp"

namespace plush {
namespace {

constexpr std::size_t max_told = 4;  // warnings of one kind; the others are counted
constexpr double large = 20;         // m: a mesh this long was probably drawn in millimetres
constexpr double many_parts = 50;    // substeps of a step
constexpr double coarse = 1.5;       // edges of a skin by those of its tets
// Volume contact leaves half a pixel of overlap, points leave allowed_depth: beyond a thirtieth of the body one sees it.
constexpr double fewest_pixels = 16;
constexpr double max_left = 1.0 / 30;

/// How two bodies touch, in words.
PairAdvice advice_of(const World& world, const BodyGroup& a, const BodyGroup& b, BodyId i, BodyId j) {
    PairAdvice advice{.a = a.name, .b = b.name};
    if (cuts(world, i, j) || cuts(world, j, i)) {
        advice.how = "cuts";
        return advice;
    }
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

bool meet(const World& world, BodyId i, BodyId j) {
    return world.may_collide(i, j) || cuts(world, i, j) || cuts(world, j, i);
}

void add_pairs(const World& world, const BodyGroup& a, const BodyGroup& b, bool same,
               std::vector<PairAdvice>& out) {
    const auto n = static_cast<long long>(a.bodies.size()), m = static_cast<long long>(b.bodies.size());
    if (same && a.deformable)
        out.push_back({.a = a.name,
                       .b = "itself",
                       .pairs = n,
                       .how = touches_itself(world, a.bodies.front()) ? "volume" : "nothing"});
    const long long pairs = same ? n * (n - 1) / 2 : n * m;
    if (pairs == 0 || (!a.moves && !b.moves)) return;
    const BodyId i = a.bodies.front(), j = same ? b.bodies[1] : b.bodies.front();
    if (!meet(world, i, j)) return;
    PairAdvice advice = advice_of(world, a, b, i, j);
    advice.pairs = pairs, advice.sampled = pairs > 1;
    out.push_back(std::move(advice));
}

double mean_edge(std::span<const Vec3> x, std::span<const Triangle> triangles) {
    double sum = 0;
    for (const Triangle& t : triangles)
        for (std::size_t c = 0; c < 3; ++c)
            sum += norm(x[static_cast<std::size_t>(t[c])] - x[static_cast<std::size_t>(t[(c + 1) % 3])]);
    return triangles.empty() ? 0 : sum / (3 * static_cast<double>(triangles.size()));
}

/// All that is odd, by kind of warning.
class Advice {
public:
    Advice(const World& world, const std::vector<std::string>& places)
        : world_(world), h_(world.settings().step), groups_(body_groups(world)) {
        // Bodies of a saved world come first, and have no place.
        const auto bodies = world.bodies();
        const std::size_t before = bodies.size() - std::min(bodies.size(), places.size());
        for (std::size_t k = 0; k < bodies.size(); ++k)
            if (k >= before) places_.emplace_back(bodies[k], places[k - before]);
    }

    std::vector<Error> run() {
        for (const PairAdvice& pair : pair_advice(world_)) look_at(pair);
        for (const BodyGroup& group : groups_)
            for (const BodyId body : group.bodies) look_at(group, body);
        std::vector<Error> out;
        tell(out, apart_, "pairs of thin bodies pass through each other");
        tell(out, huge_, "bodies are as large");
        tell(out, small_, "bodies are as small");
        tell(out, fast_, "bodies are as fast");
        tell(out, stiff_, "bodies are as stiff");
        tell(out, coarse_, "skins are as coarse");
        return out;
    }

private:
    /// Adds warnings of one kind, the first few whole and a number for the others.
    static void tell(std::vector<Error>& out, const std::vector<Error>& found, const char* what) {
        for (std::size_t k = 0; k < std::min(found.size(), max_told); ++k) out.push_back(found[k]);
        if (found.size() > max_told)
            out.push_back(Error({.place = "bodies",
                                 .problem = fmt::format("{} more {}", found.size() - max_told, what),
                                 .cure = found.front().cure()}));
    }

    std::string called(BodyId id) const {
        if (!world_.name(id).empty()) return fmt::format("\"{}\"", world_.name(id));
        return place_of(id) == "bodies" ? fmt::format("body {}", id.index) : "this body";
    }
    std::string place_of(BodyId id) const {
        const auto at =
            std::find_if(places_.begin(), places_.end(), [&](const auto& p) { return p.first == id; });
        return at == places_.end() ? "bodies" : at->second;
    }
    void add(std::vector<Error>& list, BodyId body, std::string problem, std::string cure) const {
        list.push_back(
            Error({.place = place_of(body), .problem = std::move(problem), .cure = std::move(cure)}));
    }

    void look_at(const PairAdvice& pair) {
        if (pair.touch) return;
        apart_.push_back(
            Error({.place = "bodies",
                   .problem = fmt::format(
                       "{} and {} pass through each other: thin bodies (cloth, rope, particles) do not "
                       "touch one another yet",
                       pair.a, pair.a == pair.b ? "its copies" : pair.b),
                   .cure = "keep them apart, or say \"collides_with\" so that it is meant"}));
    }

    void look_at(const BodyGroup& group, BodyId body) {
        if (!group.moves) return;
        const double size = max_component(box_of(world_, body).size());
        if (size > large)
            add(huge_, body, fmt::format("{} is {:.4g} m long: are these millimetres?", called(body), size),
                "say \"import\": { \"unit\": \"mm\" } beside its mesh, or \"size\": of a shape");
        if (size > 0 && !group.thin) look_at_smallness(group, body, size);
        look_at_speed(group, body);
        if (!group.deformable) return;
        look_at_stiffness(body);
        look_at_skin(body);
    }

    // -- too small

    void look_at_smallness(const BodyGroup& group, BodyId body, double size) {
        const double fall = norm(world_.settings().gravity) * h_ * h_;
        if (fall > size) {
            add(small_, body,
                fmt::format("{} is {:.3g} m large, and falls {:.3g} m in a step from rest: it moves in jumps",
                            called(body), size, fall),
                fmt::format("take a step below {:.2g} s", std::sqrt(size / norm(world_.settings().gravity))));
            return;
        }
        const ContactSettings& contact = world_.settings().contact;
        bool by_points = false, by_volume = false;
        for (const BodyGroup& other : groups_) {
            const BodyId j = other.bodies.front() == body && other.bodies.size() > 1 ? other.bodies[1]
                                                                                     : other.bodies.front();
            if (j == body || other.thin || !world_.may_collide(body, j)) continue;
            const ContactMethod method = world_.pair_method(body, j);
            by_points = by_points || (method == ContactMethod::points && !group.deformable);
            by_volume = by_volume || method == ContactMethod::volume;
        }
        if (by_volume && contact.volume.pixel > 0 && size < fewest_pixels * contact.volume.pixel)
            add(small_, body,
                fmt::format("{} is {:.3g} m large, {:.2g} pixels of contact.volume.pixel: it sinks in by "
                            "half a pixel, and its form is lost",
                            called(body), size, size / contact.volume.pixel),
                fmt::format("take pixels below {:.2g} m, or leave \"pixel\" out", size / fewest_pixels));
        // Where it is left open, it follows from the size.
        const double left = contact.allowed_depth.value_or(0);
        if (by_points && left > max_left * size)
            add(small_, body,
                fmt::format("{} is {:.3g} m large, and contact.allowed_depth of {:.2g} m is left alone: it "
                            "sinks in by {:.0f} % of its size",
                            called(body), size, left, 100 * left / size),
                fmt::format("take contact.allowed_depth {:.1g}", 0.01 * size));
    }

    // -- too fast

    /// What it may jump over in a step: a pair whose first touch is not searched, where the solid one is thinner than the way.
    void look_at_speed(const BodyGroup& group, BodyId body) {
        const Vec3 velocity = world_.velocity(body);
        if (!(norm(velocity) > 0)) return;
        const double own = thickness_of(world_, group, body);
        bool searched = false;
        for (const BodyGroup& other : groups_) {
            if (other.thin && group.thin) continue;
            const BodyId j = other.bodies.front() == body && other.bodies.size() > 1 ? other.bodies[1]
                                                                                     : other.bodies.front();
            if (j == body || !world_.may_collide(body, j)) continue;
            const double speed = norm(velocity - world_.velocity(j));
            const double theirs = thickness_of(world_, other, j);
            const double thin = group.thin ? theirs : other.thin ? own : std::min(own, theirs);
            if (!(speed * h_ > thin) || !(thin > 0)) continue;
            if (!first_touch_is_searched(world_, body, j)) {
                add(fast_, body,
                    fmt::format("{} and {} come {:.3g} m nearer in a step, and the thinner solid of them is "
                                "{:.3g} m thick: they may pass through each other",
                                called(body), other.name, speed * h_, thin),
                    fmt::format("take a step below {:.2g} s", thin / speed));
                return;
            }
            searched = searched || norm(velocity) * h_ > own;
        }
        if (searched)
            add(fast_, body,
                fmt::format(
                    "{} moves {:.3g} m in a step, and is {:.3g} m thick: it meets what it touches first; "
                    "what else is near it in that step it may pass through",
                    called(body), norm(velocity) * h_, own),
                fmt::format("take a step below {:.2g} s", own / norm(velocity)));
    }

    // -- too stiff, too coarse

    void look_at_stiffness(BodyId body) {
        const auto integration = integration_of(world_, body);
        const double limit = world_.largest_stable_step(body), parts = h_ / limit;
        if (!integration || !(parts > 1)) return;
        constexpr const char* cure = "take integrator implicit_euler or bdf2, or a softer or heavier body";
        if (integration->policy == StepPolicy::accept)
            add(stiff_, body,
                fmt::format("{} is so stiff that its integrator is unstable above a step of {:.2g} s, and "
                            "its step_policy takes it anyway: it flies apart",
                            called(body), limit),
                "take step_policy substep, integrator implicit_euler or bdf2, or a smaller step");
        else if (integration->policy == StepPolicy::substep && parts <= integration->max_substeps &&
                 parts > many_parts)
            add(stiff_, body,
                fmt::format("{} is so stiff that its integrator cuts every step into {:.0f}", called(body),
                            std::ceil(parts)),
                cure);
    }

    void look_at_skin(BodyId body) {
        const auto tets = world_.tets(body);
        const auto skin = world_.drawn_surface(body), faces = world_.surface(body);
        if (tets.empty() || skin.size() == faces.size()) return;
        const double of_skin = mean_edge(world_.drawn_positions(body), skin),
                     of_tets = mean_edge(world_.vertex_positions(body), faces);
        if (of_skin > coarse * of_tets)
            add(coarse_, body,
                fmt::format("the skin of {} has edges of {:.3g} m, those of its tets are {:.3g} m: contact "
                            "refines it, pictures do not",
                            called(body), of_skin, of_tets),
                "say \"subdivide\": 1 or more beside its mesh, more \"triangles\" of a shape, or fewer tets");
    }

    const World& world_;
    double h_;
    std::vector<BodyGroup> groups_;
    std::vector<std::pair<BodyId, std::string>> places_{};
    std::vector<Error> apart_{}, huge_{}, small_{}, fast_{}, stiff_{}, coarse_{};
};

}  // namespace

std::vector<PairAdvice> pair_advice(const World& world) {
    std::vector<PairAdvice> out;
    const std::vector<BodyGroup> groups = body_groups(world);
    for (std::size_t i = 0; i < groups.size(); ++i)
        for (std::size_t j = i; j < groups.size(); ++j) add_pairs(world, groups[i], groups[j], i == j, out);
    return out;
}

std::vector<Error> run_advice(const World& world, const std::vector<std::string>& places) {
    return Advice(world, places).run();
}

}  // namespace plush
