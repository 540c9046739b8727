#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "plush/world/world.hpp"

namespace plush {

class Scene;

/// What came of reading a scene: all errors at once, not only the first.
struct SceneLoad;

/// A scene file, read and checked, ready to become a world.
class PLUSH_API Scene {
public:
    /// `scene` is a file, or the name of a built-in scene. `set` holds overrides such as "step=0.01" or
    /// "bodies[2].rigid.density=500". Throws the first error.
    static Scene load(const std::string& scene, std::span<const std::string> set = {});
    static SceneLoad try_load(const std::string& scene, std::span<const std::string> set = {});
    /// From text; relative paths in it start from `folder`, and messages call it `name`.
    static SceneLoad try_parse(std::string_view text, const std::filesystem::path& folder,
                               const std::string& name, std::span<const std::string> set = {});

    const std::string& name() const;         ///< "bowl"
    const std::string& description() const;  ///< one line
    double duration() const;                 ///< s
    double frame_rate() const;               ///< recorded frames a second of simulated time
    const WorldSettings& settings() const;
    /// The whole scene as one JSON text: includes expanded, overrides applied, paths absolute. Reading it
    /// again gives the same world; runs keep it beside their checkpoint.
    const std::string& resolved() const;

    /// A new world at time 0. The same scene gives the same world, bit for bit. `threads` 0: all there are.
    World build(int threads = 0) const;

    struct Data;

private:
    friend struct SceneReader;
    std::shared_ptr<const Data> data_;
};

struct SceneLoad {
    std::optional<Scene> scene{};   ///< present when there is no error
    std::vector<Error> errors{};    ///< in the order of the file
    std::vector<Error> warnings{};  ///< usable, but probably not meant
};

struct BuiltinScene {
    std::string name, description;
    std::filesystem::path file;
};

/// The scenes that come with Plush, by name. Their folder: $PLUSH_SCENES, beside the source tree that was
/// built, or the installed share/plush/scenes next to the program.
PLUSH_API std::vector<BuiltinScene> builtin_scenes();

/// The JSON Schema of scene files, as text.
PLUSH_API std::string scene_schema();

/// The reference page of scene files, docs/scenes.md, as Markdown: made from the same descriptions.
PLUSH_API std::string scene_reference_markdown();

}  // namespace plush
