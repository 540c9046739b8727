#include "view/gallery.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "plush/scene/scene.hpp"
#include "view/file_text.hpp"

namespace plush::view {

namespace {

namespace fs = std::filesystem;

const std::vector<BuiltinScene>& scenes() {
    static const std::vector<BuiltinScene> list = builtin_scenes();
    return list;
}

/// Beside the folder of scenes: SOURCE/docs/pictures, or share/plush/pictures.
std::optional<fs::path> picture_file(const BuiltinScene& scene) {
    const fs::path folder = scene.file.parent_path().parent_path();
    for (const fs::path& file :
         {folder / "docs" / "pictures" / (scene.name + ".png"), folder / "pictures" / (scene.name + ".png")})
        if (std::error_code ignored; fs::is_regular_file(file, ignored)) return file;
    return std::nullopt;
}

}  // namespace

const std::string& gallery_json() {
    static const std::string text = [] {
        nlohmann::json list = nlohmann::json::array();
        for (const BuiltinScene& scene : scenes())
            list.push_back({{"name", scene.name},
                            {"description", scene.description},
                            {"variants", scene.variants},
                            {"picture", picture_file(scene).has_value()}});
        return nlohmann::json{{"scenes", list}}.dump();
    }();
    return text;
}

std::optional<std::string> gallery_picture(const std::string& name) {
    const auto found =
        std::find_if(scenes().begin(), scenes().end(), [&](const BuiltinScene& s) { return s.name == name; });
    if (found == scenes().end()) return std::nullopt;
    const auto file = picture_file(*found);
    if (!file) return std::nullopt;
    return file_text(*file);
}

}  // namespace plush::view
