#include "view/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "view/world_layers.hpp"

namespace plush::view {

namespace {

constexpr std::size_t max_warnings = 64;  // of different kinds or bodies
constexpr int inverted_every = 8;         // steps between looks at all tets

double size_of(const World& world, BodyId body) {
    Box3 box;
    if (world.kind(body) == BodyKind::deformable)
        for (const Vec3& p : world.vertex_positions(body)) box.add(p);
    else if (world.kind(body) != BodyKind::particles)
        for (const Vec3& p : world.drawn(body).positions()) box.add(p);
    return box.empty() ? 0 : std::min({box.size().x, box.size().y, box.size().z});
}

std::string called(const World& world, BodyId body, std::size_t index) {
    const std::string& name = world.name(body);
    return name.empty() ? fmt::format("body {}", index) : name;
}

}  // namespace

void Warnings::clear() {
    const std::lock_guard lock(mutex_);
    list_.clear(), sizes_.clear(), step_ = 0;
}

void Warnings::add(std::string id, std::optional<std::uint32_t> body, std::string text, std::string fix) {
    const auto known = std::find_if(list_.begin(), list_.end(), [&](const Warning& w) {
        return w.id == id && w.body == body && (id != "log" || w.text == text);
    });
    if (known != list_.end()) {
        known->text = std::move(text), known->last_step = step_, ++known->count;
        return;
    }
    if (list_.size() >= max_warnings) return;
    list_.push_back({std::move(id), std::move(text), std::move(fix), 1, step_, step_, body});
}

void Warnings::log(std::string_view message) {
    const std::lock_guard lock(mutex_);
    add("log", {}, std::string(message), "");
}

void Warnings::after_step(const World& world) {
    const std::lock_guard lock(mutex_);
    step_ = world.steps();
    warn_convergence(world.report());
    warn_fast(world);
    if (step_ % inverted_every == 0) warn_inverted(world);
}

void Warnings::warn_convergence(const StepReport& report) {
    const ConvergenceReport& c = report.convergence;
    std::string what;
    const auto say = [&](int count, const char* text) {
        if (count > 0) what += fmt::format("{}{} {}", what.empty() ? "" : ", ", count, text);
    };
    say(c.linear_solves, "linear solves of deformable bodies"), say(c.newton_solves, "Newton solves");
    say(c.islands, "velocity solves of islands"), say(c.position_islands, "position solves of islands");
    say(c.tet_solves, "solves of contact by tets");
    if (!what.empty())
        add("solver", {},
            fmt::format("A solver ended above its tolerance: {} (residual {:.2g}).", what, report.residual),
            "Take a smaller step, or more solver.iterations in the scene.");
    if (c.coarsened > 0)
        add("coarsened", {},
            fmt::format("{} pairs were seen with larger pixels than asked for.", c.coarsened),
            "Give contact.volume.memory_limit more, or larger pixels.");
}

void Warnings::warn_fast(const World& world) {
    const auto bodies = world.bodies();
    if (sizes_.size() > bodies.size()) sizes_.clear();
    while (sizes_.size() < bodies.size()) sizes_.push_back(size_of(world, bodies[sizes_.size()]));
    for (std::uint32_t i = 0; i < bodies.size(); ++i) {
        const BodyId body = bodies[i];
        const BodyKind kind = world.kind(body);
        if (kind == BodyKind::fixed || kind == BodyKind::particles || world.asleep(body) || !(sizes_[i] > 0))
            continue;
        const double way = norm(world.velocity(body)) * world.settings().step;
        if (way <= sizes_[i]) continue;
        add("fast", i,
            fmt::format("{} moves {:.2g} m in a step, farther than it is thick ({:.2g} m).",
                        called(world, body, i), way, sizes_[i]),
            "Take a smaller step, or a lower speed: what moves so far may pass through thin things.");
    }
}

void Warnings::warn_inverted(const World& world) {
    const auto bodies = world.bodies();
    for (std::uint32_t i = 0; i < bodies.size(); ++i) {
        if (world.kind(bodies[i]) != BodyKind::deformable || world.asleep(bodies[i])) continue;
        const auto x = world.vertex_positions(bodies[i]);
        const auto tets = world.tets(bodies[i]);
        const auto count =
            std::count_if(tets.begin(), tets.end(), [&](const Tet& t) { return inverted_tet(x, t); });
        if (count == 0) continue;
        add("inverted", i,
            fmt::format("{} of {} tets of {} are inverted.", count, tets.size(), called(world, bodies[i], i)),
            "Take a smaller step, a larger Young's modulus, or the material neo_hookean.");
    }
}

nlohmann::json Warnings::to_json() const {
    const std::lock_guard lock(mutex_);
    nlohmann::json list = nlohmann::json::array();
    for (const Warning& w : list_)
        list.push_back({{"id", w.id},
                        {"text", w.text},
                        {"fix", w.fix},
                        {"count", w.count},
                        {"first_step", w.first_step},
                        {"last_step", w.last_step},
                        {"body", w.body ? nlohmann::json(*w.body) : nlohmann::json(nullptr)}});
    return list;
}

}  // namespace plush::view
