#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/commands.hpp"
#include "app/output.hpp"
#include "plush/core/version.hpp"
#include "plush/scene/scene.hpp"
#include "record/machine.hpp"

namespace plush::app {

int scenes(bool json) {
    const std::vector<BuiltinScene> all = builtin_scenes();
    if (json) {
        auto list = nlohmann::ordered_json::array();
        for (const BuiltinScene& scene : all) {
            list.push_back({{"name", scene.name},
                            {"description", scene.description},
                            {"file", scene.file.string()},
                            {"variants", scene.variants}});
        }
        return print_json({{"scenes", list}});
    }
    if (all.empty()) {
        say("no built-in scenes were found (set PLUSH_SCENES to the folder that holds them)");
        return failed;
    }
    std::size_t width = 0;
    for (const BuiltinScene& scene : all) width = std::max(width, scene.name.size());
    std::string text;
    for (const BuiltinScene& scene : all) {
        text += fmt::format("{:<{}}  {}\n", scene.name, width, scene.description);
        if (!scene.variants.empty())
            text += fmt::format("{:<{}}  variants: {}\n", "", width, fmt::join(scene.variants, ", "));
    }
    return print(text);
}

int schema() {
    std::string text = scene_schema();
    if (!text.ends_with('\n')) text += '\n';
    return print(text);
}

int version(bool json) {
    const std::string compiler = this_machine().compiler;
    if (!json) return print(fmt::format("plush {} ({})\n", plush::version(), compiler));
    return print_json({{"version", std::string(plush::version())}, {"compiler", compiler}});
}

}  // namespace plush::app
