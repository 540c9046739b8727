#include <fmt/format.h>

#include "scene/check.hpp"
#include "scene/document.hpp"

// Keys that would be read and then do nothing. What a kind of body can never use is an error; what needs another key beside
// it is a warning, since a variant may bring that one.

namespace plush {
namespace {

bool has(const Place& place, std::string_view key) {
    return place.node && place.node->find(key);
}

class Ignored {
public:
    Ignored(const SceneSpec& spec, Messages& messages) : spec_(spec), messages_(messages) {}

    void run() {
        for (const BodySpec& body : spec_.bodies) {
            if (body.rope) check(*body.rope);
            if (body.cloth) check(*body.cloth);
            if (body.spring_body()) check_springs(*body.spring_body());
            if (body.rigid) check_rigid(*body.rigid);
            if (body.fixed) check_exact(body.fixed->shape, body.fixed->place);
            if (body.scripted) check_exact(body.scripted->shape, body.scripted->place);
            for (long long k = 0; k < std::max<long long>(1, static_cast<long long>(body.one_of.size())); ++k)
                if (const DeformableSpec* s = body.deformable(k)) check_integrator(*s);
        }
        for (const char* key :
             {"stiffness", "damping", "implicit", "self", "normals", "cells", "iterations", "tolerance"})
            if (spec_.settings.contact.tets.method == TetContactMethod::none && has(tets_place(), key))
                return needs(tets_place(), key, "there is no contact by tets", "say \"method\" beside it");
    }

private:
    Place tets_place() const {
        const Place contact = at_key(spec_.place, "contact");
        return has(spec_.place, "contact") && has(contact, "tets") ? at_key(contact, "tets") : Place{};
    }

    void never(const Place& place, std::string_view key, std::string_view why) {
        if (has(place, key))
            messages_.error(at_key(place, key), fmt::format("{}: \"{}\" would be ignored", why, key),
                            "remove it");
    }
    void needs(const Place& place, std::string_view key, std::string_view why, std::string_view cure) {
        messages_.warning(at_key(place, key), fmt::format("{}: \"{}\" does nothing", why, key),
                          std::string(cure));
    }

    void check(const RopeSpec& rope) {
        never(rope.place, "shear", "a rope has no diagonals");
        never(rope.place, "volume", "a rope encloses nothing");
        for (const char* key : {"wind", "drag"}) never(rope.place, key, "air drags at triangles");
    }
    void check(const ClothSpec& cloth) {
        if (cloth.shape.kind == ShapeSpec::Kind::none)
            never(cloth.place, "volume", "a rectangle of cloth encloses nothing");
    }

    void check_springs(const SpringBodySpec& body) {
        const SpringBody& springs = body.springs();
        const DeformableSettings& motion = body.common().motion;
        if (has(body.place, "bend") && springs.springs.bending == Bending::none)
            needs(body.place, "bend", "bending is \"none\"", "take \"bending\" springs or angles");
        if (has(body.place, "wind") && motion.drag == 0)
            needs(body.place, "wind", "without drag the air does not touch it",
                  "say \"drag\": 1.2, the density of air, beside it");
    }

    void check_rigid(const RigidSpec& rigid) {
        check_exact(rigid.shape, rigid.place);
        if (rigid.filling && spec_.settings.contact.tets.method == TetContactMethod::none)
            needs(rigid.place, "filling", "there is no contact by tets", "say contact.tets.method");
    }
    void check_exact(const ShapeSpec& shape, const Place& place) {
        using Kind = ShapeSpec::Kind;
        for (const Kind exact :
             {Kind::sphere, Kind::box, Kind::capsule, Kind::cylinder, Kind::torus, Kind::half_space})
            if (shape.kind == exact)
                never(place, "distance_cells", "the distance of an exact shape is not sampled");
    }

    void check_integrator(const DeformableSpec& body) {
        const IntegrationMethod method = body.common().motion.integration.method;
        if (method == IntegrationMethod::implicit_euler || method == IntegrationMethod::bdf2 ||
            method == IntegrationMethod::quasi_static)
            return;
        for (const char* key :
             {"solver", "solve_tolerance", "solve_iterations", "newton", "newton_tolerance"})
            if (has(body.place, key))
                needs(body.place, key, "its integrator is explicit and solves nothing",
                      "take implicit_euler or bdf2, or remove it");
    }

    const SceneSpec& spec_;
    Messages& messages_;
};

}  // namespace

void check_ignored(const SceneSpec& spec, Messages& messages) {
    Ignored(spec, messages).run();
}

}  // namespace plush
