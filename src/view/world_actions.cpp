#include "view/world_actions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "core/suggestion.hpp"
#include "core/tuning.hpp"
#include "plush/geometry/generate.hpp"

namespace plush::view {

namespace {

/// A pin is a drag whose target stays. Its spring is so stiff that the body's weight moves it by g/ω² = 25 µm, and it never
/// gives way (the largest force that a drag may have, N).
constexpr double pin_rate = 2 * std::numbers::pi * 100, pin_force = 1e15;

// What is dropped in: a toy, unless the page says otherwise.
constexpr double drop_size = 0.3, drop_density = 300, drop_young = 5e4, drop_friction = 0.5;
constexpr int drop_triangles = 1280;

[[noreturn]] void refuse(std::string problem, std::string fix) {
    throw Error({.problem = std::move(problem), .cure = std::move(fix)});
}

}  // namespace

nlohmann::json to_json(const Vec3& v) {
    return {v.x, v.y, v.z};
}

BodyId body_at(const World& world, std::uint32_t index) {
    const std::vector<BodyId> bodies = world.bodies();
    if (index >= bodies.size())
        refuse(fmt::format("there is no body {}", index),
               fmt::format("there are {} bodies, counted from 0", bodies.size()));
    return bodies[index];
}

std::uint32_t index_of(const World& world, BodyId body) {
    const std::vector<BodyId> bodies = world.bodies();
    return static_cast<std::uint32_t>(std::find(bodies.begin(), bodies.end(), body) - bodies.begin());
}

bool is_soft(const World& world, BodyId body) {
    return world.kind(body) == BodyKind::deformable && !world.tets(body).empty();
}

Result<nlohmann::json> WorldActions::apply(World& world, const Command& command) {
    try {
        switch (command.verb) {
            case Verb::pick:
                return pick(world, command);
            case Verb::drag:
                return drag(world, command);
            case Verb::drag_to:
                return drag_to(world, command);
            case Verb::release:
                return release(world, drags_, command.whole("drag"), "drag");
            case Verb::pin:
                return pin(world, command);
            case Verb::unpin:
                return release(world, pins_, command.whole("pin"), "pin");
            case Verb::cut:
                return cut(world, command);
            case Verb::drop:
                return drop(world, command);
            default:
                return set(world, command);
        }
    } catch (const Error& error) {
        return error;
    }
}

SurfacePoint WorldActions::place_of(const World& world, const Command& command, Json& result) const {
    SurfacePoint at;
    if (command.has("ray")) {
        const Ray ray = command.ray("ray");
        const auto hit = world.ray(ray.origin, normalised(ray.direction));
        if (!hit) refuse("the ray meets no body", "aim at a body");
        at = hit->surface;
        result["distance"] = hit->distance;
    } else {
        const PickedPoint picked = command.picked("at");
        at = world.surface_point(body_at(world, picked.body), picked.triangle, picked.weights);
    }
    result["body"] = index_of(world, at.body);
    result["point"] = view::to_json(world.position_of(at));
    return at;
}

nlohmann::json WorldActions::pick(const World& world, const Command& command) const {
    const Ray ray = command.ray("ray");
    const auto hit = world.ray(ray.origin, normalised(ray.direction));
    if (!hit) return {{"hit", nullptr}};
    return {{"hit",
             {{"body", index_of(world, hit->body)},
              {"point", view::to_json(hit->point)},
              {"normal", view::to_json(hit->normal)},
              {"distance", hit->distance},
              {"triangle", hit->surface.triangle},
              {"weights", view::to_json(hit->surface.weights)}}}};
}

nlohmann::json WorldActions::drag(World& world, const Command& command) {
    Json result = Json::object();
    const SurfacePoint at = place_of(world, command, result);
    const Drag wanted{.stiffness = command.optional_number("stiffness"),
                      .damping = command.optional_number("damping"),
                      .max_force = command.optional_number("max_force")};
    const double weight = world.mass(at.body) * norm(world.settings().gravity);
    const double max_force = wanted.max_force.value_or(tuning::drag_weights * weight);
    drags_.push_back({next_, world.add_drag(at, wanted), at.body, max_force});
    result["drag"] = next_++;
    return result;
}

nlohmann::json WorldActions::drag_to(World& world, const Command& command) {
    const std::uint32_t number = command.whole("drag");
    const auto held =
        std::find_if(drags_.begin(), drags_.end(), [&](const Held& h) { return h.number == number; });
    if (held == drags_.end())
        refuse(fmt::format("there is no drag {}", number), "it was released; begin another");
    world.set_drag_target(held->drag, command.vec("target"), command.vec("velocity", {}));
    return Json::object();
}

nlohmann::json WorldActions::release(World& world, std::vector<Held>& held, std::uint32_t number,
                                     const char* what) {
    const auto found =
        std::find_if(held.begin(), held.end(), [&](const Held& h) { return h.number == number; });
    if (found == held.end()) refuse(fmt::format("there is no {} {}", what, number), "it was released before");
    const DragId drag = found->drag;
    held.erase(found);
    const auto all = world.drags();
    if (std::find(all.begin(), all.end(), drag) != all.end()) world.remove_drag(drag);
    return Json::object();
}

nlohmann::json WorldActions::pin(World& world, const Command& command) {
    Json result = Json::object();
    const SurfacePoint at = place_of(world, command, result);
    const double mass = world.mass(at.body);
    if (!std::isfinite(mass)) refuse("this body does not move by itself", "pin a point of one that does");
    const Drag spring{.stiffness = mass * pin_rate * pin_rate, .damping = {}, .max_force = pin_force};
    pins_.push_back({next_, world.add_drag(at, spring), at.body, pin_force});
    result["pin"] = next_++;
    return result;
}

nlohmann::json WorldActions::drop(World& world, const Command& command) {
    const std::string shape = command.text("shape");
    const bool soft = command.flag("soft");
    const double size = command.number("size", drop_size), density = command.number("density", drop_density);
    const Placement placement{.position = command.vec("at"), .velocity = command.vec("velocity", {})};
    const Material material{.friction = command.number("friction", drop_friction)};
    std::string name = fmt::format("dropped {} {}", shape, drops_.size() + 1);
    if (soft) {
        Soft body;
        body.mesh = drop_mesh(shape, size, soft);
        body.elastic.young = command.number("young", drop_young), body.elastic.density = density;
        body.material = material, body.name = std::move(name);
        world.add(body, placement);
    } else {
        Rigid body{.density = density, .material = material, .name = std::move(name)};
        if (shape == "ball")
            body.shape = Shape::sphere(size / 2);
        else if (shape == "box")
            body.shape = Shape::box({size / 2, size / 2, size / 2});
        else
            body.mesh = drop_mesh(shape, size, soft);
        world.add(body, placement);
    }
    drops_.push_back(command);
    return {{"body", world.bodies().size() - 1}};
}

Mesh WorldActions::drop_mesh(const std::string& shape, double size, bool soft) {
    static constexpr std::array<std::pair<std::string_view, const char*>, 3> shapes{
        {{"ball", "icosphere"}, {"box", "box"}, {"bear", "bear"}}};
    const auto found =
        std::find_if(shapes.begin(), shapes.end(), [&](const auto& s) { return s.first == shape; });
    if (found == shapes.end())
        refuse(fmt::format("there is no shape \"{}\" to drop", shape), "choose ball, box or bear");
    const std::string key = fmt::format("{} {} {}", shape, size, soft);
    for (const auto& [known, mesh] : meshes_)
        if (known == key) return mesh;
    Mesh mesh = generate({.shape = found->second, .triangles = drop_triangles, .size = size}).value();
    meshes_.emplace_back(key, mesh);
    return mesh;
}

nlohmann::json WorldActions::set(World& world, const Command& command) {
    switch (command.verb) {
        case Verb::set_gravity:
            world.set_gravity(command.vec("value"));
            break;
        case Verb::set_step:
            world.set_step(command.number("value"));
            break;
        case Verb::set_cells:
            world.set_cells(command.number("value"));
            break;
        case Verb::set_method: {
            const std::string word = command.text("value");
            std::vector<std::string_view> known;
            for (const Choice& choice : contact_method_choices()) {
                if (choice.word == word) {
                    world.set_contact_method(static_cast<ContactMethod>(choice.value));
                    return Json::object();
                }
                known.push_back(choice.word);
            }
            refuse(fmt::format("there is no contact method \"{}\"", word), suggestion(word, known));
        }
        default:
            set_bodies(world, command);
    }
    return Json::object();
}

void WorldActions::set_bodies(World& world, const Command& command) {
    const double value = command.number("value");
    const auto set_one = [&](BodyId body) {
        switch (command.verb) {
            case Verb::set_friction:
                world.set_friction(body, value);
                break;
            case Verb::set_damping:
                world.set_damping(body, value);
                break;
            case Verb::set_young:
                world.set_young(body, value);
                break;
            default:
                refuse("this command is not for a world", "send it to the viewer");
        }
    };
    if (command.has("body")) return set_one(body_at(world, command.whole("body")));
    std::size_t changed = 0;
    std::optional<Error> why;
    for (const BodyId body : world.bodies()) {
        try {
            set_one(body), ++changed;
        } catch (const Error& error) {  // a body that has no such property
            why = error;
        }
    }
    if (changed == 0 && why) throw *why;
}

void WorldActions::forget_removed(const World& world) {
    const auto gone = [&](const Held& h) { return !world.alive(h.body); };
    std::erase_if(drags_, gone), std::erase_if(pins_, gone);
}

std::vector<Command> WorldActions::release_all(std::uint32_t world) const {
    std::vector<Command> commands;
    for (const Held& held : drags_)
        commands.push_back({.verb = Verb::release, .world = world, .fields = {{"drag", held.number}}});
    return commands;
}

nlohmann::json WorldActions::to_json() const {
    const auto list = [](std::span<const Held> held) {
        Json out = Json::array();
        for (const Held& h : held)
            out.push_back(
                {h.number, h.drag.index, h.drag.generation, h.body.index, h.body.generation, h.max_force});
        return out;
    };
    Json drops = Json::array();
    for (const Command& command : drops_) drops.push_back(view::to_json(command));
    return {{"drags", list(drags_)}, {"pins", list(pins_)}, {"drops", drops}, {"next", next_}};
}

void WorldActions::read_json(const Json& json) {
    const auto list = [](const Json& from) {
        std::vector<Held> held;
        for (const Json& h : from)
            held.push_back({h.at(0).get<std::uint32_t>(),
                            {h.at(1).get<std::uint32_t>(), h.at(2).get<std::uint32_t>()},
                            {h.at(3).get<std::uint32_t>(), h.at(4).get<std::uint32_t>()},
                            h.at(5).get<double>()});
        return held;
    };
    drags_ = list(json.at("drags")), pins_ = list(json.at("pins"));
    next_ = json.at("next").get<std::uint32_t>();
}

}  // namespace plush::view
