#include "plush/scene/scene.hpp"

#include <fmt/format.h>

#include "core/did_you_mean.hpp"
#include "scene/advice.hpp"
#include "scene/assemble.hpp"
#include "scene/build.hpp"
#include "scene/builtin.hpp"
#include "scene/check.hpp"
#include "scene/components.hpp"
#include "scene/document.hpp"
#include "scene/reader.hpp"
#include "world/world_file.hpp"

// From a scene file to a world: text → document (parse) → one document (includes, a variant, overrides) →
// structs (read) → checked → world. Each stage finds all errors that it can see; a later stage starts where
// the document is whole.

namespace plush {

struct Scene::Data {
    JsonNode document{};  // the places in the spec point into it
    SceneSpec spec{};
    Sources sources{};
    std::vector<SceneVariant> variants{};
    std::string resolved{};
    ScenePicture picture{};
    mutable ShapeLibrary shapes{};
};

struct SceneReader {
    static SceneLoad read(std::string_view text, const std::filesystem::path& file, const std::string& called,
                          const std::string& default_name, std::span<const std::string> set,
                          const std::string& variant) {
        auto data = std::make_shared<Scene::Data>();
        Messages messages;
        std::error_code ignored;
        messages.sources.push_back({called, std::filesystem::absolute(file, ignored).parent_path()});
        JsonNode& root = data->document = parse_document(text, 0, messages);
        if (root.type != JsonType::null || messages.ok()) {
            expand_includes(root, file, messages);
            data->variants = take_variants(root, variant, messages);
            apply_overrides(root, set, messages);
            if (root.type == JsonType::object) name_it(root, default_name, variant);
            data->spec = read_scene(root, messages);
            read_state(data->spec, messages);
            split_components(data->spec, data->shapes, messages);
            check_scene(data->spec, data->shapes, messages);
        }
        SceneLoad load{{}, messages.errors(), messages.warnings(), data->variants};
        if (!messages.ok()) return load;
        data->resolved = write_document(root);
        data->picture = picture_of(data->spec);
        data->sources = std::move(messages.sources);
        load.scene.emplace().data_ = std::move(data);
        return load;
    }

    static std::vector<std::string> places(const Scene& scene) {
        std::vector<std::string> out;
        for (const BodySpec& body : scene.data_->spec.bodies)
            out.insert(out.end(), static_cast<std::size_t>(body.copies()), body.place.to_string());
        return out;
    }

private:
    /// The settings of a saved world are those of the scene.
    static void read_state(SceneSpec& spec, Messages& messages) {
        if (spec.state.empty()) return;
        const auto world = World::try_load(spec.state, 1);
        if (world)
            spec.settings = world.value().settings();
        else
            messages.error(at_key(spec.place, "state"), world.error().file() + ": " + world.error().problem(),
                           world.error().cure());
    }

    static ScenePicture picture_of(const SceneSpec& spec) {
        ScenePicture picture;
        if (!spec.picture) return picture;
        picture.time = spec.picture->time;
        if (const auto& camera = spec.picture->camera) {
            SceneCamera& out = picture.camera.emplace();
            if (camera->place.node && camera->place.node->find("position"))
                out.position = camera->position, out.target = camera->target;
            out.fov = camera->fov, out.follow = camera->follow, out.orbit = camera->orbit;
            for (const CameraKeyframeSpec& k : camera->keyframes)
                out.keyframes.push_back({k.time, k.position, k.target, k.fov});
        }
        return picture;
    }

    /// Before anything points into the document. A name that is not a text is left for the reader to see.
    static void name_it(JsonNode& root, const std::string& fallback, const std::string& variant) {
        if (!root.find("name")) {
            root.members().push_back({"name", JsonNode(JsonType::text, 0, 0)});
            root.members().back().value.text() = fallback;
        }
        JsonNode& name = *root.find("name");
        if (name.type != JsonType::text) return;
        if (name.text().empty()) name.text() = fallback;
        if (!variant.empty()) name.text() += "/" + variant;
    }
};

SceneLoad Scene::try_parse(std::string_view text, const std::filesystem::path& folder,
                           const std::string& name, std::span<const std::string> set,
                           const std::string& variant) {
    return SceneReader::read(text, folder / "scene.jsonc", name, name, set, variant);
}

SceneLoad Scene::try_load(const std::string& scene, std::span<const std::string> set,
                          const std::string& variant) {
    const auto failed = [](Error error) { return SceneLoad{{}, {std::move(error)}, {}, {}}; };
    std::filesystem::path file = scene;
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored) || std::filesystem::is_directory(file, ignored)) {
        Result<std::filesystem::path> found = find_builtin(scene);
        if (!found) return failed(found.error());
        file = found.value();
    }
    if (is_world_file(file)) {
        const std::string whole =
            "{\"plush\": 1, \"state\": " + json_quoted(std::filesystem::absolute(file, ignored).string()) +
            "}";
        return SceneReader::read(whole, file, file.string(), file.stem().string(), set, variant);
    }
    const Result<std::string> text = read_text(file);
    if (!text) return failed(text.error().in_file(scene));
    return SceneReader::read(text.value(), file, file.string(), file.stem().string(), set, variant);
}

Scene Scene::load(const std::string& scene, std::span<const std::string> set, const std::string& variant) {
    SceneLoad load = try_load(scene, set, variant);
    if (!load.scene) throw load.errors.front();
    return *std::move(load.scene);
}

const std::string& Scene::name() const {
    return data_->spec.name;
}
const std::string& Scene::description() const {
    return data_->spec.description;
}
const ScenePicture& Scene::picture() const {
    return data_->picture;
}

double Scene::duration() const {
    return data_->spec.duration;
}
double Scene::frame_rate() const {
    return data_->spec.frame_rate;
}
const std::vector<std::string>& Scene::record() const {
    return data_->spec.record;
}
double Scene::record_every() const {
    return data_->spec.record_every;
}
const WorldSettings& Scene::settings() const {
    return data_->spec.settings;
}
const std::vector<SceneVariant>& Scene::variants() const {
    return data_->variants;
}
const std::string& Scene::resolved() const {
    return data_->resolved;
}

std::vector<std::string> body_places(const Scene& scene) {
    return SceneReader::places(scene);
}

World Scene::build(int threads) const {
    return build_world(data_->spec, data_->shapes, data_->sources, threads);
}

}  // namespace plush
