#include "scene/components.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace plush {
namespace {

/// The shape of a body that may be split, with its place; null where it has none.
std::pair<ShapeSpec*, Place> shape_of(BodySpec& body) {
    if (body.rigid) return {&body.rigid->shape, body.rigid->place};
    if (body.fixed) return {&body.fixed->shape, body.fixed->place};
    if (body.scripted) return {&body.scripted->shape, body.scripted->place};
    if (body.soft) return {&body.soft->shape, body.soft->place};
    return {nullptr, {}};
}

bool is_split(const ShapeSpec& shape) {
    return shape.kind == ShapeSpec::Kind::mesh && shape.components != SplitMesh::one_body;
}

/// Copies that take bodies in turn are counted by the list: they cannot become more.
void refuse_in_turn(const BodySpec& body, Messages& messages) {
    const auto refuse = [&](const auto& kind) {
        if (kind && is_split(kind->shape))
            messages.error(at_key(kind->place, "components"), "a body of \"one_of\" cannot be split",
                           "give it an entry of its own in \"bodies\"");
    };
    for (const VariantSpec& variant : body.one_of)
        refuse(variant.rigid), refuse(variant.fixed), refuse(variant.soft);
}

}  // namespace

void split_components(SceneSpec& spec, ShapeLibrary& shapes, Messages& messages) {
    for (const BodySpec& body : spec.bodies) refuse_in_turn(body, messages);
    const bool any = std::any_of(spec.bodies.begin(), spec.bodies.end(), [](BodySpec& body) {
        const ShapeSpec* shape = shape_of(body).first;
        return shape && is_split(*shape);
    });
    if (!any) return;  // a specification takes kilobytes: no second list of them
    std::vector<BodySpec> bodies;
    for (BodySpec& body : spec.bodies) {
        const auto [shape, place] = shape_of(body);
        const int count = shape && is_split(*shape) ? shapes.split(*shape, place, messages) : 0;
        if (count < 2) {
            bodies.push_back(std::move(body));
            continue;
        }
        for (int k = 0; k < count; ++k) {
            BodySpec part = body;
            shape_of(part).first->component = k;
            if (!part.name.empty()) part.name = fmt::format("{}.{}", body.name, k + 1);
            bodies.push_back(std::move(part));
        }
    }
    spec.bodies = std::move(bodies);
}

}  // namespace plush
