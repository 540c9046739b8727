#include "scene/builtin.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/did_you_mean.hpp"
#include "plush/scene/scene.hpp"
#include "scene/document.hpp"

namespace plush {
namespace {

using Path = std::filesystem::path;

bool is_folder(const Path& path) {
    std::error_code ignored;
    return std::filesystem::is_directory(path, ignored);
}

/// share/plush/scenes of the installation that `binary` is part of: bin/plush, lib/libplush.so, or
/// lib/x86_64-linux-gnu/libplush.so.
Path installed_beside(const Path& binary) {
    Path folder = binary.parent_path();
    for (int up = 0; up < 3 && !folder.empty() && folder != folder.root_path(); ++up) {
        folder = folder.parent_path();
        if (is_folder(folder / "share/plush/scenes")) return folder / "share/plush/scenes";
    }
    return {};
}

Path scenes_folder() {
    if (const char* chosen = std::getenv("PLUSH_SCENES"); chosen && *chosen) return chosen;
    std::error_code ignored;
    if (const Path beside = installed_beside(std::filesystem::read_symlink("/proc/self/exe", ignored));
        !beside.empty())
        return beside;
    // Inside another program, such as Python: where the library itself lies.
    Dl_info library{};
    if (dladdr(reinterpret_cast<const void*>(&scenes_folder), &library) && library.dli_fname)
        if (const Path beside = installed_beside(std::filesystem::absolute(library.dli_fname, ignored));
            !beside.empty())
            return beside;
    return PLUSH_SCENES_DIR;
}

std::string text_member(const JsonNode& root, std::string_view key) {
    const JsonNode* node = root.find(key);
    return node && node->type == JsonType::text ? node->text() : std::string{};
}

}  // namespace

std::vector<BuiltinScene> builtin_scenes() {
    std::vector<BuiltinScene> scenes;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(scenes_folder(), ignored)) {
        const Path& file = entry.path();
        if (file.extension() != ".jsonc") continue;
        const Result<std::string> text = read_text(file);
        if (!text) continue;
        Messages messages;
        const JsonNode root = parse_document(text.value(), 0, messages);
        scenes.push_back({file.stem().string(), text_member(root, "description"), file, {}});
        if (const JsonNode* variants = root.find("variants"); variants && variants->type == JsonType::object)
            for (const JsonMember& member : variants->members()) scenes.back().variants.push_back(member.key);
    }
    std::sort(scenes.begin(), scenes.end(),
              [](const BuiltinScene& a, const BuiltinScene& b) { return a.name < b.name; });
    return scenes;
}

Result<Path> find_builtin(const std::string& name) {
    const bool is_path = name.find('/') != name.npos || Path(name).has_extension();
    if (is_path || name.empty())
        return Error({.file = name,
                      .problem = is_folder(name) ? "this is a folder" : "there is no such file",
                      .cure = "name a scene file, or a built-in scene: see `plush scenes`"});
    const std::vector<BuiltinScene> scenes = builtin_scenes();
    std::vector<std::string_view> known;
    for (const BuiltinScene& scene : scenes) {
        if (scene.name == name) return scene.file;
        known.push_back(scene.name);
    }
    std::string cure = did_you_mean(name, known);
    if (!cure.empty()) cure += " ";
    cure += known.empty() ? "no built-in scenes were found: set PLUSH_SCENES to their folder"
                          : fmt::format("built-in scenes: {}", fmt::join(known, ", "));
    return Error({.file = name,
                  .problem = "there is no such file and no such built-in scene",
                  .cure = std::move(cure)});
}

}  // namespace plush
