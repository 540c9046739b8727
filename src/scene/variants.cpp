#include <fmt/format.h>

#include <algorithm>

#include "core/did_you_mean.hpp"
#include "plush/scene/scene.hpp"
#include "scene/assemble.hpp"

// "variants": { "ice": { "label": "…", "materials.floor.friction": 0.02 }, … }. A variant is a list of
// overrides; one rule for both: the key is a path as of --set, the value takes the place of what stands
// there. Merging partial scenes instead would need a second rule for lists, and bodies are a list.

namespace plush {
namespace {

constexpr std::size_t max_variants = 100, longest_name = 64;

/// Variants become folders: nothing that a file system or a shell could take for something else.
bool is_name(std::string_view name) {
    return !name.empty() && name.size() <= longest_name && name[0] != '-' &&
           std::all_of(name.begin(), name.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
           });
}

Place place_of(const JsonMember& member, std::string path) {
    return {member.value.source, member.value.line, path + "." + member.key, nullptr};
}

/// These say which scene it is, and a variant is of the same.
bool is_fixed(std::string_view key) {
    return key == "plush" || key == "name" || key == "$schema";
}

std::string label_of(JsonMember& variant, Messages& messages) {
    const std::string path = "$.variants." + variant.key;
    std::string label = variant.key;
    for (JsonMember& change : variant.value.members()) {
        if (change.key != "label") continue;
        if (change.value.type == JsonType::text)
            label = change.value.text();
        else
            messages.error(place_of(change, path),
                           fmt::format("this must be a text, not {}", to_phrase(change.value.type)));
    }
    return label;
}

/// Checks the overrides of a variant, and applies them where it is the chosen one.
void visit(JsonNode& root, JsonMember& variant, bool apply, Messages& messages) {
    for (JsonMember& change : variant.value.members()) {
        if (change.key == "label") continue;
        if (is_fixed(change.key)) {
            messages.error(place_of(change, "$.variants." + variant.key),
                           fmt::format("a variant cannot change \"{}\"", change.key),
                           "write a scene file of its own");
            continue;
        }
        PathWriter writer(root, change.value.source, change.value.line, messages);
        if (!apply)
            writer.check(change.key);
        else
            writer.set(change.key, std::move(change.value));
    }
}

JsonNode take(JsonNode& root) {
    JsonNode taken;
    if (root.type != JsonType::object) return taken;
    std::vector<JsonMember>& members = root.members();
    const auto found = std::find_if(members.begin(), members.end(),
                                    [](const JsonMember& member) { return member.key == "variants"; });
    if (found == members.end()) return taken;
    taken = std::move(found->value);
    members.erase(found);
    return taken;
}

void complain_unknown(const std::string& chosen, const std::vector<SceneVariant>& variants, int line,
                      Messages& messages) {
    std::vector<std::string_view> known;
    for (const SceneVariant& v : variants) known.push_back(v.name);
    std::string cure = did_you_mean(chosen, known);
    if (cure.empty())
        cure = known.empty() ? "leave the variant out" : fmt::format("variants: {}", fmt::join(known, ", "));
    messages.error(
        {0, line, known.empty() ? "$" : "$.variants", nullptr},
        known.empty() ? "this scene has no variants" : fmt::format("there is no variant \"{}\"", chosen),
        std::move(cure));
}

/// The error as one of this variant.
Error of_variant(const Error& error, const std::string& variant) {
    return Error({.file = error.file(),
                  .place = error.place(),
                  .problem = fmt::format("in variant \"{}\": {}", variant, error.problem()),
                  .cure = error.cure()});
}

/// What a variant adds to what is known of the scene without it.
void add_new(std::vector<Error>& all, const std::vector<Error>& found, const std::vector<Error>& base,
             const std::string& variant) {
    for (const Error& error : found) {
        const auto same = [&](const Error& other) { return std::string_view(other.what()) == error.what(); };
        if (std::none_of(base.begin(), base.end(), same)) all.push_back(of_variant(error, variant));
    }
}

}  // namespace

std::vector<SceneVariant> take_variants(JsonNode& root, const std::string& chosen, Messages& messages) {
    std::vector<SceneVariant> variants;
    JsonNode all = take(root);
    if (all.type != JsonType::object && all.line > 0)
        messages.error({all.source, all.line, "$.variants", nullptr},
                       fmt::format("this must be an object, not {}", to_phrase(all.type)),
                       R"(write { "name": { "step": 0.01 }, … })");
    bool found = chosen.empty();
    if (all.type == JsonType::object) {
        if (all.members().size() > max_variants)
            messages.error({all.source, all.line, "$.variants", nullptr},
                           fmt::format("there are more than {} variants", max_variants), "use fewer");
        for (JsonMember& variant : all.members()) {
            if (messages.full()) break;
            const Place place = place_of(variant, "$.variants");
            if (!is_name(variant.key))
                messages.error(place, fmt::format("\"{}\" cannot be the name of a folder", variant.key),
                               "use a-z, 0-9, _ and -, at most 64 of them, the first not a -");
            if (variant.value.type != JsonType::object) {
                messages.error(place,
                               fmt::format("this must be an object, not {}", to_phrase(variant.value.type)));
                continue;
            }
            variants.push_back({variant.key, label_of(variant, messages)});
            found = found || variant.key == chosen;
            visit(root, variant, variant.key == chosen, messages);
        }
    }
    if (!found) complain_unknown(chosen, variants, all.line, messages);
    return chosen.empty() ? variants : std::vector<SceneVariant>{};
}

VariantsLoad try_load_variants(const std::string& scene, std::span<const std::string> set) {
    SceneLoad base = Scene::try_load(scene, set);
    VariantsLoad load{.errors = base.errors, .warnings = base.warnings};
    load.variants = base.variants;
    if (load.variants.empty() && base.scene) load.scenes.push_back(*base.scene);
    for (const SceneVariant& variant : load.variants) {
        SceneLoad one = Scene::try_load(scene, set, variant.name);
        add_new(load.errors, one.errors, base.errors, variant.name);
        add_new(load.warnings, one.warnings, base.warnings, variant.name);
        if (!one.scene || !base.scene) continue;
        load.scenes.push_back(*std::move(one.scene));
        load.usable.push_back(variant);
    }
    return load;
}

}  // namespace plush
